package validate_test

import "testing"

func TestPower(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"Watts": {
			reason: "A limit is a whole number of watts, whatever place of the graph it is in.",
			patch: `spec: {annotations: {dynamo.nvidia.com/gpu-power-limit: "350"}, services: {Frontend: {extraPodMetadata: {annotations: {dynamo.nvidia.com/gpu-power-limit: "-1"}}},
				decode: {annotations: {dynamo.nvidia.com/gpu-power-limit: 350W}}}}`,
			want: []string{
				`spec.services[Frontend].extraPodMetadata.annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "-1": must be a positive number of watts, such as 350`,
				`spec.services[decode].annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "350W": must be a positive number of watts, such as 350`,
			},
		},
		"Claims": {
			reason: "The planner multiplies the limit by the GPUs that a container requests, and claims are not among them.",
			patch: `spec: {services: {decode: {annotations: {dynamo.nvidia.com/gpu-power-limit: "350"}, gpuMemoryService: {enabled: true},
				extraPodSpec: {resourceClaims: [{name: nic, resourceClaimTemplateName: nic}], mainContainer: {resources: {claims: [{name: nic}]}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.resources.claims: Forbidden: cannot be combined with annotation dynamo.nvidia.com/gpu-power-limit: the planner does not know which GPUs a claim gets; remove one of the two",
				"spec.services[decode].gpuMemoryService: Forbidden: cannot be combined with annotation dynamo.nvidia.com/gpu-power-limit: the planner does not know which GPUs a claim gets; remove one of the two",
			},
		},
	})
}
