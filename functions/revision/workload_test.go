package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
)

// TestForms shows what is the pods of a component in each kind of workload.
func TestForms(t *testing.T) {
	pods := podsWith("one", "", fields{"app": "worker"})
	set := podCliqueSet("one", "", "worker", "another")
	groups := podCliqueSet("one", "", "worker-ldr", "worker-wkr")
	weights := podCliqueSet("one", "", "worker-gms-0", "worker")
	ofGroup := fields{"size": 2, leaderTemplate: groupMember(0, "one", ""), workerTemplate: groupMember(0, "one", "")}
	cases := map[string]struct {
		reason string
		form   form
		object fields
		want   fields
	}{
		"Deployment":            {reason: "The pods of a Deployment are its template.", form: inDeployment(), object: deployment("one", ""), want: pods},
		"LeaderWorkerSet":       {reason: "The pods of a LeaderWorkerSet are all that it says of its group.", form: inGroup(), object: leaderWorkerSet(0, "one", ""), want: ofGroup},
		"PodClique":             {reason: "The pods of a service of one node are a clique.", form: cliques{"": "worker"}, object: set, want: pods},
		"PodCliqueScalingGroup": {reason: "The pods of a service of several nodes are two cliques.", form: cliques{leaderTemplate: "worker-ldr", workerTemplate: "worker-wkr"}, object: groups, want: fields{leaderTemplate: pods, workerTemplate: pods}},
		"WeightServers":         {reason: "The pods of a service with weight servers are by the names of their cliques.", form: cliques{"worker": "worker", "worker-gms-0": "worker-gms-0"}, object: weights, want: fields{"worker": pods, "worker-gms-0": pods}},
		"OtherService":          {reason: "A set without cliques of the service has no pods of it.", form: cliques{"": "gone"}, object: set},
		"NoObject":              {reason: "Nothing has no pods.", form: inDeployment()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var from, want *structpb.Struct
			if tc.object != nil {
				from = object(t, tc.object)
			}
			if tc.want != nil {
				want = object(t, tc.want)
			}
			got := tc.form.read(from)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nread(...): -want, +got:\n%s", tc.reason, diff)
			}
			if want == nil {
				return
			}
			if diff := cmp.Diff(from, tc.form.write(from, got), protocmp.Transform()); diff != "" {
				t.Errorf("To write what was read changes nothing.\nwrite(...): -want, +got:\n%s", diff)
			}
			other := proto.CloneOf(got)
			eachText(other, func(key string, text *structpb.Value_StringValue) {
				if key == "image" {
					text.StringValue = "two"
				}
			})
			if diff := cmp.Diff(other, tc.form.read(tc.form.write(from, other)), protocmp.Transform()); diff != "" {
				t.Errorf("What was written is read.\nread(write(...)): -want, +got:\n%s", diff)
			}
		})
	}
}
