package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestComponents(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		want   []Component
	}{
		"Rollout": {
			reason: "Old pods that are still ready are no progress.", file: "image.yaml",
			want: []Component{
				{Name: "Decode", Pods: 2, Problem: "image-deployments-missing-decode-d959c9f46-r9wvk: image registry.example.org/runtime:missing of container main cannot be pulled (ImagePullBackOff): Back-off pulling image registry.example.org/runtime:missing"},
				{Name: "Frontend", Pods: 1, Ready: 1},
				{Name: "Prefill", Pods: 1, Ready: 1},
			},
		},
		"Groups": {
			reason: "Each replica of a LeaderWorkerSet has several pods.", file: "quota-sets.yaml",
			want: []Component{
				{Name: "Decode", Pods: 2, Problem: "pods cannot be created: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=2"},
				{Name: "Frontend", Pods: 1, Ready: 1},
				{Name: "Prefill", Pods: 2, Problem: "pods cannot be created: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=2"},
			},
		},
		"Cliques": {
			reason: "The pods of a scaling group are those of its cliques.", file: "leader.yaml",
			want: []Component{
				{Name: "Decode", Pods: 2, Problem: "llama-0-decode-0-decode-ldr-abcde: container main ran out of memory (OOMKilled, exit code 137), and was restarted 4 times"},
				{Name: "Frontend", Pods: 1, Ready: 1},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, diagnosed(t, tc.file, false).Components); diff != "" {
				t.Errorf("%s\nComponents: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
