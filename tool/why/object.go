package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// An Object is one that runs a part of the graph, with what its controller has made of it.
type Object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Component of the graph. Empty if it belongs to several, or to none.
	Component string `json:"component,omitempty"`

	Ready bool `json:"ready"`

	// Message is what the object waits for.
	Message string `json:"message,omitempty"`

	// Code of what is wrong with it. Empty if nothing is wrong, or if its children have codes of their own.
	Code Code `json:"code,omitempty"`

	Children []*Object `json:"children,omitempty"`

	uid, owner types.UID
	source     *unstructured.Unstructured
	finding    *finding
	pod        *pod
}

// isBelow reports whether an object is at or below another one, as in cycles of owners, which nobody but a mistaken program writes.
func (o *Object) isBelow(other *Object) bool {
	return o == other || slices.ContainsFunc(other.Children, o.isBelow)
}

func sortObjects(objects []*Object) {
	slices.SortStableFunc(objects, func(a, b *Object) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
}

// objectOf the cluster, without its children.
func objectOf(source *unstructured.Unstructured) *Object {
	o := &Object{
		Kind: source.GetKind(), Name: source.GetName(), Component: component(source.GetLabels()), Ready: true,
		uid: source.GetUID(), owner: controllerOf(source), source: source,
	}
	if p, isPod := podOf(source); isPod {
		o.pod = p
		return o
	}
	observedObject, err := structpb.NewStruct(source.Object)
	if err != nil {
		o.Ready, o.Message = false, "cannot be read: "+brief(err.Error())
		return o
	}
	switch o.Kind {
	case grovev1alpha1.KindPodClique:
		o.judge(workload.PodClique(observed.Child(o.Kind, observedObject)))
	case grovev1alpha1.KindPodCliqueScalingGroup:
		o.judge(workload.PodCliqueScalingGroup(observed.Child(o.Kind, observedObject)))
	case kindReplicaSet, kindStatefulSet:
		set := &creator{}
		o.count(preview.Decode(source, set), ptr.Deref(set.Spec.Replicas, 1), set.Status.ReadyReplicas)
	case kindPodGang:
		decoded := conditionsOf(source)
		if phase := decoded.Status.Phase; phase != "" && phase != "Running" {
			o.Message = "phase " + oneLine(phase)
		}
	default:
		h := health.Of(observedObject)
		o.Ready, o.Message = h.Ready, brief(h.Message+h.Note)
	}
	return o
}

// judge an object of Grove.
func (o *Object) judge(w workload.Object) {
	o.Ready, o.Message = w.Done, w.Message
	if w.Detail != "" {
		o.Message += ", " + w.Detail
	}
	o.Message = brief(o.Message)
}

// count the pods of a set.
func (o *Object) count(err error, wanted, ready int32) {
	switch {
	case err != nil:
		o.Ready, o.Message = false, "cannot be read: "+brief(err.Error())
	case ready < wanted:
		o.Ready, o.Message = false, fmt.Sprintf("%d of %d pods are ready", ready, wanted)
	}
}

// settle the component of an object, which is that of its owner or of its children, and its readiness, which needs that of the workloads
// below it: up to v0.1.0-alpha.11, a PodCliqueSet is available before its cliques are.
func (o *Object) settle(component string) {
	if o.Component == "" {
		o.Component = component
	}
	owned := map[string]bool{}
	for _, child := range o.Children {
		child.settle(o.Component)
		owned[child.Component] = true
		if o.Kind == grovev1alpha1.KindPodCliqueSet && !child.Ready {
			o.Ready = false
		}
	}
	if o.Component == "" && len(owned) == 1 {
		o.Component = o.Children[0].Component
	}
}

// isFine reports whether nothing is wrong with an object and all that is below it.
func (o *Object) isFine() bool {
	if !o.Ready || o.finding != nil {
		return false
	}
	return !slices.ContainsFunc(o.Children, func(child *Object) bool { return !child.isFine() })
}

// hasFinding reports whether something at or below the object is known to be wrong, such as some findings are.
func (o *Object) hasFinding(such func(*finding) bool) bool {
	if o.finding != nil && such(o.finding) {
		return true
	}
	return slices.ContainsFunc(o.Children, func(child *Object) bool { return child.hasFinding(such) })
}

// pods at or below the object.
func (o *Object) pods() []*Object {
	var pods []*Object
	if o.pod != nil {
		pods = append(pods, o)
	}
	for _, child := range o.Children {
		pods = append(pods, child.pods()...)
	}
	return pods
}

// unexplained is an object that is not ready, and nothing says why.
func (o *Object) unexplained() *finding {
	f := &finding{code: Updating, what: fmt.Sprintf("%s %s: %s", o.Kind, o.Name, o.Message)}
	if runsPods(o.Kind) && len(o.pods()) == 0 {
		f.code, f.what = NoPods, fmt.Sprintf("%s %s has no pods: %s", o.Kind, o.Name, o.Message)
	}
	return f
}

// runsPods reports whether objects of a kind have pods, of their own or of others that their controller makes.
func runsPods(kind string) bool {
	return slices.Contains([]string{
		grovev1alpha1.KindPodCliqueSet, grovev1alpha1.KindPodCliqueScalingGroup, grovev1alpha1.KindPodClique,
		kindLeaderWorkerSet, kindStatefulSet, kindDeployment, kindReplicaSet,
	}, kind)
}
