package validate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// MaxComponents of a graph.
const MaxComponents = 25

// Limits of numbers. No cluster has more.
const (
	maxReplicas = 100_000
	maxNodes    = 10_000
	maxGPUs     = 10_000
)

// WithinBounds is the graph without the numbers that are out of bounds, so that pods can be built from it.
func WithinBounds(g *graph.Graph) *graph.Graph {
	out := g.Clone()
	tooManyRanks := pod.RankedNodes(g) > pod.MaxRankedNodes
	for name, component := range out.Components {
		if replicas := component.Replicas(); replicas < 0 || replicas > maxReplicas {
			component.Component.Replicas = nil
		}
		nodes := component.Nodes()
		if nodes > 1 && (nodes > maxNodes || tooManyRanks && g.Component(name).RunsWeightServers() || nodes > backend.MaxMPINodes && runsMPI(g, component)) {
			component.Multinode = component.Multinode.DeepCopy()
			component.Multinode.NodeCount = 0
		}
	}
	return out
}

func (v *validator) graphName() {
	v.malformed(field.NewPath("metadata", "name"), v.graph.Name, validation.IsDNS1123Subdomain(v.graph.Name))
	if v.graph.Namespace != "" && len(validation.IsDNS1123Label(v.graph.Namespace)) > 0 {
		v.invalid(field.NewPath("metadata", "namespace"), v.graph.Namespace, "must be a DNS label: lower-case letters, digits and dashes, beginning and ending with a letter or digit, at most 63 characters")
	}
}

// componentNames checks the names of components, separately and in combination.
func (v *validator) componentNames() {
	spellings := map[string]string{}
	for _, name := range v.graph.ComponentNames() {
		path := graph.ComponentsPath().Key(name)
		lower := names.Lower(name)
		if other, ok := spellings[lower]; ok {
			v.invalid(path, name, "differs from {{component}} %s only in case, but names of objects are lower case; rename one of the two {{components}}", other)
			continue
		}
		spellings[lower] = name
		if problems := validation.IsDNS1123Label(lower); len(problems) > 0 {
			v.invalid(path, name, "the name must be a DNS label: letters, digits and dashes, beginning and ending with a letter or digit, at most 63 characters")
			continue
		}
		// An invalid name of the graph is reported separately.
		properName := len(validation.IsDNS1123Subdomain(v.graph.Name)) == 0 && v.excessOfDynamoNamespace() == 0
		if service := v.graph.Names().Service(name); properName && len(validation.IsDNS1035Label(service)) > 0 {
			remedy := message.Format("rename the graph")
			if len(service) > validation.DNS1035LabelMaxLength {
				remedy = message.Format("shorten the name of the {{component}} or of the graph")
			}
			v.invalid(path, name, "the Service of this {{component}} would be named %s, but names of Services must have at most %d characters and begin with a letter; %s", service, validation.DNS1035LabelMaxLength, remedy)
		}
	}
}

func (v *validator) replicas(path *field.Path, s *graph.Component) {
	if s.Component.Replicas != nil {
		switch replicas := *s.Component.Replicas; {
		case replicas < 0:
			v.invalid(path.Child("replicas"), replicas, "must be at least 0")
		case replicas > maxReplicas:
			v.invalid(path.Child("replicas"), replicas, "must be at most %d", maxReplicas)
		}
	}
	if s.Multinode != nil {
		switch nodes := s.Multinode.NodeCount; {
		case nodes == 0 && !v.graph.Has(s.Name, "multinode", "nodeCount"):
			// The API server has not set its default of 2 yet.
		case nodes < 2:
			v.invalid(path.Child("multinode", "nodeCount"), nodes, "must be at least 2; remove multinode for a single-node {{component}}")
		case nodes > maxNodes:
			v.invalid(path.Child("multinode", "nodeCount"), nodes, "must be at most %d", maxNodes)
		case s.RunsWeightServers() && pod.RankedNodes(v.graph) > pod.MaxRankedNodes:
			v.invalid(path.Child("multinode", "nodeCount"), nodes, "the {{components}} with mode {{InterPod}} must have at most %d nodes in total, each of which has cliques of its own; reduce it, or use {{IntraPod}}", pod.MaxRankedNodes)
		case nodes > backend.MaxMPINodes && runsMPI(v.graph, s):
			v.invalid(path.Child("multinode", "nodeCount"), nodes, "must be at most %d with TensorRT-LLM: the command of its leader lists every node, and Linux limits the length of a command", backend.MaxMPINodes)
		}
	}
	if s.Component.MinAvailable != nil {
		switch least := *s.Component.MinAvailable; {
		case least < 1:
			v.invalid(path.Child("minAvailable"), least, "must be at least 1")
		case s.Replicas() > 0 && least > s.Replicas():
			v.invalid(path.Child("minAvailable"), least, "must be at most replicas, which is %d", s.Replicas())
		}
	}
}

// runsMPI reports whether the nodes of a component are connected by MPI.
func runsMPI(g *graph.Graph, s *graph.Component) bool {
	framework, err := frameworkOf(g, s)
	return err == nil && engine.Of(framework).Nodes == engine.ByMPI
}

func (v *validator) labels(path *field.Path, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		v.malformed(path, key, validation.IsQualifiedName(key))
		v.malformed(path.Key(key), labels[key], validation.IsValidLabelValue(labels[key]))
	}
}

func (v *validator) annotationKeys(path *field.Path, annotations map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		// The API server accepts keys of annotations in any case.
		v.malformed(path, key, validation.IsQualifiedName(strings.ToLower(key)))
	}
}

// frameworkOf a component, according to its command.
func frameworkOf(g *graph.Graph, s *graph.Component) (v1alpha1.BackendFramework, error) {
	main := s.Main()
	return g.CommandLines.Detect(g.Spec.BackendFramework, s.ComponentType, main.Command, main.Args)
}
