package adopt

import (
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// claims are the PersistentVolumeClaims.
const claims = "persistentvolumeclaims"

// resources that are read of a cluster: what the operator makes, and what the functions look up. Secrets are never read.
func resources() []string {
	return []string{
		// The operator converts graphs of later versions.
		"dynamographdeployments.v1alpha1.nvidia.com", "dynamocomponentdeployments.nvidia.com", "dynamographdeploymentscalingadapters.nvidia.com",
		"podcliquesets.grove.io", "podcliques.grove.io", "podcliquescalinggroups.grove.io", "clustertopologies.grove.io", "clustertopologybindings.grove.io",
		"leaderworkersets.leaderworkerset.x-k8s.io", "podgroups.scheduling.volcano.sh", "queues.scheduling.volcano.sh", "queues.scheduling.run.ai",
		"hypernodes.topology.volcano.sh",
		"deployments.apps", "services", claims, "serviceaccounts", "configmaps",
		"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io", "ingresses.networking.k8s.io",
		"inferencepools.inference.networking.k8s.io", "resourceclaimtemplates.resource.k8s.io", "horizontalpodautoscalers.autoscaling",
		"apiservices.apiregistration.k8s.io",
	}
}

// InFiles are the objects in files, or in folders of them; - is standard input.
func InFiles(paths []string, in io.Reader) ([]unstructured.Unstructured, error) {
	var all []unstructured.Unstructured
	for _, path := range paths {
		objects, err := render.Objects(path, in)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot load objects from %q", path)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// InCluster are the objects of a cluster. A resource that it does not serve has none.
func InCluster(cluster *preview.Live) ([]unstructured.Unstructured, error) {
	var all []unstructured.Unstructured
	for _, resource := range resources() {
		// The managers of a claim tell who made it.
		objects, err := cluster.Get(preview.Query{Resource: resource, ManagedFields: resource == claims})
		if forbidden, is := preview.IsForbidden(err); is {
			return nil, errors.Errorf("cannot read the cluster: you may not %s", forbidden)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

// isGraph reports whether an object is a graph of the operator, and not one that Crossplane composes for.
func isGraph(object *unstructured.Unstructured) bool {
	_, composite, _ := unstructured.NestedMap(object.Object, "spec", "crossplane")
	return groupOf(object.GetAPIVersion()) == v1alpha1.Group && object.GetKind() == v1alpha1.Kind && !composite
}

func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// served are APIService objects for the groups of kinds that there are objects of, in addition to those that there are.
func served(objects []unstructured.Unstructured) []unstructured.Unstructured {
	const kind = "APIService"
	var names []string
	for i := range objects {
		if objects[i].GetKind() == kind {
			names = append(names, objects[i].GetName())
		}
	}
	var added []unstructured.Unstructured
	for i := range objects {
		group, version, ok := strings.Cut(objects[i].GetAPIVersion(), "/")
		if name := version + "." + group; ok && !slices.Contains(names, name) {
			names = append(names, name)
			object := unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiregistration.k8s.io/v1", "kind": kind}}
			object.SetName(name)
			added = append(added, object)
		}
	}
	return added
}
