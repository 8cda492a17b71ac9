package plan

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// mnnvlOutcome is what a request leads to, as far as multi-node NVLink goes.
type mnnvlOutcome struct {
	// Reason and Message of condition Accepted.
	Reason, Message string

	MNNVL graphplan.MNNVL

	// Annotations of the PodCliqueSet, and of scaling groups or cliques.
	AutoMNNVL, Group string
	Groups           map[string]string
}

// outcomeOf a request. One whose requirements are not all there has none.
func outcomeOf(t *testing.T, req *fnv1.RunFunctionRequest) mnnvlOutcome {
	t.Helper()
	rsp := run(t, req)
	out := mnnvlOutcome{}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == condition.TypeAccepted {
			out.Reason, out.Message = c.GetReason(), c.GetMessage()
		}
	}
	refused := len(rsp.GetResults()) > 0 && rsp.GetResults()[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL
	if refused == strings.HasPrefix(out.Reason, "Valid") {
		t.Fatalf("Accepted is %s, and the results are %v", out.Reason, rsp.GetResults())
	}
	if refused {
		return out
	}
	document, err := rsp.GetContext().GetFields()[graphplan.ContextKey].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	plan := graphplan.Plan{}
	if err := json.Unmarshal(document, &plan); err != nil {
		t.Fatal(err)
	}
	out.MNNVL = plan.MNNVL
	if plan.Grove != nil {
		out.AutoMNNVL, out.Group, out.Groups = plan.Grove.AutoMNNVL, plan.Grove.MNNVLGroup, plan.Grove.MNNVLGroups
	}
	return out
}

type mnnvlCase struct {
	reason string

	// on is the orchestrator; Grove when empty.
	on graphplan.Orchestrator

	// input is the field mnnvl of the input, JSON without braces.
	input string

	// dialect of Grove; Pack when empty.
	dialect string

	// graph, spec and service are the values of annotation grove.io/auto-mnnvl, in metadata, spec and service Worker.
	graph, spec, service string

	// group, specGroup and serviceGroup are those of annotation grove.io/mnnvl-group.
	group, specGroup, serviceGroup string

	// worker is the service, JSON; gpuWorker when empty.
	worker string

	// observed are the composed resources by key, JSON.
	observed map[string]string

	// refs and status of the composite resource, JSON.
	refs, status string

	// noDriver says that the group of the driver is not served.
	noDriver bool

	want mnnvlOutcome
}

// Workers of these tests: of two nodes with GPUs, or without, and of one node.
const (
	gpuWorker    = `{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},` + workerImage + `}`
	noGPUWorker  = `{"componentType":"worker","multinode":{"nodeCount":2},` + workerImage + `}`
	singleWorker = `{"componentType":"worker","resources":{"limits":{"gpu":"4"}},` + workerImage + `}`
	workerImage  = `"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["python3","-m","dynamo.sglang"],"args":["--config","sizes.yaml"]}}`
)

func (c *mnnvlCase) request(t *testing.T) *fnv1.RunFunctionRequest {
	t.Helper()
	worker := c.worker
	switch {
	case worker == "" && c.on == graphplan.Deployment:
		worker = singleWorker
	case worker == "":
		worker = gpuWorker
	}
	own := annotationsOf(c.service, c.serviceGroup)
	if own != `{}` {
		worker = strings.Replace(worker, `{`, `{"annotations":`+own+`,`, 1)
	}
	spec := plantest.SpecOf(plantest.Frontend, `"Worker":`+worker)
	if ofSpec := annotationsOf(c.spec, c.specGroup); ofSpec != `{}` {
		spec = strings.Replace(spec, `{`, `{"annotations":`+ofSpec+`,`, 1)
	}
	xr := plantest.Annotated(spec, annotationsOf(c.graph, c.group))
	if c.refs != "" {
		xr = plantest.WithRefs(xr, false, c.refs)
	}
	if c.status != "" {
		xr = plantest.WithStatus(xr, c.status)
	}
	input := `"mnnvl":{` + c.input + `}`
	if c.dialect != "" {
		input += `,"grove":{"topologyDialect":"` + c.dialect + `"}`
	}
	groups := map[graphplan.Orchestrator][]string{"": {"grove"}, graphplan.Grove: {"grove"}, graphplan.LeaderWorkerSet: {"lws", "volcano"}, graphplan.Deployment: nil}
	req := plantest.Request(xr, plantest.WithGroups(groups[c.on]...), withInput(input), withSchema(c.dialect != "PackDomain"), withObject("volcano-queue", `{"status":{"state":"Open"}}`))
	withLost(nil)(req)
	withObject("apiservice-resource-nvidia", `{"kind":"APIService"}`)(req)
	if c.noDriver {
		withoutObject("apiservice-resource-nvidia")(req)
	}
	for key, object := range c.observed {
		plantest.WithObserved(key, object)(req)
	}
	return req
}

func annotationsOf(auto, group string) string {
	annotations := map[string]string{}
	if auto != "" {
		annotations["grove.io/auto-mnnvl"] = auto
	}
	if group != "" {
		annotations["grove.io/mnnvl-group"] = group
	}
	encoded, err := json.Marshal(annotations)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

func compareMNNVL(t *testing.T, cases map[string]mnnvlCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, outcomeOf(t, tc.request(t))); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Parts of observed pods.
const (
	withGPUs   = `"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"4"}}}]`
	noGPUs     = `"containers":[{"name":"main"}]`
	onClique   = `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"Exists"}]}]}}}`
	otherClaim = `"resourceClaims":[{"name":"nic","resourceClaimTemplateName":"nics"}]`
)

// claimOf a channel of a domain.
func claimOf(domain string) string {
	return `"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"` + domain + `"}]`
}

// setOf is the PodCliqueSet of the graph, whose Worker has pods of these parts.
func setOf(annotations, ofWorker string, parts ...string) map[string]string {
	pod := strings.Join(parts, ",")
	clique := func(name string) string {
		return `{"name":"` + name + `","spec":{"replicas":1,"minAvailable":1,"podSpec":{` + pod + `}}}`
	}
	return map[string]string{"podcliqueset": `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","annotations":` + annotations + `},
		"spec":{"replicas":1,"template":{"cliques":[{"name":"frontend","spec":{"replicas":1,"minAvailable":1,"podSpec":{` + noGPUs + `}}},` +
		clique("worker-ldr") + `,` + clique("worker-wkr") + `],
		"podCliqueScalingGroups":[{"name":"worker","annotations":` + ofWorker + `,"cliqueNames":["worker-ldr","worker-wkr"],"replicas":1,"minAvailable":1}]}}}`}
}

// leaderWorkerSetsOf are the observed workloads of the graph on LeaderWorkerSets.
func leaderWorkerSetsOf(parts ...string) map[string]string {
	template := `{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"llama-worker-0"}},"spec":{"schedulerName":"volcano",` + strings.Join(parts, ",") + `}}`
	return map[string]string{
		"deployment-frontend": deploymentOf("frontend", noGPUs),
		"leaderworkerset-worker-0": `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"},
			"spec":{"leaderWorkerTemplate":{"leaderTemplate":` + template + `,"workerTemplate":` + template + `}}}`,
	}
}

// deploymentsOf are the observed workloads of the graph on Deployments.
func deploymentsOf(parts ...string) map[string]string {
	return map[string]string{"deployment-frontend": deploymentOf("frontend", noGPUs), "deployment-worker": deploymentOf("worker", parts...)}
}

func deploymentOf(service string, parts ...string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-` + service + `"},"spec":{"template":{"spec":{` + strings.Join(parts, ",") + `}}}}`
}

// autoOf is the decision that Worker takes part.
func autoOf(scope graphplan.MNNVLScope) graphplan.MNNVL {
	return graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: []string{"nvidia.com/gpu"}}}}
}

const (
	onServiceGroup = "spec.services[Worker].annotations[grove.io/mnnvl-group]"
	composedHere   = "requests an NVLink domain from Grove, but the domains of this graph are composed by step computedomain (mnnvl.mode Auto in the input of step plan); remove the annotation, or let the platform set mnnvl.mode to Grove for new graphs"
)

// grouped is setOf where the annotations of the set are in the graph's spec, and so on the clique of Frontend too; those
// on the cliques of Worker, which have GPUs, are given.
func grouped(annotations, onCliques string) map[string]string {
	set := ofCliques(setOf(annotations, `{}`, withGPUs), onCliques)
	set["podcliqueset"] = replace(set["podcliqueset"], `{"name":"frontend",`, `{"name":"frontend","annotations":`+annotations+`,`)
	return set
}

// ofCliques adds annotations to the cliques of Worker.
func ofCliques(set map[string]string, annotations string) map[string]string {
	for _, clique := range []string{`"worker-ldr",`, `"worker-wkr",`} {
		set["podcliqueset"] = replace(set["podcliqueset"], `{"name":`+clique, `{"name":`+clique+`"annotations":`+annotations+`,`)
	}
	return set
}

func with(observed ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, o := range observed {
		maps.Copy(all, o)
	}
	return all
}

func replace(text, before, after string) string { return strings.Replace(text, before, after, 1) }

func sprintf(format, value string) string { return strings.Replace(format, "%s", value, 1) }
