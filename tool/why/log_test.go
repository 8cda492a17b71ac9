package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

func TestAddLog(t *testing.T) {
	cases := map[string]struct {
		reason    string
		file      string
		log       string
		forbidden []string
		want      *Log
		denied    []preview.ForbiddenError
		fails     bool
	}{
		"Crash": {
			reason: "The log of the run that crashed is shown, without what colors a terminal.", file: "leader.yaml", log: "loading\n\x1b[31mout of memory\x1b[0m\r\n\ttrace\x07",
			want: &Log{Pod: "llama-0-decode-0-decode-ldr-abcde", Container: "main", Previous: true, Lines: []string{"loading", "out of memory", "\ttrace"}},
		},
		"Group": {
			reason: "A pod that LWS has created anew only has the log of its own run.", file: "crash-sets.yaml", log: "loading\n",
			want: &Log{Pod: "image-leaderworkersets-crashing-decode-0-0-1", Container: "main", Lines: []string{"loading"}},
		},
		"NoContainer": {reason: "Pods that have not started have no log.", file: "gang.yaml"},
		"Forbidden":   {reason: "A log that may not be read is said.", file: "leader.yaml", forbidden: []string{"log"}, denied: []preview.ForbiddenError{{Verb: "get", Resource: "pods/log", Namespace: "inference"}}},
		"Fails":       {reason: "A log that cannot be read is an error.", file: "leader.yaml", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := diagnosed(t, tc.file, false)
			r := clusterWith()
			r.log, r.Forbidden = tc.log, tc.forbidden
			err := d.AddLog(r)
			if (err != nil) != tc.fails {
				t.Fatalf("%s\ngot error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, d.Log); diff != "" {
				t.Errorf("%s\nlog: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.denied, d.Forbidden); diff != "" {
				t.Errorf("%s\nforbidden: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
