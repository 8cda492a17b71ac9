package foundation

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// exposures expose frontends outside the cluster. Kinds that the cluster does not serve are left out. Step plan has warned about them, and
// has refused a graph that already has such an object.
func (f *foundation) exposures() []composed {
	var all []composed
	for _, component := range f.graph.ComponentsByName() {
		e := exposure.Of(component, f.plan.IngressDefaults)
		switch {
		case e.Kind == exposure.Ingress:
			all = append(all, composed{names.KeyIngress(component.Name), f.ingress(component.Name, e)})
		case e.Kind == exposure.VirtualService && f.serves(networking.KindVirtualService):
			all = append(all, composed{names.KeyVirtualService(component.Name), f.virtualService(component.Name, e)})
		case e.Kind == exposure.HTTPRoute && f.serves(networking.KindHTTPRoute):
			all = append(all, composed{names.KeyHTTPRoute(component.Name), f.httpRoute(component.Name, e)})
		}
	}
	return all
}

// serves reports whether the cluster serves a kind that it may not have.
func (f *foundation) serves(kind string) bool { return slices.Contains(f.plan.Serves, kind) }

func (f *foundation) exposedMeta(name string, e exposure.Exposure) metav1.ObjectMeta {
	meta := f.objectMeta(f.graph.Names().Component(name), e.Labels)
	meta.Annotations = e.Annotations
	return meta
}

func (f *foundation) ingress(name string, e exposure.Exposure) *networkingv1.Ingress {
	object := &networkingv1.Ingress{
		TypeMeta:   metav1.TypeMeta{APIVersion: networkingv1.SchemeGroupVersion.String(), Kind: "Ingress"},
		ObjectMeta: f.exposedMeta(name, e),
		Spec: networkingv1.IngressSpec{
			IngressClassName: e.ClassName,
			Rules: []networkingv1.IngressRule{{
				Host: e.Host,
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
	if e.TLS != nil {
		object.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{e.Host}, SecretName: e.TLS.SecretName}}
	}
	return object
}

func (f *foundation) virtualService(name string, e exposure.Exposure) *networking.VirtualService {
	return &networking.VirtualService{
		TypeMeta:   metav1.TypeMeta{APIVersion: networking.IstioAPIVersion, Kind: networking.KindVirtualService},
		ObjectMeta: f.exposedMeta(name, e),
		Spec: networking.VirtualServiceSpec{
			Hosts:    []string{e.Host},
			Gateways: []string{e.VirtualServiceGateway},
			HTTP: []networking.VirtualServiceRoute{{
				Match: []networking.HTTPMatchRequest{{URI: networking.StringMatch{Prefix: "/"}}},
				Route: []networking.HTTPRouteDestination{{Destination: networking.Destination{
					Host: f.graph.Names().Service(name),
					Port: networking.PortSelector{Number: pod.PortHTTP},
				}}},
			}},
		},
	}
}

func (f *foundation) httpRoute(name string, e exposure.Exposure) *networking.HTTPRoute {
	return &networking.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: networking.GatewayAPIVersion, Kind: networking.KindHTTPRoute},
		ObjectMeta: f.exposedMeta(name, e),
		Spec: networking.HTTPRouteSpec{
			ParentRefs: []networking.ParentReference{networking.ParentReference(e.Gateway)},
			Hostnames:  []string{e.Host},
			Rules: []networking.HTTPRouteRule{{
				Matches:     []networking.HTTPRouteMatch{{Path: networking.HTTPPathMatch{Type: networking.PathPrefix, Value: "/"}}},
				BackendRefs: []networking.BackendRef{{Name: f.graph.Names().Service(name), Port: pod.PortHTTP}},
			}},
		},
	}
}
