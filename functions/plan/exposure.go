package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func ingressDefaults(in *v1alpha1.Input) graphplan.IngressDefaults {
	defaults := graphplan.IngressDefaults{
		ClassName:             in.Ingress.ClassName,
		HostSuffix:            in.Ingress.HostSuffix,
		TLSSecretName:         in.Ingress.TLSSecretName,
		VirtualServiceGateway: in.Ingress.VirtualServiceGateway,
		AllowedAnnotations:    in.Ingress.AllowedAnnotations,
	}
	if in.Ingress.Gateway != nil {
		defaults.Gateway = graphplan.Gateway(*in.Ingress.Gateway)
	}
	return defaults
}

func ingressInput(path *field.Path, in v1alpha1.Ingress) field.ErrorList {
	var errs field.ErrorList
	namespace, gateway, qualified := strings.Cut(in.VirtualServiceGateway, "/")
	if !qualified {
		namespace, gateway = "", in.VirtualServiceGateway
	}
	at := path.Child("virtualServiceGateway")
	if qualified && (namespace == "" || gateway == "") {
		errs = append(errs, field.Invalid(at, in.VirtualServiceGateway, "must be the name of a gateway, or namespace/name"))
	}
	errs = append(errs, objectName(at, namespace)...)
	errs = append(errs, objectName(at, gateway)...)
	errs = append(errs, annotationNames(path.Child("allowedAnnotations"), in.AllowedAnnotations)...)
	if in.Gateway == nil {
		return errs
	}
	at = path.Child("gateway")
	if in.Gateway.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), "name the Gateway"))
	}
	errs = append(errs, objectName(at.Child("name"), in.Gateway.Name)...)
	if in.Gateway.Namespace != "" {
		for _, problem := range validation.IsDNS1123Label(in.Gateway.Namespace) {
			errs = append(errs, field.Invalid(at.Child("namespace"), in.Gateway.Namespace, problem))
		}
	}
	return append(errs, objectName(at.Child("sectionName"), in.Gateway.SectionName)...)
}

// annotationNames are the whole names of annotations, in any case, as the API server takes them.
func annotationNames(path *field.Path, names []string) field.ErrorList {
	const most = 100
	var errs field.ErrorList
	if len(names) > most {
		errs = append(errs, field.TooMany(path, len(names), most))
	}
	for i, name := range names {
		for _, problem := range validation.IsQualifiedName(strings.ToLower(name)) {
			errs = append(errs, field.Invalid(path.Index(i), name, problem))
		}
	}
	return errs
}

// warnExposures warns of what a block asks for that the platform does not allow, and that an HTTPRoute cannot do: that it is
// one, the platform decides.
func warnExposures(g *graph.Graph, defaults graphplan.IngressDefaults) []string {
	var warnings []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		path := field.NewPath("spec", "services").Key(name).Child("ingress")
		exposed := exposure.Of(g.Name, &service, defaults)
		if exposed.Kind == exposure.HTTPRoute && service.Ingress != nil && service.Ingress.TLS != nil {
			warnings = append(warnings, path.Child("tls").String()+": has no effect on an HTTPRoute; its Gateway holds the certificate")
		}
		for _, annotation := range exposed.Refused {
			warnings = append(warnings, fmt.Sprintf("%s: is not set on the %s, because the platform does not allow it: remove it, or let the platform add it to ingress.allowedAnnotations in the input of step plan",
				path.Child("annotations").Key(annotation), exposed.Kind))
		}
	}
	return warnings
}
