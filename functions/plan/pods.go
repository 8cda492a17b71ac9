package plan

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// observedPods are the pod templates of a workload: one, or a leader's and a worker's.
type observedPods []corev1.PodTemplateSpec

// podsOf one observed workload of each service, by lower-cased name: its workloads are all made alike.
func podsOf(req *fnv1.RunFunctionRequest, set *grovev1alpha1.PodCliqueSet) (map[string]observedPods, error) {
	pods := map[string]observedPods{}
	if set != nil {
		for _, clique := range set.Spec.Template.Cliques {
			service := serviceOfClique(clique.Name, set)
			pods[service] = append(pods[service], corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: clique.Labels, Annotations: clique.Annotations},
				Spec:       clique.Spec.PodSpec,
			})
		}
	}
	observed := req.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		service, multinode, ok := names.WorkloadOf(key)
		kind := kindOf(observed[key].GetResource())
		if _, known := pods[service]; !ok || known || (kind != kindDeployment && kind != kindLeaderWorkerSet) {
			continue
		}
		w := podTemplates{}
		if err := require.Into(observed[key].GetResource(), &w); err != nil {
			return nil, err
		}
		pods[service] = observedPods{w.Spec.Template}
		if multinode {
			pods[service] = observedPods{w.Spec.LeaderWorkerTemplate.LeaderTemplate, w.Spec.LeaderWorkerTemplate.WorkerTemplate}
		}
	}
	return pods, nil
}

// podTemplates is a Deployment or a LeaderWorkerSet, as far as its pods go.
type podTemplates struct {
	Spec struct {
		Template             corev1.PodTemplateSpec `json:"template"`
		LeaderWorkerTemplate struct {
			LeaderTemplate corev1.PodTemplateSpec `json:"leaderTemplate"`
			WorkerTemplate corev1.PodTemplateSpec `json:"workerTemplate"`
		} `json:"leaderWorkerTemplate"`
	} `json:"spec"`
}
