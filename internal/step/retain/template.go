package retain

import (
	"regexp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// template holds the names of the objects that a pod template refers to.
type template struct {
	labels, annotations map[string]string

	serviceAccount, schedulingGroup     string
	configMaps, secrets, claimTemplates sets.Set[string]

	// texts are commands, arguments and values of environment variables.
	texts []string
}

// kindOf an object that the functions compose. Empty for others, whatever their kinds are called.
func kindOf(object *structpb.Struct) string { return observed.Listed(object).Kind }

// templatesOf a workload; empty if the object is not a workload.
func templatesOf(object *structpb.Struct) ([]template, error) {
	pods, err := observed.PodsOf(object)
	if err != nil {
		return nil, err
	}
	templates := make([]template, 0, len(pods))
	for i := range pods {
		templates = append(templates, templateOf(pods[i]))
	}
	return templates, nil
}

func templateOf(pods corev1.PodTemplateSpec) template {
	t := template{
		labels: pods.Labels, annotations: pods.Annotations, serviceAccount: pods.Spec.ServiceAccountName,
		configMaps: sets.Set[string]{}, secrets: sets.Set[string]{}, claimTemplates: sets.Set[string]{},
	}
	if group := pods.Spec.SchedulingGroup; group != nil {
		t.schedulingGroup = ptr.Deref(group.PodGroupName, "")
	}
	for _, ref := range pods.Spec.ImagePullSecrets {
		t.secrets.Insert(ref.Name)
	}
	for _, claim := range pods.Spec.ResourceClaims {
		if claim.ResourceClaimTemplateName != nil {
			t.claimTemplates.Insert(*claim.ResourceClaimTemplateName)
		}
	}
	for _, volume := range pods.Spec.Volumes {
		t.addVolume(volume.VolumeSource)
	}
	for _, container := range slices.Concat(pods.Spec.InitContainers, pods.Spec.Containers) {
		t.addContainer(container)
	}
	return t
}

func (t *template) addVolume(source corev1.VolumeSource) {
	if source.ConfigMap != nil {
		t.configMaps.Insert(source.ConfigMap.Name)
	}
	if source.Secret != nil {
		t.secrets.Insert(source.Secret.SecretName)
	}
	if source.Projected == nil {
		return
	}
	for _, projection := range source.Projected.Sources {
		if projection.ConfigMap != nil {
			t.configMaps.Insert(projection.ConfigMap.Name)
		}
		if projection.Secret != nil {
			t.secrets.Insert(projection.Secret.Name)
		}
	}
}

func (t *template) addContainer(container corev1.Container) {
	t.texts = slices.Concat(t.texts, container.Command, container.Args)
	for _, source := range container.EnvFrom {
		if source.ConfigMapRef != nil {
			t.configMaps.Insert(source.ConfigMapRef.Name)
		}
		if source.SecretRef != nil {
			t.secrets.Insert(source.SecretRef.Name)
		}
	}
	for _, variable := range container.Env {
		t.texts = append(t.texts, variable.Value)
		if variable.ValueFrom == nil {
			continue
		}
		if ref := variable.ValueFrom.ConfigMapKeyRef; ref != nil {
			t.configMaps.Insert(ref.Name)
		}
		if ref := variable.ValueFrom.SecretKeyRef; ref != nil {
			t.secrets.Insert(ref.Name)
		}
	}
}

// mentions reports whether a text contains a name, such as the name of a Service in the address of a server. Longer names that begin
// or end with it do not count.
func (t *template) mentions(name string) bool {
	word := regexp.MustCompile(`(^|[^0-9A-Za-z-])` + regexp.QuoteMeta(name) + `($|[^0-9A-Za-z-])`)
	return slices.ContainsFunc(t.texts, word.MatchString)
}

// carries reports whether the template has all of some labels.
func (t *template) carries(labels map[string]string) bool {
	for key, value := range labels {
		if actual, ok := t.labels[key]; !ok || actual != value {
			return false
		}
	}
	return true
}
