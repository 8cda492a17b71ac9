package doctor

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// API versions of Crossplane.
const (
	apiextensions = "apiextensions.crossplane.io/v1"
	pkg           = "pkg.crossplane.io/v1"
)

// isOperators reports whether an object belongs to the Dynamo operator, by the labels of its chart.
// https://github.com/ai-dynamo/dynamo/tree/main/deploy/helm/charts/platform/components/operator/templates
func isOperators(o metav1.Object) bool {
	const operator = "dynamo-operator"
	labels := o.GetLabels()
	return slices.Contains([]string{labels["app.kubernetes.io/part-of"], labels["app.kubernetes.io/created-by"], labels["app.kubernetes.io/name"]}, operator)
}

// configMaps that the pods mount.
func configMaps(p *corev1.PodSpec) []string {
	var names []string
	for i := range p.Volumes {
		if mounted := p.Volumes[i].ConfigMap; mounted != nil {
			names = append(names, mounted.Name)
		}
	}
	return names
}

// webhookConfiguration has the fields of a configuration of webhooks that are read.
type webhookConfiguration struct {
	metav1.ObjectMeta `json:"metadata"`

	Webhooks []struct {
		Rules []struct {
			APIGroups []string `json:"apiGroups"`
			Resources []string `json:"resources"`
		} `json:"rules"`
	} `json:"webhooks"`
}

// isAboutGraphs reports whether a rule names graphs. Webhooks for every kind, such as those of policy engines and of Crossplane, are about
// everything.
func (w *webhookConfiguration) isAboutGraphs() bool {
	for _, webhook := range w.Webhooks {
		for _, rule := range webhook.Rules {
			if slices.Contains(rule.APIGroups, group) && slices.ContainsFunc(rule.Resources, func(resource string) bool {
				return slices.Contains([]string{resourceGraphs, resourceComposites, resourceGraphs + "/*", resourceComposites + "/*", "*", "*/*"}, resource)
			}) {
				return true
			}
		}
	}
	return false
}

// withConditions is an object of Crossplane.
type withConditions struct {
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// has reports whether a condition is True. One that is not there is not.
func (w *withConditions) has(conditionType string) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, conditionType)
}

// because is why a condition is as it is, at the end of a sentence.
func (w *withConditions) because(conditionType string) string {
	c := ptr.Deref(meta.FindStatusCondition(w.Status.Conditions, conditionType), metav1.Condition{})
	if message := strings.TrimSuffix(cmp.Or(c.Message, c.Reason), "."); message != "" {
		return ": " + message
	}
	return ""
}

// groveConfig has the fields of the configuration of Grove's operator that are read.
type groveConfig struct {
	TopologyAwareScheduling struct {
		Enabled bool `json:"enabled"`
	} `json:"topologyAwareScheduling"`
}
