package guardrails_test

import (
	stdcmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// found in a graph by the guard rails, JSON: errors and warnings.
type found struct{ Errors, Warnings []string }

// check a request against guard rails, JSON.
func check(t *testing.T, rails string, queue guardrails.Queue, req *fnv1.RunFunctionRequest) found {
	t.Helper()
	return checkPlanned(t, rails, &graphplan.Plan{}, queue, req)
}

// checkPlanned checks a request whose graph has a plan.
func checkPlanned(t *testing.T, rails string, p *graphplan.Plan, queue guardrails.Queue, req *fnv1.RunFunctionRequest) found {
	t.Helper()
	req.Input = plantest.Struct(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","guardRails":` + rails + `}`)
	f := plantest.Facts(t, req)
	p.IngressDefaults = input.IngressDefaults(f.Input)
	outcome := guardrails.Check(f, p, queue)
	var out found
	out.Errors = outcome.Refused(subject.Mistake).Texts(f.Graph)
	out.Warnings = outcome.Warnings.Texts(f.Graph)
	return out
}

// everything that guard rails are about, in component Frontend of a graph.
const everything = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{
	"pvcs":[{"name":"used"},{"name":"cache","create":true,"storageClass":"slow","size":"1Gi","volumeAccessMode":"ReadWriteOnce"}],
	"services":{"Frontend":{"componentType":"frontend","labels":{"kai.scheduler/queue":"other"},
		"ingress":{"enabled":true,"host":"llama.other.org"},
		"frontendSidecar":{"image":"docker.io/evil:1"},
		"extraPodMetadata":{"annotations":{"scheduling.volcano.sh/queue-name":"other"}},
		"extraPodSpec":{"serviceAccountName":"admin","hostNetwork":true,"hostPID":true,"hostIPC":true,
			"volumes":[{"name":"a","hostPath":{"path":"/"}},{"name":"b","image":{"reference":"evil:2"}},
				{"name":"c","ephemeral":{"volumeClaimTemplate":{"spec":{"storageClassName":"slow","accessModes":["ReadWriteOnce"],"resources":{}}}}}],
			"mainContainer":{"image":"nvcr.io.evil.org/a:1","securityContext":{"privileged":true,"capabilities":{"add":["IPC_LOCK","SYS_ADMIN"]}}},
			"initContainers":[{"name":"i","image":"nvcr.io/nvidia/a@sha256:0123456789012345678901234567890123456789012345678901234567890123"}],
			"containers":[{"name":"s","image":"nvcr.io/other/a"}]}}}}}`

// strictRails that everything breaks.
const strictRails = `{"queues":["team-*"],"imageRegistries":["nvcr.io/nvidia","registry.example.org"],"serviceAccounts":[],"storageClasses":["fast"],
	"ingressHostSuffixes":["example.org"],"allowHostPath":false,"allowHostNetwork":false,"allowPrivileged":false,"capabilities":["IPC_LOCK"]}`

// running everything in a Deployment, with an Ingress and a claim.
func running(req *fnv1.RunFunctionRequest) {
	plantest.WithObserved("deployment-frontend", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1,"template":{
		"metadata":{"labels":{"kai.scheduler/queue":"other"},"annotations":{"scheduling.volcano.sh/queue-name":"other"}},
		"spec":{"serviceAccountName":"admin","hostNetwork":true,"hostPID":true,"hostIPC":true,
			"volumes":[{"name":"a","hostPath":{"path":"/"}},{"name":"b","image":{"reference":"evil:2"}},
				{"name":"c","ephemeral":{"volumeClaimTemplate":{"spec":{"storageClassName":"slow","accessModes":["ReadWriteOnce"],"resources":{}}}}}],
			"initContainers":[{"name":"s","image":"nvcr.io/other/a"}],
			"containers":[{"name":"main","image":"nvcr.io.evil.org/a:1","securityContext":{"privileged":true,"capabilities":{"add":["SYS_ADMIN"]}}},{"name":"f","image":"docker.io/evil:1"}]}}}}`)(req)
	plantest.WithObserved("ingress-frontend", `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-frontend"},"spec":{"rules":[{"host":"llama.other.org"}]}}`)(req)
	plantest.WithObserved("pvc-cache", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache"},"spec":{"storageClassName":"slow"}}`)(req)
}

// TestNames shows what the guard rails that are lists, and those that are yes or no, refuse and warn of.
func TestNames(t *testing.T) {
	const (
		at         = `spec.services[Frontend].`
		registries = `the platform only allows images from nvcr.io/nvidia, registry.example.org`
		nodes      = `the platform allows no pods in namespaces of their nodes`
		stays      = ` is in use and stays, but `
		refused    = `; a new graph with it is refused`
	)
	// All of it, as path, value as it is printed in errors and in warnings, what is allowed, and remedy.
	all := []struct{ path, quoted, plain, allowed, remedy string }{
		{`metadata.annotations[q]`, `"other"`, `other`, `the platform only allows queues team-*`, `use one of them`},
		{`spec.pvcs[1].storageClass`, `"slow"`, `slow`, `the platform only allows StorageClasses fast`, `use one of them`},
		{at + `labels[kai.scheduler/queue]`, `"other"`, `other`, `the platform only allows queues team-*`, `use one of them`},
		{at + `extraPodMetadata.annotations[scheduling.volcano.sh/queue-name]`, `"other"`, `other`, `the platform only allows queues team-*`, `use one of them`},
		{at + `frontendSidecar.image`, `"docker.io/evil:1"`, `docker.io/evil:1`, registries, `use one of them`},
		{at + `extraPodSpec.serviceAccountName`, `"admin"`, `admin`, `the platform allows no ServiceAccounts`, `remove it`},
		{at + `extraPodSpec.hostNetwork`, `true`, `true`, nodes, `remove it`},
		{at + `extraPodSpec.hostPID`, `true`, `true`, nodes, `remove it`},
		{at + `extraPodSpec.hostIPC`, `true`, `true`, nodes, `remove it`},
		{at + `extraPodSpec.volumes[0].hostPath.path`, `"/"`, `/`, `the platform allows no volumes of type hostPath`, `use another type`},
		{at + `extraPodSpec.volumes[1].image.reference`, `"evil:2"`, `evil:2`, registries, `use one of them`},
		{at + `extraPodSpec.volumes[2].ephemeral.volumeClaimTemplate.spec.storageClassName`, `"slow"`, `slow`, `the platform only allows StorageClasses fast`, `use one of them`},
		{at + `extraPodSpec.mainContainer.image`, `"nvcr.io.evil.org/a:1"`, `nvcr.io.evil.org/a:1`, registries, `use one of them`},
		{at + `extraPodSpec.containers[0].image`, `"nvcr.io/other/a"`, `nvcr.io/other/a`, registries, `use one of them`},
		{at + `extraPodSpec.mainContainer.securityContext.privileged`, `true`, `true`, `the platform allows no privileged containers`, `remove it`},
		{at + `extraPodSpec.mainContainer.securityContext.capabilities.add[1]`, `"SYS_ADMIN"`, `SYS_ADMIN`, `the platform only allows capabilities IPC_LOCK`, `use one of them`},
		{at + `ingress.host`, `"llama.other.org"`, `llama.other.org`, `the platform only allows hosts below example.org`, `use one of them`},
	}
	var errors, warnings []string
	for _, v := range all {
		errors = append(errors, v.path+": Invalid value: "+v.quoted+": "+v.allowed+"; "+v.remedy)
		warnings = append(warnings, v.path+": "+v.plain+stays+v.allowed+refused)
	}
	queue := guardrails.Queue{Path: field.NewPath("metadata", "annotations").Key("q"), Name: "other"}
	inQueue := queue
	inQueue.Live = true

	if diff := cmp.Diff(found{}, check(t, `{}`, queue, plantest.Request(everything))); diff != "" {
		t.Errorf("Without guard rails, everything is allowed: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(found{Errors: errors}, check(t, strictRails, queue, plantest.Request(everything))); diff != "" {
		t.Errorf("A new graph is refused: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(found{Warnings: warnings}, check(t, strictRails, inQueue, plantest.Request(everything, running))); diff != "" {
		t.Errorf("A graph that runs with all of it is only warned of: -want, +got:\n%s", diff)
	}
	other := plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())
	if diff := cmp.Diff(found{Errors: errors}, check(t, strictRails, queue, plantest.Request(everything, other))); diff != "" {
		t.Errorf("A live graph that runs with none of it is refused: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(found{}, check(t, `{"imageRegistries":["*"],"queues":["*"],"storageClasses":["slow"],"ingressHostSuffixes":["other.org"],"capabilities":["*"],"serviceAccounts":["a*"]}`,
		queue, plantest.Request(everything))); diff != "" {
		t.Errorf("What the platform lists is allowed: -want, +got:\n%s", diff)
	}
	none := check(t, `{"imageRegistries":[],"ingressHostSuffixes":[]}`, queue, plantest.Request(everything))
	if diff := cmp.Diff(`spec.services[Frontend].frontendSidecar.image: Invalid value: "docker.io/evil:1": the platform allows no images; remove it`, none.Errors[0]); diff != "" {
		t.Errorf("An empty list allows nothing: -want, +got:\n%s", diff)
	}
}

// TestQueueOfOwner shows that a queue in the labels of the graph itself is one that the graph names: KAI prefers it to those of its pods.
func TestQueueOfOwner(t *testing.T) {
	const frontend = `"spec":{"services":{"Frontend":{"componentType":"frontend"}}}}`
	graph := func(labels string) *fnv1.RunFunctionRequest {
		return plantest.Request(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","labels":` + labels + `},` + frontend)
	}
	refused := func(key string) found {
		return found{Errors: []string{`metadata.labels[` + key + `]: Invalid value: "other": the platform only allows queues team-*; use one of them`}}
	}
	cases := map[string]struct {
		reason, labels string
		want           found
	}{
		"Queue":   {reason: "KAI takes the queue from the owner of the workloads.", labels: `{"kai.scheduler/queue":"other"}`, want: refused("kai.scheduler/queue")},
		"Project": {reason: "Without a queue, it takes the project.", labels: `{"project":"other"}`, want: refused("project")},
		"Allowed": {reason: "A queue in the list is allowed.", labels: `{"kai.scheduler/queue":"team-a"}`},
		"Volcano": {reason: "Other schedulers do not look at the owner.", labels: `{"volcano.sh/queue-name":"other"}`},
		"None":    {reason: "Other labels are the user's own.", labels: `{"app":"other"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, check(t, `{"queues":["team-*"]}`, guardrails.Queue{}, graph(tc.labels))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestGateways shows which gateways a graph may name, in each form of their names.
func TestGateways(t *testing.T) {
	const (
		rails   = `{"gateways":["istio-system/public","inference/*"]}`
		path    = "spec.services[Frontend].ingress.virtualServiceGateway: "
		allowed = "the platform only allows gateways istio-system/public, inference/*"
	)
	refused := func(gateway string) found {
		return found{Errors: []string{path + `Invalid value: "` + gateway + `": ` + allowed + "; use one of them"}}
	}
	live := func(kind, spec string) plantest.RequestOption {
		return plantest.WithObserved(strings.ToLower(kind)+"-frontend", `{"kind":"`+kind+`","metadata":{"name":"llama-frontend","namespace":"inference"},"spec":`+spec+`}`)
	}
	cases := map[string]struct {
		reason  string
		rails   string
		gateway string
		options []plantest.RequestOption
		want    found
	}{
		"Allowed":      {reason: "A gateway in the list is allowed.", gateway: "istio-system/public"},
		"Older":        {reason: "It is allowed in the older form of its name.", gateway: "public.istio-system.svc.cluster.local"},
		"Own":          {reason: "A name alone is one in the namespace of the graph.", gateway: "mine"},
		"Other":        {reason: "Any other gateway is refused.", gateway: "istio-system/admin", want: refused("istio-system/admin")},
		"OtherOlder":   {reason: "It is refused in the older form of its name.", gateway: "admin.istio-system", want: refused("istio-system/admin")},
		"Namespace":    {reason: "The namespace counts.", gateway: "team-b/public", want: refused("team-b/public")},
		"NoRail":       {reason: "Without a list, each gateway is allowed.", rails: `{}`, gateway: "istio-system/admin"},
		"None":         {reason: "An empty list allows none.", rails: `{"gateways":[]}`, gateway: "mine", want: found{Errors: []string{path + `Invalid value: "inference/mine": the platform allows no gateways; remove it`}}},
		"Platform":     {reason: "The gateway of the platform is always allowed.", rails: `{"gateways":[]},"ingress":{"virtualServiceGateway":"istio-system/admin"}`, gateway: "admin.istio-system"},
		"NotNamed":     {reason: "Who names no gateway gets that of the platform.", rails: `{"gateways":[]},"ingress":{"virtualServiceGateway":"istio-system/admin"}`},
		"Live":         {reason: "A live graph keeps its gateway.", gateway: "team-b/public", options: []plantest.RequestOption{live("VirtualService", `{"gateways":["public.team-b"]}`)}, want: found{Warnings: []string{path + "team-b/public is in use and stays, but " + allowed + "; a new graph with it is refused"}}},
		"LiveChanged":  {reason: "A live graph gets no other one.", gateway: "team-b/public", options: []plantest.RequestOption{live("VirtualService", `{"gateways":["team-b/other"]}`)}, want: refused("team-b/public")},
		"LiveByRoute":  {reason: "The parent of a live HTTPRoute is a gateway of the graph, too.", gateway: "inference-b/public", options: []plantest.RequestOption{live("HTTPRoute", `{"parentRefs":[{"name":"public","namespace":"inference-b"}]}`)}, want: found{Warnings: []string{path + "inference-b/public is in use and stays, but " + allowed + "; a new graph with it is refused"}}},
		"OnlyOneSlash": {reason: "An asterisk stands for characters of a name or of a namespace.", rails: `{"gateways":["inf*/*"]}`, gateway: "other/inf", want: found{Errors: []string{path + `Invalid value: "other/inf": the platform only allows gateways inf*/*; use one of them`}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			block := v1alpha1.Ingress{Enabled: true, Host: "llama.example.org", UseVirtualService: true}
			if tc.gateway != "" {
				block.VirtualServiceGateway = &tc.gateway
			}
			xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.Ingress = &block }))
			if diff := cmp.Diff(tc.want, check(t, stdcmp.Or(tc.rails, rails), guardrails.Queue{}, plantest.Request(xr, tc.options...))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// sized is a worker with replicas, nodes and GPUs a pod.
func sized(replicas, nodes int32, gpus string) plantest.GraphChange {
	changes := []plantest.ComponentChange{plantest.WithReplicas(replicas), plantest.WithGPUs(gpus)}
	if nodes > 1 {
		changes = append(changes, plantest.WithNodes(nodes))
	}
	return plantest.Component("Worker", plantest.ComponentOf("worker"), changes...)
}

// deployed runs a worker with replicas and GPUs.
func deployed(replicas int32, gpus string) plantest.RequestOption {
	live := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{})
	live.Spec.Replicas = &replicas
	return plantest.WithObserved("deployment-worker", withGPUs(live, gpus))
}

// TestLimits shows how large a graph may be.
func TestLimits(t *testing.T) {
	const rails = `{"maxGPUs":8,"maxNodes":4,"maxReplicas":4}`
	invalid := func(value, what string) string {
		return `spec.services: Invalid value: ` + value + `: the graph may need ` + value + ` ` + what
	}
	const smaller = "; reduce replicas, or what each of them requests"
	const stays = "; it stays as it is, and can become smaller, but not larger"
	cases := map[string]struct {
		reason  string
		rails   string
		graph   plantest.GraphChange
		options []plantest.RequestOption
		want    found
	}{
		"Within":  {reason: "A graph may be as large as the limits.", rails: rails, graph: sized(4, 1, "2")},
		"NoRails": {reason: "Without limits, a graph may have any size.", rails: `{}`, graph: sized(100, 100, "8")},
		"New": {
			reason: "A new graph that is larger is refused.", rails: rails, graph: sized(5, 2, "2"),
			want: found{Errors: []string{
				invalid("20", "GPUs, and the platform allows at most 8") + smaller,
				invalid("10", "nodes for pods with GPUs, and the platform allows at most 4") + smaller,
				invalid("5", "replicas, and the platform allows at most 4") + smaller,
			}},
		},
		"Live": {
			reason: "A live graph stays as it is.", rails: rails, graph: sized(5, 1, "2"), options: []plantest.RequestOption{deployed(5, "2")},
			want: found{Warnings: []string{
				"spec.services: the graph may need 10 GPUs, and the platform allows at most 8" + stays,
				"spec.services: the graph may need 5 nodes for pods with GPUs, and the platform allows at most 4" + stays,
				"spec.services: the graph may need 5 replicas, and the platform allows at most 4" + stays,
			}},
		},
		"Larger": {
			reason: "A live graph cannot exceed a limit further, but it may change what is within.", rails: `{"maxGPUs":8,"maxReplicas":6}`, graph: sized(6, 1, "2"),
			options: []plantest.RequestOption{deployed(5, "2")},
			want:    found{Errors: []string{invalid("12", "GPUs, and the platform allows at most 8; it runs with 10, and cannot become larger")}},
		},
		"Smaller": {
			reason: "A live graph may become smaller, also if it remains too large.", rails: `{"maxGPUs":8}`, graph: sized(5, 1, "2"),
			options: []plantest.RequestOption{deployed(6, "2")},
			want:    found{Warnings: []string{"spec.services: the graph may need 10 GPUs, and the platform allows at most 8" + stays}},
		},
		"Status": {
			reason: "GPUs in claims are not in the pods, but in the status.", rails: `{"maxGPUs":0}`, graph: sized(1, 1, "2"),
			options: []plantest.RequestOption{deployed(1, "0"), withStatus(2)},
			want:    found{Warnings: []string{"spec.services: the graph may need 2 GPUs, and the platform allows at most 0" + stays}},
		},
		"Sets": {
			reason: "LeaderWorkerSets have their number of nodes.", rails: `{"maxGPUs":1,"maxNodes":1}`, graph: sized(1, 3, "1"),
			options: []plantest.RequestOption{plantest.WithObserved("leaderworkerset-worker-0", `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"},
				"spec":{"replicas":1,"leaderWorkerTemplate":{"size":2,"workerTemplate":{"spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}}}}`)},
			want: found{Errors: []string{
				invalid("3", "GPUs, and the platform allows at most 1; it runs with 2, and cannot become larger"),
				invalid("3", "nodes for pods with GPUs, and the platform allows at most 1; it runs with 2, and cannot become larger"),
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, check(t, tc.rails, guardrails.Queue{}, plantest.Request(plantest.Graph(tc.graph), tc.options...))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// surging is a worker on one node whose rollouts add replicas.
func surging(replicas int32, surge string, changes ...plantest.ComponentChange) plantest.GraphChange {
	return plantest.Component("Worker", plantest.ComponentOf("worker"), append([]plantest.ComponentChange{
		plantest.WithReplicas(replicas), plantest.WithGPUs("1"), plantest.WithAnnotation("nvidia.com/deployment-rolling-update-max-surge", surge),
	}, changes...)...)
}

// TestLimitsOfRollouts shows that the replicas which a rollout adds count as soon as their user asks for more than the default.
func TestLimitsOfRollouts(t *testing.T) {
	const (
		rails   = `{"maxGPUs":8,"maxNodes":8,"maxReplicas":8}`
		added   = " with the pods that rollouts add"
		smaller = "; reduce replicas, what each of them requests, or annotation nvidia.com/deployment-rolling-update-max-surge"
		stays   = "; it stays as it is, and can become smaller, but not larger"
	)
	refused := func(number, remedy string) found {
		var all found
		for _, what := range []string{"GPUs", "nodes for pods with GPUs", "replicas"} {
			all.Errors = append(all.Errors, `spec.services: Invalid value: `+number+`: the graph may need `+number+` `+what+added+`, and the platform allows at most 8`+remedy)
		}
		return all
	}
	live := func(surge string) plantest.RequestOption {
		return plantest.WithObserved("deployment-worker", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"replicas":8,
			"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":`+surge+`,"maxUnavailable":"25%"}},
			"template":{"spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}}}`)
	}
	var warned found
	for _, what := range []string{"GPUs", "nodes for pods with GPUs", "replicas"} {
		warned.Warnings = append(warned.Warnings, "spec.services: the graph may need 16 "+what+added+", and the platform allows at most 8"+stays)
	}
	cases := map[string]struct {
		reason  string
		plan    graphplan.Plan
		graph   plantest.GraphChange
		options []plantest.RequestOption
		want    found
	}{
		"Number":  {reason: "Old and new pods exist at once.", graph: surging(8, "100"), want: refused("108", smaller)},
		"Percent": {reason: "A percentage is one of the replicas.", graph: surging(8, "100%"), want: refused("16", smaller)},
		"Within":  {reason: "What fits is allowed.", graph: surging(4, "100%")},
		"Default": {reason: "The default is not what the user asks for, and does not count, also where it is written.", graph: surging(8, "25%")},
		"Rounded": {reason: "Percentages are rounded up, as by Kubernetes.", graph: surging(7, "28%")},
		"Huge":    {reason: "A number that is too large to be scaled is not taken for a small one.", graph: surging(8, "9223372036854775807%"), want: refused("2147483655", smaller)},
		"Autoscaled": {
			reason: "Autoscaling may have as many replicas as it is allowed when a rollout begins.",
			graph: surging(1, "100%", func(s *v1alpha1.Service) {
				s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MinReplicas: 1, MaxReplicas: 8}
			}),
			want: refused("16", smaller),
		},
		"Recreate": {
			reason: "Where all replicas are deleted first, none is added.",
			graph:  surging(8, "100", plantest.WithAnnotation("nvidia.com/deployment-strategy", "Recreate")),
		},
		"Grove": {reason: "Grove adds no replicas.", plan: graphplan.Plan{Orchestrator: graphplan.Grove}, graph: surging(8, "100")},
		"Sets":  {reason: "Neither do LeaderWorkerSets.", graph: surging(4, "100", plantest.WithNodes(2))},
		"Live": {
			reason: "A live graph keeps what its rollouts add.", graph: surging(8, "100%"), options: []plantest.RequestOption{live(`"100%"`)}, want: warned,
		},
		"LiveLarger": {
			reason: "A live graph cannot add more.", graph: surging(8, "100%"), options: []plantest.RequestOption{live(`1`)},
			want: refused("16", "; it runs with 8, and cannot become larger"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := checkPlanned(t, rails, &tc.plan, guardrails.Queue{}, plantest.Request(plantest.Graph(tc.graph), tc.options...))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLimitsOfCheckpoints shows that the pod whose state is stored counts beside the replicas.
func TestLimitsOfCheckpoints(t *testing.T) {
	const (
		added   = `8 GPUs with the pods that checkpoints add, and the platform allows at most 7`
		smaller = `; reduce replicas, or what each of them requests, or refer to a checkpoint that exists`
	)
	creates := graphplan.Plan{Components: map[string]graphplan.Component{"Worker": {Checkpoint: &graphplan.Checkpoint{Creates: true}}}}
	cases := map[string]struct {
		reason  string
		plan    graphplan.Plan
		options []plantest.RequestOption
		want    found
	}{
		"Creates": {
			reason: "The job has a pod of its own, with the GPUs of a replica.", plan: creates,
			want: found{Errors: []string{`spec.services: Invalid value: 8: the graph may need ` + added + smaller}},
		},
		"Restores": {
			reason: "Pods that are only restored add none.",
			plan:   graphplan.Plan{Components: map[string]graphplan.Component{"Worker": {Checkpoint: &graphplan.Checkpoint{Name: "a"}}}},
		},
		"Live": {
			reason: "A live graph stays as it is.", plan: creates, options: []plantest.RequestOption{deployed(3, "2")},
			want: found{Warnings: []string{"spec.services: the graph may need " + added + "; it stays as it is, and can become smaller, but not larger"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := checkPlanned(t, `{"maxGPUs":7,"maxReplicas":3}`, &tc.plan, guardrails.Queue{}, plantest.Request(plantest.Graph(sized(3, 1, "2")), tc.options...))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLimitsOfClaims shows that GPUs in claims count, and that graphs that ran before they did may stay as large as they are.
func TestLimitsOfClaims(t *testing.T) {
	const (
		pods  = `{"resourceClaims":[{"name":"c","resourceClaimTemplateName":"eight"}],"containers":[{"name":"main","image":"a"}]}`
		graph = `{"components":[{"name":"Worker","type":"worker","replicas":2,"podTemplate":{"spec":` + pods + `}}]}`
	)
	template := plantest.WithObject("claimtemplate-eight", `{"metadata":{"name":"eight"},"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com","count":8}}]}}}}`)
	runs := plantest.WithObserved("deployment-worker", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"replicas":2,"template":{"spec":`+pods+`}}}`)
	cases := map[string]struct {
		reason  string
		options []plantest.RequestOption
		want    found
	}{
		"New": {
			reason: "A new graph may not take more with claims than without.", options: []plantest.RequestOption{template},
			want: found{Errors: []string{"spec.components: Invalid value: 16: the graph may need 16 GPUs, and the platform allows at most 8; reduce replicas, or what each of them requests"}},
		},
		"Live": {
			reason: "A graph that runs stays.", options: []plantest.RequestOption{template, runs},
			want: found{Warnings: []string{"spec.components: the graph may need 16 GPUs, and the platform allows at most 8; it stays as it is, and can become smaller, but not larger"}},
		},
		"NoTemplate": {reason: "The pods of a template that is not there wait for it.", options: []plantest.RequestOption{plantest.WithoutObject("claimtemplate-eight")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.GraphOf(graph), append(tc.options, plantest.WithServed("resource"))...)
			if diff := cmp.Diff(tc.want, check(t, `{"maxGPUs":8}`, guardrails.Queue{}, req)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLimitsOfPods shows that sidecars, init containers and autoscaling count.
func TestLimitsOfPods(t *testing.T) {
	const graph = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{"services":{
		"Sidecar":{"extraPodSpec":{"mainContainer":{"image":"a"},"containers":[{"name":"s","resources":{"limits":{"nvidia.com/gpu":"2"}}}],
			"initContainers":[{"name":"i","resources":{"limits":{"nvidia.com/gpu":"3"}}}]}},
		"Scaled":{"autoscaling":{"enabled":true,"minReplicas":1,"maxReplicas":7},"resources":{"limits":{"gpu":"1"}}},
		"None":{"replicas":0}}}}`
	const smaller = "; reduce replicas, or what each of them requests"
	want := found{Errors: []string{
		"spec.services: Invalid value: 10: the graph may need 10 GPUs, and the platform allows at most 0" + smaller,
		"spec.services: Invalid value: 8: the graph may need 8 replicas, and the platform allows at most 0" + smaller,
	}}
	if diff := cmp.Diff(want, check(t, `{"maxGPUs":0,"maxReplicas":0}`, guardrails.Queue{}, plantest.Request(graph))); diff != "" {
		t.Errorf("Check(...): -want, +got:\n%s", diff)
	}
}

// withStatus of an earlier reconcile, with GPUs.
func withStatus(gpus float64) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.GetObserved().GetComposite().GetResource().Fields["status"] = structpb.NewStructValue(
			&structpb.Struct{Fields: map[string]*structpb.Value{"totalGPUs": structpb.NewNumberValue(gpus)}})
	}
}

// withGPUs in the container of a Deployment.
func withGPUs(live *appsv1.Deployment, gpus string) *appsv1.Deployment {
	live.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}}}}
	return live
}
