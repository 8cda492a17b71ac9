package why

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// recorded is what a scheduler writes of a gang in which one pod has no place. FAILED stands for the name of this pod, CLIQUE for that of its
// PodClique, and SELF for the name of the pod to which it is written.
type recorded struct {
	reason string

	// failed and others are what is written to the pod without a place and to the other pods, and group what is written to the PodGroup.
	failed, others, group string

	// reasonOfOthers in the condition of the other pods. An empty text stands for Unschedulable.
	reasonOfOthers string

	// untold says that the words to the other pods alone do not tell which pod failed.
	untold bool

	// lacks is what the pod without a place lacks.
	lacks string
}

// recordings of KAI v0.12 to v0.17, Volcano v1.12 to v1.15, and the scheduler of Kubernetes v1.36.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/scheduler/actions/common/allocate.go
// https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/scheduler/api/job_info.go
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/schedule_one_podgroup.go
func recordings() map[string]recorded {
	const (
		kaiOwn = "no nodes with enough resources were found: 1 node(s) didn't have enough resources: CPU cores. \n3 node(s) didn't have enough resources: GPUs."
		kaiPod = "PodSchedulingErrors: Resources were not found for pod inference/FAILED due to: " + kaiOwn + "."
		kaiAll = "PodSchedulingErrors: Resources were found for 2 pods while 4 are required for gang scheduling. Additional pods cannot be scheduled due to: " + kaiOwn + "."
		kaiSub = "PodSchedulingErrors: Resources were found for 2 pods from all sub-groups while sub-group CLIQUE requires 1 pods for gang scheduling. " +
			"Additional pods cannot be scheduled in this sub-group due to: " + kaiOwn + "."
		kaiMissing = "Pod fails scheduling due to: ConfigMap predicate: Missing required configmaps: [engine]"

		volcanoOwn  = "0/4 nodes are unavailable: 1 Insufficient cpu, 3 Insufficient nvidia.com/gpu."
		volcanoGang = "pod group is not ready, 4 Pending, 4 minAvailable; Pending: 2 Schedulable, 2 Unschedulable. Origin reason is FAILED: " + volcanoOwn

		kubernetesOwn = "0/4 nodes are available: 1 Insufficient cpu, 3 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/4 nodes are available."
	)
	return map[string]recorded{
		"KAIPod": {
			reason: "KAI writes to each pod without errors of its own the name of the pod that failed.",
			failed: kaiOwn, others: kaiPod, group: kaiPod, lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAIFitting": {
			reason: "A pod that fits on one node has errors about the other nodes, although it did not fail.",
			failed: kaiOwn, others: "no nodes with enough resources were found: 2 node(s) didn't have enough resources: memory.", group: kaiPod, untold: true,
			lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAIGang": {
			reason: "KAI writes to each pod of a gang why the next one failed, without its name.",
			failed: kaiOwn, others: kaiAll, group: kaiAll, untold: true, lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAISubGroup": {
			reason: "KAI writes to each pod of a PodGang the clique of the pod that failed.",
			failed: kaiOwn, others: kaiSub, group: kaiSub, lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAISeveral": {
			reason: "KAI lists all errors of a gang that it has tried in several domains.",
			failed: kaiOwn, others: "Unable to schedule podgroup: " + strings.TrimPrefix(kaiPod, "PodSchedulingErrors: ") + " \nnode-group(s) didn't have enough resources: GPUs.",
			group: kaiPod, lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAINodePool": {
			reason: "KAI begins with the name of the pool of nodes if a gang may only be in one.",
			failed: "Node-Pool 'default': " + kaiOwn, others: "Node-Pool 'default': " + kaiPod, group: "Node-Pool 'default': " + kaiPod,
			lacks: "no node has enough GPUs or CPU cores left",
		},
		"KAITopology": {
			reason: "KAI names the clique that has no domain.",
			failed: "PodSchedulingErrors: topology cluster, requirement rack couldn't be satisfied for job <inference/llama-0>, subgroup CLIQUE: not enough resources in the cluster to allocate the job.",
			others: "PodSchedulingErrors: topology cluster, requirement rack couldn't be satisfied for job <inference/llama-0>, subgroup CLIQUE: not enough resources in the cluster to allocate the job.",
			group:  "PodSchedulingErrors: topology cluster, requirement rack couldn't be satisfied for job <inference/llama-0>, subgroup CLIQUE: not enough resources in the cluster to allocate the job.",
			lacks:  "no topology domain has room",
		},
		"KAIMissing": {
			reason: "A pod that refers to an object that does not exist keeps its whole gang.",
			failed: kaiMissing, others: "PodSchedulingErrors: Resources were not found for pod inference/FAILED due to: " + kaiMissing + ".", lacks: "ConfigMap engine does not exist",
		},
		"VolcanoFits": {
			reason: "Volcano says of pods that would fit that they wait.",
			failed: volcanoOwn, others: "Pod inference/SELF can possibly be assigned to node-1, once minAvailable is satisfied", reasonOfOthers: "Schedulable",
			group: "2/4 tasks in gang unschedulable: " + volcanoGang, untold: true, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
		"VolcanoReleases": {
			reason: "Volcano says of pods that would fit when others have ended that they are unschedulable.",
			failed: volcanoOwn, others: "Pod inference/SELF can possibly be assigned to node-1, once resource is released and minAvailable is satisfied",
			group: "2/4 tasks in gang unschedulable: " + volcanoGang, untold: true, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
		"VolcanoUntried": {
			reason: "Volcano writes to pods that it has not tried what it says of the first that failed, with its name.",
			failed: volcanoOwn, others: volcanoGang, group: "2/4 tasks in gang unschedulable: " + volcanoGang, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
		"VolcanoUnnamed": {
			reason: "Volcano before v1.13 does not name the pod that failed.",
			failed: volcanoOwn, others: "pod group is not ready, 4 Pending, 4 minAvailable; Pending: 1 Unschedulable, 3 Undetermined",
			group: "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable.", untold: true, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
		"KubernetesFits": {
			reason: "The scheduler of Kubernetes says of pods that fit that they wait for others.",
			failed: kubernetesOwn, others: "waiting for minCount pods from a gang to be scheduled", untold: true, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
		"KubernetesAlone": {
			reason: "The scheduler of Kubernetes says nothing of pods that it has not tried.",
			failed: kubernetesOwn, others: "", untold: true, lacks: "no node has enough nvidia.com/gpu or cpu left",
		},
	}
}

// aGang of two components on Grove, each with two pods in cliques of their own.
func aGang() []member {
	return []member{
		{"llama-0-decode-xk2lp", "Decode", "llama-0-decode"},
		{"llama-0-frontend-a1b2c", "Frontend", "llama-0-frontend"},
		{"llama-0-prefill-0-prefill-ldr-qq7wz", "Prefill", "llama-0-prefill-0-prefill-ldr"},
		{"llama-0-prefill-0-prefill-wkr-zz9xv", "Prefill", "llama-0-prefill-0-prefill-wkr"},
	}
}

// member of a gang.
type member struct{ name, component, clique string }

// sees is what there is to see of a gang.
type sees struct {
	// byEvent says that the scheduler writes events, and no conditions of pods.
	byEvent bool

	// silent says that nothing is written to the pod that failed.
	silent bool

	// group says that the PodGroup is read.
	group bool
}

func (r *recorded) words(text, self string, failed member) string {
	return strings.NewReplacer("FAILED", failed.name, "CLIQUE", failed.clique, "SELF", self).Replace(text)
}

// facts of a graph whose gang has one pod without a place.
func (r *recorded) facts(t *testing.T, gang []member, failed member, saw sees) *Facts {
	t.Helper()
	f := &Facts{Graph: waiting(t)}
	for _, m := range gang {
		p := podWith(t, `{metadata: {annotations: {pod-group-name: llama-0}}, spec: {schedulerName: a}, status: {phase: Pending}}`)
		p.SetName(m.name)
		p.SetUID(types.UID(m.name))
		p.SetLabels(map[string]string{"nvidia.com/dynamo-component": m.component, "grove.io/podclique": m.clique})
		text, reason := r.others, r.reasonOfOthers
		if m == failed {
			text, reason = r.failed, ""
		}
		if reason == "" {
			reason = "Unschedulable"
		}
		text = r.words(text, m.name, failed)
		switch {
		case text == "" || m == failed && saw.silent:
		case saw.byEvent:
			event := eventAbout(t, "FailedScheduling", text)
			_ = unstructured.SetNestedField(event.Object, m.name, "involvedObject", "uid")
			f.Events = append(f.Events, event)
		default:
			condition := map[string]any{"type": "PodScheduled", "status": "False", "reason": reason, "message": text}
			_ = unstructured.SetNestedSlice(p.Object, []any{condition}, "status", "conditions")
		}
		f.Objects = append(f.Objects, p)
	}
	if saw.group && r.group != "" {
		group := object(t, `{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: llama-0}}`)
		condition := map[string]any{"type": "UnschedulableOnNodePool", "status": "True", "message": r.words(r.group, "", failed)}
		_ = unstructured.SetNestedSlice(group.Object, []any{condition}, "status", "schedulingConditions")
		f.Objects = append(f.Objects, group)
	}
	return f
}

// isTold reports whether the words tell which pod failed.
func (r *recorded) isTold(saw sees) bool {
	named := strings.Contains(r.group, "FAILED") || strings.Contains(r.group, "CLIQUE")
	switch {
	case saw.silent:
		return !r.untold || saw.group && named
	case r.untold && !saw.group:
		// Errors of its own that a pod that fits has cannot be told from those of the pod that failed.
		return !strings.Contains(r.others, "no nodes with enough resources") || strings.Contains(r.others, "gang scheduling")
	default:
		return true
	}
}

// TestWhichPod lets each pod of a gang fail in turn, in the words of each scheduler and wherever they are written: the first cause is about this
// pod and its component, and no other pod is said to have no place.
func TestWhichPod(t *testing.T) {
	seen := 0
	for name, r := range recordings() {
		for _, failed := range aGang() {
			for i := range 8 {
				saw := sees{byEvent: i&1 > 0, silent: i&2 > 0, group: i&4 > 0}
				if !r.isTold(saw) || saw.byEvent && r.reasonOfOthers != "" {
					continue
				}
				seen++
				t.Run(fmt.Sprintf("%s/%s/%+v", name, failed.name, saw), func(t *testing.T) {
					d := Diagnose(r.facts(t, aGang(), failed, saw), "kubectl")
					if len(d.Causes) == 0 {
						t.Fatalf("%s\nwant a cause, got none", r.reason)
					}
					first := d.Causes[0]
					got := []string{first.Name, first.Component, string(first.Code)}
					wantCode := Unschedulable
					if strings.Contains(r.lacks, "does not exist") {
						wantCode = ObjectMissing
					}
					if diff := cmp.Diff([]string{failed.name, failed.component, string(wantCode)}, got); diff != "" {
						t.Errorf("%s\nfirst cause: -want, +got:\n%s\nin %s", r.reason, diff, first.Message)
					}
					if !strings.Contains(first.Message, r.lacks) {
						t.Errorf("%s\nwant %q in %q", r.reason, r.lacks, first.Message)
					}
					for _, c := range d.Causes[1:] {
						if c.Kind == kindPod && c.Code != WaitingForGang {
							t.Errorf("%s\nwant the other pods to wait for their gang, got %s: %s", r.reason, c.Code, c.Message)
						}
						if c.Kind == kindPod && !strings.Contains(c.Message, failed.name) {
							t.Errorf("%s\nwant the other pods to name the one that they wait for, got %s", r.reason, c.Message)
						}
					}
				})
			}
		}
	}
	if seen < 200 {
		t.Errorf("want most combinations to tell which pod failed, got %d", seen)
	}
}

// TestWhichPodAlone shows that a pod that is scheduled alone is not taken for one of a gang, in the words that are written to a pod about itself.
func TestWhichPodAlone(t *testing.T) {
	for name, r := range recordings() {
		t.Run(name, func(t *testing.T) {
			alone := aGang()[0]
			facts := r.facts(t, []member{alone}, alone, sees{group: true})
			got := Diagnose(facts, "kubectl").Causes
			if len(got) == 0 || got[0].Name != alone.name || got[0].Code == WaitingForGang || !strings.Contains(got[0].Message, r.lacks) {
				t.Errorf("%s\nwant that pod %s lacks something, got %+v", r.reason, alone.name, got)
			}
		})
	}
}

// TestWhichPodUnnamed shows the cause to which Volcano adds no name of a pod, because it is about the whole gang.
func TestWhichPodUnnamed(t *testing.T) {
	words := "pod group is not ready, 4 Pending, 4 minAvailable. Origin reason is: 0/4 nodes are unavailable: 3 Insufficient nvidia.com/gpu."
	r := recorded{failed: words, others: words}
	got := Diagnose(r.facts(t, aGang(), aGang()[0], sees{}), "kubectl").Causes[0]
	if got.Code != Unschedulable || !strings.Contains(got.Message, "no node has enough nvidia.com/gpu left") {
		t.Errorf("want that pods lack GPUs, got %+v", got)
	}
}

// TestWhichPodGone shows what is said while the pod that a scheduler names is no longer one of those that wait.
func TestWhichPodGone(t *testing.T) {
	r := recordings()["KAIPod"]
	gang := aGang()
	facts := r.facts(t, gang, gang[2], sees{})
	facts.Objects = slices.DeleteFunc(facts.Objects, func(o unstructured.Unstructured) bool { return o.GetName() == gang[2].name })
	got := Diagnose(facts, "kubectl").Causes[0]
	if got.Code != WaitingForGang || !strings.Contains(got.Message, gang[2].name) {
		t.Errorf("want a gang that waits for pod %s, got %+v", gang[2].name, got)
	}
}

// TestSchedulerFails shows that a scheduler that cannot bind a pod does not let it wait for its gang.
func TestSchedulerFails(t *testing.T) {
	for reason, message := range map[string]string{
		"BindingError":   "Failed to bind pod inference/llama-decode-0 to node node-1. timed out",
		"SchedulerError": `binding rejected: running Bind plugin "DefaultBinder": timed out`,
	} {
		pod := podWith(t, `{metadata: {annotations: {pod-group-name: llama-0}}, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: `+reason+`}]}}`)
		_ = unstructured.SetNestedSlice(pod.Object, []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": reason, "message": message}}, "status", "conditions")
		got := Diagnose(&Facts{Graph: waiting(t), Objects: []unstructured.Unstructured{pod}}, "kubectl").Causes[0]
		if got.Code != Unschedulable || !strings.Contains(got.Message, "its scheduler failed") || !strings.Contains(got.Message, message) {
			t.Errorf("%s: want an error of the scheduler, got %+v", reason, got)
		}
	}
}
