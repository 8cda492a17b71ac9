package computedomain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	sdkresource "github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// A podOption adds something to a pod.
type podOption func(*corev1.PodSpec)

// podOf options.
func podOf(options ...podOption) corev1.PodSpec {
	pod := corev1.PodSpec{}
	for _, option := range options {
		option(&pod)
	}
	return pod
}

// container of a pod, with claims.
func container(name string, limits corev1.ResourceList, claims ...string) podOption {
	return func(pod *corev1.PodSpec) { pod.Containers = append(pod.Containers, containerOf(name, limits, claims)) }
}

func initContainer(name string, limits corev1.ResourceList, claims ...string) podOption {
	return func(pod *corev1.PodSpec) {
		pod.InitContainers = append(pod.InitContainers, containerOf(name, limits, claims))
	}
}

func containerOf(name string, limits corev1.ResourceList, claims []string) corev1.Container {
	c := corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Limits: limits}}
	for _, claim := range claims {
		c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: claim})
	}
	return c
}

// claim of a pod by a template.
func claim(name, template string) podOption {
	return func(pod *corev1.PodSpec) {
		pod.ResourceClaims = append(pod.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimTemplateName: &template})
	}
}

// required terms of the nodes of a pod.
func required(terms ...corev1.NodeSelectorTerm) podOption {
	return func(pod *corev1.PodSpec) {
		pod.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		}}
	}
}

// channel claims a channel of domain llama-0 for the pod.
func channel() podOption { return claim("mnnvl-claim", "llama-0") }

func gpus(number string) corev1.ResourceList { return limit("nvidia.com/gpu", number) }

func limit(name corev1.ResourceName, number string) corev1.ResourceList {
	return corev1.ResourceList{name: resource.MustParse(number)}
}

// claimTwice has a pod claim a channel twice, which is the same as once.
func claimTwice(t *testing.T, reason string, pod, want *structpb.Struct, member graphplan.MNNVLMember) {
	t.Helper()
	c := claimant{spec: proto.CloneOf(pod), member: member}
	for _, when := range []string{"once", "twice"} {
		if err := c.claim("llama-0"); err != nil {
			t.Fatalf("%s\nclaim(...) %s: want no error, got %v", reason, when, err)
		}
		if diff := cmp.Diff(want, c.spec, protocmp.Transform()); diff != "" {
			t.Fatalf("%s\nclaim(...) %s: -want, +got:\n%s", reason, when, diff)
		}
	}
}

func TestClaim(t *testing.T) {
	requesting := func(claims ...string) podOption {
		return func(pod *corev1.PodSpec) {
			container("main", nil, claims...)(pod)
			pod.Containers[0].Resources.Requests = gpus("4")
		}
	}
	without := podOf(container("main", gpus("0")))
	without.Containers[0].Resources.Requests = gpus("0")
	const gb200 corev1.ResourceName = "nvidia.com/gb200"
	cases := map[string]struct {
		reason string
		gpus   []string
		pod    corev1.PodSpec
		want   corev1.PodSpec
	}{
		"Limits": {
			reason: "A limit of GPUs makes a GPU container.",
			pod:    podOf(container("main", gpus("4"))),
			want:   podOf(container("main", gpus("4"), "mnnvl-claim"), channel()),
		},
		"Requests": {
			reason: "A request of GPUs makes a GPU container.",
			pod:    podOf(requesting()),
			want:   podOf(requesting("mnnvl-claim"), channel()),
		},
		"OtherType": {
			reason: "Which resources are GPUs is the plan's to say.",
			gpus:   []string{"nvidia.com/gb200", "nvidia.com/gpu"},
			pod:    podOf(container("main", limit(gb200, "4"))),
			want:   podOf(container("main", limit(gb200, "4"), "mnnvl-claim"), channel()),
		},
		"OtherDevice": {
			reason: "Devices that are not GPUs make no GPU container.",
			pod:    podOf(container("main", limit("rdma/ib", "4"))),
			want:   podOf(container("main", limit("rdma/ib", "4"))),
		},
		"SomeContainers": {
			reason: "Every container with GPUs claims, and no other.",
			pod:    podOf(container("main", gpus("2")), container("proxy", nil), container("more", gpus("2"))),
			want:   podOf(container("main", gpus("2"), "mnnvl-claim"), container("proxy", nil), container("more", gpus("2"), "mnnvl-claim"), channel()),
		},
		"InitContainer": {
			reason: "Containers that run before the others may have GPUs too.",
			pod:    podOf(container("main", nil), initContainer("check", gpus("1"))),
			want:   podOf(container("main", nil), initContainer("check", gpus("1"), "mnnvl-claim"), channel()),
		},
		"Zero": {reason: "A limit of no GPUs makes none.", pod: without, want: without},
		"OtherClaims": {
			reason: "Claims for other devices stay, in front.",
			pod:    podOf(container("main", gpus("1"), "nic"), claim("nic", "nic")),
			want:   podOf(container("main", gpus("1"), "nic", "mnnvl-claim"), claim("nic", "nic"), channel()),
		},
		"OwnClaim": {
			reason: "A pod with a claim of the same name for another template keeps it, and gets no second one.",
			pod:    podOf(container("main", gpus("1")), claim("mnnvl-claim", "mine")),
			want:   podOf(container("main", gpus("1")), claim("mnnvl-claim", "mine")),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.gpus == nil {
				tc.gpus = []string{"nvidia.com/gpu"}
			}
			claimTwice(t, tc.reason, steptest.Struct(&tc.pod), steptest.Struct(&tc.want), graphplan.MNNVLMember{GPUs: tc.gpus})
		})
	}
}

// TestClaimOfRawPods shows forms that a desired object may have, and Kubernetes' types do not write.
func TestClaimOfRawPods(t *testing.T) {
	cases := map[string]struct {
		reason, pod, want string
		requireClique     bool
	}{
		"Number": {
			reason: "Extended resources may be written as numbers.",
			pod:    `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":4}}}]}`,
			want:   `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":4},"claims":[{"name":"mnnvl-claim"}]}}],"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}]}`,
		},
		"NoResources": {
			reason: "A container may have no resources at all, or null.",
			pod:    `{"containers":[{"name":"main"},{"name":"more","resources":null},{"name":"most","resources":{"limits":null}}]}`,
			want:   `{"containers":[{"name":"main"},{"name":"more","resources":null},{"name":"most","resources":{"limits":null}}]}`,
		},
		"Empty": {reason: "An empty pod has no GPUs.", pod: `{}`, want: `{}`},
		"Nulls": {
			reason: "Lists that are null are as good as missing.",
			pod:    `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"},"claims":null}}],"resourceClaims":null,"initContainers":null}`,
			want:   `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"},"claims":[{"name":"mnnvl-claim"}]}}],"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}],"initContainers":null}`,
		},
		"NullAffinity": {
			reason: "An affinity that is null is as good as missing.", requireClique: true,
			pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":{"nodeAffinity":null}}`,
			want: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"},"claims":[{"name":"mnnvl-claim"}]}}],"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}],
				"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"Exists"}]}]}}}}`,
		},
		"EmptyTerm": {
			reason: "A term with empty lists selects no node. With an expression it would select some.", requireClique: true,
			pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],
				"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[],"matchFields":[]},{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"Exists"}]}]}}}}`,
			want: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"},"claims":[{"name":"mnnvl-claim"}]}}],"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}],
				"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[],"matchFields":[]},{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"Exists"}]}]}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claimTwice(t, tc.reason, sdkresource.MustStructJSON(tc.pod), sdkresource.MustStructJSON(tc.want),
				graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: tc.requireClique})
		})
	}
}

// TestRequireClique gives pods the affinity.
func TestRequireClique(t *testing.T) {
	term := func(expressions ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: expressions}
	}
	clique := corev1.NodeSelectorRequirement{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpExists}
	oneClique := corev1.NodeSelectorRequirement{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpIn, Values: []string{"c.1"}}
	zone := corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}
	byName := []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}}}
	preferring := func(pod *corev1.PodSpec) {
		if pod.Affinity == nil {
			pod.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}
		}
		pod.Affinity.PodAffinity = &corev1.PodAffinity{}
		pod.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 1, Preference: term(zone)}}
	}
	unspecified := func(pod *corev1.PodSpec) { pod.Affinity = &corev1.Affinity{} }
	cases := map[string]struct {
		reason        string
		before, after []podOption
	}{
		"NoAffinity": {reason: "Without an affinity one term names the clique.", after: []podOption{required(term(clique))}},
		"NoNodes":    {reason: "An affinity may say nothing of nodes.", before: []podOption{unspecified}, after: []podOption{required(term(clique))}},
		"NoTerms":    {reason: "A list without terms gets one.", before: []podOption{required()}, after: []podOption{required(term(clique))}},
		"OtherAffinity": {
			reason: "What a pod prefers, and which pods it is near, stays.",
			before: []podOption{preferring}, after: []podOption{required(term(clique)), preferring},
		},
		"Alternatives": {
			reason: "Terms are alternatives, so each has to name the clique, also one that picks nodes by name.",
			before: []podOption{required(term(zone), corev1.NodeSelectorTerm{MatchFields: byName})},
			after:  []podOption{required(term(zone, clique), corev1.NodeSelectorTerm{MatchFields: byName, MatchExpressions: []corev1.NodeSelectorRequirement{clique}})},
		},
		"EmptyTerm": {
			reason: "An empty term selects no node. With an expression it would select some.",
			before: []podOption{required(term(), term(zone))}, after: []podOption{required(term(), term(zone, clique))},
		},
		"Already": {
			reason: "An expression that a user has written already is not repeated; one with another operator is something else.",
			before: []podOption{required(term(clique, zone), term(oneClique))}, after: []podOption{required(term(clique, zone), term(oneClique, clique))},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := podOf(append(tc.before, container("main", gpus("1")))...)
			want := podOf(append(tc.after, container("main", gpus("1"), "mnnvl-claim"), channel())...)
			claimTwice(t, tc.reason, steptest.Struct(&pod), steptest.Struct(&want), graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true})
		})
	}
}

// TestRequireCliqueOfOthers leaves pods without GPUs where they are.
func TestRequireCliqueOfOthers(t *testing.T) {
	plain := plainPod()
	pod := steptest.Struct(&plain)
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
	pod := podOf(container("main", nil, "shared"), container("proxy", nil, "nic"), initContainer("server", nil, "shared"), claim("shared", "llama-worker-gpu"))
	want := podOf(container("main", nil, "shared", "mnnvl-claim"), container("proxy", nil, "nic"), initContainer("server", nil, "shared", "mnnvl-claim"),
		claim("shared", "llama-worker-gpu"), channel())
	claimTwice(t, "Containers that claim the GPUs of their pod claim a channel too, and no other.", steptest.Struct(&pod), steptest.Struct(&want),
		graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, GPUClaim: "shared"})
}

func TestClaimErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		pod    string
		want   string
	}{
		"Quantity":     {reason: "A limit that is not a quantity is not taken for no GPUs.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"four"}}}]}`, want: `container main: resources.limits[nvidia.com/gpu]: "four" is not a quantity`},
		"Boolean":      {reason: "A request of another type than a quantity is not taken for no GPUs.", pod: `{"containers":[{"name":"main","resources":{"requests":{"nvidia.com/gpu":true}}}]}`, want: `container main: resources.requests[nvidia.com/gpu]: "" is not a quantity`},
		"Container":    {reason: "A container has to be an object.", pod: `{"containers":["main"]}`, want: "containers[0] is not an object"},
		"PodClaims":    {reason: "Claims of pods have to be a list.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"resourceClaims":"x"}`, want: "resourceClaims is not a list"},
		"Claims":       {reason: "Claims of containers have to be a list.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"},"claims":{}}}]}`, want: "claims is not a list"},
		"Affinity":     {reason: "An affinity has to be an object.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":"x"}`, want: "affinity is not an object"},
		"Required":     {reason: "What an affinity requires has to be an object.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]}}}`, want: "requiredDuringSchedulingIgnoredDuringExecution is not an object"},
		"Terms":        {reason: "Terms have to be a list.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":{}}}}}`, want: "nodeSelectorTerms is not a list"},
		"Expressions":  {reason: "The expressions of a term have to be a list.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":3}]}}}}`, want: "matchExpressions is not a list"},
		"FieldsNoList": {reason: "The fields of a term have to be a list.", pod: `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":3}]}}}}`, want: "matchFields is not a list"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := claimant{spec: sdkresource.MustStructJSON(tc.pod), member: graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}}
			err := c.claim("llama-0")
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s\nclaim(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
