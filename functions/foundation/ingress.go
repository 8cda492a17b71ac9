package foundation

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// defaultHostSuffix stands behind the host of an Ingress when neither the user nor the platform names one.
const defaultHostSuffix = "local"

// ingresses expose frontends outside the cluster.
func (f *foundation) ingresses() []composed {
	var all []composed
	for _, name := range f.graph.ServiceNames() {
		service := f.graph.Spec.Services[name]
		if service.ComponentType != v1alpha1.ComponentFrontend {
			continue
		}
		if settings := f.ingressSettings(service.Ingress); settings != nil {
			all = append(all, composed{names.KeyIngress(name), f.ingress(name, settings)})
		}
	}
	return all
}

// ingressSettings are the user's with the platform's defaults below; nil for no Ingress. A platform that names a class
// exposes every frontend that says nothing itself.
func (f *foundation) ingressSettings(user *v1alpha1.Ingress) *v1alpha1.Ingress {
	defaults := f.plan.IngressDefaults
	settings := user.DeepCopy()
	if settings == nil {
		if defaults.ClassName == "" {
			return nil
		}
		settings = &v1alpha1.Ingress{Enabled: true, Host: f.graph.Name}
	}
	if !settings.Enabled || settings.UseVirtualService {
		return nil
	}
	if settings.IngressControllerClassName == nil && defaults.ClassName != "" {
		settings.IngressControllerClassName = new(defaults.ClassName)
	}
	if settings.HostSuffix == nil && defaults.HostSuffix != "" {
		settings.HostSuffix = new(defaults.HostSuffix)
	}
	if settings.TLS == nil && defaults.TLSSecretName != "" {
		settings.TLS = &v1alpha1.IngressTLS{SecretName: defaults.TLSSecretName}
	}
	return settings
}

func (f *foundation) ingress(name string, settings *v1alpha1.Ingress) *networkingv1.Ingress {
	host := ptr.Deref(settings.HostPrefix, "") + settings.Host + "." + ptr.Deref(settings.HostSuffix, defaultHostSuffix)
	object := &networkingv1.Ingress{
		TypeMeta:   metav1.TypeMeta{APIVersion: networkingv1.SchemeGroupVersion.String(), Kind: "Ingress"},
		ObjectMeta: f.objectMeta(f.graph.Names().Component(name), settings.Labels),
		Spec: networkingv1.IngressSpec{
			IngressClassName: settings.IngressControllerClassName,
			Rules: []networkingv1.IngressRule{{
				Host: host,
				IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
					Paths: []networkingv1.HTTPIngressPath{{
						Path:     "/",
						PathType: ptr.To(networkingv1.PathTypePrefix),
						Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
							Name: f.graph.Names().Service(name),
							Port: networkingv1.ServiceBackendPort{Number: pod.PortHTTP},
						}},
					}},
				}},
			}},
		},
	}
	object.Annotations = settings.Annotations
	if settings.TLS != nil {
		object.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{host}, SecretName: settings.TLS.SecretName}}
	}
	return object
}
