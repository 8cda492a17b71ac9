package observed

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func (s *State) decodePodCliqueSet() error {
	if !s.Has(names.KeyPodCliqueSet) {
		return nil
	}
	set, err := PodCliqueSet(s.Object(names.KeyPodCliqueSet))
	if err != nil {
		return err
	}
	s.PodCliqueSet = set
	for i := range set.Spec.Template.Cliques {
		clique := set.Spec.Template.Cliques[i].Name
		service := ServiceOfClique(clique, set)
		if names.IsWeightClique(service, clique) {
			continue // It runs no engine.
		}
		s.Pods[service] = append(s.Pods[service], podsOfClique(&set.Spec.Template.Cliques[i]))
	}
	return nil
}

// PodCliqueSet from an object.
func PodCliqueSet(object *structpb.Struct) (*grovev1alpha1.PodCliqueSet, error) {
	set := &grovev1alpha1.PodCliqueSet{}
	return set, require.Into(object, set)
}

// ReplicasIn a PodCliqueSet, observed or desired, by clique and scaling group. Its pods, which are most of it, are not decoded.
func ReplicasIn(set *structpb.Struct) map[string]int32 {
	replicas := map[string]int32{}
	template := tree.At(set, "spec", "template").GetFields()
	add := func(list string, path ...string) {
		for _, value := range template[list].GetListValue().GetValues() {
			child := value.GetStructValue()
			replicas[tree.Text(child, "name")] = cmp.Or(int32(tree.At(child, path...).GetFields()["replicas"].GetNumberValue()), 1)
		}
	}
	add("cliques", "spec")
	add("podCliqueScalingGroups")
	return replicas
}

// podCliqueSetReplicas is what ReplicasIn reads.
type podCliqueSetReplicas struct {
	Spec struct {
		Template struct {
			Cliques []struct {
				Name string `json:"name"`
				Spec struct {
					Replicas int32 `json:"replicas"`
				} `json:"spec"`
			} `json:"cliques"`
			ScalingGroups []struct {
				Name     string `json:"name"`
				Replicas int32  `json:"replicas"`
			} `json:"podCliqueScalingGroups"`
		} `json:"template"`
	} `json:"spec"`
}

// ReadReplicas is ReplicasIn for an observed PodCliqueSet, with an error if it cannot be read. There are none if it does not exist.
func ReadReplicas(set *structpb.Struct) (map[string]int32, error) {
	if set != nil {
		if err := require.Into(set, &podCliqueSetReplicas{}); err != nil {
			return nil, errors.Wrap(err, "cannot read the observed PodCliqueSet")
		}
	}
	return ReplicasIn(set), nil
}

// RollsCoherently reports whether Grove is updating a PodCliqueSet with strategy Coherent. Until it is done, it refuses to scale anything in
// the set.
func RollsCoherently(set *structpb.Struct) bool {
	progress := tree.At(set, "status", "updateProgress")
	return tree.Text(set, "type", "spec", "updateStrategy") == grovev1alpha1.UpdateCoherent &&
		tree.Text(progress, "updateStartedAt") != "" && tree.Text(progress, "updateEndedAt") == ""
}

func podsOfClique(clique *grovev1alpha1.Clique) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: clique.Labels, Annotations: clique.Annotations},
		Spec:       clique.Spec.PodSpec,
	}
}

// ServicesOf a PodCliqueSet: each scaling group of several cliques is a multinode service, and each other group or clique is a single-node
// service. Weight servers do not count.
func ServicesOf(set *grovev1alpha1.PodCliqueSet) Services {
	services := GroupsOf(set)
	for _, group := range set.Spec.Template.ScalingGroups {
		engines := slices.DeleteFunc(slices.Clone(group.CliqueNames), func(clique string) bool { return names.IsWeightClique(group.Name, clique) })
		services[group.Name] = len(engines) > 1
	}
	return services
}

// GroupsOf a PodCliqueSet: whether each service is a scaling group, by lower-cased name.
func GroupsOf(set *grovev1alpha1.PodCliqueSet) map[string]bool {
	groups := map[string]bool{}
	for _, clique := range set.Spec.Template.Cliques {
		if _, grouped := scalingGroupOf(clique.Name, set); !grouped {
			groups[clique.Name] = false
		}
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		groups[group.Name] = true
	}
	return groups
}

// ServiceOfClique is the lower-cased service of a clique.
func ServiceOfClique(clique string, set *grovev1alpha1.PodCliqueSet) string {
	if group, grouped := scalingGroupOf(clique, set); grouped {
		return group
	}
	return clique
}

func scalingGroupOf(clique string, set *grovev1alpha1.PodCliqueSet) (group string, grouped bool) {
	for i := range set.Spec.Template.ScalingGroups {
		if g := &set.Spec.Template.ScalingGroups[i]; slices.Contains(g.CliqueNames, clique) {
			return g.Name, true
		}
	}
	return "", false
}
