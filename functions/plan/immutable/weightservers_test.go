package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// engines of a clique.
func engines(n int32) func(*grovev1alpha1.Clique) {
	return func(c *grovev1alpha1.Clique) { c.Spec.Replicas = n }
}

// weightServed is the live PodCliqueSet of a worker whose cliques are these, and whose nodes have four GPUs each.
func weightServed(cliques ...grovev1alpha1.Clique) *grovev1alpha1.PodCliqueSet {
	set := plantest.PodCliqueSet(cliques...)
	group := grovev1alpha1.ScalingGroup{Name: "worker", Replicas: 1, MinAvailable: 1}
	for _, clique := range cliques {
		group.CliqueNames = append(group.CliqueNames, clique.Name)
	}
	set.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{group}
	set.Spec.Template.ResourceClaimTemplates = []grovev1alpha1.ResourceClaimTemplate{{
		Name: "worker-gpu-rank-0", TemplateSpec: grovev1alpha1.ResourceClaimSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 4, DeviceClassName: "gpu.nvidia.com"},
		}}}}},
	}}
	return set
}

func TestWeightServers(t *testing.T) {
	const path, back = "spec.services[Worker].", ": undo the change, or delete and recreate the graph"
	one := weightServed(plantest.Clique("worker-gms-0"), plantest.Clique("worker", engines(2)))
	nodes := weightServed(plantest.Clique("worker-gms-0"), plantest.Clique("worker-ldr", engines(2)), plantest.Clique("worker-gms-1"), plantest.Clique("worker-wkr-1", engines(2)))
	within := plantest.PodCliqueSet(plantest.Clique("worker", func(c *grovev1alpha1.Clique) {
		c.Spec.PodSpec.ResourceClaims = []corev1.PodResourceClaim{{Name: "intrapod-shared-gpu"}}
	}))
	memory := func(mode v1alpha1.ShareMode) plantest.ComponentChange {
		return func(s *v1alpha1.Service) { s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true, Mode: mode} }
	}
	shadows := func(n int32) plantest.ComponentChange {
		return func(s *v1alpha1.Service) {
			s.Failover = &v1alpha1.Failover{Enabled: true, Mode: v1alpha1.ShareInterPod, NumShadows: n}
		}
	}
	class := func(s *v1alpha1.Service) { s.GPUMemoryService.DeviceClassName = "mig.nvidia.com" }
	between := []plantest.ComponentChange{plantest.WithGPUs("4"), memory(v1alpha1.ShareInterPod), shadows(1)}
	cases := map[string]struct {
		reason   string
		observed *grovev1alpha1.PodCliqueSet
		changes  []plantest.ComponentChange
		want     []string
	}{
		"Same":      {reason: "A graph that does not change is accepted.", observed: one},
		"SameNodes": {reason: "A graph over nodes that does not change is accepted.", observed: nodes, changes: []plantest.ComponentChange{plantest.WithNodes(2)}},
		"Replicas":  {reason: "Replicas may change.", observed: one, changes: []plantest.ComponentChange{plantest.WithReplicas(3)}},
		"Before":    {reason: "A graph that was created without weight servers has a warning, and can be changed.", observed: plantest.PodCliqueSet(plantest.Clique("worker"))},
		"Without": {
			reason: "Grove cannot remove the clique of a weight server.", observed: one, changes: []plantest.ComponentChange{memory(v1alpha1.ShareIntraPod), func(s *v1alpha1.Service) { s.Failover = nil }},
			want: []string{path + "gpuMemoryService.mode: Forbidden: cannot be changed after creation; it was interPod" + back},
		},
		"With": {
			reason: "Grove cannot add the clique of a weight server.", observed: within,
			want: []string{path + "gpuMemoryService.mode: Forbidden: cannot be changed to interPod after creation" + back},
		},
		"Shadows": {
			reason: "The pods of a replica are numbered when it is created.", observed: one, changes: []plantest.ComponentChange{shadows(3)},
			want: []string{path + "failover: Forbidden: the number of standby engines cannot be changed after creation; it was 1" + back},
		},
		"WithoutFailover": {
			reason: "To remove failover is to remove standby engines.", observed: one, changes: []plantest.ComponentChange{func(s *v1alpha1.Service) { s.Failover = nil }},
			want: []string{path + "failover: Forbidden: the number of standby engines cannot be changed after creation; it was 1" + back},
		},
		"Nodes": {
			reason: "Each node has cliques of its own.", observed: nodes, changes: []plantest.ComponentChange{plantest.WithNodes(3)},
			want: []string{path + "multinode.nodeCount: Invalid value: 3: cannot be changed after creation; it was 2" + back},
		},
		"GPUs": {
			reason: "Grove refuses to change the template of a claim.", observed: one, changes: []plantest.ComponentChange{plantest.WithGPUs("8")},
			want: []string{path + "gpuMemoryService: Forbidden: shared GPUs cannot be changed after creation in mode interPod; they were 4 of class gpu.nvidia.com, and would be 8 of class gpu.nvidia.com" + back},
		},
		"Class": {
			reason: "The class of the GPUs is in that template too.", observed: one, changes: []plantest.ComponentChange{class},
			want: []string{path + "gpuMemoryService: Forbidden: shared GPUs cannot be changed after creation in mode interPod; they were 4 of class gpu.nvidia.com, and would be 4 of class mig.nvidia.com" + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Worker, plantest.Changed("Worker", between...), plantest.Changed("Worker", tc.changes...))
			changed := immutable.Check(plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", tc.observed))))
			got := changed.Refused(subject.ImmutableChange).Texts(&graph.Graph{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
