package grove

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestSharing shows the groups and claims of components with and without weight servers.
func TestSharing(t *testing.T) {
	g, errs := graph.Decode(steptest.Request(`{"services":{
		"Worker":{"componentType":"worker","replicas":2,"minAvailable":2,"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},
			"gpuMemoryService":{"enabled":true,"mode":"interPod"},"failover":{"enabled":true,"mode":"interPod"},"extraPodSpec":{"mainContainer":{"image":"i"}}},
		"Other":{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"image":"i"}}}}}`, steptest.OnGrove(t, runs("vllm", "mp"))))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	g.RunWeightServers("Worker")
	decided := graphplan.Component{Framework: "vllm", Executor: "mp", Discovery: "etcd", DynamoNamespace: "inference-llama"}
	p := &graphplan.Plan{Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{}, Components: map[string]graphplan.Component{"Worker": decided, "Other": decided}}
	template := podCliqueSet(g, p).Spec.Template

	type clique struct {
		Name             string
		Replicas, Least  int32
		After            []string
		Claims, Requests int
	}
	var cliques []clique
	for i := range template.Cliques {
		c := &template.Cliques[i]
		cliques = append(cliques, clique{
			c.Name, c.Spec.Replicas, c.Spec.MinAvailable, c.Spec.StartsAfter,
			len(c.Spec.PodSpec.ResourceClaims), len(c.Spec.PodSpec.Containers[0].Resources.Limits),
		})
	}
	wantCliques := []clique{
		{Name: "other-ldr", Replicas: 1, Least: 1},
		{Name: "other-wkr", Replicas: 1, Least: 1},
		{Name: "worker-gms-0", Replicas: 1, Least: 1},
		{Name: "worker-ldr", Replicas: 2, Least: 1, After: []string{"worker-gms-0"}},
		{Name: "worker-gms-1", Replicas: 1, Least: 1},
		{Name: "worker-wkr-1", Replicas: 2, Least: 1, After: []string{"worker-gms-1"}},
	}
	if diff := cmp.Diff(wantCliques, cliques); diff != "" {
		t.Errorf("cliques: -want, +got:\n%s", diff)
	}
	if template.StartupType != grovev1alpha1.StartupExplicit {
		t.Errorf("engines start after their weight server: got %s", template.StartupType)
	}
	sharing := func(claim string, cliques ...string) grovev1alpha1.ResourceSharing {
		return grovev1alpha1.ResourceSharing{Name: claim, Scope: "PerReplica", Filter: grovev1alpha1.ResourceSharingFilter{ChildCliqueNames: cliques}}
	}
	wantGroups := []grovev1alpha1.ScalingGroup{
		{Name: "other", CliqueNames: []string{"other-ldr", "other-wkr"}, Replicas: 1, MinAvailable: 1},
		{
			Name: "worker", CliqueNames: []string{"worker-gms-0", "worker-ldr", "worker-gms-1", "worker-wkr-1"}, Replicas: 2, MinAvailable: 2,
			ResourceSharing: []grovev1alpha1.ResourceSharing{sharing("worker-gpu-rank-0", "worker-gms-0", "worker-ldr"), sharing("worker-gpu-rank-1", "worker-gms-1", "worker-wkr-1")},
		},
	}
	if diff := cmp.Diff(wantGroups, template.ScalingGroups); diff != "" {
		t.Errorf("scaling groups: -want, +got:\n%s", diff)
	}
	var claims []string
	for _, claim := range template.ResourceClaimTemplates {
		request := claim.TemplateSpec.Spec.Devices.Requests[0]
		if request.Name != "gpu" || request.Exactly.Count != 8 || request.Exactly.DeviceClassName != "gpu.nvidia.com" {
			t.Errorf("claim %s requests %v", claim.Name, request)
		}
		claims = append(claims, claim.Name)
	}
	if diff := cmp.Diff([]string{"worker-gpu-rank-0", "worker-gpu-rank-1"}, claims); diff != "" {
		t.Errorf("claim templates: -want, +got:\n%s", diff)
	}
}
