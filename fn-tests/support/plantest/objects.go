package plantest

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// Named is an object of which only the name matters.
func Named(apiVersion, kind, name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// PodCliqueSet of graph llama, as it is observed.
func PodCliqueSet(cliques ...grovev1alpha1.Clique) *grovev1alpha1.PodCliqueSet {
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{Name: "llama"},
		Spec:       grovev1alpha1.PodCliqueSetSpec{Replicas: 1, Template: grovev1alpha1.PodCliqueSetTemplate{Cliques: cliques}},
	}
}

// Clique of an observed PodCliqueSet, with one replica.
func Clique(name string, changes ...func(*grovev1alpha1.Clique)) grovev1alpha1.Clique {
	clique := grovev1alpha1.Clique{Name: name, Spec: grovev1alpha1.CliqueSpec{Replicas: 1, MinAvailable: 1}}
	for _, change := range changes {
		change(&clique)
	}
	return clique
}

// FrontendSet is the observed PodCliqueSet of a graph of one Frontend.
func FrontendSet() *grovev1alpha1.PodCliqueSet { return PodCliqueSet(Clique("frontend")) }

// LeaderWorkerSet of a name, as it is observed.
func LeaderWorkerSet(name string, changes ...func(*lwsv1.LeaderWorkerSet)) *lwsv1.LeaderWorkerSet {
	set := &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: lwsv1.GroupVersion.String(), Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

// Deployment of a name, as it is observed, with these pods.
func Deployment(name string, pods corev1.PodTemplateSpec) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       appsv1.DeploymentSpec{Template: pods},
	}
}

// FrontendDeployment is the observed Deployment of component Frontend.
func FrontendDeployment() *appsv1.Deployment {
	return Deployment("llama-frontend", corev1.PodTemplateSpec{})
}

// ReferenceToSet refers to the PodCliqueSet of graph llama.
func ReferenceToSet() corev1.ObjectReference {
	return ReferenceTo(grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet, "llama")
}
