package immutable_test

import (
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
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// changedIn a graph are the fields that cannot change. Their messages are added to the words of the table.
func changedIn(words *plantest.Words, name string, f *subject.Facts) []string {
	told := plantest.Tell(immutable.Check(f), f.Graph)
	words.Add(name, told.Texts...)
	var fields []string
	for _, said := range told.Said {
		fields = append(fields, f.Graph.Field(said.Field))
	}
	return fields
}

// without a component.
func without(component string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) { delete(xr.Spec.Services, component) }
}

// nativeMinimum of a component that spans nodes, in Grove's own form instead of that of the API.
func nativeMinimum(least int) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.MinAvailable, s.ProviderOverride = nil, &v1alpha1.ProviderOverride{Value: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"minAvailable":%d}`, least)}}
	}
}

func onOneNode(s *v1alpha1.Service) { s.Multinode = nil }

// TestCheckImmutableOnGrove changes one thing at a time of a graph that runs on Grove.
func TestCheckImmutableOnGrove(t *testing.T) {
	observed := plantest.MultinodeSet(plantest.Constraint("zone", ""), plantest.Constraint("rack", ""))
	oldDialect := plantest.MultinodeSet(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	planner := plantest.Component("Planner", &v1alpha1.Service{})
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
			want: []string{"spec.services[Planner]"},
		},
		"Removed": {
			reason: "A service cannot be removed, because Grove's set of cliques is fixed.", observed: observed, change: without("Frontend"),
			want: []string{"spec.services"},
		},
		"Renamed": {
			reason: "Renaming a service removes one service and adds another.", observed: observed, change: plantest.Renamed("Frontend", "Front"),
			want: []string{"spec.services", "spec.services[Front]"},
		},
		"OtherSpelling": {reason: "The name of a service may change in case, because objects are named in lower case.", observed: observed, change: plantest.Renamed("Frontend", "frontEND")},
		"ToMultinode": {
			reason: "A single-node service cannot become multinode, because one clique cannot become two.", observed: observed, change: plantest.Changed("Frontend", plantest.WithNodes(2)),
			want: []string{"spec.services[Frontend].multinode"},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because two cliques cannot become one.", observed: observed, change: plantest.Changed("Worker", onOneNode),
			want: []string{"spec.services[Worker].multinode"},
		},
		"NodeCount": {
			reason: "The number of workers is the minAvailable of their clique.", observed: observed, change: plantest.Changed("Worker", plantest.WithNodes(4)),
			want: []string{"spec.services[Worker].multinode.nodeCount"},
		},
		"MinAvailableInGrovesForm": {
			reason: "The form in which a minimum is written can change, but not the number.", observed: observed, change: plantest.Changed("Worker", nativeMinimum(2)),
		},
		"OtherMinAvailableInGrovesForm": {
			reason: "A gang cannot change its minimum in Grove's own form either.", observed: observed, change: plantest.Changed("Worker", nativeMinimum(3)),
			want: []string{"spec.services[Worker].providerOverride.value.minAvailable"},
		},
		"MinAvailable": {
			reason: "A gang cannot change its minimum.", observed: observed, change: plantest.Changed("Worker", func(s *v1alpha1.Service) { s.MinAvailable = new(int32(1)) }),
			want: []string{"spec.services[Worker].minAvailable"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.MultinodeGraph)
			if tc.change != nil {
				tc.change(xr)
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", tc.observed)))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}

// TestCheckGroupsUnchanged shows that a component of one node is a scaling group of Grove for its whole life, or never.
func TestCheckGroupsUnchanged(t *testing.T) {
	set := plantest.PodCliqueSet(plantest.Clique("frontend"), plantest.Clique("worker"))
	set.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{{Name: "worker", CliqueNames: []string{"worker"}, Replicas: 3, MinAvailable: 1}}
	component := func(name string, replicas int32, group bool) v1beta1.Component {
		return v1beta1.Component{Name: name, Replicas: &replicas, Experimental: &v1beta1.ComponentExperimental{Grove: &v1beta1.GroveSettings{ForceScalingGroup: group}}}
	}
	cases := map[string]struct {
		reason           string
		frontend, worker bool
		want             []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", frontend: false, worker: true},
		"Changed": {
			reason: "Grove would delete the pods of either, and create others with other names.", frontend: true, worker: false,
			want: []string{"spec.components[Frontend].experimental.grove.forceScalingGroup", "spec.components[Worker].experimental.grove.forceScalingGroup"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &v1beta1.DynamoGraphDeployment{
				TypeMeta:   metav1.TypeMeta{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeployment"},
				ObjectMeta: plantest.Graph().ObjectMeta,
				Spec:       v1beta1.DynamoGraphDeploymentSpec{Components: []v1beta1.Component{component("Frontend", 1, tc.frontend), component("Worker", 3, tc.worker)}},
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", set)))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}

// TestPowerUnchanged shows that the planner may rely on what it reads when it starts.
func TestPowerUnchanged(t *testing.T) {
	const annotation = "dynamo.nvidia.com/gpu-power-limit"
	live := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation: "350"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "i", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("2")}}}}},
	})
	cases := map[string]struct {
		reason  string
		changes []plantest.ComponentChange
		want    []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", changes: []plantest.ComponentChange{plantest.WithAnnotation(annotation, "350"), plantest.WithGPUs("2")}},
		"PodsAlone": {reason: "The annotation may move to the pods.", changes: []plantest.ComponentChange{plantest.WithPodAnnotation(annotation, "350"), plantest.WithGPUs("2")}},
		"Changed": {
			reason: "The planner would exceed its budget.", changes: []plantest.ComponentChange{plantest.WithAnnotation(annotation, "400"), plantest.WithGPUs("4")},
			want: []string{"spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]", "spec.services[Worker].resources.limits.gpu"},
		},
		"Removed": {
			reason: "Pods would no longer be limited, and the planner would not know.", changes: []plantest.ComponentChange{plantest.WithGPUs("2")},
			want: []string{"spec.services[Worker].annotations[dynamo.nvidia.com/gpu-power-limit]"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("Worker", &v1alpha1.Service{}, tc.changes...)), plantest.WithObserved("deployment-worker", live)))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}

// TestCheckImmutableElsewhere shows what is fixed where each component has a workload of its own.
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
			want: []string{"spec.services"},
		},
		"ToSingleNode": {
			reason: "A multinode service cannot become single-node, because its workload would be replaced by one of another kind.", services: map[string]v1alpha1.Service{"Frontend": {}, "Worker": {}},
			want: []string{"spec.services[Worker].multinode"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.Services = tc.services }))
			for key := range strings.FieldsSeq(observedKeys) {
				plantest.WithObserved(key, `{}`)(req)
			}
			f := plantest.Facts(t, req)
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}
