// Package guardrails refuses what the platform does not allow. What a live graph already runs is not refused: it gets a warning.
package guardrails

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Queue that a graph names.
type Queue struct {
	// Path of the annotation.
	Path *field.Path

	// Name of the queue. Empty if the graph names none.
	Name string

	// Live says that the pods of the graph are in it.
	Live bool
}

// Check a graph against the guard rails.
func Check(f *subject.Facts, p *graphplan.Plan, queue Queue) subject.Outcome {
	c := &checker{facts: f, rails: &f.Input.GuardRails, suffixed: map[string]bool{}}
	c.limits(p)
	c.name(queue.Path, queue.Name, c.rail(guardrail.Queues), queue.Live)
	c.claims()
	places := c.places()
	c.graphPlaces(places, queue.Path)
	for _, name := range f.Graph.ComponentNames() {
		s := c.componentOf(name)
		s.places(places)
		s.suffixes()
		s.host(p)
		s.gateway(p)
	}
	return c.outcome
}

type checker struct {
	facts   *subject.Facts
	rails   *v1alpha1.GuardRails
	outcome subject.Outcome

	// suffixed are the queues of suffixes that were refused, with their paths: components share what is in the spec.
	suffixed map[string]bool
}

// A rail allows some names of a kind.
type rail struct {
	// noun is the kind in the plural, such as queues. preposition is what stands between it and the names, such as from.
	noun, preposition string

	// allowed names. nil means all of them.
	allowed []string

	// isRegistry says that the names are those of images, and that the allowed ones are registries and repositories.
	isRegistry bool

	// instead is what to do where names are not allowed at all. It is empty if the remedy is to remove them.
	instead string
}

// switched is a rail that allows everything, or nothing.
func switched(on *bool, noun, instead string) rail {
	if ptr.Deref(on, true) {
		return rail{}
	}
	return rail{noun: noun, allowed: []string{}, instead: instead}
}

// allows reports whether a value is one of those that are allowed. An image without a valid name is in no registry.
func (r rail) allows(value any) bool {
	name, _ := value.(string)
	switch {
	case r.allowed == nil, value == "":
		return true
	case r.isRegistry:
		repository := pod.RepositoryOf(name)
		return slices.ContainsFunc(r.allowed, func(entry string) bool { return names.MatchBelow(strings.TrimSuffix(entry, "/"), repository) })
	default:
		return names.MatchAny(r.allowed, name)
	}
}

// String is what is allowed.
func (r rail) String() string {
	const most = 10
	if len(r.allowed) == 0 {
		return "the platform allows no " + r.noun
	}
	list := strings.Join(r.allowed[:min(len(r.allowed), most)], ", ")
	if more := len(r.allowed) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "the platform only allows " + r.noun + r.preposition + " " + list
}

// violation of a guard rail by a value that is not allowed. allowed is what is, and remedy what to do. runs says that the live graph has the
// same value, which is not touched.
func (c *checker) violation(path *field.Path, value any, allowed message.Text, remedy string, runs bool) {
	if runs {
		c.outcome.Warn(path, "%v is in use and stays, but %s; a new graph with it is refused", value, allowed)
		return
	}
	c.outcome.Refuse(subject.Mistake, message.Invalid(path, value, "%s; %s", allowed, remedy))
}

// name of a kind at a path.
func (c *checker) name(path *field.Path, name string, r rail, runs bool) {
	if !r.allows(name) {
		c.violation(path, name, message.Plain(r.String()), r.remedy(), runs)
	}
}

// remedy for a name that is not allowed.
func (r rail) remedy() string {
	if len(r.allowed) == 0 {
		return cmp.Or(r.instead, "remove it")
	}
	return "use one of them"
}
