package validate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// Annotations that say how Deployments, and the LeaderWorkerSets of a component, are rolled.
const (
	strategyKey    = "nvidia.com/deployment-strategy"
	surgeKey       = "nvidia.com/deployment-rolling-update-max-surge"
	unavailableKey = "nvidia.com/deployment-rolling-update-max-unavailable"
)

// components by name.
type components map[string]v1alpha1.Service

// annotated is a graph with annotations and components.
func annotated(annotations map[string]string, s components) *graph.Graph {
	return graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{Annotations: annotations, Services: s})
}

// oneNode is a component of one node with annotations, each key before its value.
func oneNode(annotations ...string) v1alpha1.Service {
	s := v1alpha1.Service{Annotations: map[string]string{}}
	for pair := range slices.Chunk(annotations, 2) {
		s.Annotations[pair[0]] = pair[1]
	}
	return s
}

// twoNodes is oneNode of a component that spans nodes.
func twoNodes(annotations ...string) v1alpha1.Service {
	s := oneNode(annotations...)
	s.Multinode = &v1alpha1.Multinode{NodeCount: 2}
	return s
}

// withPods adds an annotation to the metadata of the pods.
func withPods(s v1alpha1.Service, key, value string) v1alpha1.Service {
	s.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: map[string]string{key: value}}
	return s
}

func TestStrategies(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  *graph.Graph
		want   []string
	}{
		"None": {reason: "The default is a rolling update.", graph: annotated(nil, components{"A": oneNode()})},
		"Good": {
			reason: "Numbers and percentages bound the update.",
			graph:  annotated(nil, components{"A": oneNode(strategyKey, "RollingUpdate", surgeKey, "2", unavailableKey, "0%")}),
		},
		"Surge": {reason: "A surge of more than 100% is allowed.", graph: annotated(nil, components{"A": oneNode(surgeKey, "150%")})},
		"Recreate": {
			reason: "Nothing bounds a strategy that is not rolling.",
			graph:  annotated(nil, components{"A": oneNode(strategyKey, "Recreate", surgeKey, "x")}),
		},
		"UnknownStrategy": {
			reason: "The API server would refuse an unknown strategy.",
			graph:  annotated(nil, components{"A": oneNode(strategyKey, "BlueGreen")}),
			want:   []string{`spec.services[A].annotations[` + strategyKey + `]: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`},
		},
		"OfThePodsMetadata": {
			reason: "Annotations of the pods' metadata win.",
			graph:  annotated(nil, components{"A": withPods(oneNode(surgeKey, "1"), surgeKey, "-1")}),
			want:   []string{`spec.services[A].extraPodMetadata.annotations[` + surgeKey + `]: Invalid value: "-1": must be a number such as 1 or a percentage such as 25%`},
		},
		"OfTheGraph": {
			reason: "Annotations of the graph reach every service.",
			graph:  annotated(map[string]string{unavailableKey: "many"}, components{"A": oneNode()}),
			want:   []string{`spec.annotations[` + unavailableKey + `]: Invalid value: "many": must be a number such as 1 or a percentage such as 25%`},
		},
		"BothZero": {
			reason: "If no pod may be added or be unavailable, no pod could ever be replaced.",
			graph:  annotated(map[string]string{surgeKey: "0"}, components{"A": withPods(oneNode(), unavailableKey, "0%")}),
			want:   []string{`spec.services[A].extraPodMetadata.annotations[` + unavailableKey + `]: Invalid value: "0%": may not be 0 when ` + surgeKey + ` is 0, because no pod could ever be replaced`},
		},
		"SurgeZero": {reason: "A surge of 0 is allowed, because 25% of the pods may be unavailable by default.", graph: annotated(nil, components{"A": oneNode(surgeKey, "0")})},
		"TooManyUnavailable": {
			reason: "No more than all pods can be missing.",
			graph:  annotated(nil, components{"A": oneNode(unavailableKey, "101%")}),
			want:   []string{`spec.services[A].annotations[` + unavailableKey + `]: Invalid value: "101%": must be at most 100%`},
		},
		"Huge": {
			reason: "A number beyond all bounds is refused.",
			graph:  annotated(nil, components{"A": oneNode(surgeKey, "99999999999999999999%")}),
			want:   []string{`spec.services[A].annotations[` + surgeKey + `]: Invalid value: "99999999999999999999%": must be a number such as 1 or a percentage such as 25%`},
		},
		"Multinode": {
			reason: "The annotations mean the same for the replicas of a service that spans nodes.",
			graph:  annotated(nil, components{"A": twoNodes(unavailableKey, "many"), "B": twoNodes(strategyKey, "BlueGreen")}),
			want: []string{
				`spec.services[A].annotations[` + unavailableKey + `]: Invalid value: "many": must be a number such as 1 or a percentage such as 25%`,
				`spec.services[B].annotations[` + strategyKey + `]: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`,
			},
		},
		"MultinodeSurge": {
			reason: "The surge of a service that spans nodes is not read, and so not checked.",
			graph:  annotated(nil, components{"A": twoNodes(surgeKey, "0", unavailableKey, "0"), "B": twoNodes(surgeKey, "x")}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := validate.Strategies(tc.graph).Texts(tc.graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nvalidate.Strategies(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStrategyWarnings(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  *graph.Graph
		want   []string
	}{
		"Default":    {reason: "Without annotations there is nothing to say.", graph: annotated(nil, components{"A": twoNodes()})},
		"SingleNode": {reason: "A Deployment follows all strategy annotations.", graph: annotated(nil, components{"A": oneNode(surgeKey, "1", unavailableKey, "0")})},
		"Surge": {
			reason: "A replica that spans nodes is not started beside the one that it replaces.",
			graph:  annotated(nil, components{"A": twoNodes(surgeKey, "1")}),
			want:   []string{`spec.services[A].annotations[` + surgeKey + `]: has no effect on a service that spans nodes, because a rollout adds no replica`},
		},
		"SurgeOfTheGraph": {reason: "Services on one node follow what the graph says.", graph: annotated(map[string]string{surgeKey: "1"}, components{"A": twoNodes()})},
		"NoneUnavailable": {
			reason: "One replica of a service that spans nodes has to be unavailable during a rollout.",
			graph:  annotated(map[string]string{unavailableKey: "0%"}, components{"A": twoNodes()}),
			want:   []string{`spec.annotations[` + unavailableKey + `]: is treated as 1 for a service that spans nodes, because a rollout adds no replica, so one replica has to be unavailable`},
		},
		"Recreate": {reason: "Nothing bounds a strategy that is not rolling.", graph: annotated(nil, components{"A": twoNodes(strategyKey, "Recreate", surgeKey, "1", unavailableKey, "0")})},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, validate.StrategyWarnings(tc.graph).Texts(tc.graph)); diff != "" {
				t.Errorf("%s\nvalidate.StrategyWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
