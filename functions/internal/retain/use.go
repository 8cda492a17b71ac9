package retain

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// hold is whether, and for how long, an object is held by what uses it.
type hold int

const (
	nowise hold = iota
	// lastingly, since a text mentions the object that may be a user's own, and may do so for ever.
	lastingly
	// temporarily, until pods are replaced or gone.
	temporarily
)

// use of one object.
type use struct {
	// by a workload whose templates refer to the object.
	by func(*workload) hold

	// among are the workloads whose pods may use the object also when their templates do not refer to it.
	among func(*workload) bool
}

// holds tells how an observed object is held.
func (k *Keeper) holds(object *structpb.Struct) (hold, error) {
	u, err := k.useOf(object)
	if err != nil || u == nil {
		return nowise, err
	}
	held, err := k.heldByObserved(u)
	if err != nil || held != nowise {
		return held, err
	}
	held, err = k.heldByLeaving(u)
	if err != nil || groupKind(object) != kindComputeDomain {
		return held, err
	}
	protected, err := k.heldByUsages(nameOf(object))
	return max(held, protected), err
}

// heldByObserved tells how an object is held by the workloads that are observed.
func (k *Keeper) heldByObserved(u *use) (hold, error) {
	observed, err := k.observed()
	held := nowise
	for i := range observed {
		w := &observed[i]
		held = max(held, u.by(w))
		if w.moving && u.among(w) {
			held = temporarily
		}
	}
	return held, err
}

// heldByLeaving tells how an object is held by the workloads that Crossplane has begun to delete.
func (k *Keeper) heldByLeaving(u *use) (hold, error) {
	leaving, resolved, err := k.leaving()
	if !resolved || slices.ContainsFunc(leaving, func(w workload) bool { return u.among(&w) }) {
		return temporarily, err
	}
	return nowise, err
}

// heldByUsages tells how a domain is held by its protection: by a Usage that is observed, though it may be deleted in this run,
// and by one that Crossplane has begun to delete. A deletion that is refused holds up everything else.
func (k *Keeper) heldByUsages(domain string) (hold, error) {
	usages, resolved := k.list(protectionv1beta1.SchemeGroupVersion.String(), "Usage")
	for _, r := range k.call.Request.GetObserved().GetResources() {
		if groupKind(r.GetResource()) == kindUsage {
			usages = append(usages, r.GetResource())
		}
	}
	for _, object := range usages {
		usage := &protectionv1beta1.Usage{}
		if err := require.Into(object, usage); err != nil {
			return nowise, err
		}
		if protectedBy(usage) == domain {
			return temporarily, nil
		}
	}
	if !resolved {
		return temporarily, nil
	}
	return nowise, nil
}

// Kinds of objects that pods use, with their groups.
const (
	kindServiceAccount = "ServiceAccount"
	kindRole           = "Role.rbac.authorization.k8s.io"
	kindRoleBinding    = "RoleBinding.rbac.authorization.k8s.io"
	kindConfigMap      = "ConfigMap"
	kindSecret         = "Secret"
	kindClaimTemplate  = "ResourceClaimTemplate.resource.k8s.io"
	kindService        = "Service"
	kindInferencePool  = "InferencePool.inference.networking.k8s.io"
	kindComputeDomain  = "ComputeDomain.resource.nvidia.com"
	kindPodGroup       = "PodGroup.scheduling.volcano.sh"
	kindUsage          = "Usage.protection.crossplane.io"
)

// useOf an object; nil of a kind that pods do not use.
func (k *Keeper) useOf(object *structpb.Struct) (*use, error) {
	name := nameOf(object)
	switch groupKind(object) {
	case kindServiceAccount:
		return referred(func(t *template) bool { return t.serviceAccount == name }), nil
	case kindRole, kindRoleBinding:
		accounts, err := k.accounts(object)
		return referred(func(t *template) bool { return slices.Contains(accounts, t.serviceAccount) }), err
	case kindConfigMap:
		return referred(func(t *template) bool { return t.configMaps.Has(name) }), nil
	case kindSecret:
		return referred(func(t *template) bool { return t.secrets.Has(name) }), nil
	case kindClaimTemplate:
		return referred(func(t *template) bool { return t.claimTemplates.Has(name) }), nil
	case kindInferencePool:
		return mentioned(name), nil
	case kindService:
		return useOfService(object)
	case kindComputeDomain:
		return useOfDomain(object)
	case kindUsage:
		return useOfUsage(object)
	case kindPodGroup:
		return useOfPodGroup(name), nil
	default:
		return nil, nil //nolint:nilnil // Nothing is a use that pods make of it.
	}
}

func anybody(*workload) bool { return true }

func referred(does func(*template) bool) *use {
	return &use{among: anybody, by: func(w *workload) hold {
		if w.refers(does) {
			return temporarily
		}
		return nowise
	}}
}

func mentioned(name string) *use {
	return &use{among: anybody, by: func(w *workload) hold {
		if w.refers(func(t *template) bool { return t.mentions(name) }) {
			return lastingly
		}
		return nowise
	}}
}

// accounts that a RoleBinding, or the RoleBindings of a Role, are about.
func (k *Keeper) accounts(object *structpb.Struct) ([]string, error) {
	if groupKind(object) == kindRoleBinding {
		binding := &rbacv1.RoleBinding{}
		if err := require.Into(object, binding); err != nil {
			return nil, err
		}
		return accountsOf(binding), nil
	}
	var all []string
	for _, r := range k.call.Request.GetObserved().GetResources() {
		if groupKind(r.GetResource()) != kindRoleBinding {
			continue
		}
		binding := &rbacv1.RoleBinding{}
		if err := require.Into(r.GetResource(), binding); err != nil {
			return nil, err
		}
		if binding.RoleRef.Kind == "Role" && binding.RoleRef.Name == nameOf(object) {
			all = append(all, accountsOf(binding)...)
		}
	}
	return all, nil
}

func accountsOf(binding *rbacv1.RoleBinding) []string {
	var all []string
	for _, subject := range binding.Subjects {
		if subject.Kind == rbacv1.ServiceAccountKind {
			all = append(all, subject.Name)
		}
	}
	return all
}

// useOfService is by pods that it selects, and by those that mention it. Through the Service of Kubernetes discovery pods are
// found only while they take part in that themselves.
func useOfService(object *structpb.Struct) (*use, error) {
	service := &corev1.Service{}
	if err := require.Into(object, service); err != nil {
		return nil, err
	}
	discovery := map[string]string{}
	if backend, ok := service.Labels[metadata.LabelDiscoveryBackend]; ok {
		discovery[metadata.LabelDiscoveryBackend] = backend
	}
	selected := referred(func(t *template) bool {
		return len(service.Spec.Selector) > 0 && t.carries(service.Spec.Selector) && t.carries(discovery)
	})
	mention := mentioned(service.Name)
	return &use{among: anybody, by: func(w *workload) hold { return max(selected.by(w), mention.by(w)) }}, nil
}

// useOfDomain is by the workloads whose pods claim a channel of it.
func useOfDomain(object *structpb.Struct) (*use, error) {
	domain := &computedomainv1beta1.ComputeDomain{}
	if err := require.Into(object, domain); err != nil {
		return nil, err
	}
	claims := func(t *template) bool { return t.claimTemplates.Has(domain.Spec.Channel.ResourceClaimTemplate.Name) }
	u := referred(claims)
	u.among = func(w *workload) bool { return w.refers(claims) }
	return u, nil
}

// useOfPodGroup is by pods that name it, which are those of the LeaderWorkerSet with its name.
func useOfPodGroup(name string) *use {
	u := referred(func(t *template) bool { return t.annotations[metadata.AnnotationGroupName] == name })
	u.among = func(w *workload) bool { return w.name == name }
	return u
}

// useOfUsage is by the one workload that it names, while that has pods in the domain that is protected. A domain and the
// template of its claims have one name.
func useOfUsage(object *structpb.Struct) (*use, error) {
	usage := &protectionv1beta1.Usage{}
	if err := require.Into(object, usage); err != nil {
		return nil, err
	}
	named := func(w *workload) bool {
		by := usage.Spec.By
		return by != nil && by.ResourceRef != nil && by.Kind == w.kind && by.ResourceRef.Name == w.name
	}
	u := referred(func(t *template) bool { return t.claimTemplates.Has(protectedBy(usage)) })
	claims := u.by
	u.among = named
	u.by = func(w *workload) hold {
		if named(w) {
			return claims(w)
		}
		return nowise
	}
	return u, nil
}

// protectedBy a Usage is the object that it keeps from being deleted, by its name.
func protectedBy(usage *protectionv1beta1.Usage) string {
	if ref := usage.Spec.Of.ResourceRef; ref != nil {
		return ref.Name
	}
	return ""
}

// groupKind of an object, as the kinds above are written.
func groupKind(object *structpb.Struct) string {
	fields := object.GetFields()
	return schema.FromAPIVersionAndKind(fields["apiVersion"].GetStringValue(), fields["kind"].GetStringValue()).GroupKind().String()
}

func nameOf(object *structpb.Struct) string {
	return metadataOf(object).GetFields()["name"].GetStringValue()
}
