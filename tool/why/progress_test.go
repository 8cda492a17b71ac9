package why

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

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
inference/llama is not ready [Starting]: Decode is not ready: starting.
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
	p := Progress{Out: &output.Writer{Out: &out, Colored: true}}
	all := steps()
	for _, d := range []*Diagnosis{all[2], all[4]} {
		if err := p.Show(d); err != nil {
			t.Fatal(err)
		}
	}
	want := `Decode   [####################----------] 2/3
Frontend [##############################] 1/1
Idle     [##############################] 0/0
inference/llama is not ready [Starting]: Decode is not ready: starting.
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
	if err := (&Progress{Out: &output.Writer{Out: &out, Colored: true}}).Show(d); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(out.String())); n > 80 {
		t.Errorf("want a line that fits into 80 columns, got %d", n)
	}
}
