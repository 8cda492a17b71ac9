package input

import (
	"testing"
)

// TestValidateCheckpoints shows what is refused of what the platform says about checkpoints.
func TestValidateCheckpoints(t *testing.T) {
	const notAProfile = "must be a path below the folder for profiles of the kubelet, such as profiles/block-iouring.json"
	runRefusals(t, map[string]refusal{
		"Good": {
			reason: "A profile and a storage of the platform are accepted.",
			fields: `{"checkpoints":{"mode":"Enabled","seccompProfile":"profiles/own.json","storage":{"claimName":"a.b","basePath":"/checkpoints/"}}}`,
		},
		"Mode": {
			reason: "A mode is one of three.",
			fields: `{"checkpoints":{"mode":"On"}}`,
			want:   []string{`input.checkpoints.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"`},
		},
		"Profiles": {
			reason: "The kubelet only looks for profiles in its folder.",
			fields: `{"checkpoints":{"seccompProfile":"/own.json"}}`,
			want:   []string{`input.checkpoints.seccompProfile: Invalid value: "/own.json": ` + notAProfile},
		},
		"ProfilesAbove": {
			reason: "The API server refuses pods with a path that leaves the folder.",
			fields: `{"checkpoints":{"seccompProfile":"a/../../own.json"}}`,
			want:   []string{`input.checkpoints.seccompProfile: Invalid value: "a/../../own.json": ` + notAProfile},
		},
		"StorageOfAgent": {
			reason: "Pods mount no storage since v0.1.0 of the snapshot operator.",
			fields: `{"checkpoints":{"contract":"v0.1.0","storage":{"claimName":"a","basePath":"/b"}}}`,
			want: []string{
				`input.checkpoints.storage: Forbidden: the agent mounts it for pods since v0.1.0 of the snapshot operator; remove storage, or set contract to v0.1.0-alpha.1`,
			},
		},
		"Contract": {
			reason: "Only contracts of releases are known.",
			fields: `{"checkpoints":{"contract":"v0.2.0"}}`,
			want:   []string{`input.checkpoints.contract: Unsupported value: "v0.2.0": supported values: "Auto", "v0.1.0", "v0.1.0-alpha.1"`},
		},
		"Storage": {
			reason: "A storage has a claim and a path.",
			fields: `{"checkpoints":{"storage":{"claimName":"","basePath":"checkpoints"}}}`,
			want: []string{
				`input.checkpoints.storage.claimName: Required value: specify the PersistentVolumeClaim that pods mount, or remove storage`,
				`input.checkpoints.storage.basePath: Invalid value: "checkpoints": must be an absolute path without colons, such as /checkpoints`,
			},
		},
	})
}
