package validate

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// exposure checks the host of an ingress as it will be written.
func (v *validator) exposure(path *field.Path, in *v1alpha1.Ingress) {
	if in == nil || !in.Enabled {
		return
	}
	host := ptr.Deref(in.HostPrefix, "") + in.Host
	if suffix := ptr.Deref(in.HostSuffix, ""); suffix != "" {
		host += "." + suffix
	}
	if in.Host != "" && len(validation.IsDNS1123Subdomain(host)) > 0 && len(validation.IsWildcardDNS1123Subdomain(host)) > 0 {
		v.invalid(path.Child("host"), in.Host, "must make, with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, without scheme, port and path")
	}
	if class := ptr.Deref(in.IngressControllerClassName, ""); class != "" {
		v.objectName(path.Child("ingressControllerClassName"), class, "IngressClass")
	}
	if in.TLS != nil && in.TLS.SecretName != "" {
		v.objectName(path.Child("tls", "secretName"), in.TLS.SecretName, "Secret")
	}
}

// ingress warns of what an ingress asks for and its kind of exposure cannot do.
func (w *warnings) ingress(path *field.Path, s *v1alpha1.Service) {
	in := s.Ingress
	switch {
	case in == nil || !in.Enabled:
	case s.ComponentType != v1alpha1.ComponentFrontend:
		w.add(path, "has no effect; only frontends are exposed")
	case in.UseVirtualService:
		if in.IngressControllerClassName != nil {
			w.add(path.Child("ingressControllerClassName"), "has no effect on a VirtualService; remove it, or useVirtualService")
		}
		if in.TLS != nil {
			w.add(path.Child("tls"), "has no effect on a VirtualService; its gateway holds the certificate")
		}
	case ptr.Deref(in.VirtualServiceGateway, "") != "":
		w.add(path.Child("virtualServiceGateway"), "has no effect without useVirtualService: true")
	}
}

// endpointPickers refuses a second Endpoint Picker: the InferencePool and the ConfigMap of a graph exist once.
func (v *validator) endpointPickers() {
	first := ""
	for _, name := range v.graph.ServiceNames() {
		s := v.graph.Spec.Services[name]
		if s.ComponentType != v1alpha1.ComponentEPP {
			continue
		}
		path := servicesPath().Key(name)
		if first != "" {
			v.invalid(path.Child("componentType"), s.ComponentType, "a graph has one Endpoint Picker, and service "+first+" is one; remove one of the two")
		}
		first = cmp.Or(first, name)
		if s.EPPConfig != nil && s.EPPConfig.Config != nil {
			v.pickerPlugins(path.Child("eppConfig", "config"), s.EPPConfig.Config)
		}
	}
}

// pickerPlugins checks that profiles refer to plugins that are there: the picker would not start.
func (v *validator) pickerPlugins(path *field.Path, config *v1alpha1.EndpointPickerConfig) {
	known := map[string]bool{}
	for _, plugin := range config.Plugins {
		known[cmp.Or(plugin.Name, plugin.Type)] = true
	}
	for i, profile := range config.SchedulingProfiles {
		for j, plugin := range profile.Plugins {
			if !known[plugin.PluginRef] {
				v.invalid(path.Child("schedulingProfiles").Index(i).Child("plugins").Index(j).Child("pluginRef"), plugin.PluginRef,
					"is not a plugin of this configuration; it has "+strings.Join(sortedKeys(known), ", "))
			}
		}
	}
}
