package monitoring

import (
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A podMonitor as far as it is used here. Other fields are mistakes.
type podMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		NamespaceSelector struct {
			Any bool `json:"any"`
		} `json:"namespaceSelector"`
		Selector            metav1.LabelSelector `json:"selector"`
		PodMetricsEndpoints []struct {
			Port        string `json:"port"`
			Path        string `json:"path"`
			Interval    string `json:"interval"`
			HonorLabels bool   `json:"honorLabels"`
			Relabelings []struct {
				Action       string   `json:"action"`
				SourceLabels []string `json:"sourceLabels"`
				Regex        string   `json:"regex"`
				Replacement  string   `json:"replacement"`
				TargetLabel  string   `json:"targetLabel"`
			} `json:"relabelings"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

func podMonitors(t *testing.T) []podMonitor {
	t.Helper()
	var monitors []podMonitor
	for document := range strings.SplitSeq(string(read(t, "podmonitors.yaml")), "\n---\n") {
		var m podMonitor
		if err := yaml.UnmarshalStrict([]byte(document), &m); err != nil {
			t.Fatal(err)
		}
		monitors = append(monitors, m)
	}
	return monitors
}

// TestPodMonitors holds each PodMonitor to pods that there are: it selects some, and each port is one of theirs.
func TestPodMonitors(t *testing.T) {
	pods := append(podsOfGraphs(t), podOfFunction(t))
	for _, m := range podMonitors(t) {
		selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
		if err != nil {
			t.Fatal(err)
		}
		ports, selected := map[string]bool{"": true}, 0
		for _, pod := range pods {
			if !selector.Matches(labels.Set(pod.Labels)) {
				continue
			}
			selected++
			for _, container := range append(pod.Spec.Containers, pod.Spec.InitContainers...) {
				for _, port := range container.Ports {
					ports[port.Name] = true
				}
			}
		}
		if selected == 0 {
			t.Errorf("%s: selects no pod", m.Name)
		}
		for _, endpoint := range m.Spec.PodMetricsEndpoints {
			if !ports[endpoint.Port] {
				t.Errorf("%s: no selected pod has port %s", m.Name, endpoint.Port)
			}
		}
	}
}

// podsOfGraphs of the corpus and the examples, on Deployments.
func podsOfGraphs(t *testing.T) []corev1.PodTemplateSpec {
	t.Helper()
	var manifests []string
	for _, pattern := range []string{"examples/*.yaml", "fn-tests/support/corpus/manifests/deployment/*.yaml", "fn-tests/support/corpus/manifests/everything/*.yaml"} {
		found := harness.Glob(t, pattern)
		manifests = append(manifests, found...)
	}
	binary := harness.New(t)
	var pods []corev1.PodTemplateSpec
	for _, manifest := range manifests {
		if strings.HasPrefix(filepath.Base(manifest), "functions") {
			continue
		}
		// Graphs that are refused on Deployments have no pods.
		for _, object := range binary.Render(t, harness.Render{XR: manifest, Cluster: "examples/cluster/none.yaml"}).Composed {
			if object.GetKind() != "Deployment" {
				continue
			}
			var deployment appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment); err != nil {
				t.Fatal(err)
			}
			pods = append(pods, deployment.Spec.Template)
		}
	}
	return pods
}

// podOfFunction as Crossplane makes it with package/runtime.yaml: the port of the metrics is Crossplane's own.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/pkg/runtime/runtime.go
func podOfFunction(t *testing.T) corev1.PodTemplateSpec {
	t.Helper()
	var config struct {
		Spec struct {
			DeploymentTemplate struct {
				Spec struct {
					Template corev1.PodTemplateSpec `json:"template"`
				} `json:"spec"`
			} `json:"deploymentTemplate"`
		} `json:"spec"`
	}
	first, _, _ := strings.Cut(string(read(t, "../runtime.yaml")), "\n---\n")
	if err := yaml.Unmarshal([]byte(first), &config); err != nil {
		t.Fatal(err)
	}
	pod := config.Spec.DeploymentTemplate.Spec.Template
	pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "metrics", ContainerPort: 8080}}
	return pod
}
