package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/gatewayv1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/inferencev1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/istiov1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// optional is a kind that a graph asks for and a cluster may lack.
type optional struct {
	kind, group string
	mode        inputv1alpha1.Mode
	requirement string
	// setting of the input that holds mode, and what brings the kind.
	setting, project string
}

func optionals(in *inputv1alpha1.Input) []optional {
	return []optional{
		{
			kind: graphplan.KindInferencePool, group: inferencev1.Group, mode: in.InferenceExtension.Mode, requirement: requirementInference,
			setting: "inferenceExtension.mode", project: "the Gateway API Inference Extension, v1.0.0 or later",
		},
		{
			kind: graphplan.KindVirtualService, group: istiov1.Group, mode: in.Istio.Mode, requirement: requirementIstio,
			setting: "istio.mode", project: "Istio 1.22 or later",
		},
		{
			kind: graphplan.KindHTTPRoute, group: gatewayv1.Group, mode: in.GatewayAPI.Mode, requirement: requirementGatewayAPI,
			setting: "gatewayAPI.mode", project: "the Gateway API, v1.0.0 or later",
		},
	}
}

// why an object of the kind that is there cannot be composed any more, and for how long.
func (o optional) why() string {
	if o.mode == inputv1alpha1.ModeDisabled {
		return o.setting + " of the input of step plan is Disabled: nothing is changed until it is Auto or Enabled"
	}
	return "the API group " + o.group + " is not served by the cluster any more: nothing is changed until it is back"
}

// decideServed decides which of the optional kinds that the graph asks for are composed. A group is looked up only for a
// graph that asks for it. Without it a new graph runs, and is warned: it was written for clusters where the object may have
// been made by other means. One that has such an object, or one of another kind that it would replace, is refused, since that would be lost.
func (d *decider) decideServed(out *decision, p *graphplan.Plan) {
	wanted := d.wanted(p.IngressDefaults)
	for _, o := range optionals(d.input) {
		at := wanted[o.kind]
		switch {
		case len(at) == 0:
		case installed(d.requirements, o.mode, o.requirement, "v1."+o.group):
			p.Serves = append(p.Serves, o.kind)
		case d.has(o):
			out.gone = append(out.gone, fmt.Sprintf("the graph has a composed %s, and %s; to give the object up, remove what asks for it (%s)", o.kind, o.why(), at[0]))
		case len(d.replaced(o, p.IngressDefaults)) > 0:
			out.gone = append(out.gone, d.replaced(o, p.IngressDefaults)...)
		default:
			out.lacking = true
			for _, path := range at {
				out.warnings = append(out.warnings, fmt.Sprintf("%s: no %s is created, because the cluster does not serve API group %s: install %s, or create what takes its place; %s of the input of step plan overrides the detection",
					path, o.kind, o.group, o.project, o.setting))
			}
		}
	}
	slices.Sort(p.Serves)
}

// wanted are the fields that ask for an optional kind, by kind.
func (d *decider) wanted(defaults graphplan.IngressDefaults) map[string][]*field.Path {
	wanted := map[string][]*field.Path{}
	want := func(kind string, path *field.Path) { wanted[kind] = append(wanted[kind], path) }
	for _, name := range d.graph.ServiceNames() {
		service := d.graph.Spec.Services[name]
		path := field.NewPath("spec", "services").Key(name)
		if service.ComponentType == v1alpha1.ComponentEPP {
			want(graphplan.KindInferencePool, path.Child("componentType"))
		}
		switch e := exposure.Of(d.graph.Name, &service, defaults); e.Kind {
		case exposure.VirtualService:
			want(graphplan.KindVirtualService, path.Child("ingress", "useVirtualService"))
		case exposure.HTTPRoute:
			want(graphplan.KindHTTPRoute, path.Child("ingress"))
		case exposure.Ingress, exposure.None:
		}
	}
	return wanted
}

// has reports whether the graph has an object of a kind: as far as Crossplane can see it, else as far as it remembers.
func (d *decider) has(o optional) bool {
	kind := o.kind + "." + o.group
	for _, observed := range d.req.GetObserved().GetResources() {
		if kindOf(observed.GetResource()) == kind {
			return true
		}
	}
	return slices.ContainsFunc(referencedKinds(d.req, d.graph), func(kinds map[string]bool) bool { return kinds[kind] })
}

// replaced says which frontends are exposed by an object that one of an optional kind would replace.
func (d *decider) replaced(o optional, defaults graphplan.IngressDefaults) []string {
	var messages []string
	for _, name := range d.graph.ServiceNames() {
		service := d.graph.Spec.Services[name]
		if string(exposure.Of(d.graph.Name, &service, defaults).Kind) != o.kind {
			continue
		}
		for _, before := range []struct {
			kind exposure.Kind
			key  resource.Name
		}{
			{exposure.Ingress, names.KeyIngress(name)},
			{exposure.VirtualService, names.KeyVirtualService(name)},
			{exposure.HTTPRoute, names.KeyHTTPRoute(name)},
		} {
			if d.memory.composed[string(before.key)] {
				messages = append(messages, fmt.Sprintf("%s: the graph has a composed %s, and the cluster does not serve API group %s of the %s that would replace it: nothing is changed until it does; install %s, or put back what asked for the %[2]s; %[6]s of the input of step plan overrides the detection",
					field.NewPath("spec", "services").Key(name).Child("ingress"), before.kind, o.group, o.kind, o.project, o.setting))
			}
		}
	}
	return messages
}
