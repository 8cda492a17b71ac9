package computedomain

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
)

// component is what Grove calls the domains that it makes itself. The same labels find ours.
const component = "pcs-computedomain"

// domain is one ComputeDomain.
type domain struct {
	key  resource.Name
	name string

	// service that the domain is for, as the user spells it. Empty: the whole graph.
	service string

	// index of the replica that the domain is for.
	index int32
}

func graphDomain(g *graph.Graph) domain {
	return domain{key: names.KeyComputeDomain, name: g.Names().ComputeDomain()}
}

func replicaDomain(g *graph.Graph, service string, i int32) domain {
	return domain{key: names.KeyReplicaComputeDomain(service, i), name: g.Names().Replica(service, i), service: service, index: i}
}

func (d domain) object(g *graph.Graph) *computedomainv1beta1.ComputeDomain {
	index := strconv.FormatInt(int64(d.index), 10)
	labels := map[string]string{
		metadata.LabelManagedBy:           metadata.ManagedBy,
		metadata.LabelPartOf:              g.Name,
		metadata.LabelAppName:             metadata.LabelValue(d.name),
		metadata.LabelAppComponent:        component,
		metadata.LabelPodCliqueSetReplica: index,
		metadata.LabelGraphName:           g.Name,
		// Crossplane adds it once it has found domain and workload. A graph that is deleted before would lose the domain at once.
		// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/protection/usage/reconciler.go#L477
		metadata.LabelInUse: "true",
	}
	if d.service != "" {
		labels[metadata.LabelComponent] = d.service
		labels[metadata.LabelInstance] = index
	}
	return &computedomainv1beta1.ComputeDomain{
		TypeMeta:   metav1.TypeMeta{APIVersion: computedomainv1beta1.APIVersion, Kind: computedomainv1beta1.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: d.name, Namespace: g.Namespace, Labels: labels},
		Spec: computedomainv1beta1.Spec{
			// With 0 each pod starts when its own node is ready. The driver waits for any other number of nodes, some of which
			// a gang may hold back.
			NumNodes: 0,
			// The driver makes the template. It takes no part in a template of that name that exists already.
			Channel: computedomainv1beta1.Channel{ResourceClaimTemplate: computedomainv1beta1.ResourceClaimTemplate{Name: d.name}},
		},
	}
}
