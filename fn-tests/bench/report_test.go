package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lanes of two runs that were made side by side on a machine that became slower.
func lanes(wall ...int) lane {
	l := lane{}
	for _, w := range wall {
		took := time.Duration(w) * time.Millisecond
		l.samples = append(l.samples, sample{passes: 2, wall: took, cpu: took, steps: []time.Duration{took}})
	}
	return l
}

func TestPrintRatios(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out}
	b.printRatios(&result{workload: workload{name: median}, chain: lanes(4, 8, 20), echo: lanes(2, 4, 10), fused: lanes(1, 2, 10)})
	if diff := cmp.Diff("\nmedian graph:\nchain/echo 2.00x\nfused/chain 0.25x\n", out.String()); diff != "" {
		t.Errorf("the last lines: -want, +got:\n%s", diff)
	}
}

func TestLane(t *testing.T) {
	l := lanes(1, 9, 2)
	if got := l.wall(); got != 2*time.Millisecond {
		t.Errorf("wall(): want the median, got %s", got)
	}
	if got := l.step(0); got != 2*time.Millisecond {
		t.Errorf("step(0): want the median, got %s", got)
	}
	if got := l.cpu(); got != 2*time.Millisecond {
		t.Errorf("cpu(): want that of one of all passes, got %s", got)
	}
}

func TestPrintObjects(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out}
	b.printObjects([]*result{
		{workload: workload{name: "many", replicated: true}, objects: 100, chain: lanes(100), fused: lanes(50)},
		{workload: workload{name: "other"}, objects: 50, chain: lanes(7), fused: lanes(7)},
		{workload: workload{name: "few", replicated: true}, objects: 10, chain: lanes(20), fused: lanes(5)},
	})
	want := `
Cost of one composed object, and of one more
  workload  objects  chain ms  us per object  us per further object  fused ms  us per object  us per further object
  few            10     20.00         2000.0                             5.00          500.0
  many          100    100.00         1000.0                  888.9     50.00          500.0                  500.0
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("printObjects(...): -want, +got:\n%s", diff)
	}
}

func TestParseOptions(t *testing.T) {
	all := []string{"chain", "fused", "static"}
	cases := map[string]struct {
		reason string
		args   []string
		want   options
		fails  bool
	}{
		"Default": {reason: "Without flags, chain and fused function are compared in full.", want: options{pipelines: all}},
		"Crowds": {
			reason: "Numbers of graphs, and the packages, the time at rest and the flags of Crossplane that belong to them.",
			args:   []string{"-graphs=1 100", "-packages=p", "-rest=1m", "-crossplane=--a=1 --b"},
			want: options{
				graphs: []int{1, 100}, packages: "p", pipelines: all, rest: time.Minute, crossplane: []string{"--a=1", "--b"},
			},
		},
		"OnePipeline": {
			reason: "A thousand graphs take half an hour, so one pipeline can be measured alone.",
			args:   []string{"-graphs=1000", "-pipelines=fused"},
			want:   options{graphs: []int{1000}, pipelines: []string{"fused"}},
		},
		"Quick": {
			reason: "A quick run measures less of everything.", args: []string{"-quick"}, want: options{quick: true, pipelines: all},
		},
		"Template": {
			reason: "The fused function can be compared with a template.",
			args:   []string{"-template=t"}, want: options{template: "t", pipelines: all},
		},
		"Nothing":         {reason: "A crowd of no graphs cannot be measured.", args: []string{"-graphs=0"}, fails: true},
		"UnknownPipeline": {reason: "A pipeline has a Configuration.", args: []string{"-pipelines=fast"}, fails: true},
		"NoPipeline":      {reason: "Without a pipeline, nothing would be measured.", args: []string{"-pipelines="}, fails: true},
		"Unknown":         {reason: "An unknown flag is an error.", args: []string{"-fast"}, fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseOptions(tc.args, io.Discard)
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nparseOptions(%v): want an error: %t, got %v", tc.reason, tc.args, tc.fails, err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{})); !tc.fails && diff != "" {
				t.Errorf("%s\nparseOptions(%v): -want, +got:\n%s", tc.reason, tc.args, diff)
			}
		})
	}
}
