// Package manifest reads Kubernetes objects as people have them: files, folders, patterns and standard input, with several documents,
// lists and objects of any kind, in YAML or JSON. It knows the position of each field.
package manifest

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A Position in a file. Lines and columns begin with 1.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String is the form in which compilers print positions, which editors and terminals understand.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// An Object in a file.
type Object struct {
	*unstructured.Unstructured

	// File that contains the object.
	File string

	// node of the object, and the number of lines of the file before its document.
	node   *yaml.Node
	before int

	// isBuilt says that the object is in no file: a tool has built it from the file.
	isBuilt bool

	index *Index
}

// Of the content of a document in a file, and the number of lines before it.
func Of(file string, content map[string]any, document *yaml.Node, before int) *Object {
	return &Object{Unstructured: &unstructured.Unstructured{Object: content}, File: file, node: document.Content[0], before: before, index: &Index{}}
}

// Alone is an object of which it does not matter in which file it is.
func Alone(o *unstructured.Unstructured) *Object {
	return &Object{Unstructured: o, node: &yaml.Node{}, isBuilt: true, index: &Index{}}
}

// IsGraph reports whether the object is a graph, or the composite resource of one, at any version.
func (o *Object) IsGraph() bool {
	group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
	return group == v1alpha1.Group && (o.GetKind() == v1alpha1.Kind || o.GetKind() == v1alpha1.CompositeKind)
}

// mistaken is why an object that is no graph was probably meant to be one. It is empty if it was not.
func (o *Object) mistaken() string {
	group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
	kinds := []string{v1alpha1.Kind, v1alpha1.CompositeKind}
	near := strict.Near(o.GetKind(), kinds)
	switch {
	case o.IsGraph():
		return ""
	case group == "" && slices.Contains(kinds, o.GetKind()):
		return fmt.Sprintf("apiVersion is not set, so this is no graph; set it to %s/v1beta1, or to %s/v1alpha1 if spec has services", v1alpha1.Group, v1alpha1.Group)
	case group == v1alpha1.Group && o.GetKind() == "":
		return fmt.Sprintf("kind is not set, so this is no graph; set it to %s", v1alpha1.Kind)
	case group == v1alpha1.Group && near != "":
		return fmt.Sprintf("kind %q does not exist in group %s, so this is no graph; did you mean %q?", o.GetKind(), group, near)
	case slices.Contains(kinds, o.GetKind()) && strings.Contains(group, "nvidia"), slices.Contains(kinds, o.GetKind()) && strings.Contains(group, "dynamo"):
		return fmt.Sprintf("kind %s is not a kind of group %q, so this is no graph; did you mean %q?", o.GetKind(), group, v1alpha1.Group)
	default:
		return ""
	}
}

// A Problem is why a document cannot be read, or why a part of it does not count.
type Problem struct {
	Position

	Message string
}

// Files are what was read.
type Files struct {
	// Objects in the order in which they were read.
	Objects []Object

	// Others is the number of documents that are no Kubernetes objects.
	Others int

	Problems []Problem

	// Unbuilt are files from which a tool builds what is applied, where this is not known.
	Unbuilt []Problem

	// Doubts are files that a tool may change before they are applied.
	Doubts []Problem

	// unread says what tools apply that was not read.
	unread []string
}

// Err is the first problem, for what needs all documents as their user means them. It is nil if there is none.
func (f *Files) Err() error {
	problems := slices.Concat(f.Problems, f.Unbuilt, f.Mistaken())
	for i := range f.Objects {
		problems = append(problems, f.Objects[i].Duplicates()...)
	}
	if len(problems) == 0 {
		return nil
	}
	return errors.Errorf("%s: %s", problems[0].Position, problems[0].Message)
}

// Mistaken are the objects that were probably meant to be graphs, each with the position of its kind or group.
func (f *Files) Mistaken() []Problem {
	var problems []Problem
	for i := range f.Objects {
		o := &f.Objects[i]
		message := o.mistaken()
		if message == "" {
			continue
		}
		if p, ok := o.misspelt(); ok {
			problems = append(problems, p)
			continue
		}
		path := "kind"
		if o.GetKind() == "" || strings.HasPrefix(message, "kind "+o.GetKind()) {
			path = "apiVersion"
		}
		position, _ := o.At(path)
		problems = append(problems, Problem{Position: position, Message: message})
	}
	return problems
}

// misspelt is the key that was meant as apiVersion or kind, of which the object has none.
func (o *Object) misspelt() (Problem, bool) {
	for _, meant := range []string{"apiVersion", "kind"} {
		if _, ok := o.Object[meant]; ok {
			continue
		}
		for key := range o.Object {
			if strict.Nearest(key, []string{meant, "metadata", "spec", "status"}) == meant {
				position, _ := o.Key(key)
				return Problem{Position: position, Message: fmt.Sprintf("%s: unknown field, so this is no graph; did you mean %q?", key, meant)}, true
			}
		}
	}
	return Problem{}, false
}

// Graphs among the objects.
func (f *Files) Graphs() []Object {
	var graphs []Object
	for _, o := range f.Objects {
		if o.IsGraph() {
			graphs = append(graphs, o)
		}
	}
	return graphs
}

// InNoFile is an object that has no positions.
func InNoFile(object *unstructured.Unstructured) Object {
	return Object{Unstructured: object, node: &yaml.Node{}, index: &Index{}}
}

// PolicyFlag is the flag for an object with the policy of a platform. It is empty if it has none. Among graphs, such an object would apply to all
// of them, in whichever folder it is.
func (o *Object) PolicyFlag() string {
	group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
	switch {
	case group == "apiextensions.crossplane.io" && o.GetKind() == "EnvironmentConfig":
		return "--cluster"
	case group == "apiextensions.crossplane.io" && o.GetKind() == "Composition":
		return "--composition"
	case group == "plan.dynamo.nvidia.com" && o.GetKind() == "Input":
		return "--input"
	default:
		return ""
	}
}

// NotApplied says in a line what is not applied to the graphs, and what to do: each policy of a platform among the files, each object of another kind of
// Dynamo, of which nothing becomes, and what an object of a GitOps tool applies that was not read.
func (f *Files) NotApplied() []string {
	lines := slices.Clone(f.unread)
	for i := range f.Objects {
		o := &f.Objects[i]
		position, _ := o.At("kind")
		name := strings.TrimSpace(o.GetKind() + " " + o.GetName())
		if flag := o.PolicyFlag(); flag != "" {
			lines = append(lines, fmt.Sprintf("%s: note: %s is not applied to the graphs; to apply it, pass its file with %s", position, name, flag))
		}
		if remedy := o.insteadOf(); remedy != "" {
			lines = append(lines, fmt.Sprintf("%s: note: %s is no graph, and nothing becomes of it; %s", position, name, remedy))
		}
	}
	return lines
}

// NotGraphs are the objects of other kinds. Graphs may refer to them.
func (f *Files) NotGraphs() []unstructured.Unstructured {
	var others []unstructured.Unstructured
	for i := range f.Objects {
		// An object without a version or a kind is that of no API.
		if o := f.Objects[i]; !o.IsGraph() && o.GetAPIVersion() != "" && o.GetKind() != "" && o.PolicyFlag() == "" {
			others = append(others, *f.Objects[i].Unstructured)
		}
	}
	return others
}

// Skipped is the number of objects and documents that are no graphs.
func (f *Files) Skipped() int { return len(f.Objects) - len(f.Graphs()) + f.Others }
