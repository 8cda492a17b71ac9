package adopt

import (
	"context"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/kubectl"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// Source of the objects of a cluster.
type Source struct {
	// Files with the objects, or folders of them; - is standard input. None means that the cluster of the kubeconfig is read.
	Files []string `help:"Files or folders with objects that kubectl get -o yaml has printed, or - for standard input, in place of the cluster." name:"filename" placeholder:"PATH" short:"f"`

	Kubeconfig string `help:"The kubeconfig that kubectl reads."      placeholder:"PATH"`
	Context    string `help:"The context of the kubeconfig."  placeholder:"NAME"`
	Namespace  string `help:"The namespace of the graphs. Without this flag: all." placeholder:"NAME" short:"n"`
}

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

// Read the objects.
func (s *Source) Read(ctx context.Context, in io.Reader) ([]unstructured.Unstructured, error) {
	var all []unstructured.Unstructured
	for _, path := range s.Files {
		objects, err := render.Objects(path, in)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot load objects from %q", path)
		}
		all = append(all, objects...)
	}
	if len(s.Files) == 0 {
		for _, resource := range resources() {
			objects, err := s.get(ctx, resource)
			if err != nil {
				return nil, err
			}
			all = append(all, objects...)
		}
	}
	return all, nil
}

// get all objects of a resource with kubectl, which knows how to log in. One that the cluster does not serve has none.
func (s *Source) get(ctx context.Context, resource string) ([]unstructured.Unstructured, error) {
	args := []string{"get", resource, "--all-namespaces", "--output=json"}
	if resource == claims {
		// They tell who made a claim.
		args = append(args, "--show-managed-fields")
	}
	if s.Kubeconfig != "" {
		args = append(args, "--kubeconfig="+s.Kubeconfig)
	}
	if s.Context != "" {
		args = append(args, "--context="+s.Context)
	}
	out, err := kubectl.Run(ctx, args...)
	switch {
	case err != nil && strings.Contains(err.Error(), "the server doesn't have a resource type"):
		return nil, nil
	case err != nil:
		return nil, errors.Wrap(err, "cannot read the cluster")
	}
	list := unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(out); err != nil {
		return nil, errors.Wrapf(err, "cannot parse what kubectl prints of %s", resource)
	}
	return list.Items, nil
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
