package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// Annotations that say how Deployments, and the LeaderWorkerSets of a service, are rolled.
const (
	strategyKey    = "nvidia.com/deployment-strategy"
	surgeKey       = "nvidia.com/deployment-rolling-update-max-surge"
	unavailableKey = "nvidia.com/deployment-rolling-update-max-unavailable"
)

func TestStrategies(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"None": {reason: "The default is a rolling update.", spec: plantest.SpecOf(plantest.Frontend)},
		"Good": {
			reason: "Numbers and percentages bound the update.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + strategyKey + `":"RollingUpdate","` + surgeKey + `":"2","` + unavailableKey + `":"0%"}}`),
		},
		"Surge": {reason: "A surge of more than 100% is allowed.", spec: plantest.SpecOf(`"A":{"annotations":{"` + surgeKey + `":"150%"}}`)},
		"Recreate": {
			reason: "Nothing bounds a strategy that is not rolling.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + strategyKey + `":"Recreate","` + surgeKey + `":"x"}}`),
		},
		"UnknownStrategy": {
			reason: "The API server would refuse an unknown strategy.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + strategyKey + `":"BlueGreen"}}`),
			want:   []string{`spec.services[A].annotations[` + strategyKey + `]: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`},
		},
		"OfThePodsMetadata": {
			reason: "Annotations of the pods' metadata win.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + surgeKey + `":"1"},"extraPodMetadata":{"annotations":{"` + surgeKey + `":"-1"}}}`),
			want:   []string{`spec.services[A].extraPodMetadata.annotations[` + surgeKey + `]: Invalid value: "-1": must be a number such as 1 or a percentage such as 25%`},
		},
		"OfTheGraph": {
			reason: "Annotations of the graph reach every service.",
			spec:   `{"annotations":{"` + unavailableKey + `":"many"},"services":{"A":{}}}`,
			want:   []string{`spec.annotations[` + unavailableKey + `]: Invalid value: "many": must be a number such as 1 or a percentage such as 25%`},
		},
		"BothZero": {
			reason: "If no pod may be added or be unavailable, no pod could ever be replaced.",
			spec:   `{"annotations":{"` + surgeKey + `":"0"},"services":{"A":{"extraPodMetadata":{"annotations":{"` + unavailableKey + `":"0%"}}}}}`,
			want:   []string{`spec.services[A].extraPodMetadata.annotations[` + unavailableKey + `]: Invalid value: "0%": may not be 0 when ` + surgeKey + ` is 0, because no pod could ever be replaced`},
		},
		"SurgeZero": {reason: "A surge of 0 is allowed, because 25% of the pods may be unavailable by default.", spec: plantest.SpecOf(`"A":{"annotations":{"` + surgeKey + `":"0"}}`)},
		"TooManyUnavailable": {
			reason: "No more than all pods can be missing.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + unavailableKey + `":"101%"}}`),
			want:   []string{`spec.services[A].annotations[` + unavailableKey + `]: Invalid value: "101%": must be at most 100%`},
		},
		"Huge": {
			reason: "A number beyond all bounds is refused.",
			spec:   plantest.SpecOf(`"A":{"annotations":{"` + surgeKey + `":"99999999999999999999%"}}`),
			want:   []string{`spec.services[A].annotations[` + surgeKey + `]: Invalid value: "99999999999999999999%": must be a number such as 1 or a percentage such as 25%`},
		},
		"Multinode": {
			reason: "The annotations mean the same for the replicas of a service that spans nodes.",
			spec:   plantest.SpecOf(`"A":{"multinode":{"nodeCount":2},"annotations":{"` + unavailableKey + `":"many"}},"B":{"multinode":{"nodeCount":2},"annotations":{"` + strategyKey + `":"BlueGreen"}}`),
			want: []string{
				`spec.services[A].annotations[` + unavailableKey + `]: Invalid value: "many": must be a number such as 1 or a percentage such as 25%`,
				`spec.services[B].annotations[` + strategyKey + `]: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`,
			},
		},
		"MultinodeSurge": {
			reason: "The surge of a service that spans nodes is not read, and so not checked.",
			spec:   plantest.SpecOf(`"A":{"multinode":{"nodeCount":2},"annotations":{"` + surgeKey + `":"0","` + unavailableKey + `":"0"}},"B":{"multinode":{"nodeCount":2},"annotations":{"` + surgeKey + `":"x"}}`),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range validate.Strategies(plantest.Decoded(t, tc.spec, `{}`)) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nvalidate.Strategies(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStrategyWarnings(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Default":    {reason: "Without annotations there is nothing to say.", spec: plantest.SpecOf(`"A":{"multinode":{"nodeCount":2}}`)},
		"SingleNode": {reason: "A Deployment follows all strategy annotations.", spec: plantest.SpecOf(`"A":{"annotations":{"` + surgeKey + `":"1","` + unavailableKey + `":"0"}}`)},
		"Surge": {
			reason: "A replica that spans nodes is not started beside the one that it replaces.",
			spec:   plantest.SpecOf(`"A":{"multinode":{"nodeCount":2},"annotations":{"` + surgeKey + `":"1"}}`),
			want:   []string{`spec.services[A].annotations[` + surgeKey + `]: has no effect on a service that spans nodes, because no replica is added during a rollout`},
		},
		"SurgeOfTheGraph": {reason: "Services on one node follow what the graph says.", spec: `{"annotations":{"` + surgeKey + `":"1"},"services":{"A":{"multinode":{"nodeCount":2}}}}`},
		"NoneUnavailable": {
			reason: "One replica of a service that spans nodes has to be unavailable during a rollout.",
			spec:   `{"annotations":{"` + unavailableKey + `":"0%"},"services":{"A":{"multinode":{"nodeCount":2}}}}`,
			want:   []string{`spec.annotations[` + unavailableKey + `]: is treated as 1 for a service that spans nodes, because no replica is added during a rollout and one has to be unavailable`},
		},
		"Recreate": {reason: "Nothing bounds a strategy that is not rolling.", spec: plantest.SpecOf(`"A":{"multinode":{"nodeCount":2},"annotations":{"` + strategyKey + `":"Recreate","` + surgeKey + `":"1","` + unavailableKey + `":"0"}}`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, validate.StrategyWarnings(plantest.Decoded(t, tc.spec, `{}`))); diff != "" {
				t.Errorf("%s\nvalidate.StrategyWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
