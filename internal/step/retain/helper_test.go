package retain

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// progress of a workload of generation 2.
type progress struct {
	replicas, updated, ready int32
	available                bool
}

// Progress of workloads.
func rolledOut() progress { return progress{replicas: 1, updated: 1, ready: 1, available: true} }
func rolling() progress   { return progress{replicas: 2, updated: 1, ready: 1} }

func metaOf(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Generation: 2} }

func deployment(pods corev1.PodTemplateSpec, p progress) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: metaOf("llama-worker"),
		Spec:   appsv1.DeploymentSpec{Template: pods},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: p.replicas, UpdatedReplicas: p.updated, ReadyReplicas: p.ready},
	}
	if p.available {
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "True"}}
	}
	return d
}

// leaderWorkerSet with a template for its leader, or nil.
func leaderWorkerSet(leader *corev1.PodTemplateSpec, worker corev1.PodTemplateSpec, p progress) *lwsv1.LeaderWorkerSet {
	set := &lwsv1.LeaderWorkerSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"}, ObjectMeta: metaOf("llama-worker-0"),
		Spec:   lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{LeaderTemplate: leader, WorkerTemplate: worker}},
		Status: lwsv1.LeaderWorkerSetStatus{ObservedGeneration: 2, Replicas: p.replicas, UpdatedReplicas: p.updated, ReadyReplicas: p.ready},
	}
	if p.available {
		set.Status.Conditions = []metav1.Condition{{Type: string(lwsv1.LeaderWorkerSetAvailable), Status: "True"}}
	}
	return set
}

// podCliqueSet of a clique and another one, which may be updated.
func podCliqueSet(clique grovev1alpha1.Clique, update *grovev1alpha1.UpdateProgress) *grovev1alpha1.PodCliqueSet {
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueSet"}, ObjectMeta: metaOf("llama"),
		Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{
			Cliques: []grovev1alpha1.Clique{{Name: "other"}, clique},
		}},
		Status: grovev1alpha1.PodCliqueSetStatus{ObservedGeneration: new(int64(2)), UpdateProgress: update},
	}
}

// plainPod refers to nothing.
func plainPod() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}
}

// pod refers to objects of each kind.
func pod() corev1.PodTemplateSpec {
	name := func(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{"component": "Worker", "discovery": "x", "nvidia.com/dynamo-discovery-backend": "kubernetes"},
			Annotations: map[string]string{"scheduling.k8s.io/group-name": "llama-worker-0"},
		},
		Spec: corev1.PodSpec{
			SchedulingGroup:    &corev1.PodSchedulingGroup{PodGroupName: new("llama-worker-0")},
			ServiceAccountName: "account", ImagePullSecrets: []corev1.LocalObjectReference{name("pull")},
			ResourceClaims: []corev1.PodResourceClaim{
				{Name: "gpus", ResourceClaimTemplateName: new("claims")}, {Name: "mine", ResourceClaimName: new("claim")},
			},
			Volumes: []corev1.Volume{
				{Name: "a", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: name("volume-map")}}},
				{Name: "b", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "volume-secret"}}},
				{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "p", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
					{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: name("projected-map")}},
					{Secret: &corev1.SecretProjection{LocalObjectReference: name("projected-secret")}},
				}}}},
			},
			InitContainers: []corev1.Container{{Name: "init", EnvFrom: []corev1.EnvFromSource{
				{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: name("env-from-map")}},
				{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: name("env-from-secret")}},
			}}},
			Containers: []corev1.Container{{
				Name: "main", Command: []string{"sh", "-c", "curl http://llama-command:8000"}, Args: []string{"--pool", "llama-arg"},
				Env: []corev1.EnvVar{
					{Name: "A", Value: "llama-value.inference.svc"},
					{Name: "F", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
					{Name: "B", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: name("env-map"), Key: "k"}}},
					{Name: "C", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: name("env-secret"), Key: "k"}}},
				},
			}},
		},
	}
}

// object of which only the name matters.
func object(apiVersion, kind, name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func service(name string, labels, selector map[string]string) *corev1.Service {
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.ServiceSpec{Selector: selector},
	}
}

// binding of Role role to one subject.
func binding(kind, name string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: "binding"},
		RoleRef:    rbacv1.RoleRef{Kind: "Role", Name: "role"}, Subjects: []rbacv1.Subject{{Kind: kind, Name: name}},
	}
}

// usage of a domain by a workload.
func usage(kind, name, domain string) *protectionv1beta1.Usage {
	return &protectionv1beta1.Usage{
		TypeMeta:   metav1.TypeMeta{APIVersion: "protection.crossplane.io/v1beta1", Kind: "Usage"},
		ObjectMeta: metav1.ObjectMeta{Name: "usage"},
		Spec: protectionv1beta1.UsageSpec{
			Of: protectionv1beta1.NamespacedResource{ResourceRef: &protectionv1beta1.NamespacedResourceRef{Name: domain}},
			By: &protectionv1beta1.Resource{Kind: kind, ResourceRef: &protectionv1beta1.ResourceRef{Name: name}},
		},
	}
}

func domain(claimTemplate string) *computedomainv1beta1.ComputeDomain {
	return &computedomainv1beta1.ComputeDomain{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.nvidia.com/v1beta1", Kind: "ComputeDomain"},
		ObjectMeta: metav1.ObjectMeta{Name: claimTemplate},
		Spec: computedomainv1beta1.Spec{Channel: computedomainv1beta1.Channel{
			ResourceClaimTemplate: computedomainv1beta1.ResourceClaimTemplate{Name: claimTemplate},
		}},
	}
}

// keeper of a graph with these observed objects by key. Crossplane has looked for what is leaving and found these, by the
// name of the requirement; nil: it has not looked.
func keeper(orchestrator graphplan.Orchestrator, observed, found map[string]any) *Keeper {
	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "tag"},
		Observed:          steptest.State(observed),
		RequiredResources: map[string]*fnv1.Resources{},
	}
	for _, name := range []string{"leaving-leaderworkerset", "leaving-usage"} {
		if found == nil {
			break
		}
		req.RequiredResources[name] = &fnv1.Resources{}
		if object, ok := found[name]; ok {
			req.RequiredResources[name].Items = []*fnv1.Resource{{Resource: steptest.Struct(object)}}
		}
	}
	call := &step.Call{
		Request: req, Response: response.To(req, step.TTL),
		Graph: &graph.Graph{Name: "llama", Namespace: "inference"}, Plan: &graphplan.Plan{Orchestrator: orchestrator},
	}
	return New(call, &require.Requirements{})
}
