package revision

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
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
		ofOne  = "snapshotjob-worker-53ff40bfed"
		ofNext = "snapshotjob-worker-bca50e56f2"
	)
	job := func(image string) *fnv1.Resource {
		return &fnv1.Resource{Resource: object(t, fields{
			"apiVersion": "nvidia.com/v1alpha1", "kind": "SnapshotJob", "metadata": fields{"name": strings.Replace(ofOne, "snapshotjob-worker", "checkpoint", 1)},
			"spec": fields{"podTemplate": fields{"spec": fields{"containers": []any{fields{"name": "main", "image": image}}}}},
		})}
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
		"BuiltBefore": {
			reason: "Live pods that were built before anything was to be stored are not stored.", plan: creates,
			desired: resources{"deployment-worker": {Resource: storing(t, "one", "")}}, want: map[string]string{},
		},
		"NotWanted": {
			reason: "Nothing is stored for a graph that does not ask for it.", plan: planned,
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
