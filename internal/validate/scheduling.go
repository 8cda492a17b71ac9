package validate

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// scheduling checks fields of the pod that only have certain values, which the API server only checks when pods are created.
func (v *validator) scheduling(path *field.Path, s *graph.Component) {
	for _, c := range containersOf(path, s) {
		for i, port := range c.Ports {
			fieldPath := c.path.Child("ports").Index(i)
			if port.Protocol != "" {
				v.oneOf(fieldPath.Child("protocol"), string(port.Protocol), "SCTP", "TCP", "UDP")
			}
			if port.HostPort != 0 {
				v.malformed(fieldPath.Child("hostPort"), port.HostPort, validation.IsValidPortNum(int(port.HostPort)))
			}
		}
		if own := c.SecurityContext; own != nil && ptr.Deref(own.Privileged, false) && !ptr.Deref(own.AllowPrivilegeEscalation, true) {
			v.forbidden(c.path.Child("securityContext", "allowPrivilegeEscalation"), "may not be false for a privileged container; remove one of the two")
		}
	}
	extra := graph.PodPath(path)
	v.dns(extra, s.Pod())
	if s.Pod().HostPID && ptr.Deref(s.Pod().ShareProcessNamespace, false) {
		v.forbidden(extra.Child("shareProcessNamespace"), "may not be set together with hostPID; remove one of the two")
	}
	if affinity := s.Pod().Affinity; affinity != nil && affinity.NodeAffinity != nil {
		v.nodeAffinity(extra.Child("affinity", "nodeAffinity"), affinity.NodeAffinity)
	}
	if s.Pod().ActiveDeadlineSeconds != nil {
		v.forbidden(extra.Child("activeDeadlineSeconds"), "may not be set, because {{components}} run until they are removed; remove it")
	}
	v.labels(extra.Child("nodeSelector"), s.Pod().NodeSelector)
	for i := range s.Pod().Tolerations {
		v.toleration(extra.Child("tolerations").Index(i), &s.Pod().Tolerations[i])
	}
}

// dns checks how the containers of a pod resolve names.
func (v *validator) dns(path *field.Path, spec *corev1.PodSpec) {
	if spec.DNSPolicy != "" {
		v.oneOf(path.Child("dnsPolicy"), string(spec.DNSPolicy), "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
	}
	if dns := spec.DNSConfig; spec.DNSPolicy == corev1.DNSNone && (dns == nil || len(dns.Nameservers) == 0) {
		v.required(path.Child("dnsConfig", "nameservers"), "specify a nameserver, or another dnsPolicy")
	}
}

// resolution of the names by which the nodes of a replica find each other.
func (w *warnings) resolution(path *field.Path, s *graph.Component) {
	policy, right := cmp.Or(s.Pod().DNSPolicy, corev1.DNSClusterFirst), corev1.DNSClusterFirst
	if s.Pod().HostNetwork {
		right = corev1.DNSClusterFirstWithHostNet
	}
	if s.IsMultinode() && (policy == corev1.DNSDefault || policy == corev1.DNSClusterFirst && s.Pod().HostNetwork) {
		w.add(graph.PodPath(path, "dnsPolicy"), "the pods do not use the DNS of the cluster, so the nodes of a replica do not find each other; set it to %s", right)
	}
}

func (v *validator) nodeAffinity(path *field.Path, a *corev1.NodeAffinity) {
	if required := a.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		terms := path.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		if len(required.NodeSelectorTerms) == 0 {
			v.required(terms, "specify a term, or remove the affinity")
		}
		for i := range required.NodeSelectorTerms {
			v.expressions(terms.Index(i).Child("matchExpressions"), required.NodeSelectorTerms[i].MatchExpressions)
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		preferred, fieldPath := &a.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		if preferred.Weight < 1 || preferred.Weight > 100 {
			v.invalid(fieldPath.Child("weight"), preferred.Weight, "must be from 1 to 100")
		}
		v.expressions(fieldPath.Child("preference", "matchExpressions"), preferred.Preference.MatchExpressions)
	}
}

// expressions of labels of nodes.
func (v *validator) expressions(path *field.Path, expressions []corev1.NodeSelectorRequirement) {
	for i, e := range expressions {
		values := path.Index(i).Child("values")
		switch e.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if len(e.Values) == 0 {
				v.required(values, "specify values for operator %s, or use operator Exists", e.Operator)
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if len(e.Values) > 0 {
				v.forbidden(values, "may not be set with operator %s; remove them, or use operator In", e.Operator)
			}
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			if len(e.Values) != 1 {
				v.forbidden(values, "must be one number with operator %s, but has %d values", e.Operator, len(e.Values))
			}
		default:
			v.oneOf(path.Index(i).Child("operator"), string(e.Operator), "DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")
		}
	}
}

func (v *validator) toleration(path *field.Path, t *corev1.Toleration) {
	if t.Operator != "" {
		v.oneOf(path.Child("operator"), string(t.Operator), "Equal", "Exists", "Gt", "Lt")
	}
	if t.Effect != "" {
		v.oneOf(path.Child("effect"), string(t.Effect), "NoExecute", "NoSchedule", "PreferNoSchedule")
	}
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		v.required(path.Child("key"), "specify the key of the taint, or set operator: Exists to tolerate all taints")
	}
	if t.Operator == corev1.TolerationOpExists && t.Value != "" {
		v.invalid(path.Child("value"), t.Value, "must be empty when operator is Exists")
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		v.forbidden(path.Child("tolerationSeconds"), "may only be set when effect is NoExecute; remove it")
	}
}
