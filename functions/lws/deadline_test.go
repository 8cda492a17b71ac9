package lws

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// TestProgressDeadline shows how long a Deployment may make no progress before it has failed.
func TestProgressDeadline(t *testing.T) {
	probes := func(fields string) string { return `"extraPodSpec":{"mainContainer":{` + fields + `}}` }
	const endless = `{"name":"a","image":"a","restartPolicy":"Always","startupProbe":{"tcpSocket":{"port":1},"periodSeconds":2147483647,"failureThreshold":2147483647}}`
	cases := map[string]struct {
		reason string
		fields string
		want   *int32
	}{
		"NoProbes": {
			reason: "Pods without probes have the default of Kubernetes.",
			want:   nil,
		},
		"Frontend": {
			reason: "A delay of seconds leaves the default enough for a node and for images.",
			fields: `"componentType":"frontend"`,
			want:   nil,
		},
		"Worker": {
			reason: "The startup probe of a worker gives it two hours; its node and its images come before that, its readiness probe after it.",
			fields: `"componentType":"worker"`,
			want:   new(int32(7510)),
		},
		"SlowModel": {
			reason: "Timings of the user's count.",
			fields: `"componentType":"worker",` + probes(`"startupProbe":{"initialDelaySeconds":600,"periodSeconds":60,"failureThreshold":240}`),
			want:   new(int32(15310)),
		},
		"DefaultsOfKubernetes": {
			reason: "Timings that are not set have the defaults of Kubernetes: three times ten seconds.",
			fields: probes(`"startupProbe":{"tcpSocket":{"port":1},"initialDelaySeconds":270}`),
			want:   nil,
		},
		"JustAboveTheDefault": {
			reason: "One second more than the default has room for is set.",
			fields: probes(`"startupProbe":{"tcpSocket":{"port":1},"initialDelaySeconds":271}`),
			want:   new(int32(601)),
		},
		"LateReadiness": {
			reason: "A pod is not available before its first readiness probe.",
			fields: probes(`"readinessProbe":{"tcpSocket":{"port":1},"initialDelaySeconds":1200}`),
			want:   new(int32(1510)),
		},
		"ReadinessAfterStartup": {
			reason: "The delay of a readiness probe runs while the container starts up, so that the longer of both counts.",
			fields: probes(`"startupProbe":{"tcpSocket":{"port":1},"failureThreshold":60},"readinessProbe":{"tcpSocket":{"port":1},"initialDelaySeconds":1200,"periodSeconds":20,"successThreshold":3}`),
			want:   new(int32(1560)),
		},
		"Sidecar": {
			reason: "Of containers that start together the slowest counts.",
			fields: `"componentType":"worker","extraPodSpec":{"containers":[{"name":"a","image":"a","startupProbe":{"tcpSocket":{"port":1},"periodSeconds":100,"failureThreshold":90}}]}`,
			want:   new(int32(9300)),
		},
		"NativeSidecars": {
			reason: "Containers that start one after the other count together.",
			fields: `"componentType":"worker","extraPodSpec":{"initContainers":[
				{"name":"a","image":"a","restartPolicy":"Always","startupProbe":{"tcpSocket":{"port":1},"failureThreshold":10}},
				{"name":"b","image":"b","restartPolicy":"Always","startupProbe":{"tcpSocket":{"port":1},"failureThreshold":20}}]}`,
			want: new(int32(7810)),
		},
		"TooLarge": {
			reason: "Kubernetes takes the largest number for no deadline at all, and cannot hold a larger one.",
			fields: probes(`"startupProbe":{"tcpSocket":{"port":1},"periodSeconds":2147483647,"failureThreshold":2147483647}`),
			want:   new(int32(math.MaxInt32)),
		},
		"TooManyTooLarge": {
			reason: "The sum over containers does not overflow.",
			fields: `"extraPodSpec":{"initContainers":[` + strings.Repeat(endless+",", 9) + endless + `],"mainContainer":{}}`,
			want:   new(int32(math.MaxInt32)),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := deploymentOf(t, `{"services":{"Worker":{`+tc.fields+`}}}`, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Worker"))).Spec.ProgressDeadlineSeconds
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nprogressDeadlineSeconds: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
