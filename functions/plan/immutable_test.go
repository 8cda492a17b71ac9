package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// observedMultinode is the PodCliqueSet of a frontend and a worker of three nodes, with these constraints.
func observedMultinode(ofGraph, ofWorker *grovev1alpha1.TopologyConstraint) *grovev1alpha1.PodCliqueSet {
	set := plantest.PodCliqueSet(plantest.Clique("frontend"), plantest.Clique("worker-ldr"), plantest.Clique("worker-wkr", func(c *grovev1alpha1.Clique) {
		c.Spec.Replicas, c.Spec.MinAvailable = 2, 2
	}))
	set.Spec.Template.TopologyConstraint = ofGraph
	set.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{
		{Name: "worker", CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: 3, MinAvailable: 2, TopologyConstraint: ofWorker},
	}
	return set
}

// multinodeGraph is the graph of observedMultinode.
func multinodeGraph(xr *v1alpha1.DynamoGraphDeployment) {
	plantest.InTopology("my-topology", "zone")(xr)
	xr.Spec.Services = map[string]v1alpha1.Service{"Frontend": {}, "Worker": {
		Replicas: new(int32(3)), MinAvailable: new(int32(2)), Multinode: &v1alpha1.Multinode{NodeCount: 3}, TopologyConstraint: &v1alpha1.TopologyConstraint{PackDomain: "rack"},
	}}
}

// renamed is a service with another name.
func renamed(from, to string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Services[to] = xr.Spec.Services[from]
		delete(xr.Spec.Services, from)
	}
}

// without a service.
func without(service string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) { delete(xr.Spec.Services, service) }
}

// nativeMinimum of a service that spans nodes, in Grove's own form instead of that of the API.
func nativeMinimum(least int) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.MinAvailable, s.ProviderOverride = nil, &v1alpha1.ProviderOverride{Value: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"minAvailable":%d}`, least)}}
	}
}

func onOneNode(s *v1alpha1.Service) { s.Multinode = nil }

func inNoDomain(s *v1alpha1.Service) { s.TopologyConstraint = nil }

// TestCheckImmutableOnGrove changes one thing at a time of a graph that runs on Grove.
func TestCheckImmutableOnGrove(t *testing.T) {
	const back = ": undo the change, or delete and recreate the graph"
	observed := observedMultinode(plantest.Constraint("zone", ""), plantest.Constraint("rack", ""))
	oldDialect := observedMultinode(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	planner := plantest.Service("Planner", &v1alpha1.Service{})
	cases := map[string]struct {
		reason   string
		observed *grovev1alpha1.PodCliqueSet
		change   plantest.GraphChange
		want     []string
	}{
		"Unchanged":  {reason: "A graph that did not change is fine.", observed: observed},
		"OldDialect": {reason: "A graph that did not change is fine, even if an older Grove wrote its constraints.", observed: oldDialect},
		"Replicas":   {reason: "Replicas may change.", observed: observed, change: plantest.Changed("Worker", plantest.WithReplicas(9))},
		"Added": {
			reason: "A service cannot be added, because Grove's set of cliques is fixed.", observed: observed, change: planner,
			want: []string{"spec.services[Planner]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph"},
		},
		"Removed": {
			reason: "A service cannot be removed, because Grove's set of cliques is fixed.", observed: observed, change: without("Frontend"),
			want: []string{"spec.services: Forbidden: services cannot be removed after creation; restore frontend, or delete and recreate the graph"},
		},
		"Renamed": {
			reason: "Renaming a service removes one service and adds another.", observed: observed, change: renamed("Frontend", "Front"),
			want: []string{
				"spec.services: Forbidden: services cannot be removed after creation; restore frontend, or delete and recreate the graph",
				"spec.services[Front]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph",
			},
		},
		"OtherSpelling": {reason: "The name of a service may change in case, because objects are named in lower case.", observed: observed, change: renamed("Frontend", "frontEND")},
		"ToMultinode": {
			reason: "A single-node service cannot become multinode, because one clique cannot become two.", observed: observed, change: plantest.Changed("Frontend", plantest.WithNodes(2)),
			want: []string{"spec.services[Frontend].multinode: Forbidden: a service cannot change between single-node and multinode after creation" + back},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because two cliques cannot become one.", observed: observed, change: plantest.Changed("Worker", onOneNode),
			want: []string{"spec.services[Worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation" + back},
		},
		"NodeCount": {
			reason: "The number of workers is the minAvailable of their clique.", observed: observed, change: plantest.Changed("Worker", plantest.WithNodes(4)),
			want: []string{"spec.services[Worker].multinode.nodeCount: Invalid value: 4: cannot be changed after creation; it was 3" + back},
		},
		"MinAvailableInGrovesForm": {
			reason: "The form in which a minimum is written can change, but not the number.", observed: observed, change: plantest.Changed("Worker", nativeMinimum(2)),
		},
		"OtherMinAvailableInGrovesForm": {
			reason: "A gang cannot change its minimum in Grove's own form either.", observed: observed, change: plantest.Changed("Worker", nativeMinimum(3)),
			want: []string{"spec.services[Worker].providerOverride.value.minAvailable: Invalid value: 3: cannot be changed after creation; it was 2" + back},
		},
		"MinAvailable": {
			reason: "A gang cannot change its minimum.", observed: observed, change: plantest.Changed("Worker", func(s *v1alpha1.Service) { s.MinAvailable = new(int32(1)) }),
			want: []string{"spec.services[Worker].minAvailable: Invalid value: 1: cannot be changed after creation; it was 2" + back},
		},
		"GraphsDomain": {
			reason: "The domain that the graph is packed into cannot change.", observed: observed, change: plantest.InTopology("my-topology", "block"),
			want: []string{`spec.topologyConstraint.packDomain: Invalid value: "block": cannot be changed after creation; it was "zone"` + back},
		},
		"ServicesDomain": {
			reason: "The domain that a service is packed into cannot change.", observed: observed, change: plantest.Changed("Worker", plantest.InDomain("host")),
			want: []string{`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "host": cannot be changed after creation; it was "rack"` + back},
		},
		"NewConstraint": {
			reason: "A constraint cannot be added to a service.", observed: observed, change: plantest.Changed("Frontend", plantest.InDomain("rack")),
			want: []string{`spec.services[Frontend].topologyConstraint.packDomain: Invalid value: "rack": cannot be changed after creation; it was ""` + back},
		},
		"NoConstraint": {
			reason: "A constraint cannot be removed from a service.", observed: oldDialect, change: plantest.Changed("Worker", inNoDomain),
			want: []string{`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "": cannot be changed after creation; it was "rack"` + back},
		},
		"Profile": {
			reason: "The topology that the constraints name cannot change.", observed: observed, change: plantest.InTopology("another", "zone"),
			want: []string{`spec.topologyConstraint.topologyProfile: Invalid value: "another": cannot be changed after creation; it was "my-topology"` + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(multinodeGraph)
			if tc.change != nil {
				tc.change(xr)
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", tc.observed)))
			var got []string
			changed := immutable.Check(f)
			for _, m := range append(changed.Refused(subject.ImmutableChange), topology.Unchanged(f, topology.Decision{})...) {
				got = append(got, m.In(f.Graph))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckGroupsUnchanged shows that a service of one node is a scaling group of Grove for its whole life, or never.
func TestCheckGroupsUnchanged(t *testing.T) {
	set := plantest.PodCliqueSet(plantest.Clique("frontend"), plantest.Clique("worker"))
	set.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{{Name: "worker", CliqueNames: []string{"worker"}, Replicas: 3, MinAvailable: 1}}
	component := func(name string, replicas int32, group bool) v1beta1.Component {
		return v1beta1.Component{Name: name, Replicas: &replicas, Experimental: &v1beta1.ComponentExperimental{Grove: &v1beta1.GroveSettings{ForceScalingGroup: group}}}
	}
	const back = ": undo the change, or delete and recreate the graph"
	cases := map[string]struct {
		reason           string
		frontend, worker bool
		want             []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", frontend: false, worker: true},
		"Changed": {
			reason: "Grove would delete the pods of either, and create others with other names.", frontend: true, worker: false,
			want: []string{
				"spec.components[Frontend].experimental.grove.forceScalingGroup: Forbidden: cannot be changed after creation; it was false" + back,
				"spec.components[Worker].experimental.grove.forceScalingGroup: Forbidden: cannot be changed after creation; it was true" + back,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &v1beta1.DynamoGraphDeployment{
				TypeMeta:   metav1.TypeMeta{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeployment"},
				ObjectMeta: plantest.Graph().ObjectMeta,
				Spec:       v1beta1.DynamoGraphDeploymentSpec{Components: []v1beta1.Component{component("Frontend", 1, tc.frontend), component("Worker", 3, tc.worker)}},
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", set)))
			var got []string
			changed := immutable.Check(f)
			for _, m := range changed.Refused(subject.ImmutableChange) {
				got = append(got, m.In(f.Graph))
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
	type fields = map[string]any
	later := plantest.Struct(plantest.Constraint("zone", "")).AsMap()
	later["later"] = 1
	override := func(value fields) *v1alpha1.ProviderOverride {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return &v1alpha1.ProviderOverride{APIVersion: grovev1alpha1.APIVersion, Value: runtime.RawExtension{Raw: raw}}
	}
	cases := map[string]struct {
		reason        string
		graph, worker any
		want          []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", graph: plantest.Constraint("zone", ""), worker: plantest.Constraint("rack", "")},
		"Later":     {reason: "Fields that this version does not know are left to Grove.", graph: later, worker: plantest.Constraint("rack", "")},
		"Changed": {
			reason: "Grove refuses another constraint.", graph: plantest.Constraint("zone", ""), worker: plantest.Constraint("block", ""),
			want: []string{"spec.services[Worker].providerOverride.value: Forbidden: cannot be changed after creation" + back},
		},
		"Removed": {
			reason: "Grove refuses to remove a constraint.", graph: plantest.Constraint("zone", ""),
			want: []string{"spec.providerOverride: Forbidden: topologyConstraint of worker cannot be removed after creation" + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(multinodeGraph, plantest.Changed("Worker", inNoDomain))
			xr.Spec.TopologyConstraint = nil
			xr.Spec.ProviderOverride = override(fields{"spec": fields{"template": fields{"topologyConstraint": tc.graph}}})
			if tc.worker != nil {
				plantest.Changed("Worker", func(s *v1alpha1.Service) { s.ProviderOverride = override(fields{"topologyConstraint": tc.worker}) })(xr)
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", observedMultinode(plantest.Constraint("zone", ""), plantest.Constraint("rack", "")))))
			var got []string
			for _, m := range topology.Unchanged(f, topology.Decision{}) {
				got = append(got, m.In(f.Graph))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUnchanged(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPowerUnchanged shows that the planner may rely on what it reads when it starts.
func TestPowerUnchanged(t *testing.T) {
	const annotation = "dynamo.nvidia.com/gpu-power-limit"
	live := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation: "350"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "i", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("2")}}}}},
	})
	cases := map[string]struct {
		reason  string
		changes []plantest.ServiceChange
		want    []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", changes: []plantest.ServiceChange{plantest.WithAnnotation(annotation, "350"), plantest.WithGPUs("2")}},
		"PodsAlone": {reason: "The annotation may move to the pods.", changes: []plantest.ServiceChange{plantest.WithPodAnnotation(annotation, "350"), plantest.WithGPUs("2")}},
		"Changed": {
			reason: "The planner would exceed its budget.", changes: []plantest.ServiceChange{plantest.WithAnnotation(annotation, "400"), plantest.WithGPUs("4")},
			want: []string{
				`spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "400": cannot be changed after creation; it was "350": undo the change, or delete and recreate the graph`,
				`spec.services[Worker].resources.limits.gpu: Invalid value: 4: cannot be changed while the power of the GPUs is limited (annotation dynamo.nvidia.com/gpu-power-limit); it was 2: undo the change, or delete and recreate the graph`,
			},
		},
		"Removed": {
			reason: "Pods would no longer be limited, and the planner would not know.", changes: []plantest.ServiceChange{plantest.WithGPUs("2")},
			want: []string{
				`spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]: Invalid value: "": cannot be changed after creation; it was "350": undo the change, or delete and recreate the graph`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Service("Worker", &v1alpha1.Service{}, tc.changes...)), plantest.WithObserved("deployment-worker", live)))
			var got []string
			changed := immutable.Check(f)
			for _, m := range changed.Refused(subject.ImmutableChange) {
				got = append(got, m.String())
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
		services map[string]v1alpha1.Service
		want     []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", services: map[string]v1alpha1.Service{"Frontend": {}, "Worker": {Multinode: &v1alpha1.Multinode{NodeCount: 2}}}},
		"Added":     {reason: "A service can be added where each service has a workload of its own.", services: map[string]v1alpha1.Service{"Frontend": {}, "Planner": {}, "Worker": {Multinode: &v1alpha1.Multinode{NodeCount: 4}}}},
		"Removed": {
			reason: "A service cannot be removed, because its workload would be deleted.", services: map[string]v1alpha1.Service{"Frontend": {}},
			want: []string{"spec.services: Forbidden: services cannot be removed after creation; restore worker, or delete and recreate the graph"},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because its workload would be replaced by one of another kind.", services: map[string]v1alpha1.Service{"Frontend": {}, "Worker": {}},
			want: []string{"spec.services[Worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation: " +
				"undo the change, or delete and recreate the graph"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.Services = tc.services }))
			for key := range strings.FieldsSeq(observedKeys) {
				plantest.WithObserved(key, `{}`)(req)
			}
			f := plantest.Facts(t, req)
			var got []string
			changed := immutable.Check(f)
			for _, m := range append(changed.Refused(subject.ImmutableChange), topology.Unchanged(f, topology.Decision{})...) {
				got = append(got, m.In(f.Graph))
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
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups(), asksForChildren("frontend"), refusal("ImmutableFieldChanged", added), unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
		"WithOthers": {
			reason: "A change that is not allowed after creation is reported together with other mistakes.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithMistake("Worker", "replica", 1), plantest.WithGroups("grove"),
				plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("Invalid", `spec.services[Worker].replica: Invalid value: 1: unknown field; did you mean "replicas"?`+"\n"+added),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
	})
}
