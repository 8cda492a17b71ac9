package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestRestartedPods(t *testing.T) {
	const spec = `{"services":{"S":{"annotations":{"a":"b"}}}}`
	marks := map[string][]graphplan.RestartMark{"S": {{At: "one"}, {}}, "Other": {{At: "one"}}}
	cases := map[string]struct {
		reason  string
		restart *graphplan.Restart
		replica int32
		want    map[string]string
	}{
		"NeverRestarted": {
			reason: "Pods that were never restarted do not change by a byte.",
			want:   map[string]string{"a": "b", "nvidia.com/dynamo-discovery-backend": "etcd"},
		},
		"Restarted": {
			reason:  "Restarted pods say what restarted them.",
			restart: &graphplan.Restart{Marks: marks},
			want:    map[string]string{"a": "b", "nvidia.com/dynamo-discovery-backend": "etcd", "nvidia.com/restartAt": "one"},
		},
		"OtherReplica": {
			reason:  "The replicas that are not restarted stay as they are.",
			restart: &graphplan.Restart{Marks: marks}, replica: 1,
			want: map[string]string{"a": "b", "nvidia.com/dynamo-discovery-backend": "etcd"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, spec, `{}`), graphplan.Component{Discovery: "etcd"})
			b.Plan.Restart, b.Replica = tc.restart, tc.replica
			if diff := cmp.Diff(tc.want, b.Build("S", backend.RoleMain, nil).Annotations); diff != "" {
				t.Errorf("%s\nBuild(...): annotations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
