package restart_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
)

// TestPlanRestart shows what is read from the observed objects. What follows from it is in TestRestart.
func TestPlanRestart(t *testing.T) {
	const (
		sinceBefore = "dynamo.nvidia.com/available-since-before-restart"
		since       = "2026-01-01T09:00:00Z"
		earlier     = "2026-01-01T08:00:00Z"
		inFlight    = "Restarting"
		done        = "Completed"
	)
	// marked with the identifier of a restart, unless it is empty.
	marked := func(at string) metav1.ObjectMeta {
		if at == "" {
			return metav1.ObjectMeta{}
		}
		return metav1.ObjectMeta{Annotations: map[string]string{"nvidia.com/restartAt": at}}
	}
	lws := func(availableSince, at string, observedGeneration int64) plantest.RequestOption {
		set := plantest.LeaderWorkerSet("llama-worker-0")
		set.Generation = 3
		if availableSince != "" {
			set.Annotations = map[string]string{sinceBefore: availableSince}
		}
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.ObjectMeta = marked(at)
		set.Status = lwsv1.LeaderWorkerSetStatus{Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, ObservedGeneration: observedGeneration, Conditions: []metav1.Condition{
			{Type: "Other"}, {Type: "Available", Status: metav1.ConditionTrue, LastTransitionTime: metav1.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)},
		}}
		return plantest.WithObserved("leaderworkerset-worker-0", set)
	}
	deployment := func(at string, status appsv1.DeploymentStatus) plantest.RequestOption {
		object := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{ObjectMeta: marked(at)})
		object.Generation, object.Status = 1, status
		return plantest.WithObserved("deployment-worker", object)
	}
	rolled := appsv1.DeploymentStatus{
		ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}},
	}
	// grove has seen a generation of the set, whose worker is ready.
	grove := func(observedGeneration int64) plantest.RequestOption {
		markedAs := func(at string) func(*grovev1alpha1.Clique) {
			return func(c *grovev1alpha1.Clique) { c.Annotations = marked(at).Annotations }
		}
		set := plantest.PodCliqueSet(plantest.Clique("other", markedAs("other")), plantest.Clique("worker", markedAs("one")))
		set.Generation = 2
		set.Status = grovev1alpha1.PodCliqueSetStatus{ObservedGeneration: &observedGeneration, AvailableReplicas: 1}
		return plantest.WithObserved("podcliqueset", set)
	}
	ready := map[string]graphplan.Child{"Worker": {
		Kind: "PodClique", Name: "llama-0-worker", Generation: 1, ObservedGeneration: new(int64(1)), SpecReplicas: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1,
	}}
	single, many := v1alpha1.Service{Replicas: new(int32(1))}, v1alpha1.Service{Replicas: new(int32(1)), Multinode: &v1alpha1.Multinode{NodeCount: 2}}
	restarting := func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Restart = &v1alpha1.Restart{ID: "one"}
		xr.Status = v1alpha1.DynamoGraphDeploymentStatus{
			Services: map[string]v1alpha1.ServiceStatus{"Worker": {}},
			Restart:  &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"Worker"}},
		}
	}
	one := map[string][]graphplan.RestartMark{"Worker": {{At: "one"}}}
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		service      v1alpha1.Service
		options      []plantest.RequestOption
		phase        string
		marks        map[string][]graphplan.RestartMark
	}{
		"DeploymentRolled":  {reason: "A Deployment that is ready with the mark is done.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment("one", rolled)}, phase: done, marks: one},
		"DeploymentRolling": {reason: "A Deployment whose controller has not seen the mark is not done.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment("one", appsv1.DeploymentStatus{})}, phase: inFlight, marks: one},
		"DeploymentBefore":  {reason: "A Deployment without the mark gets it.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment("", rolled)}, phase: inFlight, marks: one},
		"NoReplicas":        {reason: "A Deployment without pods is done, whatever its status.", orchestrator: graphplan.Deployment, service: v1alpha1.Service{Replicas: new(int32(0))}, options: []plantest.RequestOption{deployment("one", appsv1.DeploymentStatus{})}, phase: done, marks: one},
		"OwnAnnotation": {
			reason:       "Pods with an annotation of the user's own are left alone.",
			orchestrator: graphplan.Deployment, service: v1alpha1.Service{Annotations: marked("mine").Annotations}, options: []plantest.RequestOption{deployment("mine", rolled)}, phase: done,
		},
		"Set":                  {reason: "A status that tells its generation is believed.", orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws("", "one", 3)}, phase: done, marks: one},
		"SetEarlierGeneration": {reason: "A status of an earlier generation is not believed.", orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws("", "one", 2)}, phase: inFlight, marks: one},
		"SetUnmarked": {
			reason:       "A set without the mark gets it.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(earlier, "", 0)},
			phase: inFlight, marks: one,
		},
		"SetAsBefore": {
			reason:       "While a set reports the same availability as before the restart, its status is of the old pods.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(since, "one", 0)},
			phase: inFlight, marks: one,
		},
		"SetAvailableAgain": {
			reason:       "When a set has become available again, its status is of the new pods.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(earlier, "one", 0)},
			phase: done, marks: one,
		},
		"SetUpgraded": {
			reason:       "When LWS was upgraded during the restart, the generation that a set observed decides.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(since, "one", 3)},
			phase: done, marks: one,
		},
		"Clique":       {reason: "A clique that is ready is done when Grove has seen the mark.", orchestrator: graphplan.Grove, service: single, options: []plantest.RequestOption{grove(2)}, phase: done, marks: one},
		"CliqueUnseen": {reason: "Before Grove has seen the mark, the status of a clique is of the old pods.", orchestrator: graphplan.Grove, service: single, options: []plantest.RequestOption{grove(1)}, phase: inFlight, marks: one},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Component("Worker", &tc.service), restarting)
			options := append([]plantest.RequestOption{plantest.WithGroups("grove")}, tc.options...)
			f := plantest.Facts(t, plantest.Request(xr, options...))
			p := &graphplan.Plan{Orchestrator: tc.orchestrator, Children: ready}

			want := &graphplan.Restart{ID: "one", Phase: tc.phase, Marks: tc.marks}
			if tc.phase == inFlight {
				want.InProgress = []string{"Worker"}
			}
			if diff := cmp.Diff(want, restart.Decide(f.Graph, f.Observed, p)); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
