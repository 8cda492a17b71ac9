package validate_test

import (
	"testing"
)

func TestWarningsOfMisspeltClaims(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"Mount": {
			reason: "The pods would wait for a claim that nobody creates.",
			patch:  `spec: {pvcs: [{name: model-cache}, {name: results}], services: {decode: {volumeMounts: [{name: results, mountPoint: /b}, {name: model-cahce, mountPoint: /a}]}}}`,
			want:   []string{`spec.services[decode].volumeMounts[1].name: "model-cahce" is not in spec.pvcs; did you mean "model-cache"?`},
		},
		"Volume": {
			reason: "A volume of a pod may be of a claim as well.",
			patch:  `spec: {pvcs: [{name: model-cache}], services: {decode: {extraPodSpec: {volumes: [{name: a, persistentVolumeClaim: {claimName: modelcache}}]}}}}`,
			want:   []string{`spec.services[decode].extraPodSpec.volumes[0].persistentVolumeClaim.claimName: "modelcache" is not in spec.pvcs; did you mean "model-cache"?`},
		},
		"VolumeOfTheName": {
			reason: "A volume of the user's own is mounted, and no claim.",
			patch:  `spec: {pvcs: [{name: cache}], services: {decode: {volumeMounts: [{name: caches, mountPoint: /a}], extraPodSpec: {volumes: [{name: caches, emptyDir: {}}]}}}}`,
		},
		"Others": {
			reason: "Claims that the graph does not know may be mounted, and numbers tell claims apart.",
			patch:  `spec: {pvcs: [{name: shard-1}], services: {decode: {volumeMounts: [{name: shard-2, mountPoint: /a}, {name: datasets, mountPoint: /b}]}}}`,
		},
	})
}
