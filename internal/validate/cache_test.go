package validate_test

import "testing"

func TestWarningsOfCompilationCache(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ReadOnlyVolume": {
			reason: "An engine writes to its compilation cache.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, useAsCompilationCache: true}], extraPodSpec: {volumes: [{name: b, persistentVolumeClaim: {claimName: b, readOnly: true}}]}}}}`,
			want: []string{
				"spec.services[decode].volumeMounts[0].useAsCompilationCache: the engine cannot write its compilation cache, because the volume is read-only; remove readOnly in extraPodSpec.volumes",
			},
		},
		"ReadOnlyVolumeOfAnother": {
			reason: "A claim that is not a cache may be read-only.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, mountPoint: /b}], extraPodSpec: {volumes: [{name: b, persistentVolumeClaim: {claimName: b, readOnly: true}}]}}}}`,
		},
	})
}
