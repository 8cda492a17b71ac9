package explain

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// entries are the Services and the InferencePool, with the components whose pods they select.
func (d *describer) entries(components []Component) ([]Entry, error) {
	var all []Entry
	for i := range d.objects {
		o := &d.objects[i]
		e := Entry{Kind: o.GetKind(), Name: o.GetName()}
		var err error
		switch o.GetKind() {
		case "Service":
			err = decoded(o, func(s *corev1.Service) {
				for _, port := range s.Spec.Ports {
					e.Ports = append(e.Ports, port.Port)
				}
				e.Components = selected(components, s.Spec.Selector)
			})
		case networking.KindInferencePool:
			err = decoded(o, func(p *networking.InferencePool) {
				for _, port := range p.Spec.TargetPorts {
					e.Ports = append(e.Ports, port.Number)
				}
				e.Components, e.Picker = selected(components, p.Spec.Selector.MatchLabels), p.Spec.EndpointPickerRef.Name
			})
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// selected are the components with pods that have labels. One that is scaled to zero may have no pods to compare with.
func selected(components []Component, selector map[string]string) []string {
	var names []string
	for i := range components {
		if len(components[i].labels) == 0 && selector[metadata.LabelComponent] == components[i].Name {
			names = append(names, components[i].Name)
		}
		if slices.ContainsFunc(components[i].labels, func(podLabels map[string]string) bool {
			return labels.SelectorFromSet(selector).Matches(labels.Set(podLabels))
		}) {
			names = append(names, components[i].Name)
		}
	}
	return names
}

// routes to the Services.
func (d *describer) routes() ([]Route, error) {
	var all []Route
	for i := range d.objects {
		o := &d.objects[i]
		r := Route{Kind: o.GetKind(), Name: o.GetName()}
		var err error
		switch o.GetKind() {
		case "Ingress":
			err = decoded(o, r.ofIngress)
		case networking.KindVirtualService:
			err = decoded(o, r.ofVirtualService)
		case networking.KindHTTPRoute:
			err = decoded(o, r.ofHTTPRoute)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		slices.Sort(r.Services)
		r.Services = slices.Compact(r.Services)
		all = append(all, r)
	}
	return all, nil
}

func (r *Route) ofIngress(ingress *networkingv1.Ingress) {
	for _, rule := range ingress.Spec.Rules {
		r.Hosts = append(r.Hosts, rule.Host)
		if rule.HTTP == nil {
			continue
		}
		for _, path := range rule.HTTP.Paths {
			if path.Backend.Service != nil {
				r.Services = append(r.Services, path.Backend.Service.Name)
			}
		}
	}
}

func (r *Route) ofVirtualService(virtual *networking.VirtualService) {
	r.Hosts = virtual.Spec.Hosts
	for _, route := range virtual.Spec.HTTP {
		for _, to := range route.Route {
			component, _, _ := strings.Cut(to.Destination.Host, ".")
			r.Services = append(r.Services, component)
		}
	}
}

func (r *Route) ofHTTPRoute(route *networking.HTTPRoute) {
	r.Hosts = route.Spec.Hostnames
	for _, rule := range route.Spec.Rules {
		for _, to := range rule.BackendRefs {
			r.Services = append(r.Services, to.Name)
		}
	}
}
