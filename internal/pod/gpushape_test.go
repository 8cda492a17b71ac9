package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestGPUShape shows how many GPUs an engine and a replica of a component take, in the pods that are built for it.
func TestGPUShape(t *testing.T) {
	const (
		gpus    = `"resources":{"limits":{"gpu":"2"}}`
		nodes   = `"multinode":{"nodeCount":3}`
		gms     = `"gpuMemoryService":{"enabled":true}`
		weights = `"gpuMemoryService":{"enabled":true,"mode":"interPod"}`
		standby = `"failover":{"enabled":true,"mode":"interPod","numShadows":2}`
		claims  = `"resourceClaims":[{"name":"mine","resourceClaimTemplateName":"t"}]`
	)
	extra := func(parts string) string { return `"extraPodSpec":{"mainContainer":{"image":"a"},` + parts + `}` }
	container := func(name, gpus string) string {
		return `{"name":"` + name + `","resources":{"limits":{"nvidia.com/gpu":"` + gpus + `"}}}`
	}
	sidecar := `{"name":"s","restartPolicy":"Always","resources":{"limits":{"nvidia.com/gpu":"1"}}}`
	cases := map[string]struct {
		reason, component string
		engine, replica   *int64
	}{
		"None":      {reason: "A frontend takes none.", component: `"componentType":"frontend"`, engine: new(int64(0)), replica: new(int64(0))},
		"Main":      {reason: "An engine is all of its pod.", component: gpus, engine: new(int64(2)), replica: new(int64(2))},
		"GPUType":   {reason: "GPUs may have any name.", component: `"resources":{"limits":{"gpu":"3","gpuType":"example.org/accelerator"}}`, engine: new(int64(3)), replica: new(int64(3))},
		"Nodes":     {reason: "An engine spans all nodes of its replica.", component: gpus + `,` + nodes, engine: new(int64(6)), replica: new(int64(6))},
		"Replicas":  {reason: "Other replicas run other engines.", component: gpus + `,"replicas":4`, engine: new(int64(2)), replica: new(int64(2))},
		"Container": {reason: "Another container of the pod takes GPUs beside the engine.", component: gpus + `,` + extra(`"containers":[`+container("a", "1")+`]`), engine: new(int64(2)), replica: new(int64(3))},
		"OnNodes":   {reason: "There is one on each node.", component: gpus + `,` + nodes + `,` + extra(`"containers":[`+container("a", "1")+`]`), engine: new(int64(6)), replica: new(int64(9))},
		"SmallInit": {reason: "Init containers have ended when the others start.", component: gpus + `,` + extra(`"initContainers":[`+container("a", "1")+`]`), engine: new(int64(2)), replica: new(int64(2))},
		"LargeInit": {reason: "They may need more than the others.", component: gpus + `,` + extra(`"initContainers":[`+container("a", "5")+`]`), engine: new(int64(2)), replica: new(int64(5))},
		"Sidecar":   {reason: "Init containers that keep running add to both.", component: gpus + `,` + extra(`"initContainers":[`+sidecar+`,`+container("a", "5")+`]`), engine: new(int64(2)), replica: new(int64(6))},
		"SidecarOf": {reason: "They run beside the engine.", component: gpus + `,` + extra(`"initContainers":[`+sidecar+`]`), engine: new(int64(2)), replica: new(int64(3))},
		"Fraction":  {reason: "A share of KAI counts as a GPU.", component: `"extraPodMetadata":{"annotations":{"gpu-fraction":"0.5"}}`, engine: new(int64(1)), replica: new(int64(1))},
		"Shared":    {reason: "Containers that share the GPUs of their pod have one claim for them.", component: gpus + `,` + gms, engine: new(int64(2)), replica: new(int64(2))},
		"Standby":   {reason: "Two engines of a pod, one of which stands by, count as one.", component: gpus + `,` + gms + `,"failover":{"enabled":true}`, engine: new(int64(2)), replica: new(int64(2))},
		"Beside":    {reason: "Another container may have GPUs of its own beside a claim.", component: gpus + `,` + gms + `,` + extra(`"containers":[`+container("a", "1")+`]`), engine: new(int64(2)), replica: new(int64(3))},
		"Weights":   {reason: "A weight server has the GPUs of its engine.", component: gpus + `,` + weights, engine: new(int64(2)), replica: new(int64(2))},
		"Standbys":  {reason: "Engines that stand by in other pods share them, on each node.", component: gpus + `,` + nodes + `,` + weights + `,` + standby, engine: new(int64(6)), replica: new(int64(6))},
		"Auxiliary": {reason: "Other containers of these pods share them as well.", component: gpus + `,` + weights + `,` + standby + `,` + extra(`"containers":[`+container("a", "1")+`]`), engine: new(int64(2)), replica: new(int64(2))},
		"Besides":   {reason: "Each of these pods has its own sidecars, which weight servers do not have.", component: gpus + `,` + weights + `,` + standby + `,` + extra(`"initContainers":[`+sidecar+`]`), engine: new(int64(2)), replica: new(int64(5))},
		"Claim":     {reason: "What a claim of the user contains is only known in the cluster.", component: extra(claims+`,"containers":[{"name":"a","resources":{"claims":[{"name":"mine"}]}}]`) + `,` + gpus, engine: new(int64(2))},
		"MainClaim": {reason: "It may be all that the engine has.", component: `"extraPodSpec":{"mainContainer":{"image":"a","resources":{"claims":[{"name":"mine"}]}},` + claims + `}`},
		"OneClaim":  {reason: "A claim that exists already is not known either.", component: gpus + `,` + extra(`"resourceClaims":[{"name":"mine","resourceClaimName":"c"}]`), engine: new(int64(2))},
		"Channel":   {reason: "A channel of an NVLink domain is no GPU.", component: gpus + `,"extraPodSpec":{"mainContainer":{"image":"a","resources":{"claims":[{"name":"mnnvl-claim"}]}},"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"llama-0"}]}`, engine: new(int64(2)), replica: new(int64(2))},
		"Absurd":    {reason: "No number is so large that sums become negative.", component: `"resources":{"limits":{"gpu":"9223372036854775807"}},` + weights, engine: new(int64(mostGPUs)), replica: new(int64(mostGPUs))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeComponent(t, `{`+tc.component+`}`)
			if component := g.Component("S"); component.WantsWeightServers() {
				g.RunWeightServers("S")
			}
			want := GPUShape{PerEngine: tc.engine, PerReplica: tc.replica}
			if diff := cmp.Diff(want, GPUShapeOf(g.Component("S"), builtFor(g), nil)); diff != "" {
				t.Errorf("%s\nGPUShapeOf(...): -want, +got:\n%s", tc.reason, diff)
			}
			if g.Component("S").RunsWeightServers() {
				return // Grove has no components without pods.
			}
			if diff := cmp.Diff(want, GPUShapeOf(g.Component("S"), AsWritten(g.Component("S")), nil)); diff != "" {
				t.Errorf("%s\nGPUShapeOf(..., AsWritten(...)): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// builtFor component S of a graph on Grove are the templates of its pods.
func builtFor(g *graph.Graph) []GroupTemplate {
	b := planned(g, graphplan.Component{Discovery: "etcd", Framework: "vllm", Executor: string(backend.ExecutorMP)})
	var all []GroupTemplate
	for _, c := range Cliques(g.Component("S")) {
		built := b.Build("S", c.Role, HostsOnGrove(g.Component("S"), c.Rank))
		all = append(all, GroupTemplate{Group: GroupOf(g.Component("S"), c), Annotations: built.Annotations, Spec: &built.Spec})
	}
	return all
}

// TestGPUShapeWithoutMain shows that pods without a main container say nothing about the engine.
func TestGPUShapeWithoutMain(t *testing.T) {
	g := decodeComponent(t, `{"resources":{"limits":{"gpu":"2"}}}`)
	templates := builtFor(g)
	templates[0].Spec.Containers[0].Name = "other"
	if diff := cmp.Diff(GPUShape{PerReplica: new(int64(2))}, GPUShapeOf(g.Component("S"), templates, nil)); diff != "" {
		t.Errorf("GPUShapeOf(...): -want, +got:\n%s", diff)
	}
}

// TestGPUShapeOfClaims shows that each pod has the GPUs of a claim from a template, and that pods share a claim that exists.
func TestGPUShapeOfClaims(t *testing.T) {
	cases := map[string]struct {
		reason, claim string
		claims        graphplan.Claims
		want          GPUShape
	}{
		"Template": {
			reason: "Each node has a claim of its own.", claim: `"resourceClaimTemplateName":"eight"`, claims: graphplan.Claims{"ResourceClaimTemplate/eight": 8},
			want: GPUShape{PerEngine: new(int64(16)), PerReplica: new(int64(16))},
		},
		"Existing": {
			reason: "All pods share a claim that exists.", claim: `"resourceClaimName":"eight"`, claims: graphplan.Claims{"ResourceClaim/eight": 8},
			want: GPUShape{PerEngine: new(int64(8)), PerReplica: new(int64(8))},
		},
		"Unknown": {reason: "A claim that is not found is not known.", claim: `"resourceClaimName":"eight"`, claims: graphplan.Claims{"ResourceClaimTemplate/eight": 8}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeComponent(t, `{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"resourceClaims":[{"name":"c",`+tc.claim+`}],
				"mainContainer":{"image":"i","resources":{"claims":[{"name":"c"}]}}}}`)
			if diff := cmp.Diff(tc.want, GPUShapeOf(g.Component("S"), AsWritten(g.Component("S")), tc.claims)); diff != "" {
				t.Errorf("%s\nGPUShapeOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
