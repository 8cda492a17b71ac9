package input

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
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
	errs := objectName(path.Child("hostSuffix"), in.HostSuffix)
	errs = append(errs, objectName(path.Child("clusterDomain"), in.ClusterDomain)...)
	errs = append(errs, outside(path.Child("hostSuffix"), in)...)
	errs = append(errs, istioGateway(path.Child("virtualServiceGateway"), in.VirtualServiceGateway)...)
	errs = append(errs, annotationNames(path.Child("allowedAnnotations"), in.AllowedAnnotations)...)
	if in.Gateway == nil {
		return errs
	}
	fieldPath := path.Child("gateway")
	if in.Gateway.Name == "" {
		errs = append(errs, field.Required(fieldPath.Child("name"), "specify the name of the Gateway"))
	}
	errs = append(errs, objectName(fieldPath.Child("name"), in.Gateway.Name)...)
	if in.Gateway.Namespace != "" {
		errs = append(errs, malformed(fieldPath.Child("namespace"), in.Gateway.Namespace, validation.IsDNS1123Label(in.Gateway.Namespace))...)
	}
	return append(errs, objectName(fieldPath.Child("sectionName"), in.Gateway.SectionName)...)
}

// outside of the cluster is where the suffix of all hosts must be.
func outside(path *field.Path, in v1alpha1.Ingress) field.ErrorList {
	if in.HostSuffix == "" {
		return nil
	}
	problem := exposure.Domains{Cluster: in.ClusterDomain, Platform: []string{in.HostSuffix}}.Inside("graph.namespace." + in.HostSuffix)
	if problem == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path, in.HostSuffix, "must be a domain outside of the cluster, such as apps.example.org: a host below it "+problem)}
}

// istioGateway refuses what is no name of a gateway. The namespace of the graphs that use it does not matter.
func istioGateway(path *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}
	gateway, valid := exposure.ParseGateway(text, "default")
	switch {
	case !valid:
		return field.ErrorList{field.Invalid(path, text, "must be the name of a gateway, or namespace/name")}
	case gateway.IsMesh():
		return field.ErrorList{field.Invalid(path, text, "must be a gateway, such as istio-system/public: "+exposure.Mesh+" stands for all sidecars of the mesh, so graphs could take requests to other Services")}
	default:
		return nil
	}
}

// Domains of hosts outside and inside the cluster.
func Domains(in *v1alpha1.Input) exposure.Domains {
	platform := slices.Clone(in.GuardRails.IngressHostSuffixes)
	if in.Ingress.HostSuffix != "" {
		platform = append(platform, in.Ingress.HostSuffix)
	}
	return exposure.Domains{Cluster: in.Ingress.ClusterDomain, Platform: platform}
}

// annotationNames are the full names of annotations, in any case, as the API server accepts them.
func annotationNames(path *field.Path, allowed []string) field.ErrorList {
	const most = 100
	var errs field.ErrorList
	if len(allowed) > most {
		errs = append(errs, field.TooMany(path, len(allowed), most))
	}
	for i, name := range allowed {
		errs = append(errs, malformed(path.Index(i), name, validation.IsQualifiedName(strings.ToLower(name)))...)
	}
	return errs
}
