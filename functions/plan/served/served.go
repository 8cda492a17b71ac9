// Package served decides which objects are composed of kinds that a cluster may not serve.
package served

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Kind is a kind that a graph requests and that a cluster may not serve.
type Kind struct {
	// Name and Group of the kind, which is served in version v1.
	Name, Group string

	mode        inputv1alpha1.Mode
	requirement string
	// setting of the platform that contains the mode, and the project that installs the kind.
	setting, project string
}

// Names of the requirements.
const (
	requirementInference  = "apiservice-inference"
	requirementIstio      = "apiservice-istio"
	requirementGatewayAPI = "apiservice-gateway-api"
)

// Kinds that a cluster may not serve, with the modes of the platform.
func Kinds(in *inputv1alpha1.Input) []Kind {
	return []Kind{
		{
			Name: networking.KindInferencePool, Group: networking.InferenceGroup, mode: in.InferenceExtension.Mode, requirement: requirementInference,
			setting: "inferenceExtension.mode", project: "the Gateway API Inference Extension, v1.0.0 or later",
		},
		{
			Name: networking.KindVirtualService, Group: networking.IstioGroup, mode: in.Istio.Mode, requirement: requirementIstio,
			setting: "istio.mode", project: "Istio 1.22 or later",
		},
		{
			Name: networking.KindDestinationRule, Group: networking.IstioGroup, mode: in.Istio.Mode, requirement: requirementIstio,
			setting: "istio.mode", project: "Istio 1.22 or later",
		},
		{
			Name: networking.KindHTTPRoute, Group: networking.GatewayGroup, mode: in.GatewayAPI.Mode, requirement: requirementGatewayAPI,
			setting: "gatewayAPI.mode", project: "the Gateway API, v1.0.0 or later",
		},
	}
}

// Served reports whether the cluster serves a kind.
func (k Kind) Served(s *subject.Seen, r *require.Requirements) bool {
	return s.Installed(r, k.mode, k.requirement, "v1."+k.Group)
}

// why an existing object of the kind cannot be composed any more, and until when.
func (k Kind) why(f *subject.Facts) string {
	if k.mode == inputv1alpha1.ModeDisabled {
		return k.setting + " is Disabled " + f.Sources.In(k.setting) + "; nothing is changed until it is Auto or Enabled"
	}
	return "API group " + k.Group + " is no longer served by the cluster; nothing is changed until it is served again"
}

// Decide which requested objects of these kinds are composed. A group is only looked up for a graph that requests it. Without it, a new
// graph runs with a warning, because the manifest may be for clusters where the object is created by other means. A graph that already has
// such an object, or an object of another kind that it would replace, is refused, because the object would be lost.
func Decide(f *subject.Facts, defaults graphplan.IngressDefaults) ([]string, subject.Outcome) {
	var kinds []string
	var outcome subject.Outcome
	wanted := wantedBy(f, defaults)
	for _, k := range Kinds(f.Input) {
		path := wanted[k.Name]
		if len(path) == 0 {
			continue
		}
		if k.Served(f.Seen, &outcome.Requirements) {
			kinds = append(kinds, k.Name)
			continue
		}
		outcome.Add(k.lacking(f, path, defaults))
	}
	slices.Sort(kinds)
	return kinds, outcome
}

// lacking is the outcome for a kind that the graph requests and that the cluster does not serve.
func (k Kind) lacking(f *subject.Facts, at []*field.Path, defaults graphplan.IngressDefaults) subject.Outcome {
	if k.existsIn(f) {
		return subject.Refused(subject.APIGone, message.Because("the graph has a composed %s, but %s; to delete the object, remove the field that requests it (%s)", k.Name, k.why(f), at[0]))
	}
	if replaced := k.replaces(f, defaults); len(replaced) > 0 {
		return subject.Refused(subject.APIGone, replaced...)
	}
	outcome := subject.Outcome{Lacking: true}
	for _, path := range at {
		outcome.Warnings = append(outcome.Warnings, message.About(path, "no %s is created, because the cluster does not serve API group %s; install %s, or create a replacement; %s %s overrides the detection", k.Name, k.Group, k.project, k.setting, f.Sources.In(k.setting)))
	}
	return outcome
}

// wantedBy a graph are the fields that request such a kind, by kind.
func wantedBy(f *subject.Facts, defaults graphplan.IngressDefaults) map[string][]*field.Path {
	g := f.Graph
	wanted := map[string][]*field.Path{}
	want := func(kind string, path *field.Path) { wanted[kind] = append(wanted[kind], path) }
	for _, component := range g.ComponentsByName() {
		path := graph.ComponentPath(component.Name)
		if component.Type == v1beta1.ComponentEPP {
			want(networking.KindInferencePool, path.Child("type"))
			if f.Input.Istio.EndpointPickers != nil {
				want(networking.KindDestinationRule, path.Child("type"))
			}
		}
		switch e := exposure.Of(component, defaults); e.Kind {
		case exposure.VirtualService:
			want(networking.KindVirtualService, path.Child("ingress", "useVirtualService"))
		case exposure.HTTPRoute:
			want(networking.KindHTTPRoute, ingressOf(f.Graph, component.Name))
		case exposure.Ingress, exposure.None:
		}
	}
	return wanted
}

// existsIn reports whether the graph has an object of the kind, as far as Crossplane observes or remembers it.
func (k Kind) existsIn(f *subject.Facts) bool {
	kind := k.Name + "." + k.Group
	return f.Observed.HasKind(kind) || f.Observed.Refers(kind)
}

// ingressOf a component is the path of its ingress block. Components have none but the one that the annotation of a conversion keeps.
func ingressOf(g *graph.Graph, name string) *field.Path {
	path := graph.ComponentPath(name)
	if g.Form == graph.Components && g.Component(name).Ingress == nil {
		return path
	}
	return path.Child("ingress")
}

// replaces names the frontends whose exposing object would be replaced by one of this kind.
func (k Kind) replaces(f *subject.Facts, defaults graphplan.IngressDefaults) message.List {
	var messages message.List
	for _, component := range f.Graph.ComponentsByName() {
		if string(exposure.Of(component, defaults).Kind) != k.Name {
			continue
		}
		for _, before := range []struct {
			kind exposure.Kind
			key  names.Resource
		}{
			{exposure.Ingress, names.KeyIngress(component.Name)},
			{exposure.VirtualService, names.KeyVirtualService(component.Name)},
			{exposure.HTTPRoute, names.KeyHTTPRoute(component.Name)},
		} {
			if f.Observed.Has(before.key) {
				messages = append(messages, message.About(ingressOf(f.Graph, component.Name), "the graph has a composed %s, but the cluster does not serve API group %s of the %s that would replace it; nothing is changed until it does: install %s, or restore the settings that requested the %[1]s; %[5]s %[6]s overrides the detection",
					before.kind, k.Group, k.Name, k.project, k.setting, f.Sources.In(k.setting)))
			}
		}
	}
	return messages
}
