package validate_test

import (
	"testing"
)

func TestWarningsOfMisspeltWords(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ComponentType": {
			reason: "A component type that nobody knows gets no defaults.",
			patch:  `spec: {services: {decode: {componentType: wroker}}}`,
			want:   []string{`spec.services[decode].componentType: "wroker" is not a known component type and gets no defaults; did you mean "worker"?`},
		},
		"OwnComponentType": {
			reason: "A component type may be anything.",
			patch:  `spec: {services: {decode: {componentType: encoder, subComponentType: encode, extraPodSpec: {mainContainer: {command: [serve]}}}}}`,
		},
		"SubComponentType": {
			reason: "The planner would not find a service whose subcomponent type is misspelt.",
			patch:  `spec: {services: {decode: {subComponentType: decod}}}`,
			want:   []string{`spec.services[decode].subComponentType: "decod" is not known to the planner; did you mean "decode"?`},
		},
		"Annotations": {
			reason: "An annotation that nobody reads changes nothing, wherever it is.",
			patch: `
metadata: {annotations: {nvidia.com/enable-groves: "false", grove.io/auto-mnvl: enabled}}
spec:
  annotations: {nvidia.com/enable-metric: "false"}
  services: {decode: {annotations: {nvidia.com/deployment-stategy: Recreate}, extraPodMetadata: {annotations: {nvidia.com/deployment-strategies: Recreate}}}}`,
			want: []string{
				`metadata.annotations[grove.io/auto-mnvl]: is not a known annotation; did you mean "grove.io/auto-mnnvl"?`,
				`metadata.annotations[nvidia.com/enable-groves]: is not a known annotation; did you mean "nvidia.com/enable-grove"?`,
				`spec.annotations[nvidia.com/enable-metric]: is not a known annotation; did you mean "nvidia.com/enable-metrics"?`,
				`spec.services[decode].annotations[nvidia.com/deployment-stategy]: is not a known annotation; did you mean "nvidia.com/deployment-strategy"?`,
				`spec.services[decode].extraPodMetadata.annotations[nvidia.com/deployment-strategies]: is not a known annotation; did you mean "nvidia.com/deployment-strategy"?`,
			},
		},
		"OtherAnnotations": {
			reason: "Annotations of others are no mistakes, whatever their names.",
			patch:  `metadata: {annotations: {example.org/enable-groves: "false", nvidia.com/gpu-power-limit: "500", enable-groves: a}}`,
		},
	})
}

func TestWarningsOfComponentTypes(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ComponentTypeInCapitals": {
			reason: "Component types are case sensitive.",
			patch:  `spec: {services: {decode: {componentType: Worker}}}`,
			want:   []string{`spec.services[decode].componentType: "Worker" is not a known component type and gets no defaults; did you mean "worker"?`},
		},
	})
}
