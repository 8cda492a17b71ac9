package revision

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// numbering is what differs between the pods of replicas that are a LeaderWorkerSet each. It is found by its place in the pod templates, and
// never by its text: a user may write the name of a replica anywhere.
type numbering struct {
	// name of the LeaderWorkerSet of a replica, and of its gang and its NVLink domain.
	name func(i int32) string

	// groups says that the annotation with the name of a gang is not the user's own.
	groups bool

	// natives says that the pods name the PodGroup of Kubernetes that is their gang.
	natives bool

	// channels says that the claim for a channel of an NVLink domain is not the user's own.
	channels bool
}

// numberingOf a component. The pods of a revision are found by a hash of what the user wrote, so what the user writes now tells what of them
// is the user's own.
func numberingOf(g *graph.Graph, p *graphplan.Plan, name string) *numbering {
	spec := g.Component(name)
	_, given := pod.WorkloadAnnotations(spec)[metadata.AnnotationGroupName]
	return &numbering{
		name:     func(i int32) string { return g.Names().Replica(name, i) },
		groups:   !given || p.LWS.Gang.Groups(g.Names(), name, spec.SchedulerName()),
		natives:  p.LWS.Gang.GroupsNatively(g.Names(), name, spec.SchedulerName()),
		channels: !slices.ContainsFunc(spec.Pod().ResourceClaims, isChannel),
	}
}

func isChannel(claim corev1.PodResourceClaim) bool { return claim.Name == names.MNNVLClaim }

// renumber the pods of one replica: they become those of another one. A place with anything else than the number or the name of the replica
// was set by another step of the Composition, and stays as it is.
func (n *numbering) renumber(pods *structpb.Struct, from, to int32) *structpb.Struct {
	for _, template := range inGroup().templates() {
		pods = swapText(pods, number(from), number(to), metadata.LabelInstance, pathBelow(template, "metadata", "labels")...)
		if n.groups {
			pods = swapText(pods, n.name(from), n.name(to), metadata.AnnotationGroupName, pathBelow(template, "metadata", "annotations")...)
		}
		if n.natives {
			pods = swapText(pods, n.name(from), n.name(to), "podGroupName", pathBelow(template, "spec", "schedulingGroup")...)
		}
		if n.channels {
			pods = swapChannels(pods, n.name(from), n.name(to), pathBelow(template, "spec"))
		}
	}
	return pods
}

// swapText of a key in the object at a path, if it is the old one.
func swapText(pods *structpb.Struct, before, after, key string, path ...string) *structpb.Struct {
	if tree.Text(pods, key, path...) != before {
		return pods
	}
	return tree.WithText(pods, after, key, path...)
}

// swapChannels in the spec of pods: the claim for a channel refers to the template of another domain.
func swapChannels(pods *structpb.Struct, before, after string, spec []string) *structpb.Struct {
	const claims, domain = "resourceClaims", "resourceClaimTemplateName"
	list := tree.At(pods, spec...).GetFields()[claims].GetListValue().GetValues()
	i := slices.IndexFunc(list, func(claim *structpb.Value) bool {
		return tree.Text(claim.GetStructValue(), "name") == names.MNNVLClaim && tree.Text(claim.GetStructValue(), domain) == before
	})
	if i < 0 {
		return pods
	}
	swapped := slices.Clone(list)
	swapped[i] = structpb.NewStructValue(tree.WithText(list[i].GetStructValue(), after, domain))
	return tree.With(pods, structpb.NewListValue(&structpb.ListValue{Values: swapped}), claims, spec...)
}

// pathBelow is the path of keys in a template.
func pathBelow(template []string, keys ...string) []string { return slices.Concat(template, keys) }
