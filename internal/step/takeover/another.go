package takeover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// labelComposite has the name of the composite resource that composes an object.
const labelComposite = "crossplane.io/composite"

// ofAnother is why an object belongs to another graph, whatever else would prove that it is one of this graph: graph a with component b-c and graph
// a-b with component c have objects of the same names. It is 0 if nothing in the object says so.
func ofAnother(by claimant, object *structpb.Struct) message.Text {
	kind, name := object.GetFields()["kind"].GetStringValue(), tree.Name(object)
	another := cmp.Or(ownedBy(by, object), releasedFrom(by, object), composedFor(by, object), labelledFor(by, object))
	if another.graph == "" {
		return message.Text{}
	}
	return message.Format("cannot adopt %s %s: it belongs to graph %s, as its %s says; rename this graph or its {{component}}, or, if that is wrong, correct the %s of the object",
		kind, name, another.graph, another.evidence, another.evidence)
}

// A claim that an object belongs to another graph: what says it, and the name of the graph.
type claim struct{ evidence, graph string }

// ownedBy is the claim of an owner reference of another graph, of the Dynamo operator or of Crossplane.
func ownedBy(by claimant, object *structpb.Struct) claim {
	own := map[string]string{
		v1alpha1.Kind:          by.graph.Name,
		v1alpha1.CompositeKind: tree.Text(by.observed.Composite(), "name", "metadata"),
	}
	for _, owner := range ownersOf(object) {
		if name, ok := own[owner.kind]; ok && owner.name != name {
			return claim{evidence: "owner reference of " + owner.kind + " " + owner.name, graph: owner.name}
		}
	}
	return claim{}
}

// releasedFrom is the claim of the record of an owner reference of another graph.
func releasedFrom(by claimant, object *structpb.Struct) claim {
	from := tree.Text(object, metadata.AnnotationReleasedFrom, "metadata", "annotations")
	if from == "" || from == by.graph.Name {
		return claim{}
	}
	return claim{evidence: "annotation " + metadata.AnnotationReleasedFrom, graph: from}
}

// composedFor is the claim of the label that Crossplane gives the objects of a composite resource.
func composedFor(by claimant, object *structpb.Struct) claim {
	from := tree.Text(object, labelComposite, "metadata", "labels")
	if from == "" || from == tree.Text(by.observed.Composite(), "name", "metadata") {
		return claim{}
	}
	return claim{evidence: "label " + labelComposite, graph: from}
}

// labelledFor is the claim of a label with the name of another graph, of the object, of its pods, or of the pods that it selects.
func labelledFor(by claimant, object *structpb.Struct) claim {
	own := metadata.LabelValue(by.graph.Name)
	for _, name := range graphsIn(structpb.NewStructValue(object)) {
		if name != own {
			return claim{evidence: "label " + metadata.LabelGraphName, graph: name}
		}
	}
	return claim{}
}

// graphsIn a value are the names of graphs in labels and in selectors at any depth. Rules by which pods are placed name other graphs, too, and the
// status and the managers of fields are not what the object is.
func graphsIn(value *structpb.Value) []string {
	var graphs []string
	for _, entry := range value.GetListValue().GetValues() {
		graphs = append(graphs, graphsIn(entry)...)
	}
	fields := value.GetStructValue().GetFields()
	if fields["key"].GetStringValue() == metadata.LabelGraphName && fields["operator"].GetStringValue() == "In" {
		for _, entry := range fields["values"].GetListValue().GetValues() {
			graphs = append(graphs, entry.GetStringValue())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case metadata.LabelGraphName:
			graphs = append(graphs, fields[key].GetStringValue())
		case "affinity", "topologySpreadConstraints", "status", "managedFields", "annotations":
		default:
			graphs = append(graphs, graphsIn(fields[key])...)
		}
	}
	return graphs
}

// An owner in group nvidia.com of an object, whether it controls the object or not.
type owner struct{ kind, name string }

func ownersOf(object *structpb.Struct) []owner {
	var owners []owner
	for _, reference := range tree.At(object, "metadata").GetFields()["ownerReferences"].GetListValue().GetValues() {
		fields := reference.GetStructValue().GetFields()
		if group, _, _ := strings.Cut(fields["apiVersion"].GetStringValue(), "/"); group == v1alpha1.Group {
			owners = append(owners, owner{kind: fields["kind"].GetStringValue(), name: fields["name"].GetStringValue()})
		}
	}
	return owners
}
