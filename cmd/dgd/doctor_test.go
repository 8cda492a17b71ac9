package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestDoctor(t *testing.T) {
	const installed, without = "tool/doctor/testdata/cluster.yaml", "cmd/dgd/testdata/doctor/before.yaml"
	cases := map[string]struct {
		reason  string
		file    string
		refused string
		args    []string
		code    int
		// out and err are parts of what is printed.
		out, err string
	}{
		"Problem":     {reason: "A problem fails a script.", file: installed, code: exitRefused, out: "problem  dynamo-operator         The Dynamo operator runs"},
		"PodGrouper":  {reason: "The pod grouper of an older KAI may not read graphs.", file: installed, code: exitRefused, out: "problem  kai-pod-grouper         The pod grouper of KAI v0.13.4 may read DynamoGraphDeployments"},
		"Chart":       {reason: "With the role of its chart it may not.", file: installed, refused: "dynamographdeployments", code: exitRefused, out: "ok       kai-pod-grouper         KAI's pod grouper may not read graphs"},
		"Permissions": {reason: "Crossplane needs its permissions.", file: installed, refused: `"verb":"patch"`, code: exitRefused, out: "problem  crossplane-permissions  Crossplane may not patch "},
		"Before":      {reason: "Before the installation, what comes with it is not missed.", file: without, out: "skipped  configuration           It comes with install.yaml.\n"},
		"JSON":        {reason: "Other programs read JSON.", file: without, args: []string{"-o", "json"}, out: `"check": "crossplane",` + "\n      " + `"state": "ok"`},
		"Unreachable": {reason: "A cluster that cannot be reached is one clear error.", file: without, args: []string{"--context=unreachable"}, code: exitUsage, err: "version --output=json: The connection to the server localhost:8080 was refused"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			refused := tc.refused
			if refused == "" {
				refused = "nothing"
			}
			c := refusingCluster(t, refused)
			c.serve(t, harness.Read(t, tc.file))
			got := ended(t, "", append([]string{"doctor"}, tc.args...)...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) || !strings.Contains(got.err, tc.err) || tc.err == "" && got.err != "" {
				t.Errorf("%s\nwant exit status %d, %q and %q, got %d, %q and %q", tc.reason, tc.code, tc.out, tc.err, got.code, got.out, got.err)
			}
			for _, line := range c.asked(t) {
				words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.HasPrefix(word, "--context=") })
				reviews := "create --filename=- --validate=false --output=json"
				if !slices.Contains([]string{"get", "config", "version"}, words[0]) && strings.Join(words, " ") != reviews || strings.Contains(line, "Secret") {
					t.Errorf("kubectl was asked: %s", line)
				}
			}
		})
	}
}
