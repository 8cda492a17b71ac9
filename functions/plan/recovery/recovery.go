// Package recovery looks up the objects of a graph that Crossplane does not observe because the composite resource has lost its references
// to them.
package recovery

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
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

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/checkpoints"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/served"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Find the lost objects. Nothing is looked up unless the composite resource shows that references are missing. The workloads in the status
// are looked up by name, and everything else by the label that Crossplane sets, because the names of objects that the spec no longer
// requests are not known. The result is complete when all requirements are resolved.
func Find(req *fnv1.RunFunctionRequest, f *subject.Facts) lost.Objects {
	workloads := unreferencedWorkloads(f.Observed, f.Graph)
	if len(workloads) == 0 && !othersWroteReferences(f.Observed) || f.Graph.Name == "" || f.Graph.Namespace == "" {
		return nil
	}
	objects := lost.Objects{}
	for _, kind := range kinds(f) {
		for _, w := range workloads {
			if w.Kind == kind.String() {
				if object, _ := f.Requirements.Get(kind.named(f.Graph, w.Name)); object != nil {
					objects.Add(req, object)
				}
			}
		}
		found, _ := f.Requirements.List(kind.labelled(f.Graph, label(f.Observed.Composite())))
		for _, object := range found {
			objects.Add(req, object)
		}
	}
	return objects
}

// FindSecret adds the Secret of a plan to the lost objects. Step sshsecret would look it up anyway. A graph without a Secret does not look
// for one, because Crossplane caches all Secrets of the cluster as soon as one is required.
func FindSecret(req *fnv1.RunFunctionRequest, f *subject.Facts, found lost.Objects, name string) {
	if found == nil || name == "" {
		return
	}
	secret := composedKind{corev1.SchemeGroupVersion.String(), "Secret"}
	if object, _ := f.Requirements.Get(secret.named(f.Graph, name)); object != nil {
		found.Add(req, object)
	}
}

// label on all composed objects. A composite resource that was just replaced may not have the label yet.
func label(xr *structpb.Struct) string {
	return cmp.Or(tree.Text(xr, metadata.LabelComposite, "metadata", "labels"), tree.Text(xr, "name", "metadata"))
}

// composedKind is a kind that the chain composes.
type composedKind struct{ apiVersion, kind string }

// String is the kind with its group.
func (k composedKind) String() string {
	group, _, _ := strings.Cut(k.apiVersion, "/")
	return k.kind + "." + group
}

func (k composedKind) named(g *graph.Graph, name string) require.Object {
	return require.Object{
		Name: "lost-" + strings.ToLower(k.kind) + "-" + name, APIVersion: k.apiVersion, Kind: k.kind, ObjectName: name, Namespace: g.Namespace,
	}
}

func (k composedKind) labelled(g *graph.Graph, label string) require.Objects {
	return require.Objects{
		Name: "lost-" + strings.ToLower(k.kind), APIVersion: k.apiVersion, Kind: k.kind, Namespace: g.Namespace,
		Labels: map[string]string{metadata.LabelComposite: label},
	}
}

// kinds that may have been composed and that the cluster serves. Crossplane fails if other kinds are required.
func kinds(f *subject.Facts) []composedKind {
	all := []composedKind{
		{appsv1.SchemeGroupVersion.String(), "ControllerRevision"},
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
	add := func(isServed bool, more ...composedKind) {
		if isServed {
			all = append(all, more...)
		}
	}
	add(f.Cluster.Grove, composedKind{grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet})
	add(f.Cluster.LWS, composedKind{lwsv1.GroupVersion.String(), "LeaderWorkerSet"})
	add(f.Cluster.Volcano, composedKind{volcanov1beta1.SchemeGroupVersion.String(), "PodGroup"})
	add(f.ServesComputeDomains(),
		composedKind{computedomainv1beta1.APIVersion, computedomainv1beta1.Kind},
		composedKind{protectionv1beta1.SchemeGroupVersion.String(), "Usage"})
	add(f.ServesClaimTemplates(),
		composedKind{resourcev1.SchemeGroupVersion.String(), "ResourceClaimTemplate"})
	for _, k := range served.Kinds(f.Input) {
		add(k.Served(f.Requirements), composedKind{k.Group + "/v1", k.Name})
	}
	add(served.HasScalingAdapters(f), composedKind{autoscaling.AdapterAPIVersion, autoscaling.KindAdapter})
	add(checkpoints.ServesJobs(f), composedKind{snapshotv1alpha1.APIVersion, snapshotv1alpha1.KindJob})
	return all
}
