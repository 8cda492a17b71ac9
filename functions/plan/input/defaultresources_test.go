package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestDefaultResources shows what remains of the defaults in several places.
func TestDefaultResources(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		amounts := corev1.ResourceList{}
		if cpu != "" {
			amounts[corev1.ResourceCPU] = resource.MustParse(cpu)
		}
		if memory != "" {
			amounts[corev1.ResourceMemory] = resource.MustParse(memory)
		}
		return amounts
	}
	cases := map[string]struct {
		reason      string
		input, data string
		want        graphplan.Resources
	}{
		"None": {reason: "Nothing is requested by default.", input: `{}`},
		"Input": {
			reason: "The input sets requests and limits.",
			input:  `{"defaultResources":{"requests":{"cpu":2,"memory":"8Gi"},"limits":{"memory":"16Gi"}}}`,
			want:   graphplan.Resources{Requests: list("2", "8Gi"), Limits: list("", "16Gi")},
		},
		"Overlay": {
			reason: "The EnvironmentConfig takes precedence for each amount that it has, and its entries for namespaces over it.",
			input:  `{"defaultResources":{"requests":{"cpu":2,"memory":"8Gi"}}}`,
			data: `{"defaultResources":{"requests":{"cpu":3}},"namespaces":[{"selector":{"matchNames":["team-a"]},"defaultResources":{"limits":{"cpu":4}}},
				{"selector":{"matchNames":["team-b"]},"defaultResources":{"limits":{"cpu":5}}}]}`,
			want: graphplan.Resources{Requests: list("3", "8Gi"), Limits: list("4", "")},
		},
		"Zero": {
			reason: "A zero removes the default of a place below.",
			input:  `{"defaultResources":{"requests":{"cpu":2,"memory":"8Gi"},"limits":{"cpu":2}}}`,
			data:   `{"namespaces":[{"selector":{"matchNames":["team-a"]},"defaultResources":{"requests":{"memory":"0"},"limits":{"cpu":0}}}]}`,
			want:   graphplan.Resources{Requests: list("2", "")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, errs := overlaid(tc.input, tc.data)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, DefaultResources(in)); diff != "" {
				t.Errorf("%s\nDefaultResources(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDefaultResourcesRefuses shows which defaults are invalid.
func TestDefaultResourcesRefuses(t *testing.T) {
	const at = `EnvironmentConfig[dynamo].data.defaultResources.`
	cases := map[string]struct {
		reason      string
		input, data string
		want        []string
	}{
		"GPUs": {
			reason: "GPUs are only requested by users, who know how many their engine uses.",
			data:   `{"defaultResources":{"limits":{"gpu":1}}}`,
			want:   []string{at + `limits.gpu: Invalid value: unknown field; did you mean "cpu"?`},
		},
		"Type": {
			reason: "An amount is a quantity.",
			data:   `{"defaultResources":{"requests":{"memory":"8 GB"}}}`,
			want:   []string{at + `requests.memory: Invalid value: must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi; did you mean 8G or 8Gi?`},
		},
		"Negative": {
			reason: "No amount is negative.",
			data:   `{"defaultResources":{"requests":{"cpu":-1,"memory":"-1Gi"},"limits":{"cpu":-1,"memory":"-1Gi"}}}`,
			want: []string{
				at + `requests.cpu: Invalid value: "-1": must be at least 0; use 0 if there is no default`,
				at + `requests.memory: Invalid value: "-1Gi": must be at least 0; use 0 if there is no default`,
				at + `limits.cpu: Invalid value: "-1": must be at least 0; use 0 if there is no default`,
				at + `limits.memory: Invalid value: "-1Gi": must be at least 0; use 0 if there is no default`,
			},
		},
		"Fraction": {
			reason: "The unit is a typo for millions.",
			data:   `{"defaultResources":{"limits":{"memory":"512m"}}}`,
			want:   []string{at + `limits.memory: Invalid value: "512m": must be a whole number of bytes; m means a thousandth, use M or Mi for millions`},
		},
		"AboveTheLimit": {
			reason: "The API server refuses pods with a request above the limit, which may be in a place below.",
			input:  `{"defaultResources":{"limits":{"cpu":2,"memory":"1Gi"}}}`, data: `{"defaultResources":{"requests":{"cpu":"2500m","memory":"2Gi"}}}`,
			want: []string{
				at + `requests.cpu: Invalid value: "2500m": must be at most the limit, which is 2; reduce it, or raise the limit`,
				at + `requests.memory: Invalid value: "2Gi": must be at most the limit, which is 1Gi; reduce it, or raise the limit`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.input == "" {
				tc.input = `{}`
			}
			_, got := overlaid(tc.input, tc.data)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOverlay(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
