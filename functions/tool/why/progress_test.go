package why

import (
	"bytes"
	"strings"
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

// steps of a cold start.
func steps() []*Diagnosis {
	of := func(ready int, problem string, graphReady bool) *Diagnosis {
		d := &Diagnosis{Graph: "inference/llama", Ready: graphReady, Components: []Component{{Name: "Decode", Pods: 3, Ready: ready, Problem: problem}, {Name: "Frontend", Pods: 1, Ready: 1}, {Name: "Idle"}}}
		if problem != "" {
			d.Causes = []Cause{{Code: Starting, Message: "Decode is not ready: " + problem + "."}}
		}
		return d
	}
	return []*Diagnosis{of(0, "starting", false), of(0, "starting", false), of(2, "starting", false), of(3, "", false), of(3, "", true)}
}

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := Progress{Out: &out}
	for _, d := range steps() {
		if err := p.Show(d); err != nil {
			t.Fatal(err)
		}
	}
	want := `Decode: 0 of 3 pods are ready; starting
Frontend: 1 of 1 pods are ready
Idle: 0 of 0 pods are ready
inference/llama is not ready: Decode is not ready: starting.
Decode: 2 of 3 pods are ready; starting
Decode: 3 of 3 pods are ready
inference/llama is not ready
inference/llama is ready
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("a line for each change: -want, +got:\n%s", diff)
	}
}

func TestProgressBars(t *testing.T) {
	var out bytes.Buffer
	p := Progress{Out: &out, Terminal: true}
	all := steps()
	for _, d := range []*Diagnosis{all[2], all[4]} {
		if err := p.Show(d); err != nil {
			t.Fatal(err)
		}
	}
	want := `Decode   [####################----------] 2/3
Frontend [##############################] 1/1
Idle     [##############################] 0/0
inference/llama is not ready: Decode is not ready: starting.
` + "\x1b[4A\x1b[J" + `Decode   [##############################] 3/3
Frontend [##############################] 1/1
Idle     [##############################] 0/0
inference/llama is ready
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("bars over those before: -want, +got:\n%s", diff)
	}
}

// TestProgressFits checks that a long cause does not wrap, which would leave lines behind when bars are redrawn.
func TestProgressFits(t *testing.T) {
	var out bytes.Buffer
	d := steps()[0]
	d.Components, d.Causes[0].Message = nil, strings.Repeat("é", 500)
	if err := (&Progress{Out: &out, Terminal: true}).Show(d); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(out.String())); n > 80 {
		t.Errorf("want a line that fits into 80 columns, got %d", n)
	}
}
