package why

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// object from YAML.
func object(t testing.TB, text string) unstructured.Unstructured {
	t.Helper()
	o := unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	// As the cluster does, with whole numbers.
	if err := json.Unmarshal(data, &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// graphWith conditions, each as type=status, and a message after a colon.
func graphWith(t testing.TB, conditions ...string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, `{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: llama, namespace: inference, generation: 2}}`)
	var list []any
	for _, c := range conditions {
		of, message, _ := strings.Cut(c, ": ")
		conditionType, status, _ := strings.Cut(of, "=")
		status, reason, _ := strings.Cut(status, "/")
		list = append(list, map[string]any{"type": conditionType, "status": status, "reason": reason, "message": message})
	}
	if err := unstructured.SetNestedSlice(o.Object, list, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	return &o
}

// waiting is a graph that only waits for its components.
func waiting(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	return graphWith(t, "Accepted=True", "Synced=True", "ServicesReady=False: Resources not ready", "Ready=False")
}

// podWith labels, a spec and a status.
func podWith(t testing.TB, pod string) unstructured.Unstructured {
	t.Helper()
	o := object(t, pod)
	o.SetAPIVersion("v1")
	o.SetKind("Pod")
	o.SetName("llama-decode-0")
	o.SetNamespace("inference")
	o.SetUID("pod")
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["nvidia.com/dynamo-component"] = "Decode"
	o.SetLabels(labels)
	return o
}

// eventAbout the pod.
func eventAbout(t testing.TB, reason, message string) unstructured.Unstructured {
	t.Helper()
	o := object(t, `{apiVersion: v1, kind: Event, involvedObject: {uid: pod, fieldPath: "spec.containers{main}"}, type: Warning}`)
	o.Object["reason"], o.Object["message"] = reason, message
	return o
}

// said by a diagnosis.
type said struct {
	Code    Code
	Message string
	Next    string
}

func saidBy(d *Diagnosis) said {
	if len(d.Causes) == 0 {
		return said{}
	}
	c := d.Causes[0]
	return said{c.Code, c.Message, c.Next}
}

const (
	describePod = "kubectl describe pod llama-decode-0 --namespace=inference"
	logs        = "kubectl logs llama-decode-0 --container=main --namespace=inference"
	previous    = "kubectl logs llama-decode-0 --container=main --previous --namespace=inference"
)

// podCase is a pod that is not ready.
type podCase struct {
	reason string
	pod    string
	// event about it: its reason and its message.
	event [2]string
	// others are other objects.
	others []string
	want   said
}

func checkPods(t *testing.T, cases map[string]podCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Facts{Graph: waiting(t), Objects: []unstructured.Unstructured{podWith(t, tc.pod)}}
			for _, other := range tc.others {
				f.Objects = append(f.Objects, object(t, other))
			}
			if tc.event[0] != "" {
				f.Events = []unstructured.Unstructured{eventAbout(t, tc.event[0], tc.event[1])}
			}
			tc.want.Message = strings.Replace(tc.want.Message, "POD", "Pod llama-decode-0 of Decode is not ready", 1)
			if diff := cmp.Diff(tc.want, saidBy(Diagnose(f, "kubectl"))); diff != "" {
				t.Errorf("%s\nDiagnose(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnscheduledPods(t *testing.T) {
	const unschedulable = `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: %s}]}`
	words := func(message string) string {
		return fmt.Sprintf(unschedulable, `"`+strings.ReplaceAll(message, `"`, `\"`)+`"`)
	}
	const gang = `{metadata: {labels: {grove.io/podgang: llama-0}}, `
	checkPods(t, map[string]podCase{
		"Resource": {
			reason: "The resource that most nodes lack comes first.", pod: words("0/9 nodes are available: 2 Insufficient cpu, 7 Insufficient nvidia.com/gpu. preemption: not helpful"),
			want: said{Unschedulable, "POD: no node has enough nvidia.com/gpu or cpu left; the scheduler says: 0/9 nodes are available: 2 Insufficient cpu, 7 Insufficient nvidia.com/gpu.", describePod},
		},
		"Taint": {
			reason: "What does not lack a resource is told in the scheduler's words.", pod: words("0/1 nodes are available: 1 node(s) had untolerated taint {a: b}."),
			want: said{Unschedulable, "POD: no node fits; the scheduler says: 0/1 nodes are available: 1 node(s) had untolerated taint {a: b}.", describePod},
		},
		"Event": {
			reason: "Some schedulers only write events.", pod: `status: {phase: Pending}`, event: [2]string{"Unschedulable", "no nodes with enough resources were found: insufficient nvidia.com/gpu"},
			want: said{Unschedulable, "POD: no node has enough nvidia.com/gpu left; the scheduler says: no nodes with enough resources were found: insufficient nvidia.com/gpu.", describePod},
		},
		"Silent": {
			reason: "A scheduler that does not run says nothing.", pod: `{spec: {schedulerName: kai-scheduler}, status: {phase: Pending}}`,
			want: said{Unschedulable, "POD: scheduler kai-scheduler has not said anything about it.", describePod},
		},
		"Gang": {
			reason: "KAI says in a PodGroup why the pods of a PodGang have no place.", pod: gang + `spec: {schedulerName: kai-scheduler}, status: {phase: Pending}}`,
			others: []string{
				`{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: llama-0}, spec: {topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}}, status: {phase: Pending}}`,
				`{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: pg-llama-0, ownerReferences: [{kind: PodGang, name: llama-0, apiVersion: a, uid: b}]}, status: {schedulingConditions: [{type: UnschedulableOnNodePool, status: "True", message: "resources were not found for 3 pods within topology rack"}]}}`,
			},
			want: said{Unschedulable, "POD: no topology domain has room for all pods of PodGang llama-0 within one topology.kubernetes.io/rack; the scheduler says: resources were not found for 3 pods within topology rack.", describePod},
		},
		"Gated": {
			reason: "Grove hands a pod to its scheduler when its gang exists.", pod: gang + `spec: {schedulingGates: [{name: grove.io/podgang-pending-creation}]}, status: {phase: Pending}}`,
			want: said{WaitingForGang, "POD: it waits for scheduling gate grove.io/podgang-pending-creation, until PodGang llama-0 has all its pods.", "kubectl describe podgang llama-0 --namespace=inference"},
		},
		"GatedByBase": {
			reason: "Replicas beyond the minimum wait until the others are scheduled.",
			pod:    `{metadata: {labels: {grove.io/podgang: llama-0-decode-0, grove.io/base-podgang: llama-0}}, spec: {schedulingGates: [{name: grove.io/podgang-pending-creation}]}, status: {phase: Pending}}`,
			want:   said{WaitingForGang, "POD: it waits for scheduling gate grove.io/podgang-pending-creation, until PodGang llama-0-decode-0 has all its pods and PodGang llama-0 is scheduled.", "kubectl describe podgang llama-0 --namespace=inference"},
		},
		"StaleGate": {
			reason: "The condition of a gate stays after the gate has gone, until a scheduler looks at the pod, which KAI does not while it is down.",
			pod:    gang + `spec: {schedulerName: kai-scheduler}, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: SchedulingGated, message: "Scheduling is blocked due to non-empty scheduling gates"}]}}`,
			want:   said{Unschedulable, "POD: scheduler kai-scheduler has not said anything about it for all pods of PodGang llama-0.", describePod},
		},
		"SplitGang": {
			reason: "A pod that Grove's backend for KAI puts into another PodGroup than its older peers is never scheduled.",
			pod:    `{metadata: {labels: {grove.io/podgang: llama-0}, annotations: {pod-group-name: llama-0}}, spec: {schedulerName: kai-scheduler}, status: {phase: Pending}}`,
			others: []string{`{apiVersion: v1, kind: Pod, metadata: {name: older, labels: {grove.io/podgang: llama-0}, annotations: {pod-group-name: pg-llama-0-1}}, spec: {nodeName: a}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`},
			want: said{
				GangSplit, "POD: it is in PodGroup llama-0, and other pods of PodGang llama-0 are in another: the gang is from before Grove's backend for KAI was changed. The command moves all of them to one PodGroup, and restarts no pod.",
				"kubectl annotate pods --selector=grove.io/podgang=llama-0 pod-group-name=llama-0 kai.scheduler/skip-podgrouper=true --overwrite --namespace=inference",
			},
		},
		"Volcano": {
			reason: "Volcano says of a pod that would fit that its gang does not.",
			pod:    `{metadata: {annotations: {scheduling.k8s.io/group-name: llama-decode-0}}, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Schedulable, message: "3/4 tasks in gang unschedulable"}]}}`,
			want:   said{WaitingForGang, "POD: it waits for the rest of its gang for all pods of PodGroup llama-decode-0: 3/4 tasks in gang unschedulable.", "kubectl describe podgroup llama-decode-0 --namespace=inference"},
		},
		"QueueQuota": {
			reason: "Volcano looks for no nodes for a gang whose queue has no quota left, and says so in an event about its PodGroup.",
			pod:    `{metadata: {annotations: {scheduling.k8s.io/group-name: llama-decode-0}}, spec: {schedulerName: volcano}, status: {phase: Pending}}`,
			others: []string{`{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: llama-decode-0, uid: pod}, spec: {queue: small}, status: {phase: Pending}}`},
			event:  [2]string{"Unschedulable", "queue resource quota insufficient: insufficient nvidia.com/gpu"},
			want: said{
				OverQuota, "POD: queue small has no quota left for all pods of PodGroup llama-decode-0: queue resource quota insufficient: insufficient nvidia.com/gpu.",
				"kubectl describe queues.scheduling.volcano.sh small --namespace=inference",
			},
		},
		"QueueQuotaOfKAI": {
			reason: "KAI says in the condition of a pod that the queue of its gang has no quota left.",
			pod: `{metadata: {labels: {kai.scheduler/queue: small}, annotations: {pod-group-name: pg-llama}}, spec: {schedulerName: kai-scheduler}, status: {phase: Pending, ` +
				`conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "OverLimit: small quota has reached the allowable limit of GPUs."}]}}`,
			want: said{
				OverQuota, "POD: its queue has no quota left for all pods of PodGroup pg-llama: OverLimit: small quota has reached the allowable limit of GPUs.",
				"kubectl describe queues.scheduling.run.ai small --namespace=inference",
			},
		},
		"QueueQuotaBefore": {
			reason: "Once Volcano looks for nodes, the quota was enough.",
			pod:    `{metadata: {annotations: {scheduling.k8s.io/group-name: llama-decode-0}}, spec: {schedulerName: volcano}, status: {phase: Pending}}`,
			others: []string{`{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: llama-decode-0, uid: pod}, spec: {queue: small}, status: {phase: Inqueue}}`},
			event:  [2]string{"Unschedulable", "queue resource quota insufficient: insufficient nvidia.com/gpu"},
			want:   said{Unschedulable, "POD: no node has enough nvidia.com/gpu left for all pods of PodGroup llama-decode-0; the scheduler says: queue resource quota insufficient: insufficient nvidia.com/gpu.", describePod},
		},
		"NativeGang": {
			reason: "Kubernetes says in a PodGroup why the pods that name it have no place.",
			pod:    `{spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: llama-decode-0}}, status: {phase: Pending}}`,
			others: []string{`{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: llama-decode-0}, spec: {schedulingConstraints: {topology: [{key: example.org/rack}]}},
				status: {conditions: [{type: PodGroupInitiallyScheduled, status: "False", reason: Unschedulable, message: "minCount (3) cannot be satisfied: 2 scheduled, 0 remaining"}]}}`},
			want: said{Unschedulable, "POD: no node fits for all pods of PodGroup llama-decode-0 within one example.org/rack; the scheduler says: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining.", describePod},
		},
		"NativeGangUnserved": {
			reason: "The scheduler of Kubernetes places no pod at all while it waits for an API that is not served, and says nothing.",
			pod:    `{spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: llama-decode-0}}, status: {phase: Pending}}`,
			want: said{
				Unschedulable, "POD: scheduler default-scheduler has not said anything about it for all pods of PodGroup llama-decode-0; " +
					"while scheduling.k8s.io/v1beta1 is not served and feature gate GenericWorkload is on, the scheduler places no pod at all.", describePod,
			},
		},
		"NativeGangIgnored": {
			reason: "A scheduler whose gate is off places the pods one by one, and writes nothing about their PodGroup.",
			pod: `{spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: llama-decode-0}},
				status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."}]}}`,
			others: []string{`{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: llama-decode-0}}`},
			want: said{
				Unschedulable, "POD: no node has enough nvidia.com/gpu left for all pods of PodGroup llama-decode-0; the scheduler says: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.; " +
					"if PodGroup llama-decode-0 gets no condition, feature gate GenericWorkload is off in the scheduler, which then places pods one by one.", describePod,
			},
		},
		"NoClaim": {
			reason: "A claim that nobody has created is named.", pod: words(`0/1 nodes are available: persistentvolumeclaim "models" not found.`),
			want: said{ObjectMissing, "POD: PersistentVolumeClaim models does not exist.", "kubectl get persistentvolumeclaims --namespace=inference"},
		},
		"NoConfigMap": {
			reason: "KAI does not place a pod whose ConfigMap does not exist.", pod: words("node-1: Missing required configmaps: [engine-config]."),
			want: said{ObjectMissing, "POD: ConfigMap engine-config does not exist.", "kubectl get configmaps --namespace=inference"},
		},
		"NoConfigMaps": {
			reason: "KAI names all ConfigMaps of a pod that do not exist.", pod: words("node-1: Missing required configmaps: [a b]."),
			want: said{ObjectMissing, "POD: ConfigMaps a, b do not exist.", "kubectl get configmaps --namespace=inference"},
		},
		"NoQueue": {
			reason: "KAI schedules no gang whose queue does not exist.", pod: words("QueueDoesNotExist: Queue 'research' does not exist."),
			want: said{ObjectMissing, "POD: Queue research does not exist.", "kubectl get queues.scheduling.run.ai --namespace=inference"},
		},
		"NoResourceClaim": {
			reason: "A claim for devices that nobody has created is named.", pod: words(`0/1 nodes are available: 1 resourceclaim.resource.k8s.io "gpus" not found.`),
			want: said{ObjectMissing, "POD: ResourceClaim gpus does not exist.", "kubectl get resourceclaims --namespace=inference"},
		},
		"NoDeviceClass": {
			reason: "A class of devices that is not installed is named.", pod: words("request gpu: device class gpu.nvidia.com does not exist"),
			want: said{ObjectMissing, "POD: DeviceClass gpu.nvidia.com does not exist.", "kubectl get deviceclasses --namespace=inference"},
		},
		"ResourceClaim": {
			reason: "A claim for GPUs that cannot be created is told by an event of the pod.", pod: words("waiting for resource claim"),
			event: [2]string{"FailedResourceClaimCreation", `PodResourceClaim gpu: failed to create: resourceclaims.resource.k8s.io "a" is forbidden: exceeded quota: gpus, requested: a=1`},
			want:  said{OverQuota, `POD: its ResourceClaim cannot be created: PodResourceClaim gpu: failed to create: resourceclaims.resource.k8s.io "a" is forbidden: exceeded quota: gpus, requested: a=1.`, "kubectl describe resourcequota gpus --namespace=inference"},
		},
		"Unbound": {
			reason: "A claim without a volume keeps a pod from being scheduled.",
			pod:    `{spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: models}}]}, ` + words("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.") + "}",
			want:   said{Volume, "POD: a PersistentVolumeClaim is not bound to a volume: 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "kubectl describe persistentvolumeclaim models --namespace=inference"},
		},
	})
}
