package graph

import (
	"maps"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A graph that was converted keeps in an annotation what the form in which it is written has no fields for. The Dynamo operator converts
// graphs back before it reads them, so these fields count: https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/api/CONVERSION.md

// keptPath is the path of the annotation.
func keptPath() *field.Path {
	return field.NewPath("metadata", "annotations").Key(conversion.AnnotationSpec)
}

// readKept reads the annotation of conversion of a graph. An annotation that cannot be read is never an error, as upstream.
func (g *Graph) readKept(xr map[string]any) {
	if g.Form == Components {
		g.readKeptServices(xr)
		return
	}
	g.readKeptComponents(xr)
}

// readKeptServices adds what only services can say to a graph with components.
func (g *Graph) readKeptServices(xr map[string]any) {
	kept, warnings := conversion.KeptServices(xr)
	g.unread(warnings)
	var spec v1alpha1.DynamoGraphDeploymentSpec
	for _, err := range strict.Decode(kept, &spec, keptPath().Child("spec")) {
		g.Unread = append(g.Unread, err.Error())
	}
	g.Spec.PVCs = spec.PVCs
	services, _ := kept[Services.Key()].(map[string]any)
	for name, before := range spec.Services {
		s, c := g.Spec.Services[name], g.Components[name]
		c.kept, _ = services[name].(map[string]any)
		s.Autoscaling, s.Ingress, s.Labels, s.DynamoNamespace = before.Autoscaling, before.Ingress, before.Labels, before.DynamoNamespace
		if before.SubComponentType != "" {
			s.SubComponentType = before.SubComponentType
		}
		// The pod template is what the user sees.
		annotations := before.Annotations
		if annotations != nil {
			maps.Copy(annotations, s.Annotations)
			s.Annotations = annotations
		}
		g.Spec.Services[name], g.Components[name] = s, c
	}
}

// readKeptComponents adds what only components can say to a graph with services. The pods of a service that has such fields are those of its
// component, in which there is one place for each field.
func (g *Graph) readKeptComponents(xr map[string]any) {
	kept, warnings := conversion.KeptComponents(xr)
	g.unread(warnings)
	var spec v1beta1.DynamoGraphDeploymentSpec
	for _, err := range strict.Decode(map[string]any{Components.Key(): kept}, &spec, keptPath().Child("spec"), g.decoding()...) {
		g.Unread = append(g.Unread, err.Error())
	}
	for i := range spec.Components {
		c := &spec.Components[i]
		s, ok := g.Spec.Services[c.Name]
		if !ok {
			continue
		}
		if g.Components == nil {
			g.Components = map[string]Component{}
		}
		g.Components[c.Name] = componentOf(c, i)
		pods := serviceOf(c)
		s.ExtraPodSpec, s.VolumeMounts, s.FrontendSidecar = pods.ExtraPodSpec, pods.VolumeMounts, nil
		s.Resources, s.Envs, s.EnvFromSecret, s.LivenessProbe, s.ReadinessProbe = nil, nil, nil, nil, nil
		g.Spec.Services[c.Name] = s
	}
}

func (g *Graph) unread(warnings []conversion.Warning) {
	for _, w := range warnings {
		g.Unread = append(g.Unread, w.String())
	}
}
