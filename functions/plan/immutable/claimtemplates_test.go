package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

func TestClaimTemplates(t *testing.T) {
	const path = "spec.services[Worker].gpuMemoryService: Forbidden: shared GPUs cannot be changed while the GPU memory service is enabled; they were 4 of class gpu.nvidia.com, and would be "
	const remedy = ": undo the change, or disable the GPU memory service, apply, and enable it again"
	template := func(requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaimTemplate {
		return &resourcev1.ResourceClaimTemplate{
			TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaimTemplate"},
			Spec:     resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}},
		}
	}
	four := template(resourcev1.DeviceRequest{Name: "gpus", Exactly: &resourcev1.ExactDeviceRequest{
		AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 4, DeviceClassName: "gpu.nvidia.com",
	}})
	shared := &v1alpha1.GPUMemoryService{Enabled: true}
	sharedMIG := &v1alpha1.GPUMemoryService{Enabled: true, DeviceClassName: "mig.nvidia.com"}
	cases := map[string]struct {
		reason   string
		observed any
		gpus     string
		memory   *v1alpha1.GPUMemoryService
		want     []string
	}{
		"Same":   {reason: "A claim template that does not change is accepted.", observed: four, gpus: "4", memory: shared},
		"Off":    {reason: "Without the GPU memory service, the claim template goes away.", observed: four, gpus: "8"},
		"First":  {reason: "A claim template that does not exist yet can be for any number of GPUs.", gpus: "8", memory: shared},
		"Other":  {reason: "A claim template with other contents is left for the API server to judge.", observed: template(), gpus: "8", memory: shared},
		"Broken": {reason: "A claim template that cannot be read is left for the API server to judge.", observed: `{"spec":"x"}`, gpus: "8", memory: shared},
		"Count": {
			reason: "The API server refuses another number of GPUs in a claim template.", observed: four,
			gpus: "8", memory: shared,
			want: []string{path + "8 of class gpu.nvidia.com" + remedy},
		},
		"Class": {
			reason: "The API server refuses another device class in a claim template.", observed: four,
			gpus: "4", memory: sharedMIG,
			want: []string{path + "4 of class mig.nvidia.com" + remedy},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker, GPUMemoryService: tc.memory}
			req := plantest.Request(plantest.Graph(plantest.Component("Worker", service, plantest.WithGPUs(tc.gpus))))
			if tc.observed != nil {
				plantest.WithObserved("claimtemplate-worker", tc.observed)(req)
			}
			changed := immutable.Check(plantest.Facts(t, req))
			got := changed.Refused(subject.ImmutableChange).Texts(&graph.Graph{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
