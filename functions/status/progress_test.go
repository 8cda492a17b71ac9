package status

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const pods = 64

// progress of a graph whose pods become ready one after the other.
type progress struct {
	now       time.Time
	composite *structpb.Struct
	// fields and conditions are the times at which Crossplane last wrote these parts of the status. They are nil if it never did.
	fields, conditions *metav1.Time
	// writes is the number of writes of a part of the status, and both the number of runs after the first one that wrote both parts.
	writes, both int
}

// call the function when this number of pods is ready.
func (p *progress) call(t *testing.T, ready int32, more ...appsv1.DeploymentCondition) *fnv1.RunFunctionResponse {
	t.Helper()
	deployment := frontendOf(pods, ready, append([]appsv1.DeploymentCondition{available()}, more...)...)
	return p.run(t, with(request(onLWS()), "deployment-frontend", desiredDeployment(), deployment))
}

// run the function until it no longer changes the status, because each write of the status triggers another run. The response is that of
// the last run.
func (p *progress) run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	if p.composite == nil {
		p.composite = req.GetObserved().GetComposite().GetResource()
	}
	for {
		req := proto.CloneOf(req)
		req.Observed.Composite.Resource = p.composite
		rsp, err := newFunction(logging.NewNopLogger(), func() time.Time { return p.now }).RunFunction(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if !p.write(t, rsp) {
			return rsp
		}
	}
}

// write the fields of the status, and then its conditions, if they have changed.
func (p *progress) write(t *testing.T, rsp *fnv1.RunFunctionResponse) bool {
	t.Helper()
	first := p.fields == nil
	wroteFields := p.writePart(t, &p.fields, p.withConditions(rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue(), p.observedConditions()))
	var conditions []any
	for _, c := range rsp.GetConditions() {
		conditions = append(conditions, map[string]any{
			"type": c.GetType(), "reason": c.GetReason(), "message": c.GetMessage(), "status": map[fnv1.Status]string{isTrue: "True", isFalse: "False"}[c.GetStatus()],
		})
	}
	list, err := structpb.NewValue(conditions)
	if err != nil {
		t.Fatal(err)
	}
	wroteConditions := p.writePart(t, &p.conditions, p.withConditions(p.composite.GetFields()["status"].GetStructValue(), list))
	if wroteFields && wroteConditions && !first {
		p.both++
	}
	return wroteFields || wroteConditions
}

// writePart of the status, if the status has changed.
func (p *progress) writePart(t *testing.T, at **metav1.Time, status *structpb.Struct) bool {
	t.Helper()
	if cmp.Equal(status, p.composite.GetFields()["status"].GetStructValue(), protocmp.Transform()) {
		return false
	}
	p.writes++
	*at = &metav1.Time{Time: p.now}
	crossplane := func(manager string, operation metav1.ManagedFieldsOperationType, at *metav1.Time) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Subresource: "status", APIVersion: "nvidia.com/v1alpha1", Time: at}
	}
	managers := steptest.Struct(fields{"list": []metav1.ManagedFieldsEntry{
		{Manager: "kubectl", Operation: "Apply", Time: new(metav1.Date(2026, time.March, 1, 11, 0, 0, 0, time.UTC))},
		crossplane("apiextensions.crossplane.io/composite", "Apply", p.fields),
		crossplane("crossplane", "Update", p.conditions),
	}})
	p.composite = tree.With(p.composite, managers.GetFields()["list"], "managedFields", "metadata")
	p.composite.Fields["status"] = structpb.NewStructValue(status)
	return true
}

func (p *progress) observedConditions() *structpb.Value {
	return p.composite.GetFields()["status"].GetStructValue().GetFields()["conditions"]
}

func (p *progress) withConditions(status *structpb.Struct, conditions *structpb.Value) *structpb.Struct {
	fields := maps.Clone(status.GetFields())
	delete(fields, "conditions")
	if conditions != nil {
		fields["conditions"] = conditions
	}
	return &structpb.Struct{Fields: fields}
}

// ready is the number of ready pods in the status.
func (p *progress) ready() float64 {
	components := p.composite.GetFields()["status"].GetStructValue().GetFields()["services"].GetStructValue()
	return components.GetFields()["Frontend"].GetStructValue().GetFields()["readyReplicas"].GetNumberValue()
}

// begin at noon, with a graph without a status.
func begin() *progress { return &progress{now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)} }

// TestProgress shows that the status is not written for each of the pods that become ready one after the other, and that it is written
// immediately for the last one.
func TestProgress(t *testing.T) {
	p := begin()
	for ready := range int32(pods) {
		p.call(t, ready)
		p.now = p.now.Add(250 * time.Millisecond)
	}
	// In 16 seconds, both parts are written at the beginning, and once more after 10 seconds.
	if p.writes != 4 {
		t.Errorf("%d pods: want 4 writes of the status, got %d", pods, p.writes)
	}
	p.call(t, pods)
	if p.writes != 6 || p.ready() != pods {
		t.Errorf("last pod: want it written at once, got %d writes, %v ready", p.writes, p.ready())
	}
	if p.both > 0 {
		t.Errorf("want no run that writes both parts of the status, got %d", p.both)
	}
}

// TestProgressHeld shows which changes of the status are not delayed, and that the others are not delayed longer than necessary.
func TestProgressHeld(t *testing.T) {
	cases := map[string]struct {
		reason string
		after  time.Duration
		ready  int32
		more   []appsv1.DeploymentCondition
		// held are the ready pods in the status, in this call and in the next one.
		held  int32
		again time.Duration
	}{
		"Progress":   {reason: "What tells only how far pods have come waits.", after: 3 * time.Second, ready: 40, held: 1, again: 7 * time.Second},
		"Backwards":  {reason: "News that pods of a graph that is not ready are lost waits.", after: 3 * time.Second, held: 1, again: 7 * time.Second},
		"Nothing":    {reason: "Where nothing is held back nothing needs another call.", after: 3 * time.Second, ready: 1, held: 1, again: step.PendingTTL},
		"Later":      {reason: "Progress waits no longer than ten seconds.", after: 10 * time.Second, ready: 40, held: 40, again: step.PendingTTL},
		"Ready":      {reason: "That a graph is ready is written at once.", after: 3 * time.Second, ready: pods, held: pods, again: step.PendingTTL},
		"Failed":     {reason: "That a graph has failed is written at once, with everything else that is known.", after: 3 * time.Second, ready: 40, more: []appsv1.DeploymentCondition{exceeded()}, held: 40, again: step.PendingTTL},
		"OtherClock": {reason: "A time to come is of a clock that goes wrong, and holds back nothing.", after: -time.Second, ready: 40, held: 40, again: step.PendingTTL},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := begin()
			p.call(t, 1)
			p.now = p.now.Add(tc.after)
			rsp := p.call(t, tc.ready, tc.more...)
			if got := rsp.GetMeta().GetTtl().AsDuration(); got != tc.again || p.ready() != float64(tc.held) {
				t.Errorf("%s\nwant %d ready pods in the status and another call after %s, got %v and %s", tc.reason, tc.held, tc.again, p.ready(), got)
			}
			if tc.held == tc.ready {
				return
			}
			p.now = p.now.Add(tc.again)
			p.call(t, tc.ready, tc.more...)
			if p.ready() != float64(tc.ready) {
				t.Errorf("%s\nwith the next call: want %d ready pods in the status, got %v", tc.reason, tc.ready, p.ready())
			}
		})
	}
}

// TestProgressLost shows that the status is written immediately if a ready graph loses a pod.
func TestProgressLost(t *testing.T) {
	p := begin()
	p.call(t, pods)
	p.now = p.now.Add(time.Second)
	p.call(t, pods-1)
	if p.ready() != pods-1 {
		t.Errorf("want %d ready pods in the status, got %v", pods-1, p.ready())
	}
}

// TestProgressOfComponents shows that the status is written immediately if one of several components becomes ready.
func TestProgressOfComponents(t *testing.T) {
	p := begin()
	for _, frontend := range []*appsv1.Deployment{frontendOf(1, 0), readyDeployment()} {
		p.run(t, with(with(both(onLWS()), "deployment-frontend", desiredDeployment(), frontend), "leaderworkerset-worker-0", desiredWorker(), startingWorker()))
		p.now = p.now.Add(3 * time.Second)
	}
	if got := tree.Text(p.composite, "readyComponents", "status"); got != "1/2" {
		t.Errorf("want 1/2 components ready in the status, got %q", got)
	}
	// Both parts of the status, twice.
	if p.ready() != 1 || p.writes != 4 || p.both > 0 {
		t.Errorf("want 1 ready pod in the status after 4 writes, got %v after %d, %d runs with two", p.ready(), p.writes, p.both)
	}
}

// TestProgressOfReasons shows that the status is not written for each of the stages in which pods start, although each has its own reason, and
// that the latest stage is written as soon as the interval allows.
func TestProgressOfReasons(t *testing.T) {
	child := func(replicas, scheduled, ready, gated int32) *graphplan.Plan {
		c := clique(2)
		c.Replicas, c.UpdatedReplicas, c.ScheduledReplicas, c.ReadyReplicas, c.ScheduleGatedReplicas = replicas, replicas, scheduled, ready, gated
		return planOf(withChild("Frontend", c))
	}
	p := begin()
	for _, stage := range []*graphplan.Plan{
		planOf(),
		child(0, 0, 0, 2),
		child(2, 1, 0, 0),
		child(2, 2, 0, 0),
		child(2, 2, 1, 0),
	} {
		p.run(t, with(request(stage), "podcliqueset", desiredSet(), startingSet()))
		p.now = p.now.Add(2 * time.Second)
	}
	if p.writes != 2 {
		t.Errorf("five stages in ten seconds: want 2 writes of the status, got %d", p.writes)
	}
	p.run(t, with(request(child(2, 2, 1, 0)), "podcliqueset", desiredSet(), startingSet()))
	want := condition.Observed{
		Type: "ServicesReady", Status: "False", Reason: "pods_not_ready", Message: "Resources not ready: llama: Frontend: scheduled but ready=1/2 (PodClique llama-0-frontend)",
	}
	got := condition.Find(condition.OfComposite(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: p.composite}}}), "ServicesReady")
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("ten seconds later: -want, +got:\n%s", diff)
	}
}
