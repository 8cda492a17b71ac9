package validate

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// roles checks the roles of a component as the webhooks of the Dynamo operator of release 1.5 do. The overrides of roles are checked with all
// others.
func (v *validator) roles(path *field.Path, s *graph.Component) {
	if len(s.Roles) == 0 {
		return
	}
	fieldPath := path.Child("roles")
	if s.Multinode == nil {
		v.forbidden(fieldPath, "roles are supported only for {{component}} shapes that define a role schema; this release supports multinode {{components}}; remove roles, or set multinode")
		return
	}
	for _, legacy := range rolesInMultinode(s) {
		v.forbidden(path.Child("multinode", legacy), "may not be set together with roles; move its providerOverride to role %s in roles", legacy)
	}
	replicas := map[string]int32{v1alpha1.RoleLeader: 1, v1alpha1.RoleWorker: s.Nodes() - 1}
	seen := sets.New[string]()
	for i := range s.Roles {
		role := &s.Roles[i]
		v.role(fieldPath.Index(i), role, replicas)
		if seen.Has(role.Name) {
			v.duplicate(fieldPath.Index(i).Child("name"), role.Name)
		}
		seen.Insert(role.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(replicas)) {
		if !seen.Has(name) {
			v.required(fieldPath, "must contain the %q role; add it, or remove roles", name)
		}
	}
	if s.HasRoleTemplates() {
		v.roleTemplates(path, s)
	}
}

// roleTemplates checks the pod templates of roles, which are all that there is for the pods.
func (v *validator) roleTemplates(path *field.Path, s *graph.Component) {
	for i := range s.Roles {
		if s.Roles[i].PodTemplate == nil {
			v.required(path.Child("roles").Index(i).Child("podTemplate"), "each role needs a pod template, because another role has one; add it, or write one {{podTemplate.spec}} for the pods of all roles")
		}
	}
	places := []string{"podTemplate"}
	if v.graph.Form == graph.Services {
		places = []string{
			"envFromSecret", "envs", "extraPodMetadata", "extraPodSpec", "frontendSidecar", "livenessProbe", "readinessProbe", "resources", "volumeMounts",
		}
	}
	for _, place := range places {
		if v.graph.Has(s.Name, place) {
			v.add(&message.Message{
				Problem: field.ErrorTypeForbidden, Field: "spec." + v.graph.Form.Key() + "[" + s.Name + "]." + place, Written: true,
				Detail: message.Format("may not be set together with pod templates of roles, which are complete; move it to the templates, and remove it"),
			})
		}
	}
	if e := s.Experimental; e != nil && e.GPUMemoryService != nil {
		v.forbidden(path.Child("experimental", "gpuMemoryService"), "may not be set together with pod templates of roles, because it needs commands that are connected for you; remove one of the two")
	}
	if e := s.Experimental; e != nil && e.Failover != nil {
		v.forbidden(path.Child("experimental", "failover"), "may not be set together with pod templates of roles, because it needs commands that are connected for you; remove one of the two")
	}
}

// role checks one role, given the number of pods of each that there is.
func (v *validator) role(path *field.Path, role *v1alpha1.ComponentRole, replicas map[string]int32) {
	wanted, known := replicas[role.Name]
	if !known {
		v.add(message.NotSupported(path.Child("name"), role.Name, slices.Sorted(maps.Keys(replicas))))
	}
	if known && role.Replicas != nil && *role.Replicas != wanted {
		v.invalid(path.Child("replicas"), *role.Replicas, "must equal %d for multinode role %q; correct or remove it", wanted, role.Name)
	}
}

// roles warns of the form that roles have had before any release.
func (w *warnings) roles(path *field.Path, s *graph.Component) {
	for _, legacy := range rolesInMultinode(s) {
		w.add(path.Child("multinode", legacy), "is deprecated; list both roles in roles of the {{component}}, and move providerOverride to role %s", legacy)
	}
}

// rolesInMultinode are the names of the roles that a component has in multinode.
func rolesInMultinode(s *graph.Component) []string {
	if s.Multinode == nil {
		return nil
	}
	var roles []string
	if s.Multinode.Leader != nil {
		roles = append(roles, v1alpha1.RoleLeader)
	}
	if s.Multinode.Worker != nil {
		roles = append(roles, v1alpha1.RoleWorker)
	}
	return roles
}
