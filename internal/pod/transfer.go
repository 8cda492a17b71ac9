package pod

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

const (
	topologyVolume = "topology-labels"
	topologyFolder = "/etc/dynamo/topology"
)

// Variables of workers about the transfer of KV caches.
const (
	transferDomainEnv      = "DYN_KV_TRANSFER_DOMAIN"
	transferEnforcementEnv = "DYN_KV_TRANSFER_ENFORCEMENT"
	transferWeightEnv      = "DYN_KV_TRANSFER_PREFERRED_WEIGHT"
	topologyEnabledEnv     = "DYN_TOPOLOGY_ENABLED"
	topologyFolderEnv      = "DYN_TOPOLOGY_MOUNT_PATH"
)

// IsTransferEnv reports whether workers of a graph with a policy for the transfer of KV caches have a value of their own for a variable, or
// none, whatever the user has written.
func IsTransferEnv(name string) bool {
	switch name {
	case transferDomainEnv, transferEnforcementEnv, transferWeightEnv, topologyEnabledEnv, topologyFolderEnv:
		return true
	default:
		return false
	}
}

// TransferPolicy of a graph. nil if it has none.
func TransferPolicy(g *graph.Graph) *v1alpha1.KVTransferPolicy {
	if g.Spec.Experimental == nil {
		return nil
	}
	return g.Spec.Experimental.KVTransferPolicy
}

// transferPolicy of a component, which only workers with an engine have.
func (b *Builder) transferPolicy(c component) *v1alpha1.KVTransferPolicy {
	if !c.spec.IsWorker() || c.role == backend.RoleWeights {
		return nil
	}
	return TransferPolicy(b.Graph)
}

// TransferEnforcement of a policy. The default is that of the API server. Offline, nothing sets it.
func TransferEnforcement(policy *v1alpha1.KVTransferPolicy) v1alpha1.KVTransferEnforcement {
	return cmp.Or(policy.Enforcement, v1alpha1.KVTransferRequired)
}

// publishDomain makes a worker publish its topology domain, together with the policy, so that the router of its graph can choose decode
// workers by it. A worker reads its domain from a file with the name of the domain, for which it waits 30 seconds.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/components/src/dynamo/common/utils/topology.py
func (b *Builder) publishDomain(container *corev1.Container, c component) {
	policy := b.transferPolicy(c)
	if policy == nil {
		return
	}
	env := slices.DeleteFunc(container.Env, func(e corev1.EnvVar) bool { return IsTransferEnv(e.Name) })
	container.Env = mergeEnv(env, transferEnv(policy))
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: topologyVolume, MountPath: topologyFolder, ReadOnly: true})
}

func transferEnv(policy *v1alpha1.KVTransferPolicy) []corev1.EnvVar {
	env := []corev1.EnvVar{
		{Name: transferDomainEnv, Value: policy.Domain},
		{Name: transferEnforcementEnv, Value: string(TransferEnforcement(policy))},
		{Name: topologyEnabledEnv, Value: "true"},
		{Name: topologyFolderEnv, Value: topologyFolder},
	}
	if policy.PreferredWeight != nil {
		env = append(env, corev1.EnvVar{Name: transferWeightEnv, Value: transferWeight(*policy.PreferredWeight)})
	}
	return env
}

// transferWeight as the Dynamo operator writes it, which reads it with single precision.
func transferWeight(weight float64) string {
	return strconv.FormatFloat(float64(float32(weight)), 'f', -1, 32)
}

// addTopologyVolume adds the files with the domains of the node. A pod has the labels of its node that something copies to it when it is
// scheduled; other files are empty, which is as if they did not exist. With the Dynamo operator, a controller that watches pods copies the
// labels of the policy. Here they are labels that Kubernetes copies itself, or another component of the platform: reading the node from
// an init container would require permission to read all nodes for every account of a worker, which a namespaced graph cannot grant.
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels
func (b *Builder) addTopologyVolume(spec *corev1.PodSpec, c component) {
	if b.transferPolicy(c) == nil {
		return
	}
	var files []corev1.DownwardAPIVolumeFile
	for _, label := range b.Plan.TopologyLabels {
		files = append(files, corev1.DownwardAPIVolumeFile{
			Path:     label.Domain,
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: labelPath(label.Key)},
		})
	}
	spec.Volumes = append(spec.Volumes, corev1.Volume{
		Name: topologyVolume, VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: files}},
	})
}

const (
	labelPathBegin = "metadata.labels['"
	labelPathEnd   = "']"
)

func labelPath(key string) string { return labelPathBegin + key + labelPathEnd }

// transferAnnotations of the pods of a component say where its policy finds the domain, as with the Dynamo operator.
func (b *Builder) transferAnnotations(c component) map[string]string {
	policy := b.transferPolicy(c)
	switch {
	case policy == nil:
		return nil
	case policy.LabelKey != "":
		return map[string]string{metadata.AnnotationTopologyLabelKey: policy.LabelKey}
	default:
		return map[string]string{metadata.AnnotationTopologyName: policy.ClusterTopologyName}
	}
}

// LiveTransfer is the policy that live pods of a component have, and the labels by which they find their domains. nil if they have none.
func LiveTransfer(s *graph.Component, template *corev1.PodTemplateSpec) (*v1alpha1.KVTransferPolicy, []graphplan.TopologyLabel) {
	isTopology := func(v corev1.Volume) bool { return v.Name == topologyVolume && v.DownwardAPI != nil }
	// What the user has written without a policy is none.
	if slices.ContainsFunc(s.Pod().Volumes, isTopology) {
		return nil, nil
	}
	main := RuntimeOfPod(&template.Spec)
	i := slices.IndexFunc(template.Spec.Volumes, isTopology)
	policy := &v1alpha1.KVTransferPolicy{
		LabelKey:            template.Annotations[metadata.AnnotationTopologyLabelKey],
		ClusterTopologyName: template.Annotations[metadata.AnnotationTopologyName],
	}
	if main == nil || i < 0 || policy.LabelKey == "" && policy.ClusterTopologyName == "" {
		return nil, nil
	}
	for _, e := range main.Env {
		switch e.Name {
		case transferDomainEnv:
			policy.Domain = e.Value
		case transferEnforcementEnv:
			policy.Enforcement = v1alpha1.KVTransferEnforcement(e.Value)
		case transferWeightEnv:
			if weight, err := strconv.ParseFloat(e.Value, 32); err == nil {
				policy.PreferredWeight = &weight
			}
		}
	}
	return policy, labelsIn(template.Spec.Volumes[i].DownwardAPI.Items)
}

func labelsIn(files []corev1.DownwardAPIVolumeFile) []graphplan.TopologyLabel {
	var labels []graphplan.TopologyLabel
	for _, file := range files {
		if file.FieldRef == nil {
			continue
		}
		key := strings.TrimSuffix(strings.TrimPrefix(file.FieldRef.FieldPath, labelPathBegin), labelPathEnd)
		labels = append(labels, graphplan.TopologyLabel{Domain: file.Path, Key: key})
	}
	return labels
}

// SameTransfer reports whether two policies are equal for workers. Each may be nil.
func SameTransfer(a, b *v1alpha1.KVTransferPolicy) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.LabelKey == b.LabelKey && a.ClusterTopologyName == b.ClusterTopologyName && slices.Equal(transferEnv(a), transferEnv(b))
}
