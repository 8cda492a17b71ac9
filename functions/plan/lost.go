package plan

import (
	"cmp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/computedomainv1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// requirementResource is the name of the requirement of the group of claim templates, which Kubernetes serves since v1.34.
const requirementResource = "apiservice-resource"

// search for the objects of a graph that Crossplane does not observe.
type search struct {
	req          *fnv1.RunFunctionRequest
	graph        *graph.Graph
	input        *v1alpha1.Input
	cluster      cluster
	requirements *require.Requirements
}

// find what is lost: nothing, and without looking, unless the composite resource shows that references are. The workloads
// that the status names are looked up by name, everything else by the label that Crossplane writes on it: the names of what
// the spec does not ask for any more are not known. What is found is complete when no requirement is unresolved.
func (s *search) find() lost.Objects {
	workloads := unreferencedWorkloads(s.req, s.graph)
	if len(workloads) == 0 && !othersWroteReferences(s.req) || s.graph.Name == "" || s.graph.Namespace == "" {
		return nil
	}
	objects := lost.Objects{}
	for _, kind := range s.kinds() {
		for _, w := range workloads {
			if w.kind == kind.String() {
				if object, _ := s.requirements.Get(kind.object(s.graph, w.name)); object != nil {
					objects.Add(s.req, object)
				}
			}
		}
		found, _ := s.requirements.List(kind.objects(s.graph, s.label()))
		for _, object := range found {
			objects.Add(s.req, object)
		}
	}
	return objects
}

// findSecret adds the Secret of a plan to what was found. Step sshsecret would look it up anyway; Crossplane caches all Secrets of
// the cluster when it is asked for one, so that a graph without any is not looked through for them.
func (s *search) findSecret(found lost.Objects, p *graphplan.Plan) {
	if found == nil || p.SSHSecret == "" {
		return
	}
	secret := composedKind{corev1.SchemeGroupVersion.String(), "Secret"}
	if object, _ := s.requirements.Get(secret.object(s.graph, p.SSHSecret)); object != nil {
		found.Add(s.req, object)
	}
}

// label on all composed objects. A composite resource that was just replaced may not have it yet.
func (s *search) label() string {
	xr := s.req.GetObserved().GetComposite().GetResource()
	return cmp.Or(tree.Text(xr, metadata.LabelComposite, "metadata", "labels"), tree.Text(xr, "name", "metadata"))
}

// composedKind is a kind that the chain composes.
type composedKind struct{ apiVersion, kind string }

// String is the kind with its group.
func (k composedKind) String() string {
	group, _, _ := strings.Cut(k.apiVersion, "/")
	return k.kind + "." + group
}

func (k composedKind) object(g *graph.Graph, name string) require.Object {
	return require.Object{
		Name: "lost-" + strings.ToLower(k.kind) + "-" + name, APIVersion: k.apiVersion, Kind: k.kind, ObjectName: name, Namespace: g.Namespace,
	}
}

func (k composedKind) objects(g *graph.Graph, label string) require.Objects {
	return require.Objects{
		Name: "lost-" + strings.ToLower(k.kind), APIVersion: k.apiVersion, Kind: k.kind, Namespace: g.Namespace,
		Labels: map[string]string{metadata.LabelComposite: label},
	}
}

// kinds that may have been composed and that the cluster serves: Crossplane fails when it is asked for others.
func (s *search) kinds() []composedKind {
	kinds := []composedKind{
		{appsv1.SchemeGroupVersion.String(), "Deployment"},
		{autoscalingv2.SchemeGroupVersion.String(), "HorizontalPodAutoscaler"},
		{corev1.SchemeGroupVersion.String(), "ConfigMap"},
		{corev1.SchemeGroupVersion.String(), "PersistentVolumeClaim"},
		{corev1.SchemeGroupVersion.String(), "Service"},
		{corev1.SchemeGroupVersion.String(), "ServiceAccount"},
		{networkingv1.SchemeGroupVersion.String(), "Ingress"},
		{rbacv1.SchemeGroupVersion.String(), "Role"},
		{rbacv1.SchemeGroupVersion.String(), "RoleBinding"},
	}
	add := func(served bool, more ...composedKind) {
		if served {
			kinds = append(kinds, more...)
		}
	}
	add(s.cluster.grove, composedKind{grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet})
	add(s.cluster.lws, composedKind{lwsv1.GroupVersion.String(), "LeaderWorkerSet"})
	add(s.cluster.volcano, composedKind{volcanov1beta1.SchemeGroupVersion.String(), "PodGroup"})
	add(installed(s.requirements, s.input.MNNVL.Driver, requirementNVIDIA, "v1beta1.resource.nvidia.com"),
		composedKind{computedomainv1beta1.APIVersion, computedomainv1beta1.Kind},
		composedKind{protectionv1beta1.SchemeGroupVersion.String(), "Usage"})
	add(installed(s.requirements, v1alpha1.ModeAuto, requirementResource, "v1.resource.k8s.io"),
		composedKind{resourcev1.SchemeGroupVersion.String(), "ResourceClaimTemplate"})
	for _, o := range optionals(s.input) {
		add(installed(s.requirements, o.mode, o.requirement, "v1."+o.group), composedKind{o.group + "/v1", o.kind})
	}
	add(s.servesScalingAdapters(), composedKind{autoscaling.AdapterAPIVersion, autoscaling.KindAdapter})
	return kinds
}

// servesScalingAdapters reports whether the cluster has the kind, as far as can be told.
func (s *search) servesScalingAdapters() bool {
	switch s.input.ScalingAdapter.Mode {
	case v1alpha1.ModeEnabled:
		return true
	case v1alpha1.ModeDisabled:
		return false
	default:
		served, _, _ := s.requirements.HasSchema(requirementScalingAdapterSchema, autoscaling.AdapterAPIVersion, autoscaling.KindAdapter)
		return served
	}
}
