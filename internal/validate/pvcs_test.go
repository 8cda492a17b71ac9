package validate_test

import (
	"testing"
)

func TestBadPVCs(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"CreatedPVCWithoutAnything": {
			reason: "A claim that is created is described in full; all that is missing is said.",
			patch:  `spec: {pvcs: [{name: models, create: true}]}`,
			want: []string{
				"spec.pvcs[0].size: Required value: must be greater than 0 when create is true",
				"spec.pvcs[0].storageClass: Required value: is required when create is true",
				"spec.pvcs[0].volumeAccessMode: Required value: is required when create is true",
			},
		},
		"SamePVCTwice": {
			reason: "Names of claims are unique.",
			patch:  `spec: {pvcs: [{name: a}, {name: a}]}`,
			want: []string{
				`spec.pvcs[1].name: Invalid value: "a": is duplicated; rename or remove one of the two`,
			},
		},
		"BadAccessMode": {
			reason: "Only four access modes exist.",
			patch:  `spec: {pvcs: [{name: a, create: true, size: 1Gi, storageClass: x, volumeAccessMode: ReadWrite}]}`,
			want: []string{
				`spec.pvcs[0].volumeAccessMode: Unsupported value: "ReadWrite": supported values: "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"`,
			},
		},
	})
}

func TestWarningsOfPVCs(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ExistingClaim": {
			reason: "A claim that exists has its size.",
			patch:  `spec: {pvcs: [{name: a, size: 1Gi}, {name: b, create: false}, {name: c, create: true, size: 1Gi, storageClass: d, volumeAccessMode: ReadWriteMany}]}`,
			want:   []string{"spec.pvcs[0]: size, storageClass and volumeAccessMode have no effect on an existing claim; set create: true, or remove them"},
		},
	})
}
