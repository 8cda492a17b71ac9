package docs

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// A gateway has the fields of a Gateway that examples use, a route those of an HTTPRoute, and a scaledObject those of a ScaledObject. Their
// projects have no place in go.mod for an example. The data of an environmentConfig are the policy of a platform.
type (
	gateway struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			GatewayClassName string `json:"gatewayClassName"`
			Listeners        []struct {
				Name     string `json:"name"`
				Port     int32  `json:"port"`
				Protocol string `json:"protocol"`
			} `json:"listeners"`
		} `json:"spec"`
	}
	route struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			ParentRefs []struct {
				Name        string `json:"name"`
				Namespace   string `json:"namespace"`
				SectionName string `json:"sectionName"`
			} `json:"parentRefs"`
			Hostnames []string `json:"hostnames"`
			Rules     []struct {
				Matches []struct {
					Path struct {
						Type  string `json:"type"`
						Value string `json:"value"`
					} `json:"path"`
				} `json:"matches"`
				BackendRefs []struct {
					Group string `json:"group"`
					Kind  string `json:"kind"`
					Name  string `json:"name"`
					Port  int32  `json:"port"`
				} `json:"backendRefs"`
				Timeouts struct {
					Request metav1.Duration `json:"request"`
				} `json:"timeouts"`
			} `json:"rules"`
		} `json:"spec"`
	}
	resourceFlavor struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	clusterQueue struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			CohortName        string                `json:"cohortName"`
			NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
			Preemption        struct {
				ReclaimWithinCohort string `json:"reclaimWithinCohort"`
				WithinClusterQueue  string `json:"withinClusterQueue"`
			} `json:"preemption"`
			ResourceGroups []struct {
				CoveredResources []corev1.ResourceName `json:"coveredResources"`
				Flavors          []struct {
					Name      string `json:"name"`
					Resources []struct {
						Name           corev1.ResourceName `json:"name"`
						NominalQuota   resource.Quantity   `json:"nominalQuota"`
						BorrowingLimit *resource.Quantity  `json:"borrowingLimit"`
						LendingLimit   *resource.Quantity  `json:"lendingLimit"`
					} `json:"resources"`
				} `json:"flavors"`
			} `json:"resourceGroups"`
		} `json:"spec"`
	}
	localQueue struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			ClusterQueue string `json:"clusterQueue"`
		} `json:"spec"`
	}
	environmentConfig struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Data inputv1alpha1.Overlay `json:"data"`
	}
	scaledObject struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			ScaleTargetRef  autoscalingv2.CrossVersionObjectReference `json:"scaleTargetRef"`
			MinReplicaCount int32                                     `json:"minReplicaCount"`
			MaxReplicaCount int32                                     `json:"maxReplicaCount"`
			Triggers        []struct {
				Type     string            `json:"type"`
				Metadata map[string]string `json:"metadata"`
			} `json:"triggers"`
			Advanced struct {
				HorizontalPodAutoscalerConfig struct {
					Behavior autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
				} `json:"horizontalPodAutoscalerConfig"`
			} `json:"advanced"`
		} `json:"spec"`
	}
)

// typeOf an object by its kind.
func typeOf(t *testing.T, object *unstructured.Unstructured) any {
	t.Helper()
	switch object.GetKind() {
	case "Gateway":
		return &gateway{}
	case "HTTPRoute":
		return &route{}
	case "ScaledObject":
		return &scaledObject{}
	case "Function":
		return &pkgv1.Function{}
	case "ImageConfig":
		return &pkgv1beta1.ImageConfig{}
	case "Input":
		return &inputv1alpha1.Input{}
	case "EnvironmentConfig":
		return &environmentConfig{}
	case "ResourceFlavor":
		return &resourceFlavor{}
	case "ClusterQueue":
		return &clusterQueue{}
	case "LocalQueue":
		return &localQueue{}
	}
	typed, err := scheme.Scheme.New(object.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	return typed
}

// TestFieldsBesideExamples holds all objects beside graphs, and the ImageConfigs, to fields that exist, with values of their types.
func TestFieldsBesideExamples(t *testing.T) {
	for _, pattern := range []string{"examples/*/*.yaml", "package/imageconfigs/*.yaml"} {
		paths := harness.Glob(t, pattern)
		for _, path := range paths {
			switch filepath.Base(filepath.Dir(path)) {
			case "claims", "cluster", "v1alpha1":
				continue
			}
			if name := filepath.Base(path); name == "composition.yaml" || name == "package.yaml" {
				continue
			}
			for _, object := range harness.Read(t, path) {
				as(t, object, typeOf(t, object))
			}
		}
	}
}

// as decodes an object strictly.
func as[T any](t *testing.T, object *unstructured.Unstructured, into T) T {
	t.Helper()
	data, err := yaml.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return into
}

// only object of a kind in a file.
func only(t *testing.T, path, kind string) *unstructured.Unstructured {
	t.Helper()
	var found *unstructured.Unstructured
	for _, object := range harness.Read(t, path) {
		if object.GetKind() == kind {
			if found != nil {
				t.Fatalf("%s has several objects of kind %s", path, kind)
			}
			found = object
		}
	}
	if found == nil {
		t.Fatalf("%s has no object of kind %s", path, kind)
	}
	return found
}

// TestClaimsBesideExample holds the claims beside the examples with volumes to those that their pods mount.
func TestClaimsBesideExample(t *testing.T) {
	binary := harness.New(t)
	for example, file := range map[string]string{"pvc-compilation-cache": "claims.yaml", "llama-405b": "download.yaml"} {
		t.Run(example, func(t *testing.T) {
			out := binary.RenderAccepted(t, harness.Render{XR: beside("", example+".yaml"), Cluster: harness.GroveKAI})
			rendered, err := yaml.Marshal(out.Composed)
			if err != nil {
				t.Fatal(err)
			}
			want := sets.New[string]()
			for _, claim := range regexp.MustCompile(`claimName: (\S+)`).FindAllStringSubmatch(string(rendered), -1) {
				want.Insert(claim[1])
			}
			got := sets.New[string]()
			for _, object := range harness.Read(t, beside(example, file)) {
				if object.GetKind() == "PersistentVolumeClaim" {
					got.Insert(object.GetName())
				}
			}
			if diff := cmp.Diff(sets.List(want), sets.List(got)); diff != "" {
				t.Errorf("claims: -mounted, +beside:\n%s", diff)
			}
		})
	}
}

// TestDownload checks that the Job puts the model where the graph looks for it: the same model, in the same volume, at the same place.
func TestDownload(t *testing.T) {
	job := as(t, only(t, beside("llama-405b", "download.yaml"), "Job"), &batchv1.Job{}).Spec.Template.Spec
	graph := as(t, harness.Read(t, "examples/llama-405b.yaml")[0], &v1beta1.DynamoGraphDeployment{}).Spec
	worker := graph.Components[1].PodTemplate.Spec
	if diff := cmp.Diff(worker.Volumes, job.Volumes); diff != "" {
		t.Errorf("volumes: -of the worker, +of the Job:\n%s", diff)
	}
	if diff := cmp.Diff(worker.Containers[0].VolumeMounts, job.Containers[0].VolumeMounts); diff != "" {
		t.Errorf("mounts: -of the worker, +of the Job:\n%s", diff)
	}
	if diff := cmp.Diff(graph.Env[0], job.Containers[0].Env[0]); diff != "" {
		t.Errorf("variable HF_HOME: -of the graph, +of the Job:\n%s", diff)
	}
	if model := worker.Containers[0].Args[1]; !strings.Contains(job.Containers[0].Command[2], strconv.Quote(model)) {
		t.Errorf("want the Job to download %s, got %s", model, job.Containers[0].Command[2])
	}
}

// TestInferenceGateway follows a request from the gateway to the InferencePool of the graph.
func TestInferenceGateway(t *testing.T) {
	path := beside("endpoint-picker", "gateway.yaml")
	pool := byKey(render(t, harness.New(t), "endpoint-picker"))["epp-inferencepool"]
	if pool == nil {
		t.Fatal("the graph has no InferencePool")
	}
	gatewayOf, routeOf := as(t, only(t, path, "Gateway"), &gateway{}), as(t, only(t, path, "HTTPRoute"), &route{})
	ref := routeOf.Spec.Rules[0].BackendRefs[0]
	want := []string{pool.GroupVersionKind().Group, pool.GetKind(), pool.GetName(), pool.GetNamespace(), gatewayOf.Name, gatewayOf.Namespace}
	got := []string{ref.Group, ref.Kind, ref.Name, routeOf.Namespace, routeOf.Spec.ParentRefs[0].Name, routeOf.Namespace}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pool and gateway: -there, +in the route:\n%s", diff)
	}
}

// TestExposed follows requests from an Ingress and an HTTPRoute to the Service of the frontend, and compares the HTTPRoute with the one that
// the policy beside the graph gives it.
func TestExposed(t *testing.T) {
	composed := byKey(render(t, harness.New(t), "exposed-frontend"))
	service := as(t, composed["service-frontend"], &corev1.Service{})

	ingress := as(t, only(t, beside("exposed-frontend", "ingress.yaml"), "Ingress"), &networkingv1.Ingress{})
	backend := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
	if diff := cmp.Diff([]string{service.Namespace, service.Name, service.Spec.Ports[0].Name}, []string{ingress.Namespace, backend.Name, backend.Port.Name}); diff != "" {
		t.Errorf("backend of the Ingress: -the Service, +it has:\n%s", diff)
	}
	if diff := cmp.Diff(ingress.Spec.TLS[0].Hosts[0], ingress.Spec.Rules[0].Host); diff != "" {
		t.Errorf("host of the Ingress: -of its certificate, +of its rule:\n%s", diff)
	}

	own, byPolicy := as(t, only(t, beside("exposed-frontend", "httproute.yaml"), "HTTPRoute"), &route{}), composed["httproute-frontend"]
	if byPolicy == nil {
		t.Fatalf("the policy gives the graph no HTTPRoute")
	}
	want := as(t, byPolicy, &route{})
	if diff := cmp.Diff(want.Spec.ParentRefs, own.Spec.ParentRefs); diff != "" {
		t.Errorf("gateway: -by the policy, +of the example:\n%s", diff)
	}
	ref := own.Spec.Rules[0].BackendRefs[0]
	if diff := cmp.Diff(intstr.FromInt32(service.Spec.Ports[0].Port), intstr.FromInt32(ref.Port)); diff != "" || ref.Name != service.Name {
		t.Errorf("backend of the HTTPRoute: want port %d of %s, got port %d of %s", service.Spec.Ports[0].Port, service.Name, ref.Port, ref.Name)
	}
}

// TestScaleTargets checks that the autoscalers scale the adapter of the workers, and keep to the same limits.
func TestScaleTargets(t *testing.T) {
	adapter := byKey(render(t, harness.New(t), "autoscaling"))["scalingadapter-worker"]
	if adapter == nil {
		t.Fatal("the graph has no adapter")
	}
	want := autoscalingv2.CrossVersionObjectReference{APIVersion: adapter.GetAPIVersion(), Kind: adapter.GetKind(), Name: adapter.GetName()}
	hpa := as(t, only(t, beside("autoscaling", "hpa.yaml"), "HorizontalPodAutoscaler"), &autoscalingv2.HorizontalPodAutoscaler{})
	keda := as(t, only(t, beside("autoscaling", "keda.yaml"), "ScaledObject"), &scaledObject{})
	if diff := cmp.Diff([]autoscalingv2.CrossVersionObjectReference{want, want}, []autoscalingv2.CrossVersionObjectReference{hpa.Spec.ScaleTargetRef, keda.Spec.ScaleTargetRef}); diff != "" {
		t.Errorf("target of the HorizontalPodAutoscaler and the ScaledObject: -of the graph, +they have:\n%s", diff)
	}
	if diff := cmp.Diff(hpa.Spec.Behavior, &keda.Spec.Advanced.HorizontalPodAutoscalerConfig.Behavior); diff != "" {
		t.Errorf("behavior: -HorizontalPodAutoscaler, +ScaledObject:\n%s", diff)
	}
	if diff := cmp.Diff([]int32{*hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas}, []int32{keda.Spec.MinReplicaCount, keda.Spec.MaxReplicaCount}); diff != "" {
		t.Errorf("limits: -HorizontalPodAutoscaler, +ScaledObject:\n%s", diff)
	}
}

// TestScaledTogether checks that the HorizontalPodAutoscaler scales the adapter of the graph, by a metric of a Service that there is.
func TestScaledTogether(t *testing.T) {
	objects := byKey(render(t, harness.New(t), "scaled-together"))
	hpa := as(t, only(t, beside("scaled-together", "hpa.yaml"), "HorizontalPodAutoscaler"), &autoscalingv2.HorizontalPodAutoscaler{})
	for key, got := range map[string]autoscalingv2.CrossVersionObjectReference{"scalingadapter": hpa.Spec.ScaleTargetRef, "service-frontend": hpa.Spec.Metrics[0].Object.DescribedObject} {
		object := objects[key]
		if object == nil {
			t.Fatalf("the graph has no object with key %s", key)
		}
		want := autoscalingv2.CrossVersionObjectReference{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Name: object.GetName()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -of the graph, +of the HorizontalPodAutoscaler:\n%s", key, diff)
		}
	}
}

// TestSchedule checks that the account of the CronJobs may scale the adapter of the graph, and that they do.
func TestSchedule(t *testing.T) {
	adapter := byKey(render(t, harness.New(t), "scaling-adapter"))["scalingadapter-worker"]
	if adapter == nil {
		t.Fatal("the graph has no adapter")
	}
	path := beside("scaling-adapter", "schedule.yaml")
	role := as(t, only(t, path, "Role"), &rbacv1.Role{})
	if diff := cmp.Diff([]string{adapter.GetName()}, role.Rules[0].ResourceNames); diff != "" {
		t.Errorf("adapters: -of the graph, +of the Role:\n%s", diff)
	}
	scaled := 0
	for _, object := range harness.Read(t, path) {
		if object.GetKind() != "CronJob" {
			continue
		}
		scaled++
		job := as(t, object, &batchv1.CronJob{})
		pod := job.Spec.JobTemplate.Spec.Template.Spec
		want := []string{"kubectl", "scale", "dynamographdeploymentscalingadapters.nvidia.com/" + adapter.GetName()}
		if diff := cmp.Diff(want, pod.Containers[0].Command[:3]); diff != "" || pod.ServiceAccountName != role.Name {
			t.Errorf("command of %s as %s: -want, +got:\n%s", job.Name, pod.ServiceAccountName, diff)
		}
	}
	if scaled == 0 {
		t.Errorf("%s has no CronJob", path)
	}
}

// TestPullSecrets checks that the policy of an air-gapped platform gives pods the Secret that the graph names itself, and only once.
func TestPullSecrets(t *testing.T) {
	binary := harness.New(t)
	graph := harness.Read(t, "examples/air-gapped.yaml")[0]
	components, _, err := unstructured.NestedSlice(graph.Object, "spec", "components")
	if err != nil {
		t.Fatal(err)
	}
	for _, component := range components {
		if fields, ok := component.(map[string]any); ok {
			unstructured.RemoveNestedField(fields, "podTemplate", "spec", "imagePullSecrets")
		}
	}
	if err := unstructured.SetNestedSlice(graph.Object, components, "spec", "components"); err != nil {
		t.Fatal(err)
	}
	without := binary.RenderAccepted(t, harness.Render{
		XR: harness.Write(t, graph), Composition: policyOf(t, "air-gapped"), Cluster: everything,
	})
	want := byKey(render(t, binary, "air-gapped"))["podcliqueset"]
	got := byKey(without)["podcliqueset"]
	for _, o := range []*unstructured.Unstructured{want, got} {
		o.SetOwnerReferences(nil)
		o.SetAnnotations(nil)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("PodCliqueSet: -with the Secret in the graph, +with that of the platform:\n%s", diff)
	}
}

// TestMirror checks that packages are rewritten to the registry whose password, and whose signatures, are looked for.
func TestMirror(t *testing.T) {
	configs := harness.Read(t, "package/imageconfigs/mirror.yaml")
	if len(configs) != 2 {
		t.Fatalf("want the rewriting and the password, got %d objects", len(configs))
	}
	rewriting, password := as(t, configs[0], &pkgv1beta1.ImageConfig{}), as(t, configs[1], &pkgv1beta1.ImageConfig{})
	if diff := cmp.Diff(rewriting.Spec.RewriteImage.Prefix, password.Spec.MatchImages[0].Prefix); diff != "" {
		t.Errorf("address: -after rewriting, +of the password:\n%s", diff)
	}
	verification := as(t, only(t, "package/imageconfigs/verify.yaml", "ImageConfig"), &pkgv1beta1.ImageConfig{})
	if diff := cmp.Diff(rewriting.Spec.MatchImages, verification.Spec.MatchImages); diff != "" {
		t.Errorf("packages: -rewritten, +verified:\n%s", diff)
	}
	text := harness.File(t, "crossplane.yaml")
	var configuration struct {
		Spec struct {
			DependsOn []struct {
				Package string `json:"package"`
			} `json:"dependsOn"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &configuration); err != nil {
		t.Fatal(err)
	}
	for _, dependency := range configuration.Spec.DependsOn {
		if want := filepath.Dir(dependency.Package); want != rewriting.Spec.MatchImages[0].Prefix {
			t.Errorf("repository: the Configuration names %s, and what is rewritten is %s", want, rewriting.Spec.MatchImages[0].Prefix)
		}
	}
}
