package validate

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/exposure"
)

// exposure checks the host of an ingress as it will be written.
func (v *validator) exposure(path *field.Path, in *v1alpha1.Ingress) {
	if in == nil || !in.Enabled {
		return
	}
	switch host := exposure.HostOf(in, v.options.HostSuffix); {
	case in.Host == "":
		// An error of its own.
	case strings.Contains(host, "*"):
		v.invalid(path.Child("host"), in.Host, "must be one host, not all hosts of a domain: write a whole name, such as llama.example.org")
	case netutils.ParseIPSloppy(host) != nil:
		v.invalid(path.Child("host"), in.Host, "must be a host name, not an address: write a name, such as llama.example.org")
	case !isHostName(host):
		v.invalid(path.Child("host"), in.Host, "must make, with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, without scheme, port and path, with at most 63 characters between dots")
	}
	if class := ptr.Deref(in.IngressControllerClassName, ""); class != "" {
		v.objectName(path.Child("ingressControllerClassName"), class, "IngressClass")
	}
	if in.TLS != nil && in.TLS.SecretName != "" {
		v.objectName(path.Child("tls", "secretName"), in.TLS.SecretName, "Secret")
	}
}

// isHostName reports whether DNS can have a name. The API server does not look at the length of its labels.
func isHostName(host string) bool {
	return len(validation.IsDNS1123Subdomain(host)) == 0 &&
		!slices.ContainsFunc(strings.Split(host, "."), func(label string) bool { return len(label) > validation.DNS1123LabelMaxLength })
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
