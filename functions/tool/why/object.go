package why

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	podbuilder "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// An Object is one that runs a part of the graph, with what its controller has made of it.
type Object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Component of the graph. Empty: it belongs to several, or to none.
	Component string `json:"component,omitempty"`

	Ready bool `json:"ready"`

	// Message is what the object waits for.
	Message string `json:"message,omitempty"`

	// Code of what is wrong with it. Empty: nothing, or its children have their own.
	Code Code `json:"code,omitempty"`

	Children []*Object `json:"children,omitempty"`

	uid, owner types.UID
	source     *unstructured.Unstructured
	finding    *finding
	pod        *pod
	labels     map[string]string
}

// graphTree is what runs a graph.
type graphTree struct {
	roots  []*Object
	events events
}

// treeOf the objects of a graph, below what owns them. An object whose owner is not known is at the top.
func treeOf(f *Facts) *graphTree {
	t := &graphTree{events: eventsOf(f.Events)}
	gangs := gangsOf(f.Objects)
	components := componentsIn(f.Graph)
	byUID := map[types.UID]*Object{}
	var all []*Object
	for i := range f.Objects {
		o := objectOf(&f.Objects[i])
		if o.pod != nil {
			o.Ready = o.pod.isReady()
			if o.finding = o.pod.find(t.events, gangs); o.finding != nil {
				o.Message, o.Code = o.finding.what, o.finding.code
			}
		}
		if o.Component == "" {
			o.Component = components[o.Name]
		}
		if o.uid != "" {
			byUID[o.uid] = o
		}
		all = append(all, o)
	}
	for _, o := range all {
		if owner := byUID[o.owner]; owner != nil && o.owner != "" && !owner.below(o) {
			owner.Children = append(owner.Children, o)
		} else {
			t.roots = append(t.roots, o)
		}
	}
	for _, ref := range f.Absent {
		absent := &Object{Kind: ref.Kind, Name: ref.Name, Component: components[ref.Name]}
		absent.Message, absent.Code = "does not exist", NoPods
		absent.finding = &finding{code: NoPods, what: ref.Kind + " " + ref.Name + " does not exist", next: []string{"describe", "dgd", f.Graph.GetName()}}
		t.roots = append(t.roots, absent)
	}
	sortObjects(t.roots)
	for _, o := range all {
		sortObjects(o.Children)
	}
	for _, o := range t.roots {
		o.settle("")
		t.explain(o)
	}
	return t
}

// all objects, each before those below it.
func (t *graphTree) all() []*Object {
	var all []*Object
	var add func(o *Object)
	add = func(o *Object) {
		all = append(all, o)
		for _, child := range o.Children {
			add(child)
		}
	}
	for _, o := range t.roots {
		add(o)
	}
	return all
}

// below reports whether an object is at or below another one, as in cycles of owners, which nobody but a mistaken program writes.
func (o *Object) below(other *Object) bool {
	return o == other || slices.ContainsFunc(other.Children, o.below)
}

func sortObjects(objects []*Object) {
	slices.SortStableFunc(objects, func(a, b *Object) int {
		if a.Kind != b.Kind {
			return strings.Compare(a.Kind, b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// componentsIn the status of a graph, by the names of the objects that run them.
func componentsIn(graph *unstructured.Unstructured) map[string]string {
	components := map[string]string{}
	for _, form := range []string{"components", "services"} {
		reported, _, _ := unstructured.NestedMap(graph.Object, "status", form)
		for name, of := range reported {
			fields, _ := of.(map[string]any)
			objects, _ := fields["componentNames"].([]any)
			for _, object := range append(objects, fields["componentName"]) {
				if text, isText := object.(string); isText && text != "" {
					components[text] = name
				}
			}
		}
	}
	return components
}

// objectOf the cluster, without its children.
func objectOf(source *unstructured.Unstructured) *Object {
	o := &Object{
		Kind: source.GetKind(), Name: source.GetName(), Component: component(source.GetLabels()), Ready: true,
		uid: source.GetUID(), owner: controllerOf(source), labels: source.GetLabels(), source: source,
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
	case kindReplicaSet:
		set := &appsv1.ReplicaSet{}
		o.count(into(source, set), ptr.Deref(set.Spec.Replicas, 1), set.Status.ReadyReplicas)
	case kindStatefulSet:
		set := &appsv1.StatefulSet{}
		o.count(into(source, set), ptr.Deref(set.Spec.Replicas, 1), set.Status.ReadyReplicas)
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
	below := map[string]bool{}
	for _, child := range o.Children {
		child.settle(o.Component)
		below[child.Component] = true
		if o.Kind == grovev1alpha1.KindPodCliqueSet && !child.Ready {
			o.Ready = false
		}
	}
	if o.Component == "" && len(below) == 1 {
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

// explain an object that is not ready, and whose pods do not tell why.
func (t *graphTree) explain(o *Object) {
	for _, child := range o.Children {
		t.explain(child)
	}
	switch {
	case o.source == nil || o.pod != nil:
		return
	case o.Kind == kindClaim:
		o.finding = t.claim(o)
	case o.Ready:
		o.forgive()
		return
	default:
		t.findWhy(o)
	}
	if o.finding != nil {
		o.Code = o.finding.code
		if o.finding.code != Updating && o.finding.code != NoPods && !strings.Contains(o.Message, o.finding.what) {
			o.Message = strings.TrimPrefix(o.Message+": "+o.finding.what, ": ")
		}
	}
}

// forgive the pods of an object that has as many as it should: others, such as pods that were evicted or are being deleted, are not missed.
func (o *Object) forgive() {
	for _, child := range o.Children {
		if child.pod != nil && runsPods(o.Kind) {
			child.finding, child.Code = nil, ""
		}
	}
}

// claim for a volume that is not bound, and why. nil if it may still wait for its first pod.
func (t *graphTree) claim(o *Object) *finding {
	event, failed := t.events.last(o.uid, "ProvisioningFailed", "FailedBinding", "VolumeMismatch")
	switch {
	case !o.Ready:
		return &finding{code: Volume, what: fmt.Sprintf("PersistentVolumeClaim %s: %s", o.Name, o.Message)}
	case o.Message != "" && failed:
		return &finding{code: Volume, what: fmt.Sprintf("PersistentVolumeClaim %s is not bound to a volume: %s", o.Name, brief(event.Message))}
	default:
		return nil
	}
}

// findWhy an object is not ready whose pods do not tell.
func (t *graphTree) findWhy(o *Object) {
	if refused := t.refusal(o); refused != nil && !slices.ContainsFunc(o.Children, func(child *Object) bool { return child.refuses() }) {
		o.finding = refused
	} else if recreated := t.recreated(o); recreated != nil && !o.hasFinding(func(f *finding) bool { return rank(f.code) < rank(NoPods) }) {
		o.finding = recreated
	} else if !o.hasFinding(func(*finding) bool { return true }) {
		o.finding = o.unexplained()
	}
}

// refuses reports whether an object below says that the API server refuses pods. Deployments repeat what their ReplicaSets say.
func (o *Object) refuses() bool {
	if o.finding != nil && slices.Contains([]Code{OverQuota, AdmissionRefused, PodsRefused, ObjectMissing}, o.finding.code) && o.pod == nil {
		return true
	}
	return slices.ContainsFunc(o.Children, (*Object).refuses)
}

// recreate is what LWS says of a group that it deletes and creates, because one of its containers has ended or one of its pods is gone.
// https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/pod_controller.go
var recreate = regexp.MustCompile(`^Worker pod (\S+) failed, deleted leader pod`)

// recreated is a LeaderWorkerSet whose groups crash. LWS deletes a pod whose container has crashed at once, so that only its events tell. nil
// if there are none.
func (t *graphTree) recreated(o *Object) *finding {
	if o.Kind != kindLeaderWorkerSet {
		return nil
	}
	n, pod := 0, ""
	for _, event := range t.events[o.uid] {
		if match := recreate.FindStringSubmatch(event.Message); event.Reason == "RecreateGroup" && match != nil {
			n++
			pod = cmp.Or(pod, match[1])
		}
	}
	if n == 0 {
		return nil
	}
	return &finding{
		code: Crash, what: fmt.Sprintf("pod %s crashed, and LeaderWorkerSet %s deleted and created its group %s", pod, o.Name, times(n)),
		pod: pod, container: podbuilder.MainContainer, next: []string{"logs", pod, "--all-containers", "--follow"},
	}
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

// status of objects that create pods, as far as it tells that they cannot.
type creator struct {
	Spec struct {
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Replicas   int32       `json:"replicas"`
		Conditions []condition `json:"conditions"`
		LastErrors []struct {
			Description string `json:"description"`
		} `json:"lastErrors"`
	} `json:"status"`
}

// refusal is why the controller of an object cannot create its pods. nil if it can, or does not say. Events stay for an hour, so they only
// count while pods are missing.
func (t *graphTree) refusal(o *Object) *finding {
	decoded := creator{}
	if !runsPods(o.Kind) || into(o.source, &decoded) != nil {
		return nil
	}
	for _, c := range decoded.Status.Conditions {
		if c.Type == string(appsv1.ReplicaSetReplicaFailure) && c.Status == "True" && c.Message != "" {
			return refusalOf(noPods, c.Message)
		}
	}
	if decoded.Status.Replicas >= ptr.Deref(decoded.Spec.Replicas, 1) || o.Kind == grovev1alpha1.KindPodCliqueSet {
		return nil
	}
	if len(decoded.Status.LastErrors) > 0 && decoded.Status.LastErrors[0].Description != "" {
		return refusalOf(noPods, decoded.Status.LastErrors[0].Description)
	}
	if message := t.events.failure(o.uid); message != "" {
		return refusalOf(noPods, message)
	}
	return nil
}

// Refusals of the API server, and what controllers write before them.
var (
	// Of ReplicaSets and Grove, of StatefulSets, and of LeaderWorkerSets.
	attempt   = regexp.MustCompile(`(?i)^(?:error creating(?: pod)?|create \S+ \S+ in StatefulSet \S+ failed error|failed to create [^:]*): `)
	overQuota = regexp.MustCompile(`exceeded quota: ([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)`)
	denied    = regexp.MustCompile(`(?i)denied|forbidden|violates PodSecurity|admission`)
	noAccount = regexp.MustCompile(`(?i)serviceaccount "?([a-z0-9.-]+)"? not found`)
)

// noPods is how the refusal of pods begins.
const noPods = "pods cannot be created: "

// refusalOf objects in a message, which follows on what that means. Its cause is the same whatever controller has met it.
func refusalOf(what, message string) *finding {
	message = brief(workload.Steady(attempt.ReplaceAllString(oneLine(message), "")))
	message = strings.TrimPrefix(message, "forbidden: ")
	f := &finding{code: PodsRefused, what: what + message}
	if match := overQuota.FindStringSubmatch(message); match != nil {
		f.code, f.next = OverQuota, []string{"describe", "resourcequota", match[1]}
	} else if noAccount.MatchString(message) {
		f.code, f.next = ObjectMissing, []string{"get", "serviceaccounts"}
	} else if denied.MatchString(message) {
		f.code = AdmissionRefused
	}
	return f
}
