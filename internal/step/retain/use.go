package retain

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// hold is whether, and for how long, an object is kept because it is used.
type hold int

const (
	notHeld hold = iota
	// indefinitely, because the pod template of a live workload refers to the object. It may do so for as long as the workload
	// exists: the template of a live workload changes only when its user changes it.
	indefinitely
	// temporarily, until pods are replaced or deleted.
	temporarily
)

// use of one object.
type use struct {
	// by reports whether a workload uses the object, according to its templates.
	by func(*workload) bool

	// users are the workloads whose pods may use the object even if their templates do not refer to it.
	users func(*workload) bool
}

// holds returns how an observed object is held.
func (k *Keeper) holds(object *structpb.Struct) (hold, error) {
	u, err := k.useOf(object)
	if err != nil || u == nil {
		return notHeld, err
	}
	held, err := k.heldByObserved(u)
	if err != nil || held != notHeld {
		return held, err
	}
	held, err = k.heldByTerminating(u)
	if err != nil || kindOf(object) != computedomainv1beta1.Kind {
		return held, err
	}
	protected, err := k.heldByUsages(tree.Name(object))
	return max(held, protected), err
}

// heldByObserved returns how an object is held by the observed workloads.
func (k *Keeper) heldByObserved(u *use) (hold, error) {
	observed, err := k.observed()
	held := notHeld
	for i := range observed {
		w := &observed[i]
		if u.by(w) {
			held = max(held, indefinitely)
		}
		if w.replacing && u.users(w) {
			held = temporarily
		}
	}
	return held, err
}

// heldByTerminating returns how an object is held by the workloads that Crossplane has started to delete.
func (k *Keeper) heldByTerminating(u *use) (hold, error) {
	terminating, resolved, err := k.terminating()
	if !resolved || slices.ContainsFunc(terminating, func(w workload) bool { return u.users(&w) }) {
		return temporarily, err
	}
	return notHeld, err
}

// heldByUsages returns how a domain is held by the Usages that protect it: those that are observed, even if this run deletes them,
// and those that Crossplane has started to delete. If the domain was deleted before its Usages, the API server would refuse the
// deletion, and the refusal would block the whole run.
func (k *Keeper) heldByUsages(domain string) (hold, error) {
	usages, resolved := k.list(protectionv1beta1.SchemeGroupVersion.String(), "Usage")
	for _, r := range k.call.Request.GetObserved().GetResources() {
		if kindOf(r.GetResource()) == "Usage" {
			usages = append(usages, r.GetResource())
		}
	}
	for _, object := range usages {
		usage := &protectionv1beta1.Usage{}
		if err := require.Into(object, usage); err != nil {
			return notHeld, err
		}
		if protectedBy(usage) == domain {
			return temporarily, nil
		}
	}
	if !resolved {
		return temporarily, nil
	}
	return notHeld, nil
}

const kindRoleBinding = "RoleBinding"

// useOf an object; nil for kinds that pods do not use.
func (k *Keeper) useOf(object *structpb.Struct) (*use, error) {
	name := tree.Name(object)
	switch kindOf(object) {
	case rbacv1.ServiceAccountKind:
		return referencedBy(func(t *template) bool { return t.serviceAccount == name }), nil
	case "Role", kindRoleBinding:
		accounts, err := k.accounts(object)
		return referencedBy(func(t *template) bool { return slices.Contains(accounts, t.serviceAccount) }), err
	case "ConfigMap":
		return referencedBy(func(t *template) bool { return t.configMaps.Has(name) }), nil
	case "Secret":
		return referencedBy(func(t *template) bool { return t.secrets.Has(name) }), nil
	case "ResourceClaimTemplate":
		return referencedBy(func(t *template) bool { return t.claimTemplates.Has(name) }), nil
	case networking.KindInferencePool:
		return referencedBy(func(t *template) bool { return t.mentions(name) }), nil
	case "Service":
		return useOfService(object)
	case computedomainv1beta1.Kind:
		return useOfDomain(object)
	case "Usage":
		return useOfUsage(object)
	case schedulingv1beta1.Kind:
		return useOfPodGroup(name), nil
	default:
		return nil, nil //nolint:nilnil // Pods do not use this kind.
	}
}

func anyWorkload(*workload) bool { return true }

func referencedBy(does func(*template) bool) *use {
	return &use{users: anyWorkload, by: func(w *workload) bool { return w.refers(does) }}
}

// accounts are the subjects of a RoleBinding, or of the RoleBindings of a Role.
func (k *Keeper) accounts(object *structpb.Struct) ([]string, error) {
	if kindOf(object) == kindRoleBinding {
		binding := &rbacv1.RoleBinding{}
		if err := require.Into(object, binding); err != nil {
			return nil, err
		}
		return accountsOf(binding), nil
	}
	var all []string
	for _, r := range k.call.Request.GetObserved().GetResources() {
		if kindOf(r.GetResource()) != kindRoleBinding {
			continue
		}
		binding := &rbacv1.RoleBinding{}
		if err := require.Into(r.GetResource(), binding); err != nil {
			return nil, err
		}
		if binding.RoleRef.Kind == "Role" && binding.RoleRef.Name == tree.Name(object) {
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

// useOfService is by the pods that the Service selects and by those that mention it. The Service for Kubernetes discovery is used only
// by pods that take part in Kubernetes discovery.
func useOfService(object *structpb.Struct) (*use, error) {
	service := &corev1.Service{}
	if err := require.Into(object, service); err != nil {
		return nil, err
	}
	discovery := map[string]string{}
	if backend, ok := service.Labels[metadata.LabelDiscoveryBackend]; ok {
		discovery[metadata.LabelDiscoveryBackend] = backend
	}
	return referencedBy(func(t *template) bool {
		selected := len(service.Spec.Selector) > 0 && t.carries(service.Spec.Selector) && t.carries(discovery)
		return selected || t.mentions(service.Name)
	}), nil
}

// useOfDomain is by the workloads whose pods claim a channel of the domain.
func useOfDomain(object *structpb.Struct) (*use, error) {
	domain := &computedomainv1beta1.ComputeDomain{}
	if err := require.Into(object, domain); err != nil {
		return nil, err
	}
	claims := func(t *template) bool { return t.claimTemplates.Has(domain.Spec.Channel.ResourceClaimTemplate.Name) }
	u := referencedBy(claims)
	u.users = func(w *workload) bool { return w.refers(claims) }
	return u, nil
}

// useOfPodGroup is by the pods that name the PodGroup, which belong to the LeaderWorkerSet after which it is named.
func useOfPodGroup(name string) *use {
	u := referencedBy(func(t *template) bool {
		return t.annotations[metadata.AnnotationGroupName] == name || t.schedulingGroup == name
	})
	u.users = func(w *workload) bool {
		_, own := names.GenerationOfSchedulingGroup(w.name, name)
		return own
	}
	return u
}

// useOfUsage is by the workload that the Usage names, while that workload has pods in the protected domain. A domain and its
// claim template have the same name.
func useOfUsage(object *structpb.Struct) (*use, error) {
	usage := &protectionv1beta1.Usage{}
	if err := require.Into(object, usage); err != nil {
		return nil, err
	}
	named := func(w *workload) bool {
		by := usage.Spec.By
		return by != nil && by.ResourceRef != nil && by.Kind == w.kind && by.ResourceRef.Name == w.name
	}
	u := referencedBy(func(t *template) bool { return t.claimTemplates.Has(protectedBy(usage)) })
	claims := u.by
	u.users = named
	u.by = func(w *workload) bool { return named(w) && claims(w) }
	return u, nil
}

// protectedBy a Usage is the object that it keeps from being deleted, by its name.
func protectedBy(usage *protectionv1beta1.Usage) string {
	if ref := usage.Spec.Of.ResourceRef; ref != nil {
		return ref.Name
	}
	return ""
}
