package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// origins of the composed objects, by kind and name.
func (d *describer) origins() []Object {
	all := make([]Object, 0, len(d.objects))
	for i := range d.objects {
		o := &d.objects[i]
		key := preview.Key(o)
		all = append(all, Object{Kind: o.GetKind(), Name: o.GetName(), Key: key, From: d.origin(key)})
	}
	slices.SortStableFunc(all, func(a, b Object) int { return cmp.Or(strings.Compare(a.Kind, b.Kind), byNumber(a.Name, b.Name)) })
	return all
}

// origin of the object with a key: the field of the graph that it is composed for, or the decision.
func (d *describer) origin(key string) string {
	if from, ok := d.originOfGraph(names.Resource(key)); ok {
		return from
	}
	if claim, ok := names.PVCOf(key); ok {
		return d.graph.Field("spec.pvcs") + "[" + claim + "]"
	}
	if from, ok := d.originInComponent(key); ok {
		return from
	}
	switch {
	case names.IsRevisionKey(key):
		return "the pod templates of all " + d.graph.Form.Key()
	case names.IsUsage(key):
		return "the ComputeDomain: it is deleted after the pods that use it"
	case names.IsComputeDomain(key):
		return "multi-node NVLink of GPU pods"
	default:
		return "another step of the Composition"
	}
}

// originOfGraph is the origin of an object that exists at most once.
func (d *describer) originOfGraph(key names.Resource) (from string, ok bool) {
	switch key {
	case names.KeyPodCliqueSet:
		return "spec." + d.graph.Form.Key(), true
	case names.KeyDiscoveryServiceAccount, names.KeyDiscoveryRole, names.KeyDiscoveryRoleBinding:
		return "discovery through Kubernetes", true
	case names.KeyPlannerServiceAccount, names.KeyPlannerRole, names.KeyPlannerRoleBinding:
		return d.typed(v1beta1.ComponentPlanner, ".type"), true
	case names.KeyEPPConfigMap:
		return d.typed(v1beta1.ComponentEPP, ".eppConfig"), true
	case names.KeyEPPServiceAccount, names.KeyEPPRole, names.KeyEPPRoleBinding, names.KeyEPPInferencePool, names.KeyEPPDestinationRule:
		return d.typed(v1beta1.ComponentEPP, ".type"), true
	case names.KeyScaleTogether:
		return "annotation " + metadata.AnnotationScaleTogether, true
	case names.KeyWaitForLeader:
		return "engines that span nodes: workers wait for their leader", true
	case names.KeySSHSecret:
		return "engines that span nodes: MPI connects them through SSH", true
	default:
		return "", false
	}
}

// typed is a field of the component of a type.
func (d *describer) typed(componentType v1beta1.ComponentType, fieldOfComponent string) string {
	for _, name := range d.graph.ComponentNames() {
		if d.graph.Component(name).Type == componentType {
			return d.field(name, fieldOfComponent)
		}
	}
	return string(componentType)
}

// originInComponent is the origin of an object of a component.
func (d *describer) originInComponent(key string) (from string, ok bool) {
	for _, component := range d.graph.ComponentsByName() {
		if component.ModelRef != nil && names.Resource(key) == names.KeyModelService(component.ModelRef.Name) {
			return d.field(component.Name, ".modelRef"), true
		}
		for prefix, fieldOfComponent := range map[names.Resource]string{
			names.KeyDeployment(component.Name):     "",
			names.KeyService(component.Name):        "",
			names.KeyRayService(component.Name):     ".multinode",
			names.KeyIngress(component.Name):        ".ingress",
			names.KeyVirtualService(component.Name): ".ingress",
			names.KeyHTTPRoute(component.Name):      ".ingress",
			names.KeyClaimTemplate(component.Name):  ".experimental.gpuMemoryService",
			names.KeyReplicas(component.Name):       ".replicas",
			names.KeyAutoscaler(component.Name):     ".autoscaling",
			names.KeyScalingAdapter(component.Name): ".scalingAdapter",
		} {
			if names.Resource(key) == prefix {
				return d.field(component.Name, fieldOfComponent), true
			}
		}
	}
	return d.originInReplica(key)
}

// originInReplica is the origin of an object of a single replica of a component, or of its pods.
func (d *describer) originInReplica(key string) (from string, ok bool) {
	for _, name := range d.graph.ComponentNames() {
		workload, isSet, ok := names.WorkloadOf(key)
		if ok && isSet && workload == names.Lower(name) {
			return d.field(name, ".multinode"), true
		}
		if names.IsSnapshotJobOf(key, name) {
			return d.field(name, ".experimental.checkpoint"), true
		}
		if group, ok := names.PodGroupOf(key); ok && group == names.Lower(name) {
			return d.field(name, ".multinode"), true
		}
		if replicated, _, ok := names.ReplicaOfComputeDomain(key); ok && replicated == names.Lower(name) {
			return "multi-node NVLink of " + d.field(name, ""), true
		}
	}
	return "", false
}
