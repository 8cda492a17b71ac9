package observed

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Hosts of the objects that expose a frontend.
func (s *State) Hosts(component string) []string {
	spec := func(key names.Resource) *structpb.Struct { return tree.At(s.Object(key), "spec") }
	var hosts []string
	for _, rule := range spec(names.KeyIngress(component)).GetFields()["rules"].GetListValue().GetValues() {
		hosts = append(hosts, tree.Text(rule.GetStructValue(), "host"))
	}
	for _, host := range slices.Concat(
		spec(names.KeyVirtualService(component)).GetFields()["hosts"].GetListValue().GetValues(),
		spec(names.KeyHTTPRoute(component)).GetFields()["hostnames"].GetListValue().GetValues(),
	) {
		hosts = append(hosts, host.GetStringValue())
	}
	return hosts
}

// Gateways of the object that exposes a frontend, as they are written on a VirtualService, or as namespace/name on an HTTPRoute.
func (s *State) Gateways(component string) []string {
	var gateways []string
	for _, gateway := range tree.At(s.Object(names.KeyVirtualService(component)), "spec").GetFields()["gateways"].GetListValue().GetValues() {
		gateways = append(gateways, gateway.GetStringValue())
	}
	route := s.Object(names.KeyHTTPRoute(component))
	for _, parent := range tree.At(route, "spec").GetFields()["parentRefs"].GetListValue().GetValues() {
		namespace := cmp.Or(tree.Text(parent.GetStructValue(), "namespace"), tree.Text(route, "namespace", "metadata"))
		gateways = append(gateways, namespace+"/"+tree.Text(parent.GetStructValue(), "name"))
	}
	return gateways
}
