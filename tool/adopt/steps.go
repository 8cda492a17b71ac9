package adopt

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Manifests of the graphs that can be adopted, as a stream of YAML.
func (r *Report) Manifests() ([]byte, error) {
	var stream []byte
	for i := range r.Graphs {
		if r.Graphs[i].Problem != "" {
			continue
		}
		data, err := output.YAML(r.Graphs[i].manifest.Object)
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
		for _, mistake := range g.Mistaken {
			fmt.Fprintf(&remove, "# Left out, in namespace %s: %s\n", comment(g.Namespace), comment(mistake))
		}
		if g.Problem != "" {
			g.leave(&remove, &restore, &finish)
			g.replace(&replace)
			continue
		}
		namespaces[g.Namespace] = true
		for _, o := range g.owned {
			if o.object.GetKind() == kindComponent {
				finish.WriteString(g.finish(o))
				continue
			}
			key := g.Namespace + "/" + called(o.object)
			if seen[key] {
				continue
			}
			seen[key] = true
			remove.WriteString(g.disown(o))
			restore.WriteString(asComment + g.own(o))
		}
		finish.WriteString(g.finishGraph())
		check.WriteString(step("kubectl", "wait", "--for=condition=Synced", graphs+"/"+g.Name, "--namespace="+g.Namespace, "--timeout=5m"))
	}
	return fmt.Sprintf(steps, output.Shell(strings.Join(slices.Sorted(maps.Keys(namespaces)), " ")),
		remove.String(), restore.String(), finish.String(), check.String(), replace.String())
}

const (
	// graphs is the resource of graphs as kubectl names it.
	graphs = "dynamographdeployments.nvidia.com"
	// asComment is before a step that is only taken in some cases.
	asComment = "#   "
)

// step is a command in a line.
func step(words ...string) string { return output.Shell(words...) + "\n" }

// comment has a text in one line, and in quotes: a shell such as zsh takes a comment that is pasted for a command.
func comment(text string) string { return output.Shell(strings.Join(strings.Fields(text), " ")) }

// disown removes an owner reference of an object.
func (g *Graph) disown(o owned) string {
	return step("disown", g.Namespace, resourceOf(o.object), o.object.GetName(), strconv.Itoa(o.index), string(o.reference().UID), g.Name)
}

// own puts an owner reference of an object back.
func (g *Graph) own(o owned) string {
	ref := o.reference()
	ref.Controller, ref.BlockOwnerDeletion = new(true), new(true)
	// A reference is made of texts and booleans.
	data, _ := json.Marshal(ref) //nolint:errchkjson // See above.
	return step("own", g.Namespace, resourceOf(o.object), o.object.GetName(), string(data))
}

// finish an object that the operator has made for itself.
func (g *Graph) finish(o owned) string {
	return step("finish", g.Namespace, resourceOf(o.object), o.object.GetName())
}

func (g *Graph) finishGraph() string { return step("finish", g.Namespace, graphs, g.Name) }

// replaceable reports whether a graph that cannot be adopted can be replaced by another one while its pods serve.
func (g *Graph) replaceable() bool { return g.Problem != "" && len(g.owned) > 0 }

// leave the objects of a graph that cannot be adopted without an owner, if the user decides to replace it.
func (g *Graph) leave(remove, restore, finish *strings.Builder) {
	fmt.Fprintf(remove, "# Graph %s cannot be adopted: %s\n", comment(g.id()), comment(g.Problem))
	if !g.replaceable() {
		return
	}
	remove.WriteString("# It cannot stay, because step 6 deletes its kind. To replace it in step 10, remove the owner references of its objects as well. Its pods\n# continue to run, but nothing manages them.\n")
	for _, o := range g.owned {
		if o.object.GetKind() == kindComponent {
			finish.WriteString(asComment + g.finish(o))
			continue
		}
		remove.WriteString(asComment + g.disown(o))
		restore.WriteString(asComment + g.own(o))
	}
	finish.WriteString(asComment + g.finishGraph())
}

// replace a graph whose objects have no owner by another one.
func (g *Graph) replace(text *strings.Builder) {
	if !g.replaceable() {
		return
	}
	if text.Len() == 0 {
		text.WriteString(replaceIntroduction)
	}
	fmt.Fprintf(text, "# Graph %s: %s\n", comment(g.id()), comment(g.Problem))
	text.WriteString(asComment + step("kubectl", "wait", "--for=condition=Ready", graphs+"/"+g.Name+"-2", "--namespace="+g.Namespace, "--timeout=1h"))
	for _, o := range g.owned {
		if kind := o.object.GetKind(); kind != kindComponent && kind != "PersistentVolumeClaim" {
			text.WriteString(asComment + step("kubectl", "delete", resourceOf(o.object), o.object.GetName(), "--namespace="+g.Namespace))
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

// resourceOf an object as kubectl names it.
func resourceOf(o *unstructured.Unstructured) string {
	kind := strings.ToLower(o.GetKind())
	if group := groupOf(o.GetAPIVersion()); group != "" {
		_, version, _ := strings.Cut(o.GetAPIVersion(), "/")
		return kind + "." + version + "." + group
	}
	return kind
}

// steps has the namespaces, the removal of owner references, how to put them back, the deletion of what is the operator's, what to wait for,
// and the replacement of graphs that cannot be adopted.
//
//go:embed steps.sh.txt
var steps string
