package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
)

// observedMultinode is the PodCliqueSet of a frontend and a worker of three nodes, packed into racks.
const observedMultinode = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{
	"topologyConstraint":{"topologyName":"my-topology","pack":{"required":"zone"}},"cliques":[
	{"name":"frontend","spec":{"replicas":1,"minAvailable":1}},
	{"name":"worker-ldr","spec":{"replicas":1,"minAvailable":1}},
	{"name":"worker-wkr","spec":{"replicas":2,"minAvailable":2}}],
	"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-ldr","worker-wkr"],"replicas":3,"minAvailable":2,
		"topologyConstraint":{"topologyName":"my-topology","pack":{"required":"rack"}}}]}}}`

// TestCheckImmutableOnGrove changes one thing at a time of a graph that runs on Grove.
func TestCheckImmutableOnGrove(t *testing.T) {
	const spec = `{"topologyConstraint":{"topologyProfile":"my-topology","packDomain":"zone"},"services":{"Frontend":{},
		"Worker":{"replicas":3,"minAvailable":2,"multinode":{"nodeCount":3},"topologyConstraint":{"packDomain":"rack"}}}}`
	const back = ": undo the change, or delete and recreate the graph"
	oldDialect := strings.NewReplacer(`"topologyName":"my-topology","pack":{"required":"zone"}`, `"packDomain":"zone"`,
		`"topologyName":"my-topology","pack":{"required":"rack"}`, `"packDomain":"rack"`).Replace(observedMultinode)
	cases := map[string]struct {
		reason   string
		observed string
		from, to string
		want     []string
	}{
		"Unchanged":  {reason: "A graph that did not change is fine.", observed: observedMultinode},
		"OldDialect": {reason: "A graph that did not change is fine, even if an older Grove wrote its constraints.", observed: oldDialect},
		"Replicas":   {reason: "Replicas may change.", observed: observedMultinode, from: `"replicas":3`, to: `"replicas":9`},
		"Added": {
			reason: "A service cannot be added, because Grove's set of cliques is fixed.", observed: observedMultinode, from: `"Frontend":{},`, to: `"Frontend":{},"Planner":{},`,
			want: []string{"spec.services[Planner]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph"},
		},
		"Removed": {
			reason: "A service cannot be removed, because Grove's set of cliques is fixed.", observed: observedMultinode, from: `"Frontend":{},`, to: ``,
			want: []string{"spec.services: Forbidden: services cannot be removed after creation; restore frontend, or delete and recreate the graph"},
		},
		"Renamed": {
			reason: "Renaming a service removes one service and adds another.", observed: observedMultinode, from: `"Frontend":{},`, to: `"Front":{},`,
			want: []string{
				"spec.services: Forbidden: services cannot be removed after creation; restore frontend, or delete and recreate the graph",
				"spec.services[Front]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph",
			},
		},
		"OtherSpelling": {reason: "The name of a service may change in case, because objects are named in lower case.", observed: observedMultinode, from: `"Frontend"`, to: `"frontEND"`},
		"ToMultinode": {
			reason: "A single-node service cannot become multinode, because one clique cannot become two.", observed: observedMultinode, from: `"Frontend":{}`, to: `"Frontend":{"multinode":{"nodeCount":2}}`,
			want: []string{"spec.services[Frontend].multinode: Forbidden: a service cannot change between single-node and multinode after creation" + back},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because two cliques cannot become one.", observed: observedMultinode, from: `"multinode":{"nodeCount":3},`, to: ``,
			want: []string{"spec.services[Worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation" + back},
		},
		"NodeCount": {
			reason: "The number of workers is the minAvailable of their clique.", observed: observedMultinode, from: `"nodeCount":3`, to: `"nodeCount":4`,
			want: []string{"spec.services[Worker].multinode.nodeCount: Invalid value: 4: cannot be changed after creation on Grove; it was 3" + back},
		},
		"MinAvailable": {
			reason: "A gang cannot change its minimum.", observed: observedMultinode, from: `"minAvailable":2`, to: `"minAvailable":1`,
			want: []string{"spec.services[Worker].minAvailable: Invalid value: 1: cannot be changed after creation; it was 2" + back},
		},
		"GraphsDomain": {
			reason: "The domain that the graph is packed into cannot change.", observed: observedMultinode, from: `"packDomain":"zone"`, to: `"packDomain":"block"`,
			want: []string{`spec.topologyConstraint.packDomain: Invalid value: "block": cannot be changed after creation; it was "zone"` + back},
		},
		"ServicesDomain": {
			reason: "The domain that a service is packed into cannot change.", observed: observedMultinode, from: `"packDomain":"rack"`, to: `"packDomain":"host"`,
			want: []string{`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "host": cannot be changed after creation; it was "rack"` + back},
		},
		"NewConstraint": {
			reason: "A constraint cannot be added to a service.", observed: observedMultinode, from: `"Frontend":{}`, to: `"Frontend":{"topologyConstraint":{"packDomain":"rack"}}`,
			want: []string{`spec.services[Frontend].topologyConstraint.packDomain: Invalid value: "rack": cannot be changed after creation; it was ""` + back},
		},
		"NoConstraint": {
			reason: "A constraint cannot be removed from a service.", observed: oldDialect, from: `,"topologyConstraint":{"packDomain":"rack"}`, to: ``,
			want: []string{`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "": cannot be changed after creation; it was "rack"` + back},
		},
		"Profile": {
			reason: "The topology that the constraints name cannot change.", observed: observedMultinode, from: `"topologyProfile":"my-topology"`, to: `"topologyProfile":"another"`,
			want: []string{`spec.topologyConstraint.topologyProfile: Invalid value: "another": cannot be changed after creation; it was "my-topology"` + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(spec, tc.from) {
				t.Fatalf("the spec has no %s", tc.from)
			}
			xr := plantest.GraphOf(strings.Replace(spec, tc.from, tc.to, 1))
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", tc.observed)))
			var got []string
			for _, err := range append(immutable.Check(f).Changes, topology.Unchanged(f, topology.Topology{})...) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckGroupsUnchanged shows that a service of one node is a scaling group of Grove for its whole life, or never.
func TestCheckGroupsUnchanged(t *testing.T) {
	const set = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{"cliques":[
		{"name":"frontend","spec":{"replicas":1,"minAvailable":1}},{"name":"worker","spec":{"replicas":1,"minAvailable":1}}],
		"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker"],"replicas":3,"minAvailable":1}]}}}`
	const back = ": undo the change, or delete and recreate the graph"
	cases := map[string]struct {
		reason           string
		frontend, worker string
		want             []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", frontend: `false`, worker: `true`},
		"Changed": {
			reason: "Grove would delete the pods of either, and create others with other names.", frontend: `true`, worker: `false`,
			want: []string{
				"spec.components[Frontend].experimental.grove.forceScalingGroup: Forbidden: cannot be changed after creation; it was false" + back,
				"spec.components[Worker].experimental.grove.forceScalingGroup: Forbidden: cannot be changed after creation; it was true" + back,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.GraphOf(`{"components":[{"name":"Frontend","experimental":{"grove":{"forceScalingGroup":` + tc.frontend + `}}},
				{"name":"Worker","replicas":3,"experimental":{"grove":{"forceScalingGroup":` + tc.worker + `}}}]}`)
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", set)))
			var got []string
			for _, err := range f.Graph.Errors(immutable.Check(f).Changes) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOverridesUnchanged shows that constraints in Grove's own form are as fixed as others.
func TestOverridesUnchanged(t *testing.T) {
	const back = ": undo the change, or delete and recreate the graph"
	cases := map[string]struct {
		reason        string
		graph, worker string
		want          []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", graph: `{"topologyName":"my-topology","pack":{"required":"zone"}}`, worker: `{"topologyName":"my-topology","pack":{"required":"rack"}}`},
		"Later":     {reason: "Fields that this version does not know are left to Grove.", graph: `{"topologyName":"my-topology","pack":{"required":"zone"},"later":1}`, worker: `{"topologyName":"my-topology","pack":{"required":"rack"}}`},
		"Changed": {
			reason: "Grove refuses another constraint.", graph: `{"topologyName":"my-topology","pack":{"required":"zone"}}`, worker: `{"topologyName":"my-topology","pack":{"required":"block"}}`,
			want: []string{"spec.services[Worker].providerOverride.value: Forbidden: cannot be changed after creation" + back},
		},
		"Removed": {
			reason: "Grove refuses to remove a constraint.", graph: `{"topologyName":"my-topology","pack":{"required":"zone"}}`,
			want: []string{"spec.providerOverride: Forbidden: topologyConstraint of worker cannot be removed after creation" + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			worker := ""
			if tc.worker != "" {
				worker = `,"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":` + tc.worker + `}}`
			}
			xr := plantest.GraphOf(`{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"spec":{"template":{"topologyConstraint":` + tc.graph + `}}}},
				"services":{"Frontend":{},"Worker":{"replicas":3,"minAvailable":2,"multinode":{"nodeCount":3}` + worker + `}}}`)
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", observedMultinode)))
			var got []string
			for _, err := range topology.Unchanged(f, topology.Topology{}) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUnchanged(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPowerUnchanged shows that the planner may rely on what it reads when it starts.
func TestPowerUnchanged(t *testing.T) {
	const live = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"template":{"metadata":{"annotations":{"dynamo.nvidia.com/gpu-power-limit":"350"}},
		"spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}}}`
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", spec: `"annotations":{"dynamo.nvidia.com/gpu-power-limit":"350"},"resources":{"limits":{"gpu":"2"}}`},
		"PodsAlone": {reason: "The annotation may move to the pods.", spec: `"extraPodMetadata":{"annotations":{"dynamo.nvidia.com/gpu-power-limit":"350"}},"resources":{"limits":{"gpu":"2"}}`},
		"Changed": {
			reason: "The planner would exceed its budget.", spec: `"annotations":{"dynamo.nvidia.com/gpu-power-limit":"400"},"resources":{"limits":{"gpu":"4"}}`,
			want: []string{
				`spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "400": cannot be changed after creation; it was "350": undo the change, or delete and recreate the graph`,
				`spec.services[Worker].resources.limits.gpu: Invalid value: 4: cannot be changed while the power of the GPUs is limited (annotation dynamo.nvidia.com/gpu-power-limit); it was 2: undo the change, or delete and recreate the graph`,
			},
		},
		"Removed": {
			reason: "Pods would no longer be limited, and the planner would not know.", spec: `"resources":{"limits":{"gpu":"2"}}`,
			want: []string{
				`spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "": cannot be changed after creation; it was "350": undo the change, or delete and recreate the graph`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(`{"services":{"Worker":{`+tc.spec+`}}}`), plantest.WithObserved("deployment-worker", live)))
			var got []string
			for _, err := range immutable.Check(f).Changes {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckImmutableElsewhere shows what is fixed where each service has a workload of its own.
func TestCheckImmutableElsewhere(t *testing.T) {
	const observedKeys = "deployment-frontend leaderworkerset-worker-0 leaderworkerset-worker-1 service-frontend"
	cases := map[string]struct {
		reason   string
		services string
		want     []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", services: `"Frontend":{},"Worker":{"multinode":{"nodeCount":2}}`},
		"Added":     {reason: "A service can be added where each service has a workload of its own.", services: `"Frontend":{},"Planner":{},"Worker":{"multinode":{"nodeCount":4}}`},
		"Removed": {
			reason: "A service cannot be removed, because its workload would be deleted.", services: `"Frontend":{}`,
			want: []string{"spec.services: Forbidden: services cannot be removed after creation; restore worker, or delete and recreate the graph"},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because its workload would be replaced by one of another kind.", services: `"Frontend":{},"Worker":{}`,
			want: []string{"spec.services[Worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation: " +
				"undo the change, or delete and recreate the graph"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.GraphOf(`{"services":{` + tc.services + `}}`))
			for key := range strings.FieldsSeq(observedKeys) {
				plantest.WithObserved(key, `{}`)(req)
			}
			f := plantest.Facts(t, req)
			var got []string
			for _, err := range append(immutable.Check(f).Changes, topology.Unchanged(f, topology.Topology{})...) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestImmutable shows the response to a change that cannot be made.
func TestImmutable(t *testing.T) {
	const added = "spec.services[Worker]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph"
	compare(t, map[string]responseCase{
		"Alone": {
			reason: "A change that is not allowed after creation has a reason of its own when nothing else is wrong.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend, plantest.Worker)), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want:   want(asksForGroups(), asksForChildren("frontend"), refusal("ImmutableFieldChanged", added), unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
		"WithOthers": {
			reason: "A change that is not allowed after creation is reported together with other mistakes.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend, strings.Replace(plantest.Worker, `"componentType"`, `"replica":1,"componentType"`, 1))), plantest.WithGroups("grove"),
				plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("Invalid", `spec.services[Worker].replica: Invalid value: 1: unknown field; did you mean "replicas"?; `+added),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
	})
}
