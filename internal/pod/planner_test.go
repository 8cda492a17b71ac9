package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlannedBy shows which graph a planner scales.
func TestPlannedBy(t *testing.T) {
	const name, namespace = `"name":"DYN_PARENT_DGD_K8S_NAME"`, `"name":"DYN_PARENT_DGD_K8S_NAMESPACE"`
	cases := map[string]struct {
		reason string
		spec   string
		want   Planned
	}{
		"Own":         {reason: "A planner that is told nothing scales its own graph.", spec: `{"services":{"S":{}}}`, want: Planned{Graph: "llama"}},
		"Other":       {reason: "A planner scales the graph that it is told.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"qwen"}]}}}`, want: Planned{Graph: "qwen"}},
		"OfAll":       {reason: "What all components are told, the planner is told, too.", spec: `{"envs":[{` + name + `,"value":"qwen"}],"services":{"S":{}}}`, want: Planned{Graph: "qwen"}},
		"Precedence":  {reason: "The variable of the container is the one that it sees.", spec: `{"envs":[{` + name + `,"value":"a"}],"services":{"S":{"envs":[{` + name + `,"value":"b"}],"extraPodSpec":{"mainContainer":{"env":[{` + name + `,"value":"c"}]}}}}}`, want: Planned{Graph: "c"}},
		"Here":        {reason: "The namespace of the planner may be named.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"qwen"},{` + namespace + `,"value":"inference"}]}}}`, want: Planned{Graph: "qwen"}},
		"HereByField": {reason: "The namespace of the pod is that of the planner.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"qwen"},{` + namespace + `,"valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}}]}}}`, want: Planned{Graph: "qwen"}},
		"Elsewhere":   {reason: "A graph of another namespace is none that a planner finds.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"qwen"},{` + namespace + `,"value":"batch"}]}}}`, want: Planned{Graph: "llama", Namespace: "batch"}},
		"ByReference": {reason: "The value of a reference is only known in the pod.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"$(GRAPH)"}]}}}`, want: Planned{Graph: "llama", Unreadable: EnvParentName}},
		"ByObject":    {reason: "The value in another object is not in the graph.", spec: `{"services":{"S":{"envs":[{` + name + `,"valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}]}}}`, want: Planned{Graph: "llama", Unreadable: EnvParentName}},
		"NameByField": {reason: "The namespace of the pod is no name of a graph.", spec: `{"services":{"S":{"envs":[{` + name + `,"valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}}]}}}`, want: Planned{Graph: "llama", Unreadable: EnvParentName}},
		"NoName":      {reason: "No permission is given for what is no name.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"*"}]}}}`, want: Planned{Graph: "llama", Unreadable: EnvParentName}},
		"Unknown":     {reason: "If the namespace is not known, the graph is not known either.", spec: `{"services":{"S":{"envs":[{` + name + `,"value":"qwen"},{` + namespace + `,"value":"$(NS)"}]}}}`, want: Planned{Graph: "llama", Unreadable: EnvParentNamespace}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PlannedBy(decode(t, tc.spec, `{}`).Component("S"))); diff != "" {
				t.Errorf("%s\nPlannedBy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
