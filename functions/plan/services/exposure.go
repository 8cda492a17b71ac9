package services

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// ExposureWarnings name settings of a block that the platform does not allow, and settings that an HTTPRoute does not support. The platform
// decides whether a frontend has an HTTPRoute.
func ExposureWarnings(f *subject.Facts, defaults graphplan.IngressDefaults) []string {
	const setting = "ingress.allowedAnnotations"
	g := f.Graph
	var warnings []string
	for _, service := range g.ComponentsByName() {
		path := field.NewPath("spec", "services").Key(service.Name).Child("ingress")
		exposed := exposure.Of(service, defaults)
		if exposed.Kind == exposure.HTTPRoute && service.Ingress != nil && service.Ingress.TLS != nil {
			warnings = append(warnings, rule.Field(path.Child("tls"))+": has no effect on an HTTPRoute; the certificate belongs to its Gateway")
		}
		for _, annotation := range exposed.Refused {
			warnings = append(warnings, fmt.Sprintf("{{%s}}: is not set on the %s, because the platform does not allow it; remove it, or let the platform add it to %s %s",
				path.Child("annotations").Key(annotation), exposed.Kind, setting, f.Sources.In(setting)))
		}
	}
	return warnings
}
