package revision

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// storing is a Deployment whose pods have the hash of their template. Without a hash, they were built before anything was to be stored.
func storing(t *testing.T, image, hash string) *structpb.Struct {
	t.Helper()
	d := object(t, deployment(image, "r1"))
	if hash == "" {
		return d
	}
	return tree.WithText(d, hash, "dynamo.nvidia.com/checkpoint-template", "spec", "template", "metadata", "annotations")
}

// jobsIn desired resources: the hash of the template by the key, and the image of the pod.
func jobsIn(desired resources) map[string]string {
	jobs := map[string]string{}
	for key, r := range desired {
		if strings.HasPrefix(key, "snapshotjob-") {
			spec := tree.At(r.GetResource(), "spec", "podTemplate", "spec").GetFields()["containers"].GetListValue().GetValues()
			jobs[key] = tree.Text(r.GetResource(), "dynamo.nvidia.com/checkpoint-template", "metadata", "annotations") + " " + tree.Text(spec[0].GetStructValue(), "image")
		}
	}
	return jobs
}

// TestSnapshotJobs shows which templates of pods are stored.
func TestSnapshotJobs(t *testing.T) {
	const (
		creates = `{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{
			"Worker":{"discovery":"kubernetes","dynamoNamespace":"d","written":"a","checkpoint":{"name":"","creates":true}}}}`
		graph  = `{"services":{"Worker":{"componentType":"worker","checkpoint":{"enabled":true}}}}`
		ofOne  = "snapshotjob-worker-53ff40bfeda9cdf3ed8a1025380a95f8"
		ofNext = "snapshotjob-worker-bca50e56f2b4de256ad5b810d48103fb"
		// ofOther is of a component that does not ask for it.
		ofOther = "snapshotjob-other-bca50e56f2"
	)
	job := func(image string) *fnv1.Resource {
		return &fnv1.Resource{Resource: object(t, fields{
			"apiVersion": "nvidia.com/v1alpha1", "kind": "SnapshotJob", "metadata": fields{"name": strings.Replace(ofOne, "snapshotjob-worker", "checkpoint", 1)},
			"spec": fields{"podTemplate": fields{"spec": fields{"containers": []any{fields{"name": "main", "image": image}}}}},
		})}
	}
	completed := func(image, created string) *fnv1.Resource {
		r := job(image)
		r.Resource = tree.WithText(r.GetResource(), created, "creationTimestamp", "metadata")
		status := object(t, fields{"conditions": []any{fields{"type": "Completed", "status": "True"}}})
		r.Resource = tree.With(r.GetResource(), structpb.NewStructValue(status), "status")
		return r
	}
	cases := map[string]struct {
		reason, plan      string
		desired, observed resources
		want              map[string]string
	}{
		"Created": {
			reason: "The template of a new graph is stored once.", plan: creates,
			desired: resources{"deployment-worker": {Resource: storing(t, "one", "h1")}}, want: map[string]string{ofOne: "h1 one"},
		},
		"Kept": {
			reason: "What is stored is never changed, because the API server refuses it.", plan: creates,
			desired:  resources{"deployment-worker": {Resource: storing(t, "two", "h1")}},
			observed: resources{ofOne: job("one")}, want: map[string]string{ofOne: "h1 one"},
		},
		"Changed": {
			reason: "Another template is stored on its own, and the job of the one before goes.", plan: creates,
			desired:  resources{"deployment-worker": {Resource: storing(t, "two", "h2")}},
			observed: resources{ofOne: job("one")}, want: map[string]string{ofNext: "h2 two"},
		},
		"TwoBefore": {
			reason: "The jobs of the last templates stay: pods that get one of these again are restored. Earlier ones go.", plan: creates,
			desired: resources{"deployment-worker": {Resource: storing(t, "two", "h2")}},
			observed: resources{
				"snapshotjob-worker-a": completed("one", "2026-01-01T00:00:00Z"), "snapshotjob-worker-b": completed("one", "2026-01-02T00:00:00Z"),
				"snapshotjob-worker-c": completed("one", "2026-01-03T00:00:00Z"), "snapshotjob-worker-d": completed("one", "2026-01-04T00:00:00Z"), ofOther: completed("other", "2026-01-05T00:00:00Z"),
			},
			want: map[string]string{ofNext: "h2 two", "snapshotjob-worker-b": " one", "snapshotjob-worker-c": " one", "snapshotjob-worker-d": " one"},
		},
		"BuiltBefore": {
			reason: "Live pods that were built before anything was to be stored are not stored.", plan: creates,
			desired: resources{"deployment-worker": {Resource: storing(t, "one", "")}}, want: map[string]string{},
		},
		"CannotBeCreated": {
			reason: "A job stays while none can be created, such as with another policy of the platform: a later one of its name would find what it has stored, and fail.",
			plan:   planned, desired: resources{"deployment-worker": {Resource: storing(t, "one", "h1")}},
			observed: resources{ofOne: job("one"), ofOther: job("other")}, want: map[string]string{ofOne: " one"},
		},
		"NotWanted": {
			reason: "Nothing is stored for a graph whose checkpoint cannot be created.", plan: planned,
			desired: resources{"deployment-worker": {Resource: storing(t, "one", "h1")}}, want: map[string]string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(graph, tc.plan)
			req.Observed.Resources = tc.observed
			req.Desired = &fnv1.State{Resources: tc.desired}
			rsp := steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
			if diff := cmp.Diff(tc.want, jobsIn(rsp.GetDesired().GetResources())); diff != "" {
				t.Errorf("%s\nRunFunction(...): jobs: -want, +got:\n%s", tc.reason, diff)
			}
			for key, r := range rsp.GetDesired().GetResources() {
				if strings.HasPrefix(key, "snapshotjob-") && r.GetReady() != fnv1.Ready_READY_TRUE {
					t.Errorf("%s\nRunFunction(...): the graph waits for %s", tc.reason, key)
				}
				deadline, found := tree.At(r.GetResource(), "spec").GetFields()["activeDeadlineSeconds"]
				if isNew := tc.observed[key] == nil; strings.HasPrefix(key, "snapshotjob-") && (found != isNew || isNew && deadline.GetNumberValue() != 3600) {
					t.Errorf("%s\nRunFunction(...): %s has deadline %v: a new job has an hour, and another one what it was created with", tc.reason, key, deadline)
				}
			}
		})
	}
}

// TestAwaitedJobs shows which workloads are left out until the state of one of their pods is stored.
func TestAwaitedJobs(t *testing.T) {
	const (
		plan = `{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{
			"Worker":{"discovery":"kubernetes","dynamoNamespace":"d","written":"a","checkpoint":{"name":"","creates":true}}}}`
		graph = `{"services":{"Worker":{"componentType":"worker","checkpoint":{"enabled":true,"startupPolicy":"%s"}}}}`
		key   = "deployment-worker"
	)
	restored := tree.WithText(storing(t, "one", "h1"), "stored", "nvidia.com/restore-from", "spec", "template", "metadata", "annotations")
	revised := func() resources {
		req := steptest.Request(fmt.Sprintf(graph, "Immediate"), plan)
		req.Desired = &fnv1.State{Resources: resources{key: {Resource: storing(t, "one", "h1")}}}
		before := steptest.Run(t, NewFunction(logging.NewNopLogger()), req).GetDesired().GetResources()
		maps.DeleteFunc(before, func(k string, _ *fnv1.Resource) bool { return !strings.HasPrefix(k, "revision-") })
		return before
	}
	type result struct {
		Workload bool
		Job      fnv1.Ready
	}
	cases := map[string]struct {
		reason, policy string
		observed       resources
		desired        *structpb.Struct
		want           result
	}{
		"New":       {reason: "New pods wait until the state of one is stored, and the graph is not ready.", policy: "WaitForCheckpoint", want: result{Job: fnv1.Ready_READY_FALSE}},
		"Stored":    {reason: "They are created once it is.", policy: "WaitForCheckpoint", desired: restored, want: result{Workload: true, Job: fnv1.Ready_READY_TRUE}},
		"Immediate": {reason: "Others start cold.", policy: "Immediate", want: result{Workload: true, Job: fnv1.Ready_READY_TRUE}},
		"Live": {
			reason: "Pods that run stay.", policy: "WaitForCheckpoint",
			observed: resources{key: {Resource: storing(t, "one", "h1")}}, want: result{Workload: true, Job: fnv1.Ready_READY_TRUE},
		},
		"Gone": {reason: "A workload that somebody has deleted comes back.", policy: "WaitForCheckpoint", observed: revised(), want: result{Workload: true, Job: fnv1.Ready_READY_TRUE}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.desired == nil {
				tc.desired = storing(t, "one", "h1")
			}
			req := steptest.Request(fmt.Sprintf(graph, tc.policy), plan)
			req.Observed.Resources, req.Desired = tc.observed, &fnv1.State{Resources: resources{key: {Resource: tc.desired}}}
			composed := steptest.Run(t, NewFunction(logging.NewNopLogger()), req).GetDesired().GetResources()
			got := result{Workload: composed[key] != nil}
			for k, r := range composed {
				if strings.HasPrefix(k, "snapshotjob-") {
					got.Job = r.GetReady()
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSnapshotJobQueue shows the queue of the pod of a job on Grove, where only the PodCliqueSet names that of Volcano.
func TestSnapshotJobQueue(t *testing.T) {
	const (
		plan = `{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,"services":{
			"Worker":{"discovery":"kubernetes","dynamoNamespace":"d","written":"a","checkpoint":{"name":"","creates":true}}}}`
		graph = `{"services":{"Worker":{"componentType":"worker","checkpoint":{"enabled":true}}}}`
	)
	cases := map[string]struct{ reason, scheduler, queue, want string }{
		"Volcano": {reason: "The pod takes GPUs of the same queue as others.", scheduler: "volcano", queue: "team-a", want: "team-a"},
		"Default": {reason: "Without a name, it is the default of the scheduler, as on Grove.", scheduler: "volcano"},
		"Other":   {reason: "Other schedulers have other queues.", scheduler: "kai-scheduler", queue: "team-a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := object(t, fields{
				"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
				"metadata": fields{"annotations": fields{"scheduling.grove.io/volcano-queue": tc.queue}},
				"spec": fields{"template": fields{"cliques": []any{fields{
					"name": "worker", "annotations": fields{"dynamo.nvidia.com/checkpoint-template": "h1"},
					"spec": fields{"podSpec": fields{"schedulerName": tc.scheduler, "containers": []any{fields{"name": "main", "image": "one"}}}},
				}}}},
			})
			req := steptest.Request(graph, plan)
			req.Desired = &fnv1.State{Resources: resources{"podcliqueset": {Resource: set}}}
			rsp := steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
			jobs := 0
			for key, r := range rsp.GetDesired().GetResources() {
				if !strings.HasPrefix(key, "snapshotjob-") {
					continue
				}
				jobs++
				got := tree.Text(r.GetResource(), "scheduling.volcano.sh/queue-name", "spec", "podTemplate", "metadata", "annotations")
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\nRunFunction(...): queue: -want, +got:\n%s", tc.reason, diff)
				}
			}
			if jobs != 1 {
				t.Errorf("%s\nRunFunction(...): want one SnapshotJob, got %d", tc.reason, jobs)
			}
		})
	}
}
