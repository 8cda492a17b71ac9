package gang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// membership is what makes a LeaderWorkerSet a gang, and where it is placed.
type membership struct {
	Labels, Annotations, Schedulers, Groups, Queues []string
	PodGroup                                        bool
}

// TestGang shows how the pods of a set become a gang of each provider.
func TestGang(t *testing.T) {
	// packed are plans in which the replicas of a component are packed.
	packed := func(gang graphplan.Gang, component string) string {
		return steptest.OnLeaderWorkerSets(t, gang, steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) {
			p.Topology = &graphplan.Topology{
				Name: "gb200", Dialect: graphplan.DialectPack, KAITopology: "kai",
				Placements: map[string]graphplan.Placement{component: {RequiredLabel: "example.org/rack"}},
			}
		})
	}
	own := func(scheduler string) string { return steptest.TwoNodes(t, steptest.WithScheduler(scheduler)) }
	ownGroup := func(s *v1alpha1.Service) {
		s.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: map[string]string{"scheduling.k8s.io/group-name": "mine"}}
	}
	cases := map[string]struct {
		reason string
		spec   string
		plan   string
		want   membership
	}{
		"PodGroup": {
			reason: "Volcano finds the gang of a pod by its annotation.",
			spec:   steptest.TwoNodes(t), plan: steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")),
			want: membership{Schedulers: []string{"volcano", "volcano"}, Groups: []string{"llama-worker-0", "llama-worker-0"}, PodGroup: true},
		},
		"LWS": {
			reason: "The LWS operator makes the gang, and reads its queue on the set.",
			spec:   steptest.TwoNodes(t), plan: steptest.OnLeaderWorkerSets(t, steptest.ByOperator(), steptest.Components("etcd", "Worker")),
			want: membership{Annotations: []string{"scheduling.volcano.sh/queue-name=team-a"}, Schedulers: []string{"volcano", "volcano"}},
		},
		"KAI": {
			reason: "KAI groups the pods of a set by itself, and reads the queue on the set first.",
			spec:   steptest.TwoNodes(t), plan: steptest.OnLeaderWorkerSets(t, steptest.ByKAI(), steptest.Components("etcd", "Worker")),
			want: membership{Labels: []string{"kai.scheduler/queue=dynamo"}, Schedulers: []string{"kai-scheduler", "kai-scheduler"}, Queues: []string{"dynamo", "dynamo"}},
		},
		"KAIPlaced": {
			reason: "KAI reads the topology on the set.",
			spec:   steptest.TwoNodes(t), plan: packed(steptest.ByKAI(), "Worker"),
			want: membership{
				Labels:      []string{"kai.scheduler/queue=dynamo"},
				Annotations: []string{"kai.scheduler/topology=kai", "kai.scheduler/topology-required-placement=example.org/rack"},
				Schedulers:  []string{"kai-scheduler", "kai-scheduler"}, Queues: []string{"dynamo", "dynamo"},
			},
		},
		"KAIPlacedElsewhere": {
			reason: "On KAI a set whose service is not packed says nothing of the topology.",
			spec:   steptest.TwoNodes(t), plan: packed(steptest.ByKAI(), "Other"),
			want: membership{Labels: []string{"kai.scheduler/queue=dynamo"}, Schedulers: []string{"kai-scheduler", "kai-scheduler"}, Queues: []string{"dynamo", "dynamo"}},
		},
		"UsersOwnScheduler": {
			reason: "Pods whose scheduler the user names are left to it.",
			spec:   own("mine"), plan: steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")),
			want: membership{Schedulers: []string{"mine", "mine"}},
		},
		"UsersOwnSchedulerWithoutKAI": {
			reason: "A set whose scheduler the user names says nothing of KAI, nor of the topology.",
			spec:   own("mine"), plan: packed(steptest.ByKAI(), "Worker"),
			want: membership{Schedulers: []string{"mine", "mine"}},
		},
		"UsersOwnSchedulerWithoutLWS": {
			reason: "A set whose scheduler the user names says nothing of the queue of the LWS operator's gang.",
			spec:   own("mine"), plan: steptest.OnLeaderWorkerSets(t, steptest.ByOperator(), steptest.Components("etcd", "Worker")),
			want: membership{Schedulers: []string{"mine", "mine"}},
		},
		"TheSameScheduler": {
			reason: "A user who names the gang's scheduler gets the gang.",
			spec:   own("volcano"), plan: steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")),
			want: membership{Schedulers: []string{"volcano", "volcano"}, Groups: []string{"llama-worker-0", "llama-worker-0"}, PodGroup: true},
		},
		"UsersOwnGroup": {
			reason: "The gang of the set is the one of its pods, whatever else the user names.",
			spec:   steptest.TwoNodes(t, ownGroup), plan: steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")),
			want: membership{Schedulers: []string{"volcano", "volcano"}, Groups: []string{"llama-worker-0", "llama-worker-0"}, PodGroup: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			built := build(t, tc.spec, tc.plan, 0)
			set, got := built.LeaderWorkerSet, membership{PodGroup: built.PodGroup != nil}
			for _, key := range []string{"kai.scheduler/queue"} {
				got.Labels = appendValue(got.Labels, key, set.Labels)
			}
			for _, key := range []string{"scheduling.volcano.sh/queue-name", "kai.scheduler/topology", "kai.scheduler/topology-required-placement"} {
				got.Annotations = appendValue(got.Annotations, key, set.Annotations)
			}
			for _, template := range []corev1.PodTemplateSpec{*set.Spec.LeaderWorkerTemplate.LeaderTemplate, set.Spec.LeaderWorkerTemplate.WorkerTemplate} {
				got.Schedulers = append(got.Schedulers, template.Spec.SchedulerName)
				if group, ok := template.Annotations["scheduling.k8s.io/group-name"]; ok {
					got.Groups = append(got.Groups, group)
				}
				if queue, ok := template.Labels["kai.scheduler/queue"]; ok {
					got.Queues = append(got.Queues, queue)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func appendValue(all []string, key string, values map[string]string) []string {
	if value, ok := values[key]; ok {
		return append(all, key+"="+value)
	}
	return all
}

// TestSets shows the sets of the replicas of one component, each with an identity of its own.
func TestSets(t *testing.T) {
	type identity struct {
		Name, Instance, LeaderInstance, WorkerInstance, Group, GroupName, GroupInstance string
		Size, Replicas, MinMember                                                       int32
		Selector                                                                        bool
	}
	spec := steptest.TwoNodes(t, steptest.WithReplicas(2))
	for i, want := range map[int32]identity{
		0: {Name: "llama-worker-0", Instance: "0", LeaderInstance: "0", WorkerInstance: "0", Group: "llama-worker-0", GroupName: "llama-worker-0", GroupInstance: "0", Size: 2, Replicas: 1, MinMember: 2},
		1: {Name: "llama-worker-1", Instance: "1", LeaderInstance: "1", WorkerInstance: "1", Group: "llama-worker-1", GroupName: "llama-worker-1", GroupInstance: "1", Size: 2, Replicas: 1, MinMember: 2},
	} {
		t.Run(want.Name, func(t *testing.T) {
			built := build(t, spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")), i)
			set, group := built.LeaderWorkerSet, built.PodGroup
			worker := set.Spec.LeaderWorkerTemplate.WorkerTemplate
			_, selector := worker.Labels["nvidia.com/selector"]
			got := identity{
				Name: set.Name, Instance: set.Labels["instance-id"],
				LeaderInstance: set.Spec.LeaderWorkerTemplate.LeaderTemplate.Labels["instance-id"], WorkerInstance: worker.Labels["instance-id"],
				Group: group.Name, GroupName: worker.Annotations["scheduling.k8s.io/group-name"], GroupInstance: group.Labels["instance-id"],
				Size: *set.Spec.LeaderWorkerTemplate.Size, Replicas: *set.Spec.Replicas, MinMember: group.Spec.MinMember, Selector: selector,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("set %d: -want, +got:\n%s", i, diff)
			}
		})
	}
}

// TestOneSet shows the set that runs all replicas of a component, because it was adopted like that.
func TestOneSet(t *testing.T) {
	type shape struct {
		Name, Instance, WorkerInstance, Scheduler, GroupName string
		Replicas                                             int32
		MaxUnavailable                                       string
		PodGroup                                             bool
	}
	inOneSet := func(p *graphplan.Plan) { p.AdoptedNames = &names.Adoption{Sets: []string{"worker"}} }
	cases := map[string]struct {
		reason  string
		changes []steptest.ComponentChange
		gang    graphplan.Gang
		want    shape
	}{
		"PodGroup": {
			reason:  "A pod template cannot name a PodGroup for each replica, so there is none, as the operator made it.",
			changes: []steptest.ComponentChange{steptest.WithReplicas(3)}, gang: steptest.ByPodGroup(),
			want: shape{Name: "llama-worker-0", Replicas: 3},
		},
		"LWS": {
			reason:  "The LWS operator makes a gang of each replica.",
			changes: []steptest.ComponentChange{steptest.WithReplicas(3)}, gang: steptest.ByOperator(),
			want: shape{Name: "llama-worker-0", Replicas: 3, Scheduler: "volcano"},
		},
		"KAI": {
			reason:  "KAI makes a gang of each replica.",
			changes: []steptest.ComponentChange{steptest.WithReplicas(3)}, gang: steptest.ByKAI(),
			want: shape{Name: "llama-worker-0", Replicas: 3, Scheduler: "kai-scheduler"},
		},
		"Recreate": {
			reason:  "The controller of LeaderWorkerSets updates as many replicas at a time as the user allows.",
			changes: []steptest.ComponentChange{steptest.WithReplicas(3), steptest.WithAnnotation("nvidia.com/deployment-strategy", "Recreate")}, gang: steptest.ByPodGroup(),
			want: shape{Name: "llama-worker-0", Replicas: 3, MaxUnavailable: "3"},
		},
		"Percentage": {
			reason:  "A percentage is that of the replicas.",
			gang:    steptest.ByPodGroup(),
			changes: []steptest.ComponentChange{steptest.WithReplicas(4), steptest.WithAnnotation("nvidia.com/deployment-rolling-update-max-unavailable", "50%")},
			want:    shape{Name: "llama-worker-0", Replicas: 4, MaxUnavailable: "2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			built := build(t, steptest.TwoNodes(t, tc.changes...), steptest.OnLeaderWorkerSets(t, tc.gang, steptest.Components("etcd", "Worker"), inOneSet), 0)
			set := built.LeaderWorkerSet
			worker := set.Spec.LeaderWorkerTemplate.WorkerTemplate
			got := shape{
				Name: set.Name, Instance: set.Labels["instance-id"], WorkerInstance: worker.Labels["instance-id"], Scheduler: worker.Spec.SchedulerName,
				GroupName: worker.Annotations["scheduling.k8s.io/group-name"], Replicas: *set.Spec.Replicas, PodGroup: built.PodGroup != nil,
			}
			if rolling := set.Spec.RolloutStrategy.RollingUpdateConfiguration; rolling != nil {
				got.MaxUnavailable = rolling.MaxUnavailable.String()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRoles shows that leader and worker get the commands of their roles, with the host names of LeaderWorkerSets.
func TestRoles(t *testing.T) {
	const spec = `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.sglang"],"args":["--tp","16"]}}}}}`
	plan := steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), map[string]graphplan.Component{
		"Worker": {Framework: v1alpha1.BackendSGLang, Discovery: "etcd", DynamoNamespace: "inference-llama"},
	})
	set := build(t, spec, plan, 0).LeaderWorkerSet
	got := map[string][]string{}
	for role, template := range map[string]corev1.PodTemplateSpec{"leader": *set.Spec.LeaderWorkerTemplate.LeaderTemplate, "worker": set.Spec.LeaderWorkerTemplate.WorkerTemplate} {
		got[role] = template.Spec.Containers[0].Args
	}
	want := map[string][]string{
		"leader": {"--tp", "16", "--dist-init-addr", "$(LWS_LEADER_ADDRESS):29500", "--nnodes", "2", "--node-rank", "0"},
		"worker": {"--tp", "16", "--dist-init-addr", "$(LWS_LEADER_ADDRESS):29500", "--nnodes", "2", "--node-rank", "$(LWS_WORKER_INDEX)"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("args: -want, +got:\n%s", diff)
	}
}
