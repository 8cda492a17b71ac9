package takeover

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Unproven is why it is not certain that the Dynamo operator has made an object for the graph. A name proves nothing: somebody else's object would be
// changed, and deleted together with the graph. Empty if it is certain, by one of
//
//   - the owner reference of the operator, or its record in an annotation, which the steps of command adopt leave where they remove the reference:
//     only somebody who may write the object can add it;
//   - the field manager of the operator, together with what the operator writes only into objects of this graph.
//
// None of these is a proof if the object says that it belongs to another graph. Claims contain data, and the operator marks them by nothing but the
// reference.
func Unproven(g *graph.Graph, o *observed.State, object *structpb.Struct) message.Text {
	by := claimant{graph: g, observed: o}
	if problem := message.First(ofAnother(by, object), foreignBinding(by, object)); !problem.IsZero() {
		return problem
	}
	name := tree.Name(object)
	kind := object.GetFields()["kind"].GetStringValue()
	if isReleased(by, object) {
		return message.Text{}
	}
	missing := append(unmarked(by, object), unmanaged(object)...)
	if len(missing) == 0 {
		return message.Text{}
	}
	return message.Format("cannot adopt %s %s: nothing proves that the Dynamo operator has made it for this graph: %s; if the operator has, add annotation %s: %s to the object, otherwise delete or rename it, or rename the graph",
		kind, name, strings.Join(missing, ", and "), metadata.AnnotationReleasedFrom, by.graph.Name)
}

// claimant is the graph that is to take an object over, and what is observed of it.
type claimant struct {
	graph    *graph.Graph
	observed *observed.State
}

// isReleased reports whether a graph of the operator with the name of this one is an owner of the object, or was until its reference was removed.
func isReleased(by claimant, object *structpb.Struct) bool {
	if tree.Text(object, metadata.AnnotationReleasedFrom, "metadata", "annotations") == by.graph.Name {
		return true
	}
	return slices.Contains(ownersOf(object), owner{kind: v1alpha1.Kind, name: by.graph.Name})
}

// operatorManager is the field manager with which the Dynamo operator writes: the name of its executable. It is that of many operators.
const operatorManager = "manager"

// unmanaged is that the operator does not manage what an object is about.
func unmanaged(object *structpb.Struct) []string {
	subjects := []string{"f:spec", "f:data", "f:rules", "f:roleRef"}
	if observed.Listed(object).Kind == rbacv1.ServiceAccountKind {
		subjects = append(subjects, "f:metadata")
	}
	for _, entry := range managed.Fields(object) {
		fields := entry.GetStructValue()
		if tree.Text(fields, "manager") != operatorManager || tree.Text(fields, "subresource") != "" {
			continue
		}
		owned := tree.At(fields, "fieldsV1").GetFields()
		if slices.ContainsFunc(subjects, func(subject string) bool { return owned[subject] != nil }) {
			return nil
		}
	}
	return []string{"its field managers do not include " + operatorManager + ", the field manager of the operator"}
}

// unmarked is what an object lacks of that which the operator only writes into objects of this graph.
func unmarked(by claimant, object *structpb.Struct) []string {
	withPods := func(template ...string) []string {
		return append(unlabelled(by, object), unlabelledPods(by, tree.At(object, template...))...)
	}
	switch observed.Listed(object).Proof {
	case kinds.Label:
		return unlabelled(by, object)
	case kinds.PodLabel:
		return withPods("spec", "template")
	case kinds.WorkerLabel:
		return withPods("spec", "leaderWorkerTemplate", "workerTemplate")
	case kinds.CliqueLabels:
		return unlabelledCliques(by, object)
	case kinds.AccessLabels:
		return unlabelledAccess(by, object)
	case kinds.Selector:
		// The operator labels Services beside Deployments. The namespace that they select is then that of an early version of the API.
		if len(unlabelled(by, object)) == 0 {
			return nil
		}
		return selectsOthers(by, object, tree.At(object, "spec", "selector"))
	case kinds.SelectorOfPool:
		return selectsOthers(by, object, tree.At(object, "spec", "selector", "matchLabels"))
	case kinds.Backends:
		return leadsElsewhere(by, object)
	case kinds.UsedByPods:
		return unused(by, object)
	case kinds.OwnerReference:
		return []string{"it contains data, for which only an owner reference of the graph is a proof"}
	case kinds.NoProof:
	}
	return []string{"the operator makes no objects of this kind"}
}

// unlabelled is that an object does not have the label with the name of the graph.
func unlabelled(by claimant, object *structpb.Struct) []string {
	return missingLabel(by, tree.At(object, "metadata", "labels"), "it")
}

func unlabelledPods(by claimant, template *structpb.Struct) []string {
	return missingLabel(by, tree.At(template, "metadata", "labels"), "its pod template")
}

func missingLabel(by claimant, labels *structpb.Struct, what string) []string {
	want := metadata.LabelValue(by.graph.Name)
	if labels.GetFields()[metadata.LabelGraphName].GetStringValue() == want {
		return nil
	}
	return []string{what + " does not have label " + metadata.LabelGraphName + ": " + want}
}

// unlabelledCliques is that not all cliques of a PodCliqueSet are of the graph. The set itself only has a label since the operator shortens its
// name.
func unlabelledCliques(by claimant, set *structpb.Struct) []string {
	cliques := tree.At(set, "spec", "template").GetFields()["cliques"].GetListValue().GetValues()
	if len(cliques) == 0 {
		return []string{"it has no cliques"}
	}
	for _, clique := range cliques {
		if missing := missingLabel(by, tree.At(clique.GetStructValue(), "labels"), "clique "+tree.Text(clique.GetStructValue(), "name")); len(missing) > 0 {
			return missing
		}
	}
	return nil
}

// unlabelledAccess is that an account, or what it may do, does not have the labels of those for discovery.
func unlabelledAccess(by claimant, object *structpb.Struct) []string {
	var missing []string
	for _, label := range [][2]string{
		{metadata.LabelManagedBy, metadata.AdoptFromOperator}, {metadata.LabelAppName, by.graph.Names().DiscoveryServiceAccount()},
	} {
		if tree.Text(object, label[0], "metadata", "labels") != label[1] {
			missing = append(missing, "it does not have label "+label[0]+": "+label[1])
		}
	}
	return missing
}

// selectsOthers is that the selector of an object is not one for pods of the graph.
func selectsOthers(by claimant, object, selector *structpb.Struct) []string {
	namespace := selector.GetFields()[metadata.LabelDynamoNamespace].GetStringValue()
	own := by.graph.Names().DynamoNamespace(by.graph.Namespace)
	if namespace == own || namespace == names.GlobalDynamoNamespace && selectsGlobal(by, object, selector) {
		return nil
	}
	return []string{"it does not select pods with label " + metadata.LabelDynamoNamespace + ": " + own}
}

// selectsGlobal reports whether a selector of pods in the Dynamo namespace that graphs share is for a component of this graph, with the name of which
// the object begins. An object without a component in its selector has the label of the graph.
func selectsGlobal(by claimant, object, selector *structpb.Struct) bool {
	global := func(name string) bool { return by.graph.Component(name).GlobalDynamoNamespace }
	name := selector.GetFields()[metadata.LabelComponent].GetStringValue()
	if name == "" {
		return slices.ContainsFunc(by.graph.ComponentNames(), global) && len(unlabelled(by, object)) == 0
	}
	return slices.Contains(by.graph.ComponentNames(), name) && global(name) &&
		strings.HasPrefix(tree.Name(object), names.Of(by.graph.Name, names.Adoption{}).Service(name))
}

// leadsElsewhere is that an Ingress or VirtualService leads to another Service than one of the graph.
func leadsElsewhere(by claimant, object *structpb.Struct) []string {
	var own []string
	for _, name := range by.graph.ComponentNames() {
		// The operator leaves dots in the name of the backend.
		own = append(own, by.graph.Names().Service(name), by.graph.Names().Component(name))
	}
	backends := backendsOf(structpb.NewStructValue(tree.At(object, "spec")))
	if len(backends) == 0 {
		return []string{"it leads to no Service"}
	}
	for _, backend := range backends {
		if !slices.Contains(own, backend) {
			return []string{"it leads to Service " + backend + ", which is none of the graph"}
		}
	}
	return nil
}

// backendsOf a spec are the names of all Services that it contains, at any depth.
func backendsOf(value *structpb.Value) []string {
	var backends []string
	for _, entry := range value.GetListValue().GetValues() {
		backends = append(backends, backendsOf(entry)...)
	}
	for key, field := range value.GetStructValue().GetFields() {
		switch key {
		case "service":
			backends = append(backends, tree.Text(field.GetStructValue(), "name"))
		case "destination":
			backends = append(backends, tree.Text(field.GetStructValue(), "host"))
		default:
			backends = append(backends, backendsOf(field)...)
		}
	}
	return backends
}

// unused is that no pods of the graph name an object by which they are scheduled. The operator writes no labels into these objects.
func unused(by claimant, object *structpb.Struct) []string {
	name := tree.Name(object)
	for _, key := range by.observed.Keys() {
		set := by.observed.Object(names.Resource(key))
		if observed.KindOf(set) == observed.KindLeaderWorkerSet &&
			tree.Text(set, metadata.AnnotationGroupName, "spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "annotations") == name {
			return nil
		}
	}
	for _, pods := range by.observed.Pods {
		for i := range pods {
			for _, claim := range pods[i].Spec.ResourceClaims {
				if claim.ResourceClaimTemplateName != nil && *claim.ResourceClaimTemplateName == name {
					return nil
				}
			}
		}
	}
	return []string{"no pods of the graph that are adopted refer to it"}
}

// foreignBinding is why a RoleBinding is not one of the graph, whoever has made it: its role cannot be changed, and its subjects would lose what
// the binding allows them.
func foreignBinding(by claimant, object *structpb.Struct) message.Text {
	if observed.Listed(object).Kind != "RoleBinding" {
		return message.Text{}
	}
	n := by.graph.Names()
	name := tree.Name(object)
	roles := map[string][2]string{
		n.DiscoveryRoleBinding(): {n.DiscoveryRole(), n.DiscoveryServiceAccount()},
		n.Planner():              {n.Planner(), n.Planner()},
		n.EPP():                  {n.EPP(), n.EPP()},
	}
	own := roles[name]
	ref := tree.At(object, "roleRef")
	if tree.Text(ref, "kind") != "Role" || tree.Text(ref, "name") != own[0] || tree.Text(ref, "apiGroup") != rbacv1.GroupName {
		return message.Format("cannot adopt RoleBinding %s: it grants %s %s, and the RoleBinding of the graph grants Role %s; delete or rename it, or rename the graph", name, tree.Text(ref, "kind"), tree.Text(ref, "name"), own[0])
	}
	for _, value := range object.GetFields()["subjects"].GetListValue().GetValues() {
		s := value.GetStructValue()
		if tree.Text(s, "kind") != rbacv1.ServiceAccountKind || tree.Text(s, "name") != own[1] || tree.Text(s, "namespace") != by.graph.Namespace {
			return message.Format("cannot adopt RoleBinding %s: %s %s would lose what it grants; bind Role %s to it in another RoleBinding, and remove it from this RoleBinding", name, tree.Text(s, "kind"), tree.Text(s, "name"), own[0])
		}
	}
	return message.Text{}
}

// Invalid is the error for a graph that cannot adopt an object.
func Invalid(g *graph.Graph, problem message.Text) *message.Message {
	path := field.NewPath("metadata", "annotations").Key(metadata.AnnotationAdoptFrom)
	return message.Invalid(path, g.Annotations[metadata.AnnotationAdoptFrom], "%s", problem)
}

// Controlled is the reason why an object with an owner is not adopted.
func Controlled(kind, name string, owner require.Owner) message.Text {
	return message.Format("cannot adopt %s %s: it is controlled by %s with UID %s; stop the Dynamo operator, and remove the owner references of the objects, or delete their owners with --cascade=orphan", kind, name, owner, owner.UID)
}
