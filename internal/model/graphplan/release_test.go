package graphplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckRelease(t *testing.T) {
	cases := map[string]struct {
		reason    string
		plan, own string
		want      string
	}{
		"Same": {reason: "Steps of one build work together.", plan: "v0.2.0+a", own: "v0.2.0+a"},
		"OlderStep": {
			reason: "A step that was not updated yet is named.", plan: "v0.10.0+b", own: "v0.9.0+a",
			want: "step plan has release v0.10.0+b, but this step has release v0.9.0+a; update this step to v0.10.0; nothing is changed until then",
		},
		"OlderPlan": {
			reason: "A step plan that was not updated yet is named.", plan: "v0.1.0+a", own: "v0.2.0-rc.1+b",
			want: "step plan has release v0.1.0+a, but this step has release v0.2.0-rc.1+b; update step plan to v0.2.0-rc.1; nothing is changed until then",
		},
		"OtherBuild": {
			reason: "Two builds of one version can differ in everything.", plan: "v0.2.0+a", own: "v0.2.0+b",
			want: "step plan has release v0.2.0+a, but this step has release v0.2.0+b; install packages of the same build for all steps; nothing is changed until then",
		},
		"Development": {
			reason: "Which is the older one is not known of a development build.", plan: "development", own: "v0.2.0+b",
			want: "step plan has release development, but this step has release v0.2.0+b; install packages of the same build for all steps; nothing is changed until then",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := (&Plan{Release: tc.plan}).CheckRelease(tc.own); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheckRelease(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
