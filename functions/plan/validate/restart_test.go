package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestWarningsOfRestart(t *testing.T) {
	const advice = "spec.restart does not restart the service while its pods have annotation nvidia.com/restartAt of your own; " +
		"remove it from annotations, extraPodMetadata.annotations and spec.annotations"
	frontend, decode := "spec.services[Frontend]: "+advice, "spec.services[decode]: "+advice

	cases := map[string]struct {
		reason string
		patch  string
		want   []string
	}{
		"Works": {reason: "A restart is carried out.", patch: `spec: {restart: {id: a}}`},
		"OwnAnnotation": {
			reason: "A service whose annotation the user looks after is left out.",
			patch:  `spec: {restart: {id: a}, services: {decode: {annotations: {nvidia.com/restartAt: b}}}}`,
			want:   []string{decode},
		},
		"OwnPodAnnotation": {
			reason: "Wherever it is set.",
			patch:  `spec: {restart: {id: a}, services: {decode: {extraPodMetadata: {annotations: {nvidia.com/restartAt: ""}}}}}`,
			want:   []string{decode},
		},
		"OwnGraphAnnotation": {
			reason: "Set on the graph it is on all services.",
			patch:  `spec: {restart: {id: a}, annotations: {nvidia.com/restartAt: b}}`,
			want:   []string{frontend, decode},
		},
		"NoRestart": {
			reason: "Without a restart it is an annotation like any other.",
			patch:  `spec: {services: {decode: {annotations: {nvidia.com/restartAt: b}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, merge(parse(t, valid), parse(t, tc.patch)))
			if diff := cmp.Diff(tc.want, validate.Warnings(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
