package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// A misuse is a setting that a graph cannot be created with. Live graphs may have been created before this was a rule, and keep it. Without a
// type, which many manifests of earlier releases do not have, a component may be a worker.
type misuse struct {
	code rule.Code
	path *field.Path
	why  message.Text
}

// misusesOf a component are the settings that only workers have.
func misusesOf(path *field.Path, s *graph.Component) []misuse {
	if s.IsWorker() {
		return nil
	}
	var all []misuse
	// An Endpoint Picker has never been able to span nodes, which is a rule of its own.
	if s.Multinode != nil && s.Type != v1beta1.ComponentEPP {
		all = append(all, misuse{
			rule.Components, path.Child("multinode"),
			message.Format("multinode is supported only for worker, prefill, or decode {{components}}; set {{type}} to one of these types, or remove multinode"),
		})
	}
	if s.Checkpointed() {
		all = append(all, misuse{
			rule.Checkpoints, path.Child("experimental", "checkpoint"),
			message.Format("checkpoint functionality requires {{type}} to be explicitly set to worker, prefill, or decode; set it, or remove checkpoint"),
		})
	}
	return all
}

// misuses refuses what a graph cannot be created with.
func (v *validator) misuses(path *field.Path, s *graph.Component) {
	if v.options.Live || s.Type == "" {
		return
	}
	for _, m := range misusesOf(path, s) {
		v.underRule(m.code).forbidden(m.path, "%s", m.why)
	}
}

// MisuseWarnings name what components without a type have that only workers can have, and what a live graph has and could not be created with.
func MisuseWarnings(g *graph.Graph, live bool) message.List {
	var all message.List
	for _, component := range g.ComponentsByName() {
		path := graph.ComponentsPath().Key(component.Name)
		all = append(all, resourceWarnings(path, component, live)...)
		for _, m := range misusesOf(path, component) {
			switch {
			case component.Type == "":
				all = append(all, m.warning("the Dynamo operator refuses it without {{type}} since release 1.5: %s"))
			case live:
				all = append(all, m.warning("a new graph is refused with it: %s"))
			}
		}
	}
	return all
}

// warning about the misuse, given what it is followed by the reason.
func (m misuse) warning(format string) *message.Message {
	w := message.About(m.path, format, m.why)
	w.Code = m.code
	return w
}

// OffGrove refuses what a graph cannot be created with on an orchestrator other than Grove.
func OffGrove(g *graph.Graph, o graphplan.Orchestrator) message.List {
	var errs message.List
	for _, name := range g.ComponentNames() {
		if g.Component(name).ForcesScalingGroup() {
			errs = append(errs, message.Forbidden(graph.ComponentsPath().Key(name).Child("experimental", "grove", "forceScalingGroup"),
				"requires Grove, because there are no scaling groups on %s; remove it, or run the graph on Grove", o))
		}
	}
	return errs
}
