package computedomain

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// component is the label value that Grove gives to its own domains. The same labels select composed domains.
const component = "pcs-computedomain"

// domain is one ComputeDomain.
type domain struct {
	key  names.Resource
	name string

	// component that the domain is for, as the user spells it. An empty text stands for the whole graph.
	component string

	// index of the replica that the domain is for.
	index int32
}

func graphDomain(g *graph.Graph) domain {
	return domain{key: names.KeyComputeDomain, name: g.Names().ComputeDomain()}
}

func replicaDomain(g *graph.Graph, component string, i int32) domain {
	return domain{key: names.KeyReplicaComputeDomain(component, i), name: g.Names().Replica(component, i), component: component, index: i}
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
		// Crossplane adds this label after it has found the domain and the workload. If the graph is deleted before that, the domain would
		// be deleted immediately.
		// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/protection/usage/reconciler.go#L477
		metadata.LabelInUse: "true",
	}
	if d.component != "" {
		labels[metadata.LabelComponent] = d.component
		labels[metadata.LabelInstance] = index
	}
	return &computedomainv1beta1.ComputeDomain{
		TypeMeta:   metav1.TypeMeta{APIVersion: computedomainv1beta1.APIVersion, Kind: computedomainv1beta1.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: d.name, Namespace: g.Namespace, Labels: labels},
		Spec: computedomainv1beta1.Spec{
			// With 0, each pod starts when its own node is ready. With any other number, the driver waits for that many nodes, some of
			// which a gang may delay.
			NumNodes: 0,
			// The driver creates the template. It does not use an existing template with that name.
			Channel: computedomainv1beta1.Channel{ResourceClaimTemplate: computedomainv1beta1.ResourceClaimTemplate{Name: d.name}},
		},
	}
}
