package components

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Reach refuses frontends that would be exposed to clients of other Services in the cluster: by the name of such a Service as a host, or by the
// sidecars of all pods in place of a gateway. A live frontend that already is keeps running with a warning.
func Reach(f *subject.Facts, p *graphplan.Plan) subject.Outcome {
	var outcome subject.Outcome
	for _, component := range f.Graph.ComponentsByName() {
		exposed := exposure.Of(component, p.IngressDefaults)
		if exposed.Kind == exposure.None {
			continue
		}
		r := reach{Outcome: &outcome, facts: f, component: component.Name}
		path := graph.ComponentPath(component.Name, "ingress")
		switch {
		case component.Ingress == nil:
			r.host(field.NewPath("metadata", "name"), f.Graph.Name, exposed.Host, message.Format("rename the graph, or set ingress of the {{component}} with a host outside of the cluster"))
		case component.Ingress.Host != "":
			remedy := message.Format("specify a host outside of the cluster, such as llama.example.org")
			if ptr.Deref(component.Ingress.HostSuffix, "") != "" {
				remedy = message.Format("remove hostSuffix, and %s", remedy)
			}
			r.host(path.Child("host"), component.Ingress.Host, exposed.Host, remedy)
		}
		if gateway := exposed.VirtualServiceGateway; component.Ingress != nil && ptr.Deref(component.Ingress.VirtualServiceGateway, "") == gateway {
			r.gateway(path.Child("virtualServiceGateway"), gateway)
		}
	}
	return outcome
}

// reach of one component.
type reach struct {
	*subject.Outcome

	facts     *subject.Facts
	component string
}

// host that results from what is written at a path.
func (r reach) host(path *field.Path, value, host string, remedy message.Text) {
	problem := input.Domains(r.facts.Input).Inside(host)
	if problem == "" {
		return
	}
	live := slices.Contains(r.facts.Observed.Hosts(r.component), host)
	r.refuse(path, value, fmt.Sprintf("host %s %s, whose clients would reach this graph", host, problem), remedy, live)
}

// gateway that the user names.
func (r reach) gateway(path *field.Path, name string) {
	if gateway, valid := exposure.ParseGateway(name, r.facts.Graph.Namespace); !valid || !gateway.IsMesh() {
		return
	}
	r.refuse(path, name, exposure.Mesh+" stands for all sidecars of the mesh, so requests of other namespaces to the host would reach this graph",
		message.Format("name a gateway, such as istio-system/public"), slices.Contains(r.facts.Observed.Gateways(r.component), name))
}

// refuse a value, unless the live frontend already has it.
func (r reach) refuse(path *field.Path, value, reason string, remedy message.Text, live bool) {
	if live {
		r.Warn(path, "%s is in use and stays, but %s; a new graph with it is refused; %s", value, reason, remedy)
		return
	}
	r.Refuse(subject.Mistake, message.Invalid(path, value, "%s; %s", reason, remedy))
}
