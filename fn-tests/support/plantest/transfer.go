package plantest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Transferring is a graph of a worker with a policy for the transfer of KV caches.
func Transferring(policy v1alpha1.KVTransferPolicy) *v1alpha1.DynamoGraphDeployment {
	return Graph(Worker, WithTransfer(policy))
}

// WithTransfer is a policy of the graph for the transfer of KV caches.
func WithTransfer(policy v1alpha1.KVTransferPolicy) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Experimental = &v1alpha1.Experimental{KVTransferPolicy: &policy}
	}
}

// TransferByLabel is a policy about the domain rack, which a node label has.
func TransferByLabel(key string) v1alpha1.KVTransferPolicy {
	return v1alpha1.KVTransferPolicy{LabelKey: key, Domain: "rack"}
}

// TransferByTopology is a policy about a domain of my-topology.
func TransferByTopology(domain string) v1alpha1.KVTransferPolicy {
	return v1alpha1.KVTransferPolicy{ClusterTopologyName: "my-topology", Domain: domain}
}

// TransferPods are the pods of a worker with a policy for a topology, and with its labels of two levels.
func TransferPods() corev1.PodTemplateSpec {
	file := func(domain, label string) corev1.DownwardAPIVolumeFile {
		return corev1.DownwardAPIVolumeFile{Path: domain, FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['" + label + "']"}}
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"nvidia.com/topology-cluster-topology-name": "my-topology"}},
		Spec: corev1.PodSpec{
			SchedulerName: graphplan.KAIScheduler,
			Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{
				{Name: "DYN_KV_TRANSFER_DOMAIN", Value: "rack"},
				{Name: "DYN_KV_TRANSFER_ENFORCEMENT", Value: "required"},
				{Name: "DYN_TOPOLOGY_ENABLED", Value: "true"},
				{Name: "DYN_TOPOLOGY_MOUNT_PATH", Value: "/etc/dynamo/topology"},
			}}},
			Volumes: []corev1.Volume{{Name: "topology-labels", VolumeSource: corev1.VolumeSource{
				DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{file("zone", "old-zone"), file("rack", "old-rack")}},
			}}},
		},
	}
}
