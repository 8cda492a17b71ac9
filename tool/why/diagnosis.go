package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Diagnosis is why a graph is not ready.
type Diagnosis struct {
	// Graph is its namespace and name.
	Graph string `json:"graph"`

	// Ready says that the graph is ready, and that nothing keeps its latest change from being applied.
	Ready bool `json:"ready"`

	Conditions []Condition `json:"conditions,omitempty"`

	// Components of the graph, and how many of their pods are ready.
	Components []Component `json:"components,omitempty"`

	// Scaling of components that others than the graph scale.
	Scaling []Scaling `json:"scaling,omitempty"`

	// Objects that run the graph. They have children down to the pods.
	Objects []*Object `json:"objects,omitempty"`

	// Forbidden is what the user may not read, and what therefore could not be taken into account.
	Forbidden []preview.ForbiddenError `json:"forbidden,omitempty"`

	// Causes of why the graph is not ready, the most likely one first.
	Causes []Cause `json:"causes,omitempty"`

	// Log of the container that the first cause is about, or of the first one that has crashed. Only if it is asked for.
	Log *Log `json:"log,omitempty"`

	namespace string

	// generation of the graph, and the one that its conditions are about. 0 means that they do not tell.
	generation, seen int64
}

// A Condition of the graph.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// A Cause of why a graph is not ready.
type Cause struct {
	Code Code `json:"code"`

	// Component of the graph. Empty if it is about all of it.
	Component string `json:"component,omitempty"`

	// Object that shows the cause, and how many others show it too.
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Others int    `json:"others,omitempty"`

	Container string `json:"container,omitempty"`

	// Message is the cause in a sentence.
	Message string `json:"message"`

	// Next is the command to run next.
	Next string `json:"next"`

	what string

	// pod whose container it is. Empty if it is about no pod.
	pod      string
	previous bool
}

// Log of a container.
type Log struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`

	// Previous says that it is the log of the run before the one that runs now.
	Previous bool `json:"previous"`

	Lines []string `json:"lines"`
}

// Diagnose why a graph is not ready. kubectl is how commands for it begin, with the flags that choose the cluster.
func Diagnose(f *Facts, kubectl string) *Diagnosis {
	d := &Diagnosis{
		Graph: f.Graph.GetNamespace() + "/" + f.Graph.GetName(), namespace: f.Graph.GetNamespace(),
		Conditions: graphConditions(f.Graph), Forbidden: f.Forbidden,
	}
	d.generation, d.seen = f.Graph.GetGeneration(), seenGeneration(f.Graph)
	d.Ready = d.condition("Ready").Status == "True" && !d.isHeld() && f.Graph.GetDeletionTimestamp() == nil && isObserved(f.Graph)
	tree := treeOf(f)
	d.Objects = tree.roots
	d.Components, d.Scaling = componentsOf(tree), scalingOf(f)
	if d.Ready {
		return d
	}
	causes := causesIn(tree)
	causes = append(causes, d.ofGraph(f, causes)...)
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(rank(a.Code), rank(b.Code)), cmp.Compare(worse(&a), worse(&b)),
			strings.Compare(a.Component, b.Component), strings.Compare(a.Name, b.Name),
		)
	})
	for i := range causes {
		causes[i].Next = command(kubectl, d.namespace, &causes[i])
	}
	d.Causes = causes
	return d
}

// isHeld reports whether the latest change of the graph is not applied. What ran before runs on.
func (d *Diagnosis) isHeld() bool {
	return d.condition("Accepted").Status == "False" || d.condition("Synced").Status == "False"
}

// worse causes of the same code come first: a container that ran out of memory takes its peers with it.
func worse(c *Cause) int {
	if strings.Contains(c.what, "OOMKilled") {
		return 0
	}
	return 1
}

// order in which conditions are read. The first one that is not True explains those after it.
func order() []string {
	return []string{
		"Accepted", "Synced", "Responsive", "OrchestratorSelected", "QueueAvailable", "TopologyLevelsAvailable", "ServicesReady", "Ready",
	}
}

func graphConditions(graph *unstructured.Unstructured) []Condition {
	decoded := conditionsOf(graph)
	all := make([]Condition, 0, len(decoded.Status.Conditions))
	for _, c := range decoded.Status.Conditions {
		message := ofStatus.ReplaceAllString(oneLine(c.Message), "")
		all = append(all, Condition{Type: oneLine(c.Type), Status: oneLine(string(c.Status)), Reason: oneLine(c.Reason), Message: message})
	}
	place := func(c Condition) int {
		if i := slices.Index(order(), c.Type); i >= 0 {
			return i
		}
		return len(order())
	}
	slices.SortStableFunc(all, func(a, b Condition) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a.Type, b.Type))
	})
	return all
}

func (d *Diagnosis) condition(conditionType string) Condition {
	for _, c := range d.Conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return Condition{}
}

// isObserved reports whether the status of a graph is that of its latest change.
func isObserved(graph *unstructured.Unstructured) bool {
	seen := seenGeneration(graph)
	return seen == 0 || seen >= graph.GetGeneration()
}

// seenGeneration of a graph is the one that its condition Ready is about. 0 means that this is not known.
func seenGeneration(graph *unstructured.Unstructured) int64 {
	for _, c := range conditionsOf(graph).Status.Conditions {
		if c.Type == "Ready" {
			return c.ObservedGeneration
		}
	}
	return 0
}

// causesIn what runs the graph. Pods of a component that have the same problem share a cause.
func causesIn(t *graphTree) []Cause {
	var causes []Cause
	for _, o := range t.all() {
		if o.finding == nil {
			continue
		}
		cause := Cause{
			Code: o.finding.code, Component: o.Component, Kind: o.Kind, Name: o.Name, Container: o.finding.container,
			what: o.finding.what, pod: o.finding.pod, previous: o.finding.previous, Next: output.Shell(o.finding.next...),
		}
		if o.pod != nil {
			cause.pod = o.Name
		}
		if i := slices.IndexFunc(causes, func(c Cause) bool { return alike(&c, &cause) }); i >= 0 {
			causes[i].Others++
			continue
		}
		causes = append(causes, cause)
	}
	for i := range causes {
		causes[i].Message = sentence(&causes[i])
	}
	return causes
}

// alike are causes of which the first one is enough.
func alike(a, b *Cause) bool {
	return a.Code == b.Code && a.Component == b.Component && a.Kind == b.Kind && a.Container == b.Container && worse(a) == worse(b)
}

// sentence that says what a cause is.
func sentence(c *Cause) string {
	owner := ""
	if c.Component != "" {
		owner = " of " + c.Component
	}
	switch {
	case c.Kind != kindPod && c.Component != "":
		return fmt.Sprintf("%s is not ready: %s.", c.Component, strings.TrimSuffix(c.what, "."))
	case strings.HasPrefix(c.what, c.Kind+" "+c.Name):
		return strings.TrimSuffix(c.what, ".") + "."
	case c.Kind != kindPod:
		return fmt.Sprintf("%s %s is not ready: %s.", c.Kind, c.Name, strings.TrimSuffix(c.what, "."))
	case c.Others > 0:
		return fmt.Sprintf("%d pods%s are not ready; in pod %s, %s.", c.Others+1, owner, c.Name, strings.TrimSuffix(c.what, "."))
	default:
		return fmt.Sprintf("Pod %s%s is not ready: %s.", c.Name, owner, strings.TrimSuffix(c.what, "."))
	}
}

// command to run next.
func command(kubectl, namespace string, c *Cause) string {
	next := c.Next
	if next == "" {
		next = output.Shell("describe", strings.ToLower(c.Kind), c.Name)
	}
	if !strings.Contains(next, "--namespace=") {
		next += " " + output.Shell("--namespace="+namespace)
	}
	return kubectl + " " + next
}
