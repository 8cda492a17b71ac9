package gang

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestNative shows what Kubernetes itself is asked for all pods of a replica together.
func TestNative(t *testing.T) {
	important := func(s *v1alpha1.Service) {
		s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{PriorityClassName: "important"}}
	}
	cases := map[string]struct {
		reason    string
		changes   []steptest.ComponentChange
		placement graphplan.Placement
		// group is the spec of the PodGroup, JSON. Empty: there is none.
		group string
	}{
		"Gang": {
			reason: "All pods of a replica are scheduled, and preempted, together.",
			group:  `{"schedulingPolicy":{"gang":{"minCount":2}},"disruptionMode":{"all":{}}}`,
		},
		"Priority": {
			reason: "A gang has the priority of its pods.", changes: []steptest.ComponentChange{important},
			group: `{"schedulingPolicy":{"gang":{"minCount":2}},"disruptionMode":{"all":{}},"priorityClassName":"important"}`,
		},
		"Packed": {
			reason: "One label of nodes is required.", placement: graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/rack"},
			group: `{"schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":{"topology":[{"key":"example.org/rack"}]},"disruptionMode":{"all":{}}}`,
		},
		"UsersOwnScheduler": {reason: "Pods of another scheduler are no gang.", changes: []steptest.ComponentChange{steptest.WithScheduler("mine")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plan := steptest.OnLeaderWorkerSets(t, steptest.ByKubernetes(), steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) {
				p.Topology = &graphplan.Topology{Name: "gb200", Placements: map[string]graphplan.Placement{"Worker": tc.placement}}
			})
			built := build(t, steptest.TwoNodes(t, tc.changes...), plan, 0)
			if built.PodGroup != nil {
				t.Errorf("%s\nBuild(...): there is a PodGroup of Volcano", tc.reason)
			}
			group, named := "", ""
			if built.Native != nil {
				encoded, err := json.Marshal(built.Native.Spec)
				if err != nil {
					t.Fatal(err)
				}
				group, named = string(encoded), built.LeaderWorkerSet.Name
				if built.Native.Name != named || built.Native.Namespace != built.LeaderWorkerSet.Namespace {
					t.Errorf("%s\nBuild(...): the PodGroup is %s/%s", tc.reason, built.Native.Namespace, built.Native.Name)
				}
			}
			if diff := cmp.Diff(tc.group, group); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			templates := built.LeaderWorkerSet.Spec.LeaderWorkerTemplate
			for role, template := range map[string]*corev1.PodTemplateSpec{"leader": templates.LeaderTemplate, "worker": &templates.WorkerTemplate} {
				of := ""
				if template.Spec.SchedulingGroup != nil {
					of = *template.Spec.SchedulingGroup.PodGroupName
				}
				if of != named {
					t.Errorf("%s\nBuild(...): the PodGroup of the %s is %q, want %q", tc.reason, role, of, named)
				}
			}
		})
	}
}

// TestKeep shows that a PodGroup that exists keeps what Kubernetes does not let change.
func TestKeep(t *testing.T) {
	spec := func(nodes int32, class, key string) schedulingv1beta1.Spec {
		s := schedulingv1beta1.Spec{
			SchedulingPolicy: schedulingv1beta1.SchedulingPolicy{Gang: &schedulingv1beta1.Gang{MinCount: nodes}}, PriorityClassName: class,
			DisruptionMode: &schedulingv1beta1.DisruptionMode{All: &struct{}{}},
		}
		if key != "" {
			s.SchedulingConstraints = &schedulingv1beta1.SchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}}}
		}
		return s
	}
	group := &schedulingv1beta1.PodGroup{Spec: spec(3, "other", "example.org/rack")}
	if err := Keep(group, steptest.Struct(schedulingv1beta1.PodGroup{Spec: spec(2, "important", "")})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec(3, "important", ""), group.Spec); diff != "" {
		t.Errorf("Keep(...): -want, +got:\n%s", diff)
	}
}
