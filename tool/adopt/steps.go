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
	var remove, restore, finish, check, replace strings.Builder
	namespaces := map[string]bool{}
	seen := map[string]bool{}
	for i := range r.Graphs {
		g := &r.Graphs[i]
		if g.Problem != "" {
			g.leave(&remove, &restore, &finish)
			g.replace(&replace)
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
			fmt.Fprintf(&remove, "disown %s %s %s %d %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.index, o.uid(), g.Name)
			fmt.Fprintf(&restore, "#   own %s %s %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.reference())
		}
		fmt.Fprintf(&finish, "finish %s dynamographdeployments.nvidia.com %s\n", g.Namespace, g.Name)
		fmt.Fprintf(&check, "kubectl wait --for=condition=Synced dynamographdeployments.nvidia.com/%s --namespace=%s --timeout=5m\n", g.Name, g.Namespace)
	}
	return fmt.Sprintf(steps, strings.Join(slices.Sorted(maps.Keys(namespaces)), " "),
		remove.String(), restore.String(), finish.String(), check.String(), replace.String())
}

// replaceable reports whether a graph that cannot be adopted can be replaced by another one while its pods serve.
func (g *Graph) replaceable() bool { return g.Problem != "" && len(g.owned) > 0 }

// leave the objects of a graph that cannot be adopted without an owner, if the user decides to replace it.
func (g *Graph) leave(remove, restore, finish *strings.Builder) {
	fmt.Fprintf(remove, "# Graph %s cannot be adopted: %s\n", g.id(), oneLine(g.Problem))
	if !g.replaceable() {
		return
	}
	remove.WriteString("# It cannot stay, because step 6 deletes its kind. To replace it in step 10, remove the owner references of its objects as well. Its pods\n# continue to run, but nothing manages them.\n")
	for _, o := range g.owned {
		if o.object.GetKind() == kindComponent {
			fmt.Fprintf(finish, "#   finish %s %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName())
			continue
		}
		fmt.Fprintf(remove, "#   disown %s %s %s %d %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.index, o.uid(), g.Name)
		fmt.Fprintf(restore, "#   own %s %s %s %s\n", g.Namespace, resourceOf(o.object), o.object.GetName(), o.reference())
	}
	fmt.Fprintf(finish, "#   finish %s dynamographdeployments.nvidia.com %s\n", g.Namespace, g.Name)
}

// replace a graph whose objects have no owner by another one.
func (g *Graph) replace(text *strings.Builder) {
	if !g.replaceable() {
		return
	}
	if text.Len() == 0 {
		text.WriteString(replaceIntroduction)
	}
	fmt.Fprintf(text, "# Graph %s: %s\n", g.id(), oneLine(g.Problem))
	fmt.Fprintf(text, "#   kubectl wait --for=condition=Ready dynamographdeployments.nvidia.com/%s-2 --namespace=%s --timeout=1h\n", g.Name, g.Namespace)
	for _, o := range g.owned {
		if kind := o.object.GetKind(); kind != kindComponent && kind != "PersistentVolumeClaim" {
			fmt.Fprintf(text, "#   kubectl delete %s %s --namespace=%s\n", resourceOf(o.object), o.object.GetName(), g.Namespace)
		}
	}
}

// replaceIntroduction is what holds for each graph that is replaced.
const replaceIntroduction = `
# Step 10. Replace the graphs that cannot be adopted, one after the other. For each: take its manifest from before.yaml, correct what the problem
# names, give it another name, such as that of the graph with -2, and apply it. The pods of the old graph serve in the meantime, so there must be
# GPUs for both. When the new graph is ready, let clients use its Services, and then delete the objects of the old one. Claims stay.
#   To go back: delete the new graph. The old pods run until their objects are deleted.
`

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

// steps has the namespaces, the removal of owner references, how to put them back, the deletion of what is the operator's, what to wait for,
// and the replacement of graphs that cannot be adopted.
//
//go:embed steps.sh.txt
var steps string
