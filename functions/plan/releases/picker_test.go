package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func TestPicker(t *testing.T) {
	const (
		repository = "registry.example.org/dynamo-frontend:"
		omit       = "spec.services[Pick].eppConfig: Forbidden: must be omitted for Endpoint Pickers of Dynamo 1.5.0 or later, which have no configuration, and the image has 1.5.0; remove it, or use an earlier image"
		add        = "spec.services[Pick].eppConfig: Required value: is required for Endpoint Pickers before Dynamo 1.5.0, and the image has 1.4.1; add configMapRef or config, or use an image of 1.5.0 or later"
	)
	configured := func(s *v1alpha1.Service) {
		s.EPPConfig = &v1alpha1.EPPConfig{ConfigMapRef: &corev1.ConfigMapKeySelector{Key: "k", LocalObjectReference: corev1.LocalObjectReference{Name: "c"}}}
	}
	two := func(s *v1alpha1.Service) { s.Replicas = new(int32(2)) }
	overridden := func(s *v1alpha1.Service) { s.RuntimeVersionOverride = "1.5.0" }
	platform := func(version string) plantest.RequestOption {
		return plantest.WithInput(inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: version}})
	}
	running := func(tag string, mounts ...corev1.VolumeMount) plantest.RequestOption {
		return plantest.WithObserved("deployment-pick", plantest.Deployment("llama-pick", corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: repository + tag, VolumeMounts: mounts}}},
		}))
	}
	config := corev1.VolumeMount{Name: "epp-config", MountPath: "/etc/epp"}
	cases := map[string]struct {
		reason   string
		tag      string
		changes  []func(*v1alpha1.Service)
		options  []plantest.RequestOption
		errors   []string
		warnings []string
	}{
		"Native":          {reason: "A picker of the frontend image has no configuration.", tag: "1.5.1"},
		"PreRelease":      {reason: "A pre-release is the release that it precedes.", tag: "1.5.0-rc.2", changes: []func(*v1alpha1.Service){configured}, errors: []string{omit}},
		"Configured":      {reason: "A picker of the frontend image is refused with a configuration.", tag: "1.5.0", changes: []func(*v1alpha1.Service){configured}, errors: []string{omit}},
		"Earlier":         {reason: "An earlier picker needs a configuration.", tag: "1.4.1", changes: []func(*v1alpha1.Service){configured}},
		"EarlierWithout":  {reason: "An earlier picker is refused without a configuration.", tag: "1.4.1", errors: []string{add}},
		"Overridden":      {reason: "The override says the release.", tag: "latest", changes: []func(*v1alpha1.Service){configured, overridden}, errors: []string{omit}},
		"Unknown":         {reason: "The configuration says what an unknown image contains.", tag: "latest", changes: []func(*v1alpha1.Service){configured}, warnings: []string{"latest"}},
		"UnknownWithout":  {reason: "An unknown image without a configuration is that of a frontend.", tag: "latest", warnings: []string{"1.5.0 is assumed, the first release whose Endpoint Pickers have no eppConfig"}},
		"Platform":        {reason: "The release of the platform does not contradict a configuration.", tag: "latest", changes: []func(*v1alpha1.Service){configured}, options: []plantest.RequestOption{platform("1.5.0")}},
		"PlatformWithout": {reason: "The release of the platform demands no configuration.", tag: "latest", options: []plantest.RequestOption{platform("1.4.0")}},
		"Running": {
			reason: "A picker that runs with its configuration goes on to run.", tag: "1.5.0", changes: []func(*v1alpha1.Service){configured}, options: []plantest.RequestOption{running("1.5.0", config)},
			warnings: []string{"spec.services[Pick].eppConfig: Endpoint Pickers since Dynamo 1.5.0 have no configuration, and the image has 1.5.0; the Endpoint Picker stays as it runs until its image or its configuration changes: remove eppConfig then"},
		},
		"RunningWithout": {reason: "A picker that runs without a configuration does not get one.", tag: "1.5.0", changes: []func(*v1alpha1.Service){configured}, options: []plantest.RequestOption{running("1.5.0")}, errors: []string{omit}},
		"RunningEarlier": {reason: "A new image does not run yet.", tag: "1.5.0", changes: []func(*v1alpha1.Service){configured}, options: []plantest.RequestOption{running("1.4.1", config)}, errors: []string{omit}},
		"Two":            {reason: "Pickers of 1.6.0 know of each other.", tag: "1.6.0", changes: []func(*v1alpha1.Service){two}},
		"TwoEarlier": {
			reason: "Earlier ones do not.", tag: "1.5.1", changes: []func(*v1alpha1.Service){two},
			errors: []string{"spec.services[Pick].replicas: Invalid value: 2: must be 1 for Endpoint Pickers before Dynamo 1.6.0, which do not know of each other, and the image has 1.5.1; use a newer image, or set runtimeVersionOverride to the release in it"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := &v1alpha1.Service{
				ComponentType: v1alpha1.ComponentEPP,
				ExtraPodSpec:  &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Image: repository + tc.tag}},
			}
			for _, change := range tc.changes {
				change(service)
			}
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("Pick", service)), tc.options...))
			_, outcome := Decide(f)
			var errs []string
			for _, r := range outcome.Refusals {
				errs = append(errs, r.In(f.Graph))
			}
			if diff := cmp.Diff(tc.errors, errs); diff != "" {
				t.Errorf("%s\nerrors: -want, +got:\n%s", tc.reason, diff)
			}
			if tc.tag == "latest" && len(tc.warnings) > 0 {
				assumed := tc.warnings[0]
				if assumed == "latest" {
					assumed = "1.4.0 is assumed, in whose pods newer images run too"
				}
				tc.warnings = []string{"spec.services: the image tags of Pick (latest) contain no release of Dynamo, so Dynamo " + assumed + "; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release"}
			}
			if diff := cmp.Diff(tc.warnings, outcome.Warnings.Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSidecars(t *testing.T) {
	worker := func(name, image, sidecar string) plantest.GraphChange {
		return plantest.Component(name, &v1alpha1.Service{
			ComponentType:   v1alpha1.ComponentWorker,
			ExtraPodSpec:    &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Image: "example.org/vllm:" + image}},
			FrontendSidecar: &v1alpha1.FrontendSidecar{Image: "example.org/frontend:" + sidecar},
		})
	}
	graph := plantest.Graph(worker("Same", "1.5.0", "1.5.0-efa"), worker("Unknown", "1.5.0", "latest"), worker("Newer", "1.5.0", "1.6.0"))
	force := plantest.WithInput(inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: "1.4.0", Force: true}})
	cases := map[string]struct {
		reason  string
		options []plantest.RequestOption
		want    map[string]string
	}{
		"Own":    {reason: "A sidecar has the release in its own image.", want: map[string]string{"Newer": "1.6.0"}},
		"Forced": {reason: "A release that is forced is that of all images.", options: []plantest.RequestOption{force}, want: map[string]string{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(graph, tc.options...))
			versions, _ := Decide(f)
			got := map[string]string{}
			for component, version := range Sidecars(f, versions) {
				got[component] = version.String()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSidecars(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
