package status

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestRuntimeVersions(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components map[string]graphplan.Component
		want       string
	}{
		"None": {reason: "A graph without services has no images."},
		"One": {
			reason:     "A release that all images have is there once.",
			components: map[string]graphplan.Component{"Frontend": {RuntimeVersion: "1.4.0"}, "Worker": {RuntimeVersion: "1.4.0"}, "Unknown": {}},
			want:       "1.4.0",
		},
		"Several": {
			reason:     "Releases are sorted as versions, so that the text is the same in every run.",
			components: map[string]graphplan.Component{"A": {RuntimeVersion: "1.10.0"}, "B": {RuntimeVersion: "1.9.0"}, "C": {RuntimeVersion: "1.10.0"}},
			want:       "1.9.0, 1.10.0",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := runtimeVersions(&graphplan.Plan{Components: tc.components}); got != tc.want {
				t.Errorf("%s\nruntimeVersions(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
