package input

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// IngressDefaults of frontends, in the form of the plan.
func IngressDefaults(in *v1alpha1.Input) graphplan.IngressDefaults {
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

func validateIngress(path *field.Path, in v1alpha1.Ingress) field.ErrorList {
	errs := validate.ObjectName(path.Child("hostSuffix"), in.HostSuffix)
	namespace, gateway, qualified := strings.Cut(in.VirtualServiceGateway, "/")
	if !qualified {
		namespace, gateway = "", in.VirtualServiceGateway
	}
	at := path.Child("virtualServiceGateway")
	if qualified && (namespace == "" || gateway == "") {
		errs = append(errs, field.Invalid(at, in.VirtualServiceGateway, "must be the name of a gateway, or namespace/name"))
	}
	errs = append(errs, validate.ObjectName(at, namespace)...)
	errs = append(errs, validate.ObjectName(at, gateway)...)
	errs = append(errs, annotationNames(path.Child("allowedAnnotations"), in.AllowedAnnotations)...)
	if in.Gateway == nil {
		return errs
	}
	at = path.Child("gateway")
	if in.Gateway.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), "specify the name of the Gateway"))
	}
	errs = append(errs, validate.ObjectName(at.Child("name"), in.Gateway.Name)...)
	if in.Gateway.Namespace != "" {
		for _, problem := range validation.IsDNS1123Label(in.Gateway.Namespace) {
			errs = append(errs, field.Invalid(at.Child("namespace"), in.Gateway.Namespace, problem))
		}
	}
	return append(errs, validate.ObjectName(at.Child("sectionName"), in.Gateway.SectionName)...)
}

// annotationNames are the full names of annotations, in any case, as the API server accepts them.
func annotationNames(path *field.Path, allowed []string) field.ErrorList {
	const most = 100
	var errs field.ErrorList
	if len(allowed) > most {
		errs = append(errs, field.TooMany(path, len(allowed), most))
	}
	for i, name := range allowed {
		for _, problem := range validation.IsQualifiedName(strings.ToLower(name)) {
			errs = append(errs, field.Invalid(path.Index(i), name, problem))
		}
	}
	return errs
}
