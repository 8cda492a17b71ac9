package observed

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
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
		component := ComponentOfClique(clique, set)
		if names.IsWeightClique(component, clique) {
			continue // It runs no engine.
		}
		s.Pods[component] = append(s.Pods[component], podsOfClique(&set.Spec.Template.Cliques[i]))
	}
	return nil
}

// PodCliqueSet from an object.
func PodCliqueSet(object *structpb.Struct) (*grovev1alpha1.PodCliqueSet, error) {
	set := &grovev1alpha1.PodCliqueSet{}
	return set, require.Into(object, set)
}

func podsOfClique(clique *grovev1alpha1.Clique) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: clique.Labels, Annotations: clique.Annotations},
		Spec:       clique.Spec.PodSpec,
	}
}

// ComponentsOf a PodCliqueSet: each scaling group of several cliques is a multinode component, and each other group or clique is a single-node
// component. Weight servers do not count.
func ComponentsOf(set *grovev1alpha1.PodCliqueSet) Components {
	components := GroupsOf(set)
	for _, group := range set.Spec.Template.ScalingGroups {
		engines := slices.DeleteFunc(slices.Clone(group.CliqueNames), func(clique string) bool { return names.IsWeightClique(group.Name, clique) })
		components[group.Name] = len(engines) > 1
	}
	return components
}

// GroupsOf a PodCliqueSet: whether each component is a scaling group, by lower-cased name.
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

// ComponentOfClique is the lower-cased component of a clique.
func ComponentOfClique(clique string, set *grovev1alpha1.PodCliqueSet) string {
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
