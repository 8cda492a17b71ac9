package adopt

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
)

// Manifests of the graphs that can be adopted, as a stream of YAML.
func (r *Report) Manifests() ([]byte, error) {
	var stream []byte
	for i := range r.Graphs {
		if r.Graphs[i].Problem != "" {
			continue
		}
		data, err := yaml.Marshal(r.Graphs[i].manifest.Object)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode graph %s", r.Graphs[i].id())
		}
		if len(stream) > 0 {
			stream = append(stream, "---\n"...)
		}
		stream = append(stream, data...)
	}
	return stream, nil
}

// Steps for a person to take, as commands of a shell with comments.
func (r *Report) Steps() string {
	var remove, restore, finish, check strings.Builder
	namespaces := map[string]bool{}
	seen := map[string]bool{}
	for i := range r.Graphs {
		g := &r.Graphs[i]
		if g.Problem != "" {
			fmt.Fprintf(&remove, "# Graph %s cannot be adopted, and stays with the operator: %s\n", g.id(), oneLine(g.Problem))
			continue
		}
		namespaces[g.Namespace] = true
		for _, o := range g.owned {
			if o.object.GetKind() == kindComponent {
				fmt.Fprintf(&finish, "finish %s %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName())
				continue
			}
			key := g.Namespace + "/" + called(o.object)
			if seen[key] {
				continue
			}
			seen[key] = true
			fmt.Fprintf(&remove, "disown %s %s %s %d %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.index, o.uid())
			fmt.Fprintf(&restore, "#   own %s %s %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.reference())
		}
		fmt.Fprintf(&finish, "finish %s dynamographdeployments.nvidia.com %s\n", g.Namespace, g.Name)
		fmt.Fprintf(&check, "kubectl wait --for=condition=Synced dynamographdeployments.nvidia.com/%s --namespace=%s --timeout=5m\n", g.Name, g.Namespace)
	}
	return fmt.Sprintf(steps, strings.Join(slices.Sorted(maps.Keys(namespaces)), " "), remove.String(), restore.String(), finish.String(), check.String())
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// resourceOf an object as kubectl names it.
func resourceOf(o *unstructured.Unstructured) string {
	kind := strings.ToLower(o.GetKind())
	if group := groupOf(o.GetAPIVersion()); group != "" {
		_, version, _ := strings.Cut(o.GetAPIVersion(), "/")
		return kind + "." + version + "." + group
	}
	return kind
}

func (o owned) uid() string { return string(o.object.GetOwnerReferences()[o.index].UID) }

// reference is the owner reference as JSON for a shell.
func (o owned) reference() string {
	ref := o.object.GetOwnerReferences()[o.index]
	return fmt.Sprintf(`'{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"controller":true,"blockOwnerDeletion":true}'`, ref.APIVersion, ref.Kind, ref.Name, ref.UID)
}

// steps has the namespaces, the removal of owner references, how to put them back, the deletion of what is the operator's, and what to
// wait for.
//
//go:embed steps.sh.txt
var steps string
