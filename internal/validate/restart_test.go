package validate_test

import (
	"testing"
)

func TestWarningsOfRestart(t *testing.T) {
	const advice = "spec.restart does not restart the service while you set annotation nvidia.com/restartAt; " +
		"remove it from annotations, extraPodMetadata.annotations and spec.annotations"
	frontend, decode := "spec.services[Frontend]: "+advice, "spec.services[decode]: "+advice

	runWarnings(t, map[string]warningCase{
		"Works": {reason: "A restart is carried out.", patch: `spec: {restart: {id: a}}`},
		"OwnAnnotation": {
			reason: "A service whose annotation the user looks after is left out.",
			patch:  `spec: {restart: {id: a}, services: {decode: {annotations: {nvidia.com/restartAt: b}}}}`,
			want:   []string{decode},
		},
		"OwnPodAnnotation": {
			reason: "A service whose annotation the user sets in extraPodMetadata is left out.",
			patch:  `spec: {restart: {id: a}, services: {decode: {extraPodMetadata: {annotations: {nvidia.com/restartAt: ""}}}}}`,
			want:   []string{decode},
		},
		"OwnGraphAnnotation": {
			reason: "An annotation of the graph applies to all services, which are left out.",
			patch:  `spec: {restart: {id: a}, annotations: {nvidia.com/restartAt: b}}`,
			want:   []string{frontend, decode},
		},
		"NoRestart": {
			reason: "Without a restart, the annotation is like any other.",
			patch:  `spec: {services: {decode: {annotations: {nvidia.com/restartAt: b}}}}`,
		},
	})
}

func TestBadRestarts(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"RestartWithoutID": {
			reason: "A restart needs a token.",
			patch:  `spec: {restart: {id: ""}}`,
			want: []string{
				"spec.restart.id: Required value: specify an ID; a new ID starts a restart",
			},
		},
		"RestartOrder": {
			reason: "The order must name every service once, and no other.",
			patch:  `spec: {restart: {id: a, strategy: {order: [decode, decode, other]}}}`,
			want: []string{
				"spec.restart.strategy.order: Required value: must name every service; Frontend is missing",
				`spec.restart.strategy.order[1]: Invalid value: "decode": is duplicated; rename or remove one of the two`,
				`spec.restart.strategy.order[2]: Invalid value: "other": is not a service of the graph; remove it`,
			},
		},
		"RestartOrderWithParallel": {
			reason: "Order means nothing in parallel.",
			patch:  `spec: {restart: {id: a, strategy: {type: Parallel, order: [decode, Frontend]}}}`,
			want: []string{
				"spec.restart.strategy.order: Forbidden: may not be set when type is Parallel; remove it",
			},
		},
	})
}
