package validate

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

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
	}
	extra := graph.PodPath(path)
	if policy := s.Pod().DNSPolicy; policy != "" {
		v.oneOf(extra.Child("dnsPolicy"), string(policy), "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
	}
	if s.Pod().ActiveDeadlineSeconds != nil {
		v.forbidden(extra.Child("activeDeadlineSeconds"), "may not be set, because {{components}} run until they are removed; remove it")
	}
	v.labels(extra.Child("nodeSelector"), s.Pod().NodeSelector)
	for i := range s.Pod().Tolerations {
		v.toleration(extra.Child("tolerations").Index(i), &s.Pod().Tolerations[i])
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
