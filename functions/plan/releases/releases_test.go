package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// worker with an image.
func worker(name, image string, changes ...plantest.ComponentChange) plantest.GraphChange {
	service := plantest.ComponentOf(v1alpha1.ComponentWorker)
	service.ExtraPodSpec.MainContainer.Image = image
	return plantest.Component(name, service, changes...)
}

// running is a Deployment of component Worker whose main container has an image.
func running(image string) plantest.RequestOption {
	return plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}, {Name: "logs", Image: "example.org/logs:latest"}}},
	}))
}

func TestDecide(t *testing.T) {
	const (
		latest   = "example.org/vllm:latest"
		assumed  = "spec.services: the image tags of Worker (latest) contain no release of Dynamo, so Dynamo 1.4.0 is assumed, in whose pods newer images run too; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"
		remember = "spec.services: the image tags of Worker (latest) contain no release of Dynamo, so Dynamo 1.3.0 is assumed, as before for the same images; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"
	)
	untagged := worker("Worker", latest)
	reported := func(version runtime.Version) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(untagged, plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{
			Services: map[string]v1alpha1.ServiceStatus{"Worker": {RuntimeVersion: string(version)}},
		}))
	}
	custom := func(s *v1alpha1.Service) { s.RuntimeVersionOverride = "1.2.0" }
	ofComponents := &v1beta1.DynamoGraphDeployment{Status: v1beta1.DynamoGraphDeploymentStatus{
		Components: map[string]v1beta1.ComponentStatus{"Worker": {RuntimeVersion: "1.3.0"}},
	}}
	withStatus := func(req *fnv1.RunFunctionRequest) {
		req.GetObserved().GetComposite().GetResource().Fields["status"] = plantest.Struct(ofComponents).GetFields()["status"]
	}
	cases := map[string]struct {
		reason   string
		xr       *v1alpha1.DynamoGraphDeployment
		options  []plantest.RequestOption
		want     map[string]runtime.Version
		warnings []string
	}{
		"EachItsOwn": {
			reason: "Each service has the release in its image or in its override.",
			xr: plantest.Graph(worker("Decode", "example.org/vllm:1.1.0"), worker("Prefill", "example.org/vllm:1.5.1"),
				worker("Custom", latest, custom), worker("New", "example.org/vllm:1.4.0")),
			want: map[string]runtime.Version{"Decode": "1.1.0", "Prefill": "1.5.1", "Custom": "1.2.0"},
		},
		"Assumed": {
			reason:   "The user is told which release is assumed, and how to change it.",
			xr:       plantest.Graph(untagged),
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"AllInOneWarning": {
			reason: "One warning names all services for which a release is assumed.",
			xr:     plantest.Graph(worker("B", "example.org/vllm@sha256:4a44"), worker("A", latest), worker("C", "example.org/vllm:1.4.0")),
			want:   map[string]runtime.Version{},
			warnings: []string{
				"spec.services: the image tags of A (latest), B (no tag) contain no release of Dynamo, so Dynamo 1.4.0 is assumed, in whose pods newer images run too; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
			},
		},
		"PostRelease": {
			reason: "A post-release has the rules of its release.",
			xr:     plantest.Graph(worker("Worker", "example.org/vllm:0.7.0.post1")),
			want:   map[string]runtime.Version{"Worker": "0.7.0"},
		},
		"OtherProject": {
			reason: "The release of another project says nothing about Dynamo.",
			xr:     plantest.Graph(worker("Worker", "vllm/vllm-openai:v0.26.0"), worker("Other", latest)),
			want:   map[string]runtime.Version{},
			warnings: []string{
				"spec.services: the image tags of Other (latest) contain no release of Dynamo, so Dynamo 1.4.0 is assumed, in whose pods newer images run too; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
				"spec.services: the image tags of Worker (v0.26.0) are releases of vLLM, not of Dynamo, so Dynamo 1.4.0 is assumed, in whose pods newer images run too; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
			},
		},
		"Platform": {
			reason:  "A release that the platform specifies is not assumed.",
			xr:      plantest.Graph(untagged),
			options: []plantest.RequestOption{plantest.WithInput(inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: "1.3.0"}})},
			want:    map[string]runtime.Version{"Worker": "1.3.0"},
		},
		"Forced": {
			reason:  "A platform can force one release on all services.",
			xr:      plantest.Graph(worker("Worker", "example.org/vllm:1.4.0")),
			options: []plantest.RequestOption{plantest.WithInput(inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: "1.1.0", Force: true}})},
			want:    map[string]runtime.Version{"Worker": "1.1.0"},
		},
		"NoImage": {
			reason: "A service without an image gets a warning about the image alone.",
			xr:     plantest.Graph(plantest.Component("Worker", &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker})),
			want:   map[string]runtime.Version{},
		},
		"Remembered": {
			reason:   "Pods that run the image keep the release that was assumed for it, although a newer one is known now.",
			xr:       reported("1.3.0"),
			options:  []plantest.RequestOption{running(latest)},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"RememberedOfEngines": {
			reason: "Pods with two engines have no container main.",
			xr:     reported("1.3.0"),
			options: []plantest.RequestOption{plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", corev1.PodTemplateSpec{
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "engine-0", Image: latest}, {Name: "engine-1", Image: latest}}},
			}))},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"RememberedOfComponents": {
			reason:   "The release is also remembered if the graph was written with components before.",
			xr:       plantest.Graph(untagged),
			options:  []plantest.RequestOption{withStatus, running(latest)},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"OtherImage": {
			reason:   "The release of another image says nothing about this one.",
			xr:       reported("1.3.0"),
			options:  []plantest.RequestOption{running("example.org/vllm:1.3.0")},
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"NotRunning": {
			reason:   "A status without pods is that of a service that is created again.",
			xr:       reported("1.3.0"),
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"OddStatus": {
			reason:   "A status that contains no version is not used.",
			xr:       reported("old"),
			options:  []plantest.RequestOption{running(latest)},
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(tc.xr, tc.options...))
			versions, outcome := Decide(f)
			if diff := cmp.Diff(tc.want, versions); diff != "" {
				t.Errorf("%s\nversions: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, outcome.Warnings.Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
