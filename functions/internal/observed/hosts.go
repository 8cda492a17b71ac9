package observed

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// Hosts of the objects that expose a frontend.
func (s *State) Hosts(service string) []string {
	spec := func(key resource.Name) *structpb.Struct { return tree.At(s.Object(key), "spec") }
	var hosts []string
	for _, rule := range spec(names.KeyIngress(service)).GetFields()["rules"].GetListValue().GetValues() {
		hosts = append(hosts, tree.Text(rule.GetStructValue(), "host"))
	}
	for _, host := range slices.Concat(
		spec(names.KeyVirtualService(service)).GetFields()["hosts"].GetListValue().GetValues(),
		spec(names.KeyHTTPRoute(service)).GetFields()["hostnames"].GetListValue().GetValues(),
	) {
		hosts = append(hosts, host.GetStringValue())
	}
	return hosts
}
