package components

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ExposureWarnings name settings of a block that the platform does not allow, and settings that an HTTPRoute does not support. The platform
// decides whether a frontend has an HTTPRoute.
func ExposureWarnings(f *subject.Facts, defaults graphplan.IngressDefaults) message.List {
	const setting = "ingress.allowedAnnotations"
	g := f.Graph
	var warnings message.List
	for _, component := range g.ComponentsByName() {
		path := graph.ComponentPath(component.Name, "ingress")
		exposed := exposure.Of(component, defaults)
		if exposed.Kind == exposure.HTTPRoute && component.Ingress != nil && component.Ingress.TLS != nil {
			warnings = append(warnings, message.About(path.Child("tls"), "has no effect on an HTTPRoute; the certificate belongs to its Gateway"))
		}
		for _, annotation := range exposed.Refused {
			warnings = append(warnings, message.About(path.Child("annotations").Key(annotation), "is not set on the %s, because the platform does not allow it; remove it, or let the platform add it to %s %s", exposed.Kind, setting, f.Sources.In(setting)))
		}
	}
	return warnings
}
