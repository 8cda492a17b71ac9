package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// worker with an image, and with further fields, JSON.
func worker(name, image, more string) string {
	return `"` + name + `":{"componentType":"worker"` + more + `,"extraPodSpec":{"mainContainer":{"image":"` + image + `"}}}`
}

// withInput gives the step an input with these fields, JSON without braces.
func withInput(fields string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Input = resource.MustStructJSON(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input",` + fields + `}`)
	}
}

// running is a Deployment of service Worker whose main container has an image.
func running(image string) plantest.RequestOption {
	return plantest.WithObserved("deployment-worker", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"template":{"spec":{"containers":[
		{"name":"main","image":"`+image+`"},{"name":"logs","image":"example.org/logs:latest"}]}}}}`)
}

func TestDecide(t *testing.T) {
	const (
		latest   = "example.org/vllm:latest"
		assumed  = "spec.services: the image tags of Worker contain no version, so Dynamo 1.5.0 is assumed; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"
		remember = "spec.services: the image tags of Worker contain no version, so Dynamo 1.3.0 is assumed; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"
	)
	reported := func(xr, version string) string {
		return plantest.WithStatus(xr, `{"services":{"Worker":{"runtimeVersion":"`+version+`"}}}`)
	}
	untagged := plantest.GraphOf(plantest.SpecOf(worker("Worker", latest, "")))
	cases := map[string]struct {
		reason   string
		xr       string
		options  []plantest.RequestOption
		want     map[string]runtime.Version
		warnings []string
	}{
		"EachItsOwn": {
			reason: "Each service has the release in its image or in its override.",
			xr: plantest.GraphOf(plantest.SpecOf(worker("Decode", "example.org/vllm:1.1.0", ""), worker("Prefill", "example.org/vllm:1.4.0", ""),
				worker("Custom", latest, `,"runtimeVersionOverride":"1.2.0"`), worker("New", "example.org/vllm:1.5.0", ""))),
			want: map[string]runtime.Version{"Decode": "1.1.0", "Prefill": "1.4.0", "Custom": "1.2.0"},
		},
		"Assumed": {
			reason:   "The user is told which release is assumed, and how to change it.",
			xr:       untagged,
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"AllInOneWarning": {
			reason: "One warning names all services for which a release is assumed.",
			xr:     plantest.GraphOf(plantest.SpecOf(worker("B", latest, ""), worker("A", latest, ""), worker("C", "example.org/vllm:1.5.0", ""))),
			want:   map[string]runtime.Version{},
			warnings: []string{
				"spec.services: the image tags of A, B contain no version, so Dynamo 1.5.0 is assumed; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
			},
		},
		"Platform": {
			reason:  "A release that the platform specifies is not assumed.",
			xr:      untagged,
			options: []plantest.RequestOption{withInput(`"runtime":{"version":"1.4.0"}`)},
			want:    map[string]runtime.Version{"Worker": "1.4.0"},
		},
		"Forced": {
			reason:  "A platform can force one release on all services.",
			xr:      plantest.GraphOf(plantest.SpecOf(worker("Worker", "example.org/vllm:1.5.0", ""))),
			options: []plantest.RequestOption{withInput(`"runtime":{"version":"1.1.0","force":true}`)},
			want:    map[string]runtime.Version{"Worker": "1.1.0"},
		},
		"NoImage": {
			reason: "A service without an image gets a warning about the image alone.",
			xr:     plantest.GraphOf(plantest.SpecOf(`"Worker":{"componentType":"worker"}`)),
			want:   map[string]runtime.Version{},
		},
		"Remembered": {
			reason:   "Pods that run the image keep the release that was assumed for it, although a newer one is known now.",
			xr:       reported(untagged, "1.3.0"),
			options:  []plantest.RequestOption{running(latest)},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"RememberedOfEngines": {
			reason: "Pods with two engines have no container main.",
			xr:     reported(untagged, "1.3.0"),
			options: []plantest.RequestOption{plantest.WithObserved("deployment-worker", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},
				"spec":{"template":{"spec":{"containers":[{"name":"engine-0","image":"`+latest+`"},{"name":"engine-1","image":"`+latest+`"}]}}}}`)},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"RememberedOfComponents": {
			reason:   "The release is also remembered if the graph was written with components before.",
			xr:       plantest.WithStatus(untagged, `{"components":{"Worker":{"runtimeVersion":"1.3.0"}}}`),
			options:  []plantest.RequestOption{running(latest)},
			want:     map[string]runtime.Version{"Worker": "1.3.0"},
			warnings: []string{remember},
		},
		"OtherImage": {
			reason:   "The release of another image says nothing about this one.",
			xr:       reported(untagged, "1.3.0"),
			options:  []plantest.RequestOption{running("example.org/vllm:1.3.0")},
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"NotRunning": {
			reason:   "A status without pods is that of a service that is created anew.",
			xr:       reported(untagged, "1.3.0"),
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
		"OddStatus": {
			reason:   "A status that contains no version is not used.",
			xr:       reported(untagged, "old"),
			options:  []plantest.RequestOption{running(latest)},
			want:     map[string]runtime.Version{},
			warnings: []string{assumed},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			versions, outcome := Decide(plantest.Facts(t, plantest.Request(tc.xr, tc.options...)))
			if diff := cmp.Diff(tc.want, versions); diff != "" {
				t.Errorf("%s\nversions: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, outcome.Warnings); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
