package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestValidateCheckpoints shows what is refused of what the platform says about checkpoints.
func TestValidateCheckpoints(t *testing.T) {
	const notAProfile = "must be a path below the folder for profiles of the kubelet, such as profiles/block-iouring.json"
	cases := map[string]struct {
		reason string
		fields string
		want   []string
	}{
		"Good": {
			reason: "A profile and a storage of the platform are accepted.",
			fields: `{"mode":"Enabled","seccompProfile":"profiles/own.json","storage":{"claimName":"a.b","basePath":"/checkpoints/"}}`,
		},
		"Mode": {
			reason: "A mode is one of three.",
			fields: `{"mode":"On"}`,
			want:   []string{`input.checkpoints.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"`},
		},
		"Profiles": {
			reason: "The kubelet only looks for profiles in its folder.",
			fields: `{"seccompProfile":"/own.json"}`,
			want:   []string{`input.checkpoints.seccompProfile: Invalid value: "/own.json": ` + notAProfile},
		},
		"ProfilesAbove": {
			reason: "The API server refuses pods with a path that leaves the folder.",
			fields: `{"seccompProfile":"a/../../own.json"}`,
			want:   []string{`input.checkpoints.seccompProfile: Invalid value: "a/../../own.json": ` + notAProfile},
		},
		"Storage": {
			reason: "A storage has a claim and a path.",
			fields: `{"storage":{"claimName":"","basePath":"checkpoints"}}`,
			want: []string{
				`input.checkpoints.storage.claimName: Required value: specify the PersistentVolumeClaim that pods mount, or remove storage`,
				`input.checkpoints.storage.basePath: Invalid value: "checkpoints": must be an absolute path without colons, such as /checkpoints`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, errorsIn(`{"checkpoints":`+tc.fields+`}`)); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
