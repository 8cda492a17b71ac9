package observed

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Listed is the kind of an object in the table of kinds: the zero Kind if the functions compose none of it.
func Listed(object *structpb.Struct) kinds.Kind {
	return kinds.Of(tree.Text(object, "apiVersion"), tree.Text(object, "kind"))
}

// Pods are the pod templates of a workload: a single one, or those of the leader and the workers.
type Pods []corev1.PodTemplateSpec

// PodsOf a workload. Objects that are not workloads have none.
func PodsOf(object *structpb.Struct) (Pods, error) {
	switch Listed(object).Pods {
	case kinds.CliqueTemplates:
		set, err := PodCliqueSet(object)
		pods := make(Pods, 0, len(set.Spec.Template.Cliques))
		for i := range set.Spec.Template.Cliques {
			pods = append(pods, podsOfClique(&set.Spec.Template.Cliques[i]))
		}
		return pods, err
	case kinds.LeaderWorkerTemplate:
		set := setWithPods{}
		err := require.Into(object, &set)
		return set.pods(), err
	case kinds.PodTemplate:
		deployment := deployment{}
		err := require.Into(object, &deployment)
		return Pods{deployment.Spec.Template}, err
	case kinds.NoPods:
	}
	return nil, nil
}

// setWithPods is a LeaderWorkerSet as far as its pods go.
type setWithPods struct {
	Spec struct {
		LeaderWorkerTemplate struct {
			LeaderTemplate *corev1.PodTemplateSpec `json:"leaderTemplate"`
			WorkerTemplate corev1.PodTemplateSpec  `json:"workerTemplate"`
		} `json:"leaderWorkerTemplate"`
	} `json:"spec"`
}

// pods of the leader, where it has a template of its own, and of the workers.
func (s *setWithPods) pods() Pods {
	template := &s.Spec.LeaderWorkerTemplate
	if template.LeaderTemplate == nil {
		return Pods{template.WorkerTemplate}
	}
	return Pods{*template.LeaderTemplate, template.WorkerTemplate}
}

// deployment as far as its pods go.
type deployment struct {
	Spec struct {
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}
