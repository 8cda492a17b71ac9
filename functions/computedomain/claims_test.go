package computedomain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// podOf containers and further fields, JSON.
func podOf(containers, more string) string { return `{"containers":[` + containers + `]` + more + `}` }

// container with these resources, JSON without braces.
func container(name, resources string) string {
	return `{"name":"` + name + `","resources":{` + resources + `}}`
}

const (
	claimed   = `"claims":[{"name":"mnnvl-claim"}]`
	podClaims = `,"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}]`
)

// TestClaim claims twice, which is the same as once.
func TestClaim(t *testing.T) {
	cases := map[string]struct {
		reason string
		gpus   []string
		pod    string
		want   string
	}{
		"Limits": {
			reason: "A limit of GPUs makes a GPU container.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":"4","cpu":"2"}`), ""),
			want:   podOf(container("main", `"limits":{"nvidia.com/gpu":"4","cpu":"2"},`+claimed), podClaims),
		},
		"Requests": {
			reason: "A request of GPUs makes a GPU container.",
			pod:    podOf(container("main", `"requests":{"nvidia.com/gpu":"4"}`), ""),
			want:   podOf(container("main", `"requests":{"nvidia.com/gpu":"4"},`+claimed), podClaims),
		},
		"Number": {
			reason: "Extended resources may be written as numbers.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":4}`), ""),
			want:   podOf(container("main", `"limits":{"nvidia.com/gpu":4},`+claimed), podClaims),
		},
		"OtherType": {
			reason: "Which resources are GPUs is the plan's to say.",
			gpus:   []string{"nvidia.com/gb200", "nvidia.com/gpu"},
			pod:    podOf(container("main", `"limits":{"nvidia.com/gb200":"4"}`), ""),
			want:   podOf(container("main", `"limits":{"nvidia.com/gb200":"4"},`+claimed), podClaims),
		},
		"OtherDevice": {
			reason: "Devices that are not GPUs make no GPU container.",
			pod:    podOf(container("main", `"limits":{"rdma/ib":"4"}`), ""),
			want:   podOf(container("main", `"limits":{"rdma/ib":"4"}`), ""),
		},
		"SomeContainers": {
			reason: "Every container with GPUs claims, and no other.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":"2"}`)+","+container("proxy", "")+","+container("more", `"limits":{"nvidia.com/gpu":"2"}`), ""),
			want: podOf(container("main", `"limits":{"nvidia.com/gpu":"2"},`+claimed)+","+container("proxy", "")+","+
				container("more", `"limits":{"nvidia.com/gpu":"2"},`+claimed), podClaims),
		},
		"InitContainer": {
			reason: "Containers that run before the others may have GPUs too.",
			pod:    podOf(container("main", ""), `,"initContainers":[`+container("check", `"limits":{"nvidia.com/gpu":"1"}`)+`]`),
			want:   podOf(container("main", ""), `,"initContainers":[`+container("check", `"limits":{"nvidia.com/gpu":"1"},`+claimed)+`]`+podClaims),
		},
		"Zero": {
			reason: "A limit of no GPUs makes none.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":"0"},"requests":{"nvidia.com/gpu":0}`), ""),
			want:   podOf(container("main", `"limits":{"nvidia.com/gpu":"0"},"requests":{"nvidia.com/gpu":0}`), ""),
		},
		"NoResources": {
			reason: "A container may have no resources at all, or null.",
			pod:    podOf(`{"name":"main"},{"name":"more","resources":null},{"name":"most","resources":{"limits":null}}`, ""),
			want:   podOf(`{"name":"main"},{"name":"more","resources":null},{"name":"most","resources":{"limits":null}}`, ""),
		},
		"Empty": {reason: "An empty pod has no GPUs.", pod: `{}`, want: `{}`},
		"OtherClaims": {
			reason: "Claims for other devices stay, in front.",
			pod: podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},"claims":[{"name":"nic"}]`),
				`,"resourceClaims":[{"name":"nic","resourceClaimTemplateName":"nic"}]`),
			want: podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},"claims":[{"name":"nic"},{"name":"mnnvl-claim"}]`),
				`,"resourceClaims":[{"name":"nic","resourceClaimTemplateName":"nic"},{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}]`),
		},
		"OwnClaim": {
			reason: "A pod with a claim of the same name for another template keeps it, and gets no second one.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":"1"}`), `,"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"mine"}]`),
			want:   podOf(container("main", `"limits":{"nvidia.com/gpu":"1"}`), `,"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"mine"}]`),
		},
		"Nulls": {
			reason: "Lists that are null are as good as missing.",
			pod:    podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},"claims":null`), `,"resourceClaims":null,"initContainers":null`),
			want:   podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},`+claimed), podClaims+`,"initContainers":null`),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.gpus == nil {
				tc.gpus = []string{"nvidia.com/gpu"}
			}
			c := claimant{spec: resource.MustStructJSON(tc.pod), member: graphplan.MNNVLMember{GPUs: tc.gpus}}
			for _, when := range []string{"once", "twice"} {
				if err := c.claim("llama-0"); err != nil {
					t.Fatalf("%s\nclaim(...) %s: want no error, got %v", tc.reason, when, err)
				}
				if diff := cmp.Diff(resource.MustStructJSON(tc.want), c.spec, protocmp.Transform()); diff != "" {
					t.Fatalf("%s\nclaim(...) %s: -want, +got:\n%s", tc.reason, when, diff)
				}
			}
		})
	}
}

// TestRequireClique gives pods the affinity twice, which is the same as once.
func TestRequireClique(t *testing.T) {
	required := func(terms string) string {
		return `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + terms + `]}}}`
	}
	const (
		clique    = `{"key":"nvidia.com/gpu.clique","operator":"Exists"}`
		zone      = `{"key":"zone","operator":"In","values":["a"]}`
		preferred = `"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[` + zone + `]}}]`
	)
	cases := map[string]struct {
		reason string
		before string
		after  string
	}{
		"NoAffinity": {reason: "Without an affinity one term names the clique.", after: required(`{"matchExpressions":[` + clique + `]}`)},
		"NoTerms": {
			reason: "A list without terms gets one.", before: required(""), after: required(`{"matchExpressions":[` + clique + `]}`),
		},
		"OtherAffinity": {
			reason: "What a pod prefers, and which pods it is near, stays.",
			before: `,"affinity":{"podAffinity":{},"nodeAffinity":{` + preferred + `}}`,
			after: `,"affinity":{"podAffinity":{},"nodeAffinity":{` + preferred + `,
				"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` + clique + `]}]}}}`,
		},
		"Alternatives": {
			reason: "Terms are alternatives, so each has to name the clique, also one that picks nodes by name.",
			before: required(`{"matchExpressions":[` + zone + `]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}`),
			after: required(`{"matchExpressions":[` + zone + `,` + clique + `]},
				{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}],"matchExpressions":[` + clique + `]}`),
		},
		"EmptyTerm": {
			reason: "An empty term selects no node. With an expression it would select some.",
			before: required(`{},{"matchExpressions":[` + zone + `]},{"matchExpressions":[],"matchFields":[]}`),
			after:  required(`{},{"matchExpressions":[` + zone + `,` + clique + `]},{"matchExpressions":[],"matchFields":[]}`),
		},
		"Already": {
			reason: "An expression that a user has written already is not repeated; one with another operator is something else.",
			before: required(`{"matchExpressions":[` + clique + `,` + zone + `]},{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"In","values":["c.1"]}]}`),
			after: required(`{"matchExpressions":[` + clique + `,` + zone + `]},
				{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"In","values":["c.1"]},` + clique + `]}`),
		},
		"Nulls": {
			reason: "Nulls in an affinity are as good as missing.",
			before: `,"affinity":{"nodeAffinity":null}`,
			after:  required(`{"matchExpressions":[` + clique + `]}`),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := resource.MustStructJSON(podOf(container("main", `"limits":{"nvidia.com/gpu":"1"}`), tc.before))
			want := resource.MustStructJSON(podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},`+claimed), podClaims+tc.after))
			c := claimant{spec: pod, member: graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}}
			for _, when := range []string{"once", "twice"} {
				if err := c.claim("llama-0"); err != nil {
					t.Fatalf("%s\nclaim(...) %s: want no error, got %v", tc.reason, when, err)
				}
				if diff := cmp.Diff(want, c.spec, protocmp.Transform()); diff != "" {
					t.Fatalf("%s\nclaim(...) %s: -want, +got:\n%s", tc.reason, when, diff)
				}
			}
		})
	}
}

// TestRequireCliqueOfOthers leaves pods without GPUs where they are.
func TestRequireCliqueOfOthers(t *testing.T) {
	pod := resource.MustStructJSON(plainPod)
	c := claimant{spec: proto.CloneOf(pod), member: graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}}
	if err := c.claim("llama-0"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pod, c.spec, protocmp.Transform()); diff != "" {
		t.Errorf("a pod without GPUs: -want, +got:\n%s", diff)
	}
}

// TestClaimSharedGPUs shows containers that have GPUs by a claim.
func TestClaimSharedGPUs(t *testing.T) {
	const shared = `{"name":"shared","resourceClaimTemplateName":"llama-worker-gpu"}`
	pod := podOf(container("main", `"claims":[{"name":"shared"}]`)+","+container("proxy", `"claims":[{"name":"nic"}]`),
		`,"initContainers":[`+container("server", `"claims":[{"name":"shared"}]`)+`],"resourceClaims":[`+shared+`]`)
	const both = `"claims":[{"name":"shared"},{"name":"mnnvl-claim"}]`
	want := podOf(container("main", both)+","+container("proxy", `"claims":[{"name":"nic"}]`),
		`,"initContainers":[`+container("server", both)+`],"resourceClaims":[`+shared+`,{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}]`)
	c := claimant{spec: resource.MustStructJSON(pod), member: graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, GPUClaim: "shared"}}
	for range 2 {
		if err := c.claim("llama-0"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(resource.MustStructJSON(want), c.spec, protocmp.Transform()); diff != "" {
			t.Errorf("containers that claim the GPUs of their pod claim a channel too, and no other: -want, +got:\n%s", diff)
		}
	}
}

func TestClaimErrors(t *testing.T) {
	gpu := container("main", `"limits":{"nvidia.com/gpu":"1"}`)
	required := func(required string) string {
		return podOf(gpu, `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":`+required+`}}`)
	}
	cases := map[string]struct {
		reason string
		pod    string
		want   string
	}{
		"Quantity":     {reason: "A limit that is not a quantity is not taken for no GPUs.", pod: podOf(container("main", `"limits":{"nvidia.com/gpu":"four"}`), ""), want: `container main: resources.limits[nvidia.com/gpu]: "four" is not a quantity`},
		"Boolean":      {reason: "A request of another type than a quantity is not taken for no GPUs.", pod: podOf(container("main", `"requests":{"nvidia.com/gpu":true}`), ""), want: `container main: resources.requests[nvidia.com/gpu]: "" is not a quantity`},
		"Container":    {reason: "A container has to be an object.", pod: podOf(`"main"`, ""), want: "containers[0] is not an object"},
		"PodClaims":    {reason: "Claims of pods have to be a list.", pod: podOf(gpu, `,"resourceClaims":"x"`), want: "resourceClaims is not a list"},
		"Claims":       {reason: "Claims of containers have to be a list.", pod: podOf(container("main", `"limits":{"nvidia.com/gpu":"1"},"claims":{}`), ""), want: "claims is not a list"},
		"Affinity":     {reason: "An affinity has to be an object.", pod: podOf(gpu, `,"affinity":"x"`), want: "affinity is not an object"},
		"Required":     {reason: "What an affinity requires has to be an object.", pod: required(`[]`), want: "requiredDuringSchedulingIgnoredDuringExecution is not an object"},
		"Terms":        {reason: "Terms have to be a list.", pod: required(`{"nodeSelectorTerms":{}}`), want: "nodeSelectorTerms is not a list"},
		"Expressions":  {reason: "The expressions of a term have to be a list.", pod: required(`{"nodeSelectorTerms":[{"matchExpressions":3}]}`), want: "matchExpressions is not a list"},
		"FieldsNoList": {reason: "The fields of a term have to be a list.", pod: required(`{"nodeSelectorTerms":[{"matchFields":3}]}`), want: "matchFields is not a list"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := claimant{spec: resource.MustStructJSON(tc.pod), member: graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}}
			err := c.claim("llama-0")
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s\nclaim(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
