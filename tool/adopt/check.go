// Package adopt moves graphs from the Dynamo operator to this Configuration: it says what each graph would take over, and writes the
// manifests and the steps for a person to take. It changes nothing in a cluster.
package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// Report on the graphs of a cluster.
type Report struct {
	Graphs []Graph `json:"graphs"`
}

// Graph of the operator.
type Graph struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`

	// Problem is why the graph cannot be adopted. Empty if it can.
	Problem string `json:"problem,omitempty"`

	// Adopted are the objects that the graph takes over.
	Adopted []string `json:"adopted,omitempty"`

	// Together are the objects that run all replicas of a component, and continue to, with their numbers of replicas.
	Together []string `json:"together,omitempty"`

	// Pinned are the components whose pods stay as they are although those of a new graph would differ, with what would.
	Pinned map[string]string `json:"pinned,omitempty"`

	// Controlled are the objects whose owner references have to be removed first.
	Controlled []string `json:"controlled,omitempty"`

	// Left are objects that the operator has made and that have no owner afterwards.
	Left []string `json:"left,omitempty"`

	// Mistaken are objects with an owner reference that the operator cannot have written, and what is wrong with it. No step names them.
	Mistaken []string `json:"mistaken,omitempty"`

	manifest *unstructured.Unstructured
	owned    []owned
}

// Checker checks graphs against what a cluster holds.
type Checker struct {
	Composition *pipeline.Composition
	Functions   map[string]pipeline.Function
}

// Composition of this project without any policy of a platform.
func Composition() *pipeline.Composition {
	step := pipeline.CompositionStep{Step: "graph", Input: map[string]any{"apiVersion": "plan.dynamo.nvidia.com/v1alpha1", "kind": "Input"}}
	step.FunctionRef.Name = "function-dynamo-graph"
	c := &pipeline.Composition{}
	c.Metadata.Name, c.Spec.Pipeline = "dynamographdeployment", []pipeline.CompositionStep{step}
	return c
}

// Check the graphs of a namespace, or of all.
func (c *Checker) Check(ctx context.Context, objects []unstructured.Unstructured, namespace string) (*Report, error) {
	components := componentsIn(objects)
	orphans := orphaned(objects, components)
	report := &Report{Graphs: []Graph{}}
	for i := range objects {
		if o := &objects[i]; isGraphIn(o, namespace) {
			report.Graphs = append(report.Graphs, c.graph(ctx, o, objects, orphans, components))
		}
	}
	slices.SortFunc(report.Graphs, func(a, b Graph) int { return strings.Compare(a.id(), b.id()) })
	return report, ctx.Err()
}

// HasGraphs reports whether there are graphs of the operator among objects, in a namespace or in any.
func HasGraphs(objects []unstructured.Unstructured, namespace string) bool {
	return slices.ContainsFunc(objects, func(o unstructured.Unstructured) bool { return isGraphIn(&o, namespace) })
}

func isGraphIn(o *unstructured.Unstructured, namespace string) bool {
	return isGraph(o) && (namespace == "" || o.GetNamespace() == namespace)
}

// hasNothing reports whether the graph could be adopted, but there is no object of the operator for it.
func (g *Graph) hasNothing() bool {
	return g.Problem == "" && len(g.Adopted)+len(g.Controlled)+len(g.Left) == 0
}

func (g *Graph) id() string { return g.Namespace + "/" + g.Name }

// graph that is adopted in a cluster in which the objects of the operator have no owner.
func (c *Checker) graph(ctx context.Context, dgd *unstructured.Unstructured, objects, orphans []unstructured.Unstructured, components components) Graph {
	g := Graph{Namespace: dgd.GetNamespace(), Name: dgd.GetName(), manifest: manifestOf(dgd)}
	if g.Problem = nameProblem(dgd); g.Problem != "" {
		return g
	}
	originals := originalsOf(dgd, objects, components)
	mistaken := map[*unstructured.Unstructured]bool{}
	for _, o := range ownedBy(originals) {
		if len(o.mistakes()) > 0 {
			mistaken[o.object] = true
			g.Mistaken = append(g.Mistaken, o.mistaken())
			continue
		}
		g.owned = append(g.owned, o)
		g.Controlled = append(g.Controlled, called(o.object))
	}
	if g.Problem = versionProblem(dgd); g.Problem != "" {
		return g
	}
	out, err := render.Render(ctx, render.Input{
		CompositeResource: g.manifest.DeepCopy(), Composition: c.Composition, Functions: c.Functions, RequiredResources: orphans,
	})
	if err != nil {
		g.Problem = err.Error()
		return g
	}
	for i := range out.ComposedResources {
		o := &out.ComposedResources[i]
		if o.GetAnnotations()[metadata.AnnotationAdoptedFrom] == "" {
			continue
		}
		g.Adopted = append(g.Adopted, called(o))
		if replicas, _ := preview.Integer(o.Object, "spec", "replicas"); replicas > 1 && o.GetKind() == string(v1alpha1.ComponentKindLeaderWorkerSet) {
			g.Together = append(g.Together, fmt.Sprintf("%s: %d replicas", called(o), replicas))
		}
	}
	g.Pinned = pinned(out.CompositeResource)
	adopted := sets.New(g.Adopted...)
	for _, o := range originals {
		if groupOf(o.GetAPIVersion()) != v1alpha1.Group && !adopted.Has(called(o)) && !mistaken[o] {
			g.Left = append(g.Left, called(o))
		}
	}
	for _, list := range [][]string{g.Adopted, g.Together, g.Controlled, g.Left, g.Mistaken} {
		slices.Sort(list)
	}
	return g
}

// versionProblem of a graph of a version that is neither of those of the API. Either may hold what only the other one can say: the operator
// keeps that in an annotation, which graphs are read with.
func versionProblem(dgd *unstructured.Unstructured) string {
	switch version := dgd.GetAPIVersion(); version {
	case conversion.V1alpha1, conversion.V1beta1:
		return ""
	default:
		return fmt.Sprintf("the manifest is of %s, which is not supported; read it as %s", version, conversion.V1beta1)
	}
}

// originalsOf a graph by the operator: what refers to the graph, or to what the operator makes of it, as its owner, and what is labelled with
// its name. What Kubernetes and orchestrators make has them as its controller, or no such label.
func originalsOf(dgd *unstructured.Unstructured, objects []unstructured.Unstructured, components components) []*unstructured.Unstructured {
	var originals []*unstructured.Unstructured
	for i := range objects {
		o := &objects[i]
		if o.GetNamespace() != dgd.GetNamespace() || isGraph(o) {
			continue
		}
		ofOperator, ofOthers := false, false
		for _, ref := range o.GetOwnerReferences() {
			direct := ref.Kind == v1alpha1.Kind && ref.Name == dgd.GetName()
			component := ref.Kind == kindComponent && components.graphOf(o.GetNamespace(), ref.Name) == dgd.GetName()
			if groupOf(ref.APIVersion) == v1alpha1.Group {
				ofOperator = ofOperator || direct || component
			}
			ofOthers = ofOthers || !direct && !component
		}
		labelled := o.GetLabels()[metadata.LabelGraphName] == metadata.LabelValue(dgd.GetName())
		if ofOperator || labelled && !ofOthers {
			originals = append(originals, o)
		}
	}
	return originals
}

// kindComponent is what the operator makes of each component beside Grove, and the owner of everything for that component.
const kindComponent = "DynamoComponentDeployment"

// components are the graphs that components belong to, by the namespaces and names of these.
type components map[types.NamespacedName]string

func componentsIn(objects []unstructured.Unstructured) components {
	all := components{}
	for i := range objects {
		if o := &objects[i]; o.GetKind() == kindComponent {
			all[types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] = o.GetLabels()[metadata.LabelGraphName]
		}
	}
	return all
}

// graphOf a component. Empty if there is none.
func (c components) graphOf(namespace, name string) string {
	return c[types.NamespacedName{Namespace: namespace, Name: name}]
}

// orphaned objects: as they are once the owner references of the operator are removed, of which an annotation is left. Graphs, and what the
// operator makes of them for itself, are not there any more.
func orphaned(objects []unstructured.Unstructured, components components) []unstructured.Unstructured {
	var all []unstructured.Unstructured
	for i := range objects {
		if isGraph(&objects[i]) || objects[i].GetKind() == kindComponent {
			continue
		}
		o := objects[i].DeepCopy()
		if dgd := releasedFrom(o, components); dgd != "" {
			annotations := o.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[metadata.AnnotationReleasedFrom] = dgd
			o.SetAnnotations(annotations)
		}
		refs := slices.DeleteFunc(o.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return groupOf(ref.APIVersion) == v1alpha1.Group })
		o.SetOwnerReferences(refs)
		all = append(all, *o)
	}
	return append(all, served(objects)...)
}

// releasedFrom is the graph that an object belongs to by its owner references, directly or through a component. Empty if there is none.
func releasedFrom(o *unstructured.Unstructured, components components) string {
	for _, ref := range o.GetOwnerReferences() {
		switch {
		case groupOf(ref.APIVersion) != v1alpha1.Group:
		case ref.Kind == v1alpha1.Kind:
			return ref.Name
		case ref.Kind == kindComponent:
			return components.graphOf(o.GetNamespace(), ref.Name)
		}
	}
	return ""
}

// pinned components, with the fields of their pods that would differ in a new graph.
func pinned(xr *unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	for _, form := range []graph.Form{graph.Services, graph.Components} {
		components, _, _ := unstructured.NestedMap(xr.Object, "status", form.Key())
		for name := range components {
			if reason, ok, _ := unstructured.NestedString(components, name, "revision", "reason"); ok {
				out[name] = reason
			}
		}
	}
	return out
}

func called(o *unstructured.Unstructured) string { return o.GetKind() + " " + o.GetName() }
