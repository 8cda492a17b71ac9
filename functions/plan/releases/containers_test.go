package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestRuntimeContainer shows when the runtime of a worker is in an init container, of which release it is, and what its user is told.
func TestRuntimeContainer(t *testing.T) {
	const (
		at      = "spec.services[Worker].extraPodSpec.initContainers[0]: "
		older   = at + "is an init container like others, because it has Dynamo 1.5.1: only since 1.6.0 does the runtime run in it, beside its engine; use a newer image, set runtimeVersionOverride to the release in it, or rename the container"
		stays   = at + "stays an init container like others until its image changes, because pods run with it; since Dynamo 1.6.0 the runtime runs in a container with this name, so rename it if it is something else"
		ends    = at + "has the name of the container in which the runtime can run since Dynamo 1.6.0, but is an init container like others, because it ends before the main container starts; set restartPolicy to Always if it is the runtime, otherwise rename it"
		others  = at + "has the name of the container in which the runtime of workers can run since Dynamo 1.6.0, but is an init container like others, because this is no worker; rename it"
		assumed = "spec.services: the image tags of Worker (mine) contain no release of Dynamo, so Dynamo 1.6.0 is assumed, the first release that runs in init container runtime; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"
	)
	running := func(image string, env ...corev1.EnvVar) plantest.RequestOption {
		return plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "main", Image: "engine:1.4.0"}},
			InitContainers: []corev1.Container{{Name: "runtime", Image: image, Env: env}},
		}}))
	}
	platform := func(version string) plantest.RequestOption {
		return plantest.WithInput(inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: version}})
	}
	type change = func(*v1alpha1.Service)
	override := func(version string) change { return func(s *v1alpha1.Service) { s.RuntimeVersionOverride = version } }
	once := func(s *v1alpha1.Service) { s.ExtraPodSpec.InitContainers[0].RestartPolicy = nil }
	frontend := func(s *v1alpha1.Service) { s.ComponentType = v1alpha1.ComponentFrontend }
	cases := map[string]struct {
		reason   string
		image    string
		engine   string
		changes  []change
		options  []plantest.RequestOption
		want     bool
		version  runtime.Version
		warnings []string
	}{
		"Known":      {reason: "The image of the container is that of the release.", image: "r:1.6.0", engine: "vllm/vllm-openai:v0.11.0", want: true, version: "1.6.0"},
		"Unknown":    {reason: "The container says what an unknown image is.", image: "r:mine", engine: "e:1.4.0", want: true, version: "1.6.0", warnings: []string{assumed}},
		"Overridden": {reason: "The override says the release.", image: "r:mine", engine: "e:1.4.0", changes: []change{override("1.6.1")}, want: true, version: "1.6.1"},
		"Older":      {reason: "An earlier runtime does not run there.", image: "r:1.5.1", engine: "e:1.5.1", version: "1.5.1", warnings: []string{older}},
		"Platform":   {reason: "The platform knows the release of images that do not say it.", image: "r:mine", engine: "e:1.5.0", options: []plantest.RequestOption{platform("1.5.1")}, version: "1.5.0", warnings: []string{older}},
		"Once":       {reason: "A container that ends is not the runtime.", image: "r:1.6.0", engine: "e:1.6.0", changes: []change{once}, version: "1.6.0", warnings: []string{ends}},
		"OnceEarlier": {
			reason: "Before 1.6.0 the name means nothing.", image: "r:1.5.0", engine: "e:1.5.0", changes: []change{once}, version: "1.5.0",
		},
		"Frontend": {reason: "Only workers have an engine.", image: "r:1.6.0", engine: "e:1.6.0", changes: []change{frontend}, version: "1.6.0", warnings: []string{others}},
		"Running": {
			reason: "Pods that run with a container like others keep it.", image: "r:1.6.0", engine: "e:1.5.0", options: []plantest.RequestOption{running("r:1.6.0")}, version: "1.5.0", warnings: []string{stays},
		},
		"RunningOther": {reason: "Another image is the change of a user.", image: "r:1.6.0", engine: "e:1.5.0", options: []plantest.RequestOption{running("r:1.5.0")}, want: true, version: "1.6.0"},
		"RunningRuntime": {
			reason: "A runtime stays one.", image: "r:1.6.0", engine: "e:1.5.0", want: true, version: "1.6.0",
			options: []plantest.RequestOption{running("r:1.6.0", corev1.EnvVar{Name: "DYN_SYSTEM_ENABLED", Value: "true"})},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker, ExtraPodSpec: &v1alpha1.ExtraPodSpec{
				MainContainer: &corev1.Container{Image: tc.engine},
				PodSpec:       corev1.PodSpec{InitContainers: []corev1.Container{{Name: "runtime", Image: tc.image, RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}},
			}}
			for _, change := range tc.changes {
				change(service)
			}
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("Worker", service)), tc.options...))
			versions, outcome := Decide(f)
			if got := f.Graph.RuntimeContainers["Worker"]; got != tc.want || versions["Worker"] != tc.version {
				t.Errorf("%s\nwant %t with %s, got %t with %s", tc.reason, tc.want, tc.version, got, versions["Worker"])
			}
			components := map[string]graphplan.Component{"Worker": {RuntimeVersion: versions["Worker"]}}
			warnings := append(outcome.Warnings, ContainerWarnings(f, components)...).Texts(f.Graph)
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
