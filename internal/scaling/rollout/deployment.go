package rollout

import (
	"math"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// HoldSeconds is the minReadySeconds of a Deployment whose old pods stay. A Deployment removes old pods when new ones are available: when they
// have been ready for this long. It does not depend on the template of the pods, so to change it changes no pod.
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#min-ready-seconds
const HoldSeconds = math.MaxInt32 - 1

// noDeadline is the greatest progress deadline. Kubernetes takes it for none, and wants it to be longer than HoldSeconds.
const noDeadline = math.MaxInt32

// Fields of a Deployment that hold old pods.
const (
	minReadySeconds         = "minReadySeconds"
	progressDeadlineSeconds = "progressDeadlineSeconds"
)

// deployment of a component whose replicas each fit on one node.
type deployment struct {
	key, name string

	// desired and live object; live is nil if it does not exist.
	desired, live *structpb.Struct

	progress *observed.DeploymentProgress
}

func newDeployment(key, name string, desired, live *structpb.Struct) *deployment {
	d := &deployment{key: key, name: name, desired: desired, live: live}
	progress, err := observed.ProgressOfDeployment(live)
	if live == nil || err != nil {
		progress = &observed.DeploymentProgress{}
	}
	d.progress = progress
	return d
}

// replicas of the Deployment. It may be an autoscaler that sets them.
func (d *deployment) replicas() int {
	for _, object := range []*structpb.Struct{d.live, d.desired} {
		if replicas, ok := observed.Replicas(object); ok {
			return int(replicas)
		}
	}
	return 1
}

// holds reports whether old pods of the live Deployment stay.
func (d *deployment) holds() bool {
	return tree.At(d.live, "spec").GetFields()[minReadySeconds].GetNumberValue() == HoldSeconds
}

func (d *deployment) member() member {
	m := member{name: d.name, generation: generationIn(podsOf(d.desired)), exists: d.live != nil, room: d.hasRoom()}
	status, seen := d.progress.Status, d.progress.Status.ObservedGeneration >= d.progress.Generation
	switch same := !d.changesGeneration(); {
	case d.live == nil:
	case d.holds() && seen && status.Replicas == status.UpdatedReplicas:
		// It was added, or lost its old pods: those that it has are of a generation that has not been complete.
		m.exists, m.served = false, same && status.ReadyReplicas > 0
	case !same:
		m.changes, m.old = true, status.ReadyReplicas > 0
	case d.holds():
		// New pods are not available, however long they have been ready. What has no pods was added just now.
		m.exists = status.Replicas > 0
		m.changes, m.old = true, !seen || status.AvailableReplicas > 0
		m.served = seen && !d.restarts() && status.UpdatedReplicas > 0 && status.ReadyReplicas > status.AvailableReplicas
	default:
		m.old, m.served = status.Replicas > status.UpdatedReplicas, true
	}
	return m
}

// restarts reports whether pods of the generation that is desired are restarted now. Those that are there have not been available, so they go first.
func (d *deployment) restarts() bool {
	return restart.MarkOf(podsOf(d.live)) != restart.MarkOf(podsOf(d.desired))
}

// changesGeneration reports whether the pods of the live Deployment have another generation than the desired ones.
func (d *deployment) changesGeneration() bool {
	return generationIn(podsOf(d.live)) != generationIn(podsOf(d.desired))
}

func (d *deployment) hasRoom() bool { return d.unavailable() < d.replicas() }

// unavailable is how many replicas may be unavailable during a rollout.
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable
func (d *deployment) unavailable() int {
	strategy := tree.At(d.desired, "spec", "strategy")
	if tree.Text(strategy, "type") == string(appsv1.RecreateDeploymentStrategyType) {
		return d.replicas()
	}
	scaled := func(key string, up bool) int {
		value := intstr.FromString("25%")
		switch v := tree.At(strategy, "rollingUpdate").GetFields()[key].GetKind().(type) {
		case *structpb.Value_NumberValue:
			value = intstr.FromInt32(int32(v.NumberValue))
		case *structpb.Value_StringValue:
			value = intstr.FromString(v.StringValue)
		}
		// What the API server refuses changes nothing.
		number, _ := intstr.GetScaledValueFromIntOrPercent(&value, d.replicas(), up)
		return number
	}
	if unavailable := scaled("maxUnavailable", false); unavailable > 0 || scaled("maxSurge", true) > 0 {
		return unavailable
	}
	return 1
}

// pace the Deployment. It updates its own replicas, as far as it may.
func (d *deployment) pace(rsp *fnv1.RunFunctionResponse, change generationChange) Rollout {
	r := Rollout{Replicas: d.replicas(), Lacking: change.lacking}
	object := d.desired
	switch change.restraints[d.name] {
	case keepsAll:
		r.Old, r.Outdated = r.Replicas, []string{d.key}
		object = d.kept()
	case keepsOne:
		r.Old = max(0, r.Replicas-d.updated())
		object = tree.With(object, structpb.NewNumberValue(HoldSeconds), minReadySeconds, "spec")
		object = tree.With(object, structpb.NewNumberValue(noDeadline), progressDeadlineSeconds, "spec")
	default:
		return Rollout{}
	}
	response.Replace(rsp, d.key, object)
	return r
}

// updated replicas, of the pod template that is desired.
func (d *deployment) updated() int {
	if d.changesGeneration() {
		return 0
	}
	return int(d.progress.Status.UpdatedReplicas)
}

// kept is the desired Deployment with the pod template that it has, and with the revision of that. If it holds old pods, it goes on: with another
// strategy, it would remove them at once.
func (d *deployment) kept() *structpb.Struct {
	before := lastApplied(d.live)
	object := tree.With(d.desired, structpb.NewStructValue(podsOf(before)), "template", "spec")
	if d.holds() {
		for _, field := range []string{"strategy", minReadySeconds, progressDeadlineSeconds} {
			object = tree.With(object, tree.At(before, "spec").GetFields()[field], field, "spec")
		}
	}
	return tree.WithText(object, tree.Text(before, metadata.AnnotationRevision, "metadata", "annotations"), metadata.AnnotationRevision, "metadata", "annotations")
}

// podsOf a Deployment are its pod template.
func podsOf(deployment *structpb.Struct) *structpb.Struct {
	return tree.At(deployment, "spec", "template")
}

// generationIn a pod template of workers.
func generationIn(template *structpb.Struct) string {
	return tree.Text(template, metadata.LabelWorkerHash, "metadata", "labels")
}
