package doctor

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// API versions of Crossplane.
const (
	apiextensions = "apiextensions.crossplane.io/v1"
	pkg           = "pkg.crossplane.io/v1"
)

// into decodes an object. Fields that the type does not have are ignored.
func into(object *unstructured.Unstructured, typed any) error {
	data, err := json.Marshal(object.Object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, typed)
}

// controllerOf an object is the kind of what controls it. Empty means that nothing does.
func controllerOf(o metav1.Object) string {
	if owner := metav1.GetControllerOf(o); owner != nil {
		return owner.Kind
	}
	return ""
}

// isOperators reports whether an object belongs to the Dynamo operator, by the labels of its chart.
// https://github.com/ai-dynamo/dynamo/tree/main/deploy/helm/charts/platform/components/operator/templates
func isOperators(o metav1.Object) bool {
	const operator = "dynamo-operator"
	labels := o.GetLabels()
	return slices.Contains([]string{labels["app.kubernetes.io/part-of"], labels["app.kubernetes.io/created-by"], labels["app.kubernetes.io/name"]}, operator)
}

// deployment has the fields of a Deployment that are read.
type deployment struct {
	Spec struct {
		Replicas *int32 `json:"replicas"`
		Template struct {
			Spec struct {
				ServiceAccountName string `json:"serviceAccountName"`
				Volumes            []struct {
					ConfigMap struct {
						Name string `json:"name"`
					} `json:"configMap"`
				} `json:"volumes"`
				Containers []struct {
					Image string   `json:"image"`
					Args  []string `json:"args"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		ReadyReplicas int32 `json:"readyReplicas"`
	} `json:"status"`
}

// configMaps that the pods mount.
func (d *deployment) configMaps() []string {
	var names []string
	for i := range d.Spec.Template.Spec.Volumes {
		if name := d.Spec.Template.Spec.Volumes[i].ConfigMap.Name; name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (d *deployment) containers() []Container {
	var all []Container
	for _, c := range d.Spec.Template.Spec.Containers {
		all = append(all, Container{Image: c.Image, Args: c.Args})
	}
	return all
}

// webhookConfiguration has the fields of a configuration of webhooks that are read.
type webhookConfiguration struct {
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
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// condition of a type. One that is not there is not true.
func (w *withConditions) condition(conditionType string) Condition {
	for _, c := range w.Status.Conditions {
		if c.Type == conditionType {
			return Condition{True: c.Status == string(metav1.ConditionTrue), Message: cmp.Or(c.Message, c.Reason)}
		}
	}
	return Condition{}
}

// definition has the fields of both kinds of definitions that are read.
type definition struct {
	withConditions

	Spec struct {
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Conversion struct {
			Strategy string `json:"strategy"`
		} `json:"conversion"`
	} `json:"spec"`
}

func (d *definition) isConverted() bool { return d.Spec.Conversion.Strategy == "Webhook" }

// crossplanePackage has the fields of a package that are read.
type crossplanePackage struct {
	withConditions

	Spec struct {
		Package          string `json:"package"`
		RuntimeConfigRef struct {
			Name string `json:"name"`
		} `json:"runtimeConfigRef"`
	} `json:"spec"`
}

// configMap has the fields of a ConfigMap that are read.
type configMap struct {
	Data map[string]string `json:"data"`
}

// groveConfig has the fields of the configuration of Grove's operator that are read.
type groveConfig struct {
	TopologyAwareScheduling struct {
		Enabled bool `json:"enabled"`
	} `json:"topologyAwareScheduling"`
}

// kaiQueue has the fields of a Queue that are read.
type kaiQueue struct {
	Spec struct {
		ParentQueue string `json:"parentQueue"`
	} `json:"spec"`
}
