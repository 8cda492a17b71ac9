package graph

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
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
	g.decodeKept(kept, &spec)
	g.PVCs = spec.PVCs
	services, _ := kept[Services.Key()].(map[string]any)
	for name, before := range spec.Services {
		c, ok := g.Components[name]
		if !ok {
			continue
		}
		c.kept, _ = services[name].(map[string]any)
		c.Autoscaling, c.Ingress, c.Labels, c.DynamoNamespace = before.Autoscaling, before.Ingress, before.Labels, before.DynamoNamespace
		if before.SubComponentType != "" {
			c.SubComponentType = before.SubComponentType
		}
		// The pod template is what the user sees.
		annotations := before.Annotations
		if annotations != nil {
			maps.Copy(annotations, c.Annotations)
			c.Annotations = annotations
		}
	}
}

// readKeptComponents adds what only components can say to a graph with services. The pods of a service that has such fields are those of its
// component, in which there is one place for each field.
func (g *Graph) readKeptComponents(xr map[string]any) {
	kept, warnings := conversion.KeptComponents(xr)
	g.unread(warnings)
	var spec v1beta1.DynamoGraphDeploymentSpec
	g.decodeKept(map[string]any{Components.Key(): kept}, &spec)
	for i := range spec.Components {
		written := &spec.Components[i]
		c, ok := g.Components[written.Name]
		if !ok {
			continue
		}
		c.FrontendSidecar, c.Experimental = written.FrontendSidecar, withGrove(c.Experimental, written.Experimental)
		c.describe(written, i).takePodOf(written)
		c.takeRoles()
		c.VolumeMounts, c.Sidecar = serviceFieldsOf(written).VolumeMounts, nil
		c.Resources, c.Envs, c.EnvFromSecret, c.LivenessProbe, c.ReadinessProbe = nil, nil, nil, nil, nil
	}
}

// decodeKept decodes a spec in the annotation.
func (g *Graph) decodeKept(kept map[string]any, spec any) {
	value, err := structpb.NewValue(kept)
	errs := strict.Decode(value, spec, keptPath().Child("spec"), g.decoding(nil))
	if err != nil {
		errs = field.ErrorList{field.InternalError(keptPath(), err)}
	}
	for _, err := range errs {
		g.Unread = append(g.Unread, message.Of(err))
	}
}

func (g *Graph) unread(warnings []conversion.Warning) {
	for _, w := range warnings {
		g.Unread = append(g.Unread, message.About(w.Field, "%s", w.Detail))
	}
}

// withGrove are the features of a service with the settings for Grove, which only a component has.
func withGrove(own, component *v1beta1.ComponentExperimental) *v1beta1.ComponentExperimental {
	if component == nil || component.Grove == nil {
		return own
	}
	experimental := ptr.Deref(own, v1beta1.ComponentExperimental{})
	experimental.Grove = component.Grove
	return &experimental
}
