package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/scheduling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

const label = "kueue.x-k8s.io/queue-name"

func labelled(queue string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) { xr.Labels = map[string]string{label: queue} }
}

// byPolicy is the input of a platform with this queue.
func byPolicy(kueue inputv1alpha1.Kueue) plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{Kueue: kueue})
}

// withQueue delivers that Kueue is installed, and has a queue.
func withQueue(req *fnv1.RunFunctionRequest) {
	plantest.WithServed("kueue")(req)
	req.RequiredResources["kueue-queue"] = plantest.Objects(plantest.Named("kueue.x-k8s.io/v1beta2", "LocalQueue", "team"))
}

// withoutQueue delivers that Kueue is installed, and has no such queue.
func withoutQueue(req *fnv1.RunFunctionRequest) {
	plantest.WithServed("kueue")(req)
	req.RequiredResources["kueue-queue"] = &fnv1.Resources{}
}

// withoutKueue delivers that it is not installed.
func withoutKueue(req *fnv1.RunFunctionRequest) {
	req.RequiredResources["apiservice-kueue"] = &fnv1.Resources{}
}

// runs is the LeaderWorkerSet of a replica, created in a queue, or in none.
func runs(queue string) plantest.RequestOption {
	return plantest.WithObserved("leaderworkerset-worker-0", plantest.LeaderWorkerSet("llama-worker-0", func(set *lwsv1.LeaderWorkerSet) {
		set.UID = "set"
		if queue != "" {
			set.Annotations = map[string]string{"dynamo.nvidia.com/kueue-queue": queue}
		}
	}))
}

// decision is what is decided about Kueue.
type decision struct {
	Queue            string
	Errors, Warnings []string
}

// TestKueue shows in which queue a graph is, and what it cannot have there.
func TestKueue(t *testing.T) {
	const long = "a-name-of-a-component-that-is-long"
	team := []plantest.GraphChange{plantest.Frontend, plantest.Multinode, labelled("team")}
	with := func(changes ...plantest.ComponentChange) []plantest.GraphChange {
		return append(team[:3:3], plantest.Changed("Worker", changes...))
	}
	cases := map[string]struct {
		reason  string
		graph   []plantest.GraphChange
		options []plantest.RequestOption
		want    decision
	}{
		"None":    {reason: "Without a queue Kueue is not looked up.", graph: team[:2]},
		"Label":   {reason: "The label of the graph names the queue.", graph: team, options: []plantest.RequestOption{withQueue}, want: decision{Queue: "team"}},
		"Policy":  {reason: "The policy names the queue of other graphs.", graph: team[:2], options: []plantest.RequestOption{withQueue, byPolicy(inputv1alpha1.Kueue{Queue: "team"})}, want: decision{Queue: "team"}},
		"Both":    {reason: "The graph takes precedence.", graph: team, options: []plantest.RequestOption{withQueue, byPolicy(inputv1alpha1.Kueue{Queue: "other"})}, want: decision{Queue: "team"}},
		"Running": {reason: "A queue that is used is not looked up.", graph: team, options: []plantest.RequestOption{plantest.WithServed("kueue"), runs("team")}, want: decision{Queue: "team"}},
		"Disabled": {
			reason: "A platform may not use Kueue.", graph: team, options: []plantest.RequestOption{byPolicy(inputv1alpha1.Kueue{Mode: inputv1alpha1.ModeDisabled})},
			want: decision{Errors: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": the platform does not use Kueue: kueue.mode in the input of step plan is Disabled; remove the label`}},
		},
		"DisabledPolicy": {reason: "Its own queue has no effect then.", graph: team[:2], options: []plantest.RequestOption{byPolicy(inputv1alpha1.Kueue{Mode: inputv1alpha1.ModeDisabled, Queue: "team"})}},
		"NotInstalled": {
			reason: "Nothing would hold the pods.", graph: team, options: []plantest.RequestOption{withoutKueue},
			want: decision{Queue: "team", Errors: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": Kueue v0.15 or later (API version kueue.x-k8s.io/v1beta2) is not installed; let the platform install it, or remove the label`}},
		},
		"NotInstalledPolicy": {
			reason: "That of the policy is the platform's mistake.", graph: team[:2], options: []plantest.RequestOption{withoutKueue, byPolicy(inputv1alpha1.Kueue{Queue: "team"})},
			want: decision{Queue: "team", Errors: []string{`input.kueue.queue: Invalid value: "team": Kueue v0.15 or later (API version kueue.x-k8s.io/v1beta2) is not installed; let the platform install it, or remove the setting in the input of step plan`}},
		},
		"Missing": {
			reason: "Nothing would ever admit the pods.", graph: team, options: []plantest.RequestOption{withoutQueue},
			want: decision{Queue: "team", Errors: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": this LocalQueue of Kueue does not exist; create it, specify another queue, or remove the label`}},
		},
		"Other": {
			reason: "Kueue refuses to move a workload.", graph: team, options: []plantest.RequestOption{withQueue, runs("before")},
			want: decision{Queue: "before", Errors: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": a running graph stays in its LocalQueue of Kueue, because Kueue refuses to move it; set it to before, or delete the graph and create it again`}},
		},
		"Late": {
			reason: "A queue would replace the pods of a graph that runs without one.", graph: team, options: []plantest.RequestOption{runs("")},
			want: decision{Warnings: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: has no effect, because the graph was created without a queue of Kueue, which would replace all pods; remove the label, or delete and recreate the graph`}},
		},
		"Gone": {
			reason: "Kueue refuses to let go of a workload.", graph: team[:2], options: []plantest.RequestOption{withQueue, runs("team")},
			want: decision{Queue: "team", Warnings: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: is gone, but the graph stays in queue team, because Kueue refuses to let go of it; put it back, or delete and recreate the graph`}},
		},
		"OtherPolicy": {
			reason: "Another queue of the policy is for new graphs.", graph: team[:2], options: []plantest.RequestOption{withQueue, runs("team"), byPolicy(inputv1alpha1.Kueue{Queue: "other"})},
			want: decision{Queue: "team", Warnings: []string{"kueue.queue is other in the input of step plan, which does not affect running graphs: this graph keeps its queue, team; to change it, delete and recreate the graph"}},
		},
		"LatePolicy": {
			reason: "The first queue of the policy is for new graphs.", graph: team[:2], options: []plantest.RequestOption{runs(""), byPolicy(inputv1alpha1.Kueue{Queue: "team"})},
			want: decision{Warnings: []string{"kueue.queue is team in the input of step plan, which does not affect running graphs: this graph keeps no queue of Kueue; to change it, delete and recreate the graph"}},
		},
		"NoName": {
			reason: "The name is that of an object.", graph: []plantest.GraphChange{plantest.Frontend, labelled("A")},
			want: decision{Errors: []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')`}},
		},
		"Component": {
			reason: "Only Kueue writes the queue into pod templates.", graph: with(func(s *v1alpha1.Service) { s.Labels = map[string]string{label: "team"} }), options: []plantest.RequestOption{withQueue},
			want: decision{Queue: "team", Errors: []string{`spec.services[Worker].labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": reaches pod templates, into which only Kueue writes it; the graph names its queue in metadata.labels: remove it here`}},
		},
		"Mixed": {
			reason: "A gang of another scheduler is not held by Kueue.", graph: append(team[:2:2], plantest.Changed("Worker", func(s *v1alpha1.Service) { s.Labels = map[string]string{label: "team"} })),
			want: decision{Errors: []string{`spec.services[Worker].labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": the pods of a service that spans nodes are a gang of another scheduler, which Kueue must not hold; name the queue in metadata.labels of the graph instead`}},
		},
		"Scheduler": {
			reason: "Other schedulers of gangs have queues of their own.", graph: with(func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = "volcano" }), options: []plantest.RequestOption{withQueue},
			want: decision{Queue: "team", Errors: []string{`spec.services[Worker].extraPodSpec.schedulerName: Invalid value: "volcano": makes gangs and has queues of its own, but Kueue holds the pods of this graph; remove it, or the queue of Kueue`}},
		},
		"SchedulingGroup": {
			reason: "A PodGroup has a scheduler of its own.", options: []plantest.RequestOption{withQueue},
			graph: with(func(s *v1alpha1.Service) {
				s.ExtraPodSpec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("own")}
			}),
			want: decision{Queue: "team", Errors: []string{`spec.services[Worker].extraPodSpec.schedulingGroup: Forbidden: may not be set, because Kueue admits the pods of this graph; remove it, or the queue of Kueue`}},
		},
		"Long": {
			reason: "Kueue labels pods with the name.", options: []plantest.RequestOption{withQueue},
			graph: []plantest.GraphChange{plantest.Component(long, plantest.ComponentOf("worker"), plantest.WithNodes(2)), labelled("team")},
			want: decision{Queue: "team", Errors: []string{`spec.services[` + long + `]: Invalid value: "` + long + `": LeaderWorkerSet llama-` + long + `-0 would have a name of 42 characters, but in a queue of Kueue it may have at most 39; ` +
				`use a shorter name for the service or the graph, or, where feature gate WorkloadIdentifierAnnotations of Kueue is on, let the platform set kueue.longNames to true in the input of step plan`}},
		},
		"LongAllowed": {
			reason: "With its gate, it annotates them.", options: []plantest.RequestOption{withQueue, byPolicy(inputv1alpha1.Kueue{LongNames: true})},
			graph: []plantest.GraphChange{plantest.Component(long, plantest.ComponentOf("worker"), plantest.WithNodes(2)), labelled("team")},
			want:  decision{Queue: "team"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _ := plantest.Decide(t, plantest.Request(plantest.Graph(tc.graph...), tc.options...), func(f *subject.Facts) (decision, subject.Outcome) {
				queue, o := scheduling.Kueue(f, graphplan.LeaderWorkerSet)
				decided := decision{Queue: queue.Name, Warnings: o.Warnings.Texts(f.Graph)}
				for _, r := range o.Refusals {
					decided.Errors = append(decided.Errors, r.In(f.Graph))
				}
				return decided, o
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nKueue(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestQuota shows what is said of gangs that wait.
func TestQuota(t *testing.T) {
	conditions := func(conditions string) plantest.RequestOption {
		return func(req *fnv1.RunFunctionRequest) {
			req.RequiredResources["kueue-workload-worker"] = plantest.Objects(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"a"},"status":{"conditions":[` + conditions + `]}}`)
		}
	}
	const (
		lacks  = `{"type":"QuotaReserved","status":"False","reason":"WaitingForQuota","message":"8 more needed","lastTransitionTime":"2026-11-28T10:30:12Z","observedGeneration":1}`
		has    = `{"type":"QuotaReserved","status":"True","reason":"QuotaReserved"}`
		checks = `{"type":"Admitted","status":"False","reason":"UnsatisfiedAdmissionChecks"}`
		admits = `{"type":"Admitted","status":"True","reason":"Admitted"}`
	)
	cases := map[string]struct {
		reason  string
		options []plantest.RequestOption
		want    map[string]string
	}{
		"Lacks":    {reason: "The reason is that of the Workload.", options: []plantest.RequestOption{conditions(lacks)}, want: map[string]string{"Worker": "WaitingForQuota"}},
		"New":      {reason: "Kueue has not looked at it.", options: []plantest.RequestOption{conditions("")}, want: map[string]string{"Worker": "PendingEvaluation"}},
		"Checks":   {reason: "Quota is not all that Kueue waits for.", options: []plantest.RequestOption{conditions(has + "," + checks)}, want: map[string]string{"Worker": "UnsatisfiedAdmissionChecks"}},
		"Admitted": {reason: "The pods may run.", options: []plantest.RequestOption{conditions(has + "," + admits)}, want: map[string]string{}},
		"None":     {reason: "Kueue has made no Workload.", options: []plantest.RequestOption{func(req *fnv1.RunFunctionRequest) { req.RequiredResources["kueue-workload-worker"] = &fnv1.Resources{} }}, want: map[string]string{}},
		"Gone":     {reason: "Without Kueue, nothing can be looked up.", options: []plantest.RequestOption{withoutKueue}},
		"Ready":    {reason: "Nothing waits.", options: []plantest.RequestOption{ready}, want: map[string]string{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			options := append([]plantest.RequestOption{plantest.WithGroups("lws"), withQueue, runs("team")}, tc.options...)
			got, outcome := plantest.Decide(t, plantest.Request(plantest.Graph(plantest.Multinode, labelled("team")), options...), scheduling.Quota)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nQuota(...): -want, +got:\n%s", tc.reason, diff)
			}
			if left := outcome.Requirements.Unresolved(); len(left) > 0 {
				t.Errorf("unresolved: %v", left)
			}
		})
	}
}

// ready is the LeaderWorkerSet with all its pods.
func ready(req *fnv1.RunFunctionRequest) {
	plantest.WithObserved("leaderworkerset-worker-0", plantest.LeaderWorkerSet("llama-worker-0", func(set *lwsv1.LeaderWorkerSet) {
		set.UID, set.Status.ReadyReplicas = "set", 1
		set.Annotations = map[string]string{"dynamo.nvidia.com/kueue-queue": "team"}
	}))(req)
}

// TestKueueOnGrove shows what Grove does not support in a queue of Kueue.
func TestKueueOnGrove(t *testing.T) {
	replicas := func(replicas, least int32) plantest.ComponentChange {
		return func(s *v1alpha1.Service) { s.Replicas, s.MinAvailable = &replicas, &least }
	}
	alive := func(replicas int32) plantest.RequestOption {
		return plantest.WithObserved("podcliqueset", func() *grovev1alpha1.PodCliqueSet {
			set := plantest.PodCliqueSet(plantest.Clique("frontend", func(c *grovev1alpha1.Clique) { c.Spec.Replicas = replicas }))
			set.Annotations = map[string]string{"dynamo.nvidia.com/kueue-queue": "team"}
			return set
		}())
	}
	cases := map[string]struct {
		reason  string
		graph   []plantest.GraphChange
		options []plantest.RequestOption
		want    []string
	}{
		"Fine":   {reason: "All replicas of a gang are admitted together.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Multinode, plantest.Changed("Worker", replicas(2, 2))}},
		"One":    {reason: "One service of one node may have fewer at first.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Worker, plantest.Changed("Worker", replicas(3, 1))}},
		"Scaled": {reason: "Grove scales no clique.", graph: []plantest.GraphChange{plantest.Frontend}, options: []plantest.RequestOption{alive(2)}, want: []string{`spec.services[Frontend].replicas: Invalid value: 1: Grove does not scale a clique in a queue of Kueue; it was 2: undo the change, or create the graph with forceScalingGroup`}},
		"Same":   {reason: "A number that does not change is fine.", graph: []plantest.GraphChange{plantest.Frontend}, options: []plantest.RequestOption{alive(1)}},
		"Least": {
			reason: "A scaling group is admitted as a whole.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Multinode, plantest.Changed("Worker", replicas(2, 1))},
			want: []string{`spec.services[Worker].minAvailable: Invalid value: 1: in a queue of Kueue on Grove, it must be the number of replicas, because all of them are admitted together; delete the graph, and create it with 2`},
		},
		"Two": {
			reason: "A second one may not.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Worker, plantest.Changed("Frontend", replicas(2, 1)), plantest.Changed("Worker", replicas(3, 1))},
			want: []string{`spec.services[Worker].minAvailable: Invalid value: 1: in a queue of Kueue on Grove, only one service of one node, here Frontend, may have fewer than its replicas; delete the graph, and create it with 3`},
		},
		"Many": {
			reason: "A Workload has so many pod sets.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Multinode, plantest.Changed("Worker", replicas(9, 9))},
			want: []string{`spec.services: Invalid value: 19: the gang of the graph would have so many cliques, but Kueue admits at most 18 together; reduce replicas or services, or split the graph`},
		},
		"Scheduler": {
			reason: "All cliques have one scheduler.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = "own" })},
			want: []string{`spec.services[Frontend].extraPodSpec.schedulerName: Invalid value: "own": in a queue of Kueue on Grove, all pods have scheduler kueue, which Grove replaces by the scheduler of its configuration; remove it`},
		},
		"Autoscaling": {
			reason: "Grove refuses autoscalers.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 2} })},
			want: []string{`spec.services[Frontend].autoscaling: Forbidden: is not supported in a queue of Kueue on Grove; remove it, and set replicas`},
		},
		"NotInstalled": {
			reason:  "What a queue demands does not matter where there can be none.",
			graph:   []plantest.GraphChange{plantest.Frontend, plantest.Multinode, plantest.Changed("Worker", replicas(2, 1))},
			options: []plantest.RequestOption{withoutKueue},
			want:    []string{`metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "team": Kueue v0.15 or later (API version kueue.x-k8s.io/v1beta2) is not installed; let the platform install it, or remove the label`},
		},
		"Coherent": {
			reason: "Grove refuses this strategy.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Annotated("nvidia.com/grove-update-strategy", "Coherent")},
			want: []string{`metadata.annotations[nvidia.com/grove-update-strategy]: Invalid value: "Coherent": is not supported in a queue of Kueue; remove the annotation`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			options := append([]plantest.RequestOption{plantest.WithGroups("grove"), withQueue}, tc.options...)
			f := plantest.Facts(t, plantest.Request(plantest.Graph(append(tc.graph, labelled("team"))...), options...))
			scheduler, _, _ := scheduling.OnGrove(f)
			_, o := scheduling.Kueue(f, graphplan.Grove)
			var got []string
			for _, r := range o.Refusals {
				got = append(got, r.In(&graph.Graph{}))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || scheduler != "kueue" {
				t.Errorf("%s\nKueue(...): scheduler %s: -want, +got:\n%s", tc.reason, scheduler, diff)
			}
		})
	}
}

// TestKueuePriority shows that a graph has the priority in its queue with which it was created, and that no other one is dropped silently.
func TestKueuePriority(t *testing.T) {
	const at = "metadata.labels[kueue.x-k8s.io/priority-class]: has no effect, because "
	type priority struct {
		Class    string
		Warnings []string
	}
	inQueue := func(queue, class string) plantest.GraphChange {
		return func(xr *v1alpha1.DynamoGraphDeployment) {
			xr.Labels = map[string]string{label: queue, "kueue.x-k8s.io/priority-class": class}
		}
	}
	created := func(class string) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", plantest.LeaderWorkerSet("llama-worker-0", func(set *lwsv1.LeaderWorkerSet) {
			set.Annotations = map[string]string{"dynamo.nvidia.com/kueue-queue": "team", "dynamo.nvidia.com/kueue-priority-class": class}
		}))
	}
	cases := map[string]struct {
		reason       string
		queue, class string
		options      []plantest.RequestOption
		want         priority
	}{
		"New":     {reason: "The label of a new graph is its priority.", queue: "team", class: "high", options: []plantest.RequestOption{withQueue}, want: priority{Class: "high"}},
		"Kept":    {reason: "A graph keeps it.", queue: "team", class: "high", options: []plantest.RequestOption{withQueue, created("high")}, want: priority{Class: "high"}},
		"Policy":  {reason: "The queue may be that of the platform.", class: "high", options: []plantest.RequestOption{withQueue, byPolicy(inputv1alpha1.Kueue{Queue: "team"})}, want: priority{Class: "high"}},
		"NoQueue": {reason: "Only Kueue reads it.", class: "high", want: priority{Warnings: []string{at + "the graph is in no queue of Kueue; remove it, or create the graph with label " + label}}},
		"Changed": {
			reason: "Another priority would replace the pods.", queue: "team", class: "low", options: []plantest.RequestOption{withQueue, created("high")},
			want: priority{Class: "high", Warnings: []string{at + "another priority than high would replace the pods of the graph; put it back, or delete and recreate the graph"}},
		},
		"Gone": {
			reason: "None is another one.", queue: "team", options: []plantest.RequestOption{withQueue, created("high")},
			want: priority{Class: "high", Warnings: []string{at + "another priority than high would replace the pods of the graph; put it back, or delete and recreate the graph"}},
		},
		"Late": {
			reason: "A priority that comes later would replace the pods.", queue: "team", class: "high", options: []plantest.RequestOption{withQueue, created("")},
			want: priority{Warnings: []string{at + "the graph was created without a priority in its queue, and a priority would replace its pods; remove it, or delete and recreate the graph"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			queued := plantest.Graph(plantest.Frontend, plantest.Multinode, inQueue(tc.queue, tc.class))
			got, _ := plantest.Decide(t, plantest.Request(queued, tc.options...), func(f *subject.Facts) (priority, subject.Outcome) {
				_, o := scheduling.Kueue(f, graphplan.LeaderWorkerSet)
				return priority{Class: scheduling.KueuePriority(f), Warnings: o.Warnings.Texts(f.Graph)}, o
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nKueuePriority(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
