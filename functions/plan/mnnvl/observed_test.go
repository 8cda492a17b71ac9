package mnnvl_test

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	computedomain "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	grove "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// A podChange of observed pods.
type podChange func(*corev1.PodSpec)

// podsOf one container.
func podsOf(changes ...podChange) corev1.PodSpec {
	pods := corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}
	for _, change := range changes {
		change(&pods)
	}
	return pods
}

func withGPUs(p *corev1.PodSpec) { withGPUsOf("nvidia.com/gpu")(p) }

// withGPUsOf a type.
func withGPUsOf(gpuType corev1.ResourceName) podChange {
	return func(p *corev1.PodSpec) {
		p.Containers[0].Resources.Limits = corev1.ResourceList{gpuType: resource.MustParse("4")}
	}
}

// withSharedGPUs are pods whose containers share GPUs through the GPU memory service.
func withSharedGPUs(p *corev1.PodSpec) {
	p.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "intrapod-shared-gpu"}}
	p.ResourceClaims = append(p.ResourceClaims, claimBy("intrapod-shared-gpu", "llama-worker-gpu"))
}

// onClique are pods that must run on nodes of an NVLink clique.
func onClique(p *corev1.PodSpec) {
	p.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpExists}}}},
	}}}
}

// claimOf a channel of a domain.
func claimOf(domain string) podChange {
	return func(p *corev1.PodSpec) { p.ResourceClaims = append(p.ResourceClaims, claimBy("mnnvl-claim", domain)) }
}

// otherClaim is a claim of the user's own.
func otherClaim(p *corev1.PodSpec) {
	p.ResourceClaims = append(p.ResourceClaims, claimBy("nic", "nics"))
}

func claimBy(name, template string) corev1.PodResourceClaim {
	return corev1.PodResourceClaim{Name: name, ResourceClaimTemplateName: &template}
}

// setOf is the PodCliqueSet of the graph, whose Worker spans nodes.
func setOf(annotations, ofWorker map[string]string, changes ...podChange) map[string]any {
	return setOfCliques(annotations, nil, ofWorker, changes...)
}

// setOfCliques is setOf with annotations on the cliques of Worker.
func setOfCliques(annotations, ofCliques, ofWorker map[string]string, changes ...podChange) map[string]any {
	return multinodeSet(annotations, nil, ofCliques, ofWorker, changes...)
}

// grouped is the PodCliqueSet of a graph with GPUs. Its annotations come from the spec of the graph, so the clique of Frontend has
// them as well.
func grouped(annotations, ofCliques map[string]string) map[string]any {
	return multinodeSet(annotations, annotations, ofCliques, nil, withGPUs)
}

func multinodeSet(annotations, ofFrontend, ofCliques, ofWorker map[string]string, changes ...podChange) map[string]any {
	pods := podsOf(changes...)
	set := podCliqueSet(annotations, clique("frontend", ofFrontend, podsOf()), clique("worker-ldr", ofCliques, pods), clique("worker-wkr", ofCliques, pods))
	set.Spec.Template.ScalingGroups = []grove.ScalingGroup{
		{Name: "worker", Annotations: ofWorker, CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: 1, MinAvailable: 1},
	}
	return map[string]any{"podcliqueset": set}
}

// singleSetOf is the PodCliqueSet of the graph, whose Worker runs on one node.
func singleSetOf(annotations, ofClique map[string]string, changes ...podChange) map[string]any {
	return map[string]any{"podcliqueset": podCliqueSet(annotations, clique("frontend", nil, podsOf()), clique("worker", ofClique, podsOf(changes...)))}
}

func podCliqueSet(annotations map[string]string, cliques ...grove.Clique) *grove.PodCliqueSet {
	set := plantest.PodCliqueSet(cliques...)
	set.Annotations = annotations
	return set
}

func clique(name string, annotations map[string]string, pods corev1.PodSpec) grove.Clique {
	return plantest.Clique(name, func(c *grove.Clique) { c.Annotations, c.Spec.PodSpec = annotations, pods })
}

// leaderWorkerSetsOf are the observed workloads of the graph on LeaderWorkerSets.
func leaderWorkerSetsOf(changes ...podChange) map[string]any {
	set := plantest.SetOfVolcano(func(set *lwsv1.LeaderWorkerSet) {
		template := &set.Spec.LeaderWorkerTemplate
		pods := podsOf(changes...)
		pods.SchedulerName = template.WorkerTemplate.Spec.SchedulerName
		template.WorkerTemplate.Spec = pods
		template.LeaderTemplate = template.WorkerTemplate.DeepCopy()
	})
	return map[string]any{"deployment-frontend": deploymentOf("frontend"), "leaderworkerset-worker-0": set}
}

// deploymentsOf are the observed workloads of the graph on Deployments.
func deploymentsOf(changes ...podChange) map[string]any {
	return map[string]any{"deployment-frontend": deploymentOf("frontend"), "deployment-worker": deploymentOf("worker", changes...)}
}

func deploymentOf(component string, changes ...podChange) *appsv1.Deployment {
	return plantest.Deployment("llama-"+component, corev1.PodTemplateSpec{Spec: podsOf(changes...)})
}

// domainOf is an observed ComputeDomain under a key.
func domainOf(key, name string) map[string]any {
	return map[string]any{key: &computedomain.ComputeDomain{
		TypeMeta:   metav1.TypeMeta{APIVersion: computedomain.APIVersion, Kind: computedomain.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}}
}

// statusOf a graph, with the mode and the scope of its domains unless they are empty.
func statusOf(orchestrator graphplan.Orchestrator, mode, scope string) *v1alpha1.DynamoGraphDeploymentStatus {
	status := &v1alpha1.DynamoGraphDeploymentStatus{Orchestrator: string(orchestrator)}
	if mode != "" {
		status.MNNVL = &v1alpha1.MNNVLStatus{Mode: mode, Scope: scope}
	}
	return status
}

func referenceToDomain(name string) corev1.ObjectReference {
	return plantest.ReferenceTo(computedomain.APIVersion, computedomain.Kind, name)
}

// with all of these observed objects.
func with(observed ...map[string]any) map[string]any {
	all := map[string]any{}
	for _, o := range observed {
		maps.Copy(all, o)
	}
	return all
}
