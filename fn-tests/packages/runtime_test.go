package packages

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// runtimeFile is what install.md has applied for the pods of functions.
const runtimeFile = "package/runtime.yaml"

// Ports of functions in Crossplane's Deployments.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/pkg/runtime/runtime.go
const (
	functionPort = 9443
	metricsPort  = 8080
)

// functionPod is the template of the pods of functions.
func functionPod(t *testing.T) corev1.PodTemplateSpec {
	t.Helper()
	for _, object := range harness.Read(t, runtimeFile) {
		if object.GetKind() != "DeploymentRuntimeConfig" {
			continue
		}
		var config struct {
			Spec struct {
				DeploymentTemplate struct {
					Spec appsv1.DeploymentSpec `json:"spec"`
				} `json:"deploymentTemplate"`
			} `json:"spec"`
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &config); err != nil {
			t.Fatal(err)
		}
		return config.Spec.DeploymentTemplate.Spec.Template
	}
	t.Fatalf("%s has no DeploymentRuntimeConfig", runtimeFile)
	return corev1.PodTemplateSpec{}
}

// TestRuntimeIsRestricted holds the pods of functions to the strictest Pod Security Standard, with the checks of the API server.
func TestRuntimeIsRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pod := functionPod(t)
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
	if diff := cmp.Diff(new(false), pod.Spec.AutomountServiceAccountToken); diff != "" {
		t.Errorf("A function needs no token of the API server.\nautomountServiceAccountToken: -want, +got:\n%s", diff)
	}
}

// TestRuntimeProbes checks that kubelets ask where functions answer; internal/server tests the answers.
func TestRuntimeProbes(t *testing.T) {
	container := functionPod(t).Spec.Containers[0]
	got := map[string]string{}
	for name, probe := range map[string]*corev1.Probe{"liveness": container.LivenessProbe, "readiness": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil {
			t.Fatalf("there is no %s probe by HTTP", name)
		}
		got[name] = probe.HTTPGet.Path
		if diff := cmp.Diff(int32(metricsPort), probe.HTTPGet.Port.IntVal); diff != "" {
			t.Errorf("port of the %s probe: -want, +got:\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(map[string]string{"liveness": "/livez", "readiness": "/readyz"}, got); diff != "" {
		t.Errorf("paths of the probes: -want, +got:\n%s", diff)
	}
}

// TestRuntimeNetwork checks that the NetworkPolicy selects the pods of functions, opens each of their ports to whom it is for, and lets them call
// nobody.
func TestRuntimeNetwork(t *testing.T) {
	rules := &networkingv1.NetworkPolicy{}
	objects := harness.Read(t, runtimeFile)
	i := slices.IndexFunc(objects, isNetworkPolicy)
	if i < 0 {
		t.Fatalf("%s has no NetworkPolicy", runtimeFile)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[i].Object, rules, true); err != nil {
		t.Fatal(err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&rules.Spec.PodSelector)
	if err != nil {
		t.Fatal(err)
	}
	if pod := functionPod(t); !selector.Matches(labels.Set(pod.Labels)) {
		t.Errorf("the policy selects %s, but pods of functions have labels %v", selector, pod.Labels)
	}
	if len(rules.Spec.Egress) > 0 || !slices.Contains(rules.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
		t.Errorf("want no connections from functions, got %v for %v", rules.Spec.Egress, rules.Spec.PolicyTypes)
	}
	callers := map[int32][]networkingv1.NetworkPolicyPeer{}
	for _, rule := range rules.Spec.Ingress {
		for _, port := range rule.Ports {
			callers[port.Port.IntVal] = rule.From
		}
	}
	want := map[int32][]networkingv1.NetworkPolicyPeer{
		// The label that the chart of Crossplane gives its pods.
		// https://github.com/crossplane/crossplane/blob/v2.4.0/cluster/charts/crossplane/templates/deployment.yaml
		functionPort: {{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "crossplane"}}}},
		// The namespace in docs/monitoring.md.
		metricsPort: {{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "monitoring"}}}},
	}
	if diff := cmp.Diff(want, callers); diff != "" {
		t.Errorf("who may call each port: -want, +got:\n%s", diff)
	}
}

func isNetworkPolicy(object *unstructured.Unstructured) bool {
	return object.GetKind() == "NetworkPolicy"
}
