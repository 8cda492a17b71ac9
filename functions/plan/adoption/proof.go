package adoption

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Unproven is why it is not certain that the Dynamo operator has made an object for the graph. A name proves nothing: somebody else's object would
// be changed, and deleted together with the graph. Empty: it is certain, by one of
//
//   - the owner reference of the operator, or its record in an annotation, which the steps of command adopt leave where they remove the reference:
//     only somebody who may write the object can add it;
//   - the field manager of the operator, together with what the operator writes only into objects of this graph.
//
// None of these is a proof if the object says that it belongs to another graph. Claims contain data, and the operator marks them by nothing but the
// reference.
func Unproven(seen *subject.Seen, object *structpb.Struct) message.Text {
	if problem := message.First(ofAnother(seen, object), foreignBinding(seen, object)); !problem.IsZero() {
		return problem
	}
	name := tree.Name(object)
	kind := object.GetFields()["kind"].GetStringValue()
	if isReleased(seen, object) {
		return message.Text{}
	}
	missing := append(unmarked(seen, object), unmanaged(object)...)
	if len(missing) == 0 {
		return message.Text{}
	}
	return message.Format("cannot adopt %s %s: nothing proves that the Dynamo operator has made it for this graph: %s; if the operator has, add annotation %s: %s to the object, otherwise delete or rename it, or rename the graph",
		kind, name, strings.Join(missing, ", and "), metadata.AnnotationReleasedFrom, seen.Graph.Name)
}

// isReleased reports whether a graph of the operator with the name of this one is an owner of the object, or was until its reference was removed.
func isReleased(seen *subject.Seen, object *structpb.Struct) bool {
	if tree.Text(object, metadata.AnnotationReleasedFrom, "metadata", "annotations") == seen.Graph.Name {
		return true
	}
	return slices.Contains(ownersOf(object), owner{kind: v1alpha1.Kind, name: seen.Graph.Name})
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
	return []string{"its field managers do not include " + operatorManager + ", which is that of the operator"}
}

// unmarked is what an object lacks of that which the operator only writes into objects of this graph.
func unmarked(seen *subject.Seen, object *structpb.Struct) []string {
	withPods := func(template ...string) []string {
		return append(unlabelled(seen, object), unlabelledPods(seen, tree.At(object, template...))...)
	}
	switch observed.Listed(object).Proof {
	case kinds.Label:
		return unlabelled(seen, object)
	case kinds.PodLabel:
		return withPods("spec", "template")
	case kinds.WorkerLabel:
		return withPods("spec", "leaderWorkerTemplate", "workerTemplate")
	case kinds.CliqueLabels:
		return unlabelledCliques(seen, object)
	case kinds.AccessLabels:
		return unlabelledAccess(seen, object)
	case kinds.Selector:
		// The operator labels Services beside Deployments. The namespace that they select is then that of an early version of the API.
		if len(unlabelled(seen, object)) == 0 {
			return nil
		}
		return selectsOthers(seen, object, tree.At(object, "spec", "selector"))
	case kinds.SelectorOfPool:
		return selectsOthers(seen, object, tree.At(object, "spec", "selector", "matchLabels"))
	case kinds.Backends:
		return leadsElsewhere(seen, object)
	case kinds.UsedByPods:
		return unused(seen, object)
	case kinds.OwnerReference:
		return []string{"it contains data, for which only an owner reference of the graph is a proof"}
	case kinds.NoProof:
	}
	return []string{"the operator makes no objects of this kind"}
}

// unlabelled is that an object does not have the label with the name of the graph.
func unlabelled(seen *subject.Seen, object *structpb.Struct) []string {
	return missingLabel(seen, tree.At(object, "metadata", "labels"), "it")
}

func unlabelledPods(seen *subject.Seen, template *structpb.Struct) []string {
	return missingLabel(seen, tree.At(template, "metadata", "labels"), "its pod template")
}

func missingLabel(seen *subject.Seen, labels *structpb.Struct, what string) []string {
	want := metadata.LabelValue(seen.Graph.Name)
	if labels.GetFields()[metadata.LabelGraphName].GetStringValue() == want {
		return nil
	}
	return []string{what + " does not have label " + metadata.LabelGraphName + ": " + want}
}

// unlabelledCliques is that not all cliques of a PodCliqueSet are of the graph. The set itself only has a label since the operator shortens its
// name.
func unlabelledCliques(seen *subject.Seen, set *structpb.Struct) []string {
	cliques := tree.At(set, "spec", "template").GetFields()["cliques"].GetListValue().GetValues()
	if len(cliques) == 0 {
		return []string{"it has no cliques"}
	}
	for _, clique := range cliques {
		if missing := missingLabel(seen, tree.At(clique.GetStructValue(), "labels"), "clique "+tree.Text(clique.GetStructValue(), "name")); len(missing) > 0 {
			return missing
		}
	}
	return nil
}

// unlabelledAccess is that an account, or what it may do, does not have the labels of those for discovery.
func unlabelledAccess(seen *subject.Seen, object *structpb.Struct) []string {
	var missing []string
	for _, label := range [][2]string{
		{metadata.LabelManagedBy, metadata.AdoptFromOperator}, {metadata.LabelAppName, seen.Graph.Names().DiscoveryServiceAccount()},
	} {
		if tree.Text(object, label[0], "metadata", "labels") != label[1] {
			missing = append(missing, "it does not have label "+label[0]+": "+label[1])
		}
	}
	return missing
}

// selectsOthers is that the selector of an object is not one for pods of the graph.
func selectsOthers(seen *subject.Seen, object, selector *structpb.Struct) []string {
	namespace := selector.GetFields()[metadata.LabelDynamoNamespace].GetStringValue()
	own := seen.Graph.Names().DynamoNamespace(seen.Graph.Namespace)
	if namespace == own || namespace == names.GlobalDynamoNamespace && selectsGlobal(seen, object, selector) {
		return nil
	}
	return []string{"it does not select pods with label " + metadata.LabelDynamoNamespace + ": " + own}
}

// selectsGlobal reports whether a selector of pods in the Dynamo namespace that graphs share is for a service of this graph, with the name of which
// the object begins. An object without a service in its selector has the label of the graph.
func selectsGlobal(seen *subject.Seen, object, selector *structpb.Struct) bool {
	global := func(name string) bool { return seen.Graph.Component(name).GlobalDynamoNamespace }
	name := selector.GetFields()[metadata.LabelComponent].GetStringValue()
	if name == "" {
		return slices.ContainsFunc(seen.Graph.ServiceNames(), global) && len(unlabelled(seen, object)) == 0
	}
	return slices.Contains(seen.Graph.ServiceNames(), name) && global(name) &&
		strings.HasPrefix(tree.Name(object), names.Of(seen.Graph.Name, names.Adoption{}).Service(name))
}

// leadsElsewhere is that an Ingress or VirtualService leads to another Service than one of the graph.
func leadsElsewhere(seen *subject.Seen, object *structpb.Struct) []string {
	var own []string
	for _, name := range seen.Graph.ServiceNames() {
		// The operator leaves dots in the name of the backend.
		own = append(own, seen.Graph.Names().Service(name), seen.Graph.Names().Component(name))
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
func unused(seen *subject.Seen, object *structpb.Struct) []string {
	name := tree.Name(object)
	for _, key := range seen.Observed.Keys() {
		set := seen.Observed.Object(resource.Name(key))
		if observed.KindOf(set) == observed.KindLeaderWorkerSet &&
			tree.Text(set, metadata.AnnotationGroupName, "spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "annotations") == name {
			return nil
		}
	}
	for _, pods := range seen.Observed.Pods {
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
func foreignBinding(seen *subject.Seen, object *structpb.Struct) message.Text {
	if observed.Listed(object).Kind != "RoleBinding" {
		return message.Text{}
	}
	n := seen.Graph.Names()
	name := tree.Name(object)
	roles := map[string][2]string{
		n.DiscoveryRoleBinding(): {n.DiscoveryRole(), n.DiscoveryServiceAccount()},
		n.Planner():              {n.Planner(), n.Planner()},
		n.EPP():                  {n.EPP(), n.EPP()},
	}
	own := roles[name]
	ref := tree.At(object, "roleRef")
	if tree.Text(ref, "kind") != "Role" || tree.Text(ref, "name") != own[0] || tree.Text(ref, "apiGroup") != rbacv1.GroupName {
		return message.Format("cannot adopt RoleBinding %s: it grants %s %s, and that of the graph grants Role %s; delete or rename it, or rename the graph", name, tree.Text(ref, "kind"), tree.Text(ref, "name"), own[0])
	}
	for _, value := range object.GetFields()["subjects"].GetListValue().GetValues() {
		s := value.GetStructValue()
		if tree.Text(s, "kind") != rbacv1.ServiceAccountKind || tree.Text(s, "name") != own[1] || tree.Text(s, "namespace") != seen.Graph.Namespace {
			return message.Format("cannot adopt RoleBinding %s: %s %s would lose what it grants; bind Role %s to it in another RoleBinding, and remove it from this one", name, tree.Text(s, "kind"), tree.Text(s, "name"), own[0])
		}
	}
	return message.Text{}
}
