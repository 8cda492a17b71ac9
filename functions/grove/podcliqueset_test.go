package grove

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// engine is a worker of this many nodes that runs a module with args.
func engine(t *testing.T, nodes int32, module string, args ...string) string {
	t.Helper()
	return steptest.Worker(t, steptest.WithNodes(nodes), steptest.WithReplicas(2), func(s *v1alpha1.Service) {
		s.ComponentType = "worker"
		s.Resources = &v1alpha1.Resources{Limits: &v1alpha1.ResourceList{GPU: new(resource.MustParse("8"))}}
		s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Image: "i", Command: []string{"python3", "-m", module}, Args: args}}
	})
}

// runs a framework in component Worker.
func runs(framework v1alpha1.BackendFramework, executor string) map[string]graphplan.Component {
	return map[string]graphplan.Component{"Worker": {Framework: framework, Executor: executor, Discovery: "etcd", DynamoNamespace: "inference-llama"}}
}

// TestMultinode shows the cliques of each backend; what exactly they run is tested where it is made.
func TestMultinode(t *testing.T) {
	const leader = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-0.$(GROVE_HEADLESS_SERVICE)"
	type want struct {
		StartupType grovev1alpha1.StartupType
		Cliques     []outline
	}
	cases := map[string]struct {
		reason string
		spec   string
		plan   string
		want   want
	}{
		"VLLMMP": {
			reason: "With the mp executor workers wait for their leader.",
			spec:   engine(t, 2, "dynamo.vllm", "-tp", "16"),
			plan:   steptest.OnGrove(t, runs("vllm", "mp")),
			want: want{StartupType: grovev1alpha1.StartupAnyOrder, Cliques: []outline{
				{
					Name: "worker-ldr", Replicas: 1, MinAvailable: 1, Role: "leader", Probes: "lrs", Volumes: []string{"shared-memory"},
					Program: "python3 -m dynamo.vllm -tp 16 --distributed-executor-backend mp --nnodes 2 --master-addr " + leader + " --master-port 29500 --node-rank 0",
				},
				{
					Name: "worker-wkr", Replicas: 1, MinAvailable: 1, Role: "worker", Volumes: []string{"shared-memory", "wait-leader-script"},
					InitContainers: []string{"wait-for-leader-mp"},
					Program: "sh -c exec python3 -m dynamo.vllm -tp 16 --distributed-executor-backend mp --nnodes 2 --master-addr " + leader +
						" --master-port 29500 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless",
				},
			}},
		},
		"VLLMDataParallel": {
			reason: "Data-parallel engines fill the nodes and act as one.",
			spec:   engine(t, 2, "dynamo.vllm", "--data-parallel-size", "16"),
			plan:   steptest.OnGrove(t, runs("vllm", "ray")),
			want: want{StartupType: grovev1alpha1.StartupAnyOrder, Cliques: []outline{
				{
					Name: "worker-ldr", Replicas: 1, MinAvailable: 1, Role: "leader", Probes: "lrs", Volumes: []string{"shared-memory"},
					Program: "python3 -m dynamo.vllm --data-parallel-size 16 --data-parallel-hybrid-lb --data-parallel-size-local 8 --data-parallel-start-rank 0 " +
						"--data-parallel-address " + leader + " --data-parallel-rpc-port 13445",
				},
				{
					Name: "worker-wkr", Replicas: 1, MinAvailable: 1, Role: "worker", Probes: "lrs", Volumes: []string{"shared-memory"},
					Program: "sh -c exec python3 -m dynamo.vllm --data-parallel-size 16 --data-parallel-hybrid-lb --data-parallel-size-local 8 " +
						"--data-parallel-start-rank $(( 8 * $((GROVE_PCLQ_POD_INDEX + 1)) )) --data-parallel-address " + leader + " --data-parallel-rpc-port 13445",
				},
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := compose(t, tc.spec, tc.plan)
			got := want{StartupType: set.Spec.Template.StartupType, Cliques: outlines(set)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ncliques: -want, +got:\n%s", tc.reason, diff)
			}
			groups := []grovev1alpha1.ScalingGroup{
				{Name: "worker", CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: 2, MinAvailable: 1},
			}
			if diff := cmp.Diff(groups, set.Spec.Template.ScalingGroups); diff != "" {
				t.Errorf("%s\nscaling groups: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTRTLLM shows that the leader of TensorRT-LLM, which logs in to every worker as soon as it starts, starts last.
func TestTRTLLM(t *testing.T) {
	set := compose(t, engine(t, 2, "dynamo.trtllm", "--tensor-parallel-size", "16"), steptest.OnGrove(t, runs("trtllm", "")))
	got := outlines(set)
	if !strings.Contains(got[0].Program, "mpirun") || !strings.Contains(got[1].Program, "sshd") {
		t.Errorf("want mpirun on the leader and sshd on the worker, got %s and %s", got[0].Program, got[1].Program)
	}
	got[0].Program, got[1].Program = "", ""
	want := []outline{
		{
			Name: "worker-ldr", Replicas: 1, MinAvailable: 1, StartsAfter: []string{"worker-wkr"}, Role: "leader", Probes: "lrs",
			Volumes: []string{"shared-memory", "mpi-run-ssh-secret"},
		},
		{Name: "worker-wkr", Replicas: 1, MinAvailable: 1, Role: "worker", Probes: "r", Volumes: []string{"shared-memory", "mpi-run-ssh-secret"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cliques: -want, +got:\n%s", diff)
	}
	if got := set.Spec.Template.StartupType; got != grovev1alpha1.StartupExplicit {
		t.Errorf("cliqueStartupType: want %s, got %s", grovev1alpha1.StartupExplicit, got)
	}
	if got := set.Spec.Template.Cliques[0].Spec.PodSpec.Volumes[1].Secret.SecretName; got != "mpirun-ssh-key-llama" {
		t.Errorf("Secret: want mpirun-ssh-key-llama, got %s", got)
	}
}

// TestOrder shows that cliques come in the order of their components' names: Grove compares them by place.
func TestOrder(t *testing.T) {
	set := compose(t, `{"services":{"b":{},"A":{"multinode":{"nodeCount":2}},"C":{"multinode":{"nodeCount":3}},"a2":{}}}`,
		steptest.OnGrove(t, steptest.Components("etcd", "A", "C", "a2", "b")))
	var cliques, groups []string
	for _, clique := range set.Spec.Template.Cliques {
		cliques = append(cliques, clique.Name)
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		groups = append(groups, group.Name)
	}
	if diff := cmp.Diff([]string{"a-ldr", "a-wkr", "c-ldr", "c-wkr", "a2", "b"}, cliques); diff != "" {
		t.Errorf("cliques: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "c"}, groups); diff != "" {
		t.Errorf("scaling groups: -want, +got:\n%s", diff)
	}
}

// TestNumbers shows replicas and minimum of components.
func TestNumbers(t *testing.T) {
	set := compose(t, `{"services":{"A":{"replicas":4,"minAvailable":3},"B":{"replicas":5,"minAvailable":2,"multinode":{"nodeCount":4}}}}`,
		steptest.OnGrove(t, steptest.Components("etcd", "A", "B")))
	type numbers struct{ Replicas, MinAvailable int32 }
	got := map[string]numbers{}
	for _, clique := range set.Spec.Template.Cliques {
		got[clique.Name] = numbers{clique.Spec.Replicas, clique.Spec.MinAvailable}
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		got[group.Name] = numbers{group.Replicas, group.MinAvailable}
	}
	want := map[string]numbers{"a": {4, 3}, "b-ldr": {1, 1}, "b-wkr": {3, 3}, "b": {5, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A scaling group counts replicas; its cliques count the nodes of one, all of which must be placed.\n-want, +got:\n%s", diff)
	}
}

// TestForcedScalingGroup shows a component of one node that is a scaling group: the group has the replicas, and its only clique is one pod.
func TestForcedScalingGroup(t *testing.T) {
	const spec = `{"topologyConstraint":{"clusterTopologyName":"t","packDomain":"zone"},"components":[
		{"name":"Decode","type":"worker","replicas":3,"minAvailable":2,"topologyConstraint":{"packDomain":"rack"},"experimental":{"grove":{"forceScalingGroup":true}}},
		{"name":"Frontend","type":"frontend","replicas":2,"minAvailable":2,"experimental":{"grove":{"forceScalingGroup":false}}}]}`
	set := compose(t, spec, steptest.OnGrove(t, steptest.Components("etcd", "Decode", "Frontend"), func(p *graphplan.Plan) {
		p.Topology = &graphplan.Topology{Name: "t", Dialect: graphplan.DialectPack}
		p.Grove.MNNVLGroups = map[string]string{"Decode": "fast"}
	}))
	type clique struct {
		Name                   string
		Replicas, MinAvailable int32
		Group                  string
		Topology               *grovev1alpha1.TopologyConstraint
	}
	type template struct {
		Cliques []clique
		Groups  []grovev1alpha1.ScalingGroup
	}
	got := template{Groups: set.Spec.Template.ScalingGroups}
	for _, c := range set.Spec.Template.Cliques {
		got.Cliques = append(got.Cliques, clique{c.Name, c.Spec.Replicas, c.Spec.MinAvailable, c.Annotations["grove.io/mnnvl-group"], c.TopologyConstraint})
	}
	want := template{
		Cliques: []clique{{Name: "decode", Replicas: 1, MinAvailable: 1, Group: "fast"}, {Name: "frontend", Replicas: 2, MinAvailable: 2}},
		Groups: []grovev1alpha1.ScalingGroup{{
			Name: "decode", CliqueNames: []string{"decode"}, Replicas: 3, MinAvailable: 2,
			TopologyConstraint: &grovev1alpha1.TopologyConstraint{TopologyName: "t", Pack: &grovev1alpha1.TopologyPack{Required: "rack"}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A service is a scaling group where the user asks for it, and only there.\n-want, +got:\n%s", diff)
	}
}

func TestScheduler(t *testing.T) {
	type scheduling struct{ Scheduler, Queue string }
	cases := map[string]struct {
		reason string
		user   string
		plan   steptest.Change
		want   scheduling
	}{
		"Default":  {reason: "Without KAI the pods have the cluster's default scheduler.", plan: func(*graphplan.Plan) {}},
		"KAI":      {reason: "With KAI the pods name KAI, and the plan's queue.", plan: onKAI, want: scheduling{"kai-scheduler", "dynamo"}},
		"UsersKAI": {reason: "A user who names KAI gets the queue too.", user: "kai-scheduler", plan: onKAI, want: scheduling{"kai-scheduler", "dynamo"}},
		"Users":    {reason: "A scheduler that the user names needs a queue of its own kind.", user: "volcano", plan: onKAI, want: scheduling{Scheduler: "volcano"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := compose(t, steptest.TwoNodes(t, steptest.WithScheduler(tc.user)),
				steptest.OnGrove(t, steptest.Components("etcd", "Worker"), tc.plan))
			for _, o := range outlines(set) {
				if diff := cmp.Diff(tc.want, scheduling{o.Scheduler, o.Queue}); diff != "" {
					t.Errorf("%s\n%s: -want, +got:\n%s", tc.reason, o.Name, diff)
				}
			}
		})
	}
}

// TestUpdateStrategy shows that Grove replaces pods as the graph says.
func TestUpdateStrategy(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        *grovev1alpha1.UpdateStrategy
	}{
		"None":     {reason: "The default of Grove applies where the graph says nothing."},
		"OnDelete": {reason: "The strategy is that of the annotation.", annotations: map[string]string{"nvidia.com/grove-update-strategy": "OnDelete"}, want: &grovev1alpha1.UpdateStrategy{Type: "OnDelete"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := &graph.Graph{Name: "llama", Annotations: tc.annotations}
			set := podCliqueSet(g, &graphplan.Plan{Grove: &graphplan.GrovePlan{}})
			if diff := cmp.Diff(tc.want, set.Spec.UpdateStrategy); diff != "" {
				t.Errorf("%s\nupdateStrategy: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVolcano shows that pods have the scheduler, and that its queue is on the PodCliqueSet, where Grove reads it.
func TestVolcano(t *testing.T) {
	cases := map[string]struct {
		reason    string
		plan      graphplan.GrovePlan
		scheduler string
		spec      map[string]string
		want      map[string]string
		wantPods  string
	}{
		"Default":     {reason: "The default queue of Grove is not written.", plan: graphplan.GrovePlan{SchedulerName: "volcano"}, wantPods: "volcano"},
		"Queue":       {reason: "Grove reads the queue from the set.", plan: graphplan.GrovePlan{SchedulerName: "volcano", Queue: "research"}, want: map[string]string{"scheduling.grove.io/volcano-queue": "research"}, wantPods: "volcano"},
		"NamedByUser": {reason: "A scheduler that pods name is the same as that of the platform.", plan: graphplan.GrovePlan{SchedulerName: "volcano", Queue: "research"}, scheduler: "volcano", want: map[string]string{"scheduling.grove.io/volcano-queue": "research"}, wantPods: "volcano"},
		"QueueOfKAI":  {reason: "Pods of another scheduler are in no queue of Volcano.", plan: graphplan.GrovePlan{SchedulerName: "kai-scheduler", Queue: "research"}, scheduler: "mine", wantPods: "mine"},
		"DefaultPods": {reason: "Pods of the default scheduler are in no queue."},
		"QueueOfSpec": {reason: "Cliques have the queue of the spec, and Grove refuses a set with another one.", plan: graphplan.GrovePlan{SchedulerName: "volcano"}, spec: map[string]string{"scheduling.grove.io/volcano-queue": "other"}, want: map[string]string{"scheduling.grove.io/volcano-queue": "other"}, wantPods: "volcano"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{Name: "llama"}, v1alpha1.DynamoGraphDeploymentSpec{
				Annotations: tc.spec,
				Services:    map[string]v1alpha1.Service{"Worker": {ExtraPodSpec: &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{SchedulerName: tc.scheduler}}}},
			})
			set := podCliqueSet(g, &graphplan.Plan{Grove: &tc.plan})
			if diff := cmp.Diff(tc.want, set.Annotations); diff != "" {
				t.Errorf("%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
			clique := set.Spec.Template.Cliques[0]
			if diff := cmp.Diff(tc.wantPods, clique.Spec.PodSpec.SchedulerName); diff != "" {
				t.Errorf("%s\nschedulerName: -want, +got:\n%s", tc.reason, diff)
			}
			if queue, ok := clique.Labels["kai.scheduler/queue"]; ok {
				t.Errorf("%s\nThe pods are in queue %s of KAI, want none.", tc.reason, queue)
			}
		})
	}
}

// TestKueue shows that pods have the scheduler by which Grove knows its backend for Kueue, and that the queue is on the PodCliqueSet alone.
func TestKueue(t *testing.T) {
	g := graphtest.Of(&graph.Graph{Name: "llama"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": {}}})
	set := podCliqueSet(g, &graphplan.Plan{KueueQueue: "team", Grove: &graphplan.GrovePlan{SchedulerName: graphplan.KueueScheduler}})
	if got := set.Labels["kueue.x-k8s.io/queue-name"]; got != "team" {
		t.Errorf("label: got %q", got)
	}
	clique := set.Spec.Template.Cliques[0]
	if got := clique.Spec.PodSpec.SchedulerName; got != "kueue" {
		t.Errorf("schedulerName: got %q", got)
	}
	if queue, ok := clique.Labels["kueue.x-k8s.io/queue-name"]; ok {
		t.Errorf("pods are in queue %s by a label of their own", queue)
	}
}

// TestNativeNumbers shows minimums and limits of rolling updates in Grove's own form, which change nothing else.
func TestNativeNumbers(t *testing.T) {
	plan := steptest.OnGrove(t, steptest.Components("etcd", "A", "B"))
	override := func(value string) string {
		return `"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":` + value + `}`
	}
	got := compose(t, `{"services":{"A":{"replicas":4,`+override(`{"spec":{"minAvailable":3},"rollingUpdate":{"maxUnavailable":2}}`)+`},
		"B":{"replicas":5,"multinode":{"nodeCount":4},`+override(`{"minAvailable":2,"rollingUpdate":{"progressDeadline":"30m"}}`)+`}}}`, plan)

	want := compose(t, `{"services":{"A":{"replicas":4,"minAvailable":3},"B":{"replicas":5,"minAvailable":2,"multinode":{"nodeCount":4}}}}`, plan)
	want.Spec.Template.Cliques[0].RollingUpdate = &grovev1alpha1.RollingUpdate{MaxUnavailable: 2}
	want.Spec.Template.ScalingGroups[0].RollingUpdate = &grovev1alpha1.RollingUpdate{ProgressDeadline: "30m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Minimums are as in the form of the API, limits are as written, and pods are the same.\n-want, +got:\n%s", diff)
	}
}
