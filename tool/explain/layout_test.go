package explain

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// segmentsOf an arrow, each as an area of the width of a line.
func segmentsOf(t *testing.T, points string) []area {
	t.Helper()
	var segments []area
	var last *point
	for text := range strings.SplitSeq(points, " ") {
		p := point{}
		if _, err := fmt.Sscanf(text, "%d,%d", &p.x, &p.y); err != nil {
			t.Fatalf("%q: %v", points, err)
		}
		if last != nil {
			if p.x != last.x && p.y != last.y {
				t.Errorf("arrow %s is neither horizontal nor vertical", points)
			}
			segments = append(segments, area{min(p.x, last.x), min(p.y, last.y), max(p.x-last.x, last.x-p.x) + 1, max(p.y-last.y, last.y-p.y) + 1})
		}
		last = &p
	}
	return segments
}

// crowded is a graph with as much of everything as fits, and with names that are as long and as odd as possible.
func crowded() *Explanation {
	long := strings.Repeat("w", 31) + "-" + strings.Repeat("m", 31)
	e := &Explanation{
		Namespace: long, Name: long, Orchestrator: "Grove", Pods: 1, GPUs: 1,
		Topology: &Place{Topology: long, Required: long, Preferred: long, Each: eachGraph},
		Gangs:    []Gang{{By: long, Count: 1, OfGraph: true}},
	}
	pool := Entry{Kind: "InferencePool", Name: long, Ports: []int32{1, 2}, Picker: long}
	for i := range int32(25) {
		name := fmt.Sprintf("<%d> & %q ]--\\#;", i, long)
		e.Components = append(e.Components, Component{
			Name: name, Type: long, Engine: "vllm", Dynamo: "1.5.0", Replicas: i * i, Nodes: i + 1, GPUs: int64(i % 20), TotalPods: 2,
			Scaling: Scaling{By: byAdapter, Object: long, Planner: long}, NVLink: long, Volumes: []Claim{{Name: long}}, Checkpoint: long,
			Place: &Place{Topology: long, Preferred: long, Each: eachReplica},
		})
		e.Entries = append(e.Entries, Entry{Kind: "Service", Name: long + strconv.Itoa(int(i)), Ports: []int32{8000}, Components: []string{name}})
		pool.Components = append(pool.Components, name)
		// More flows than there are lanes.
		e.Flows = append(e.Flows, Flow{What: flowRequests, From: name, To: []string{e.Components[0].Name, e.Components[i/2].Name}})
		e.Routes = append(e.Routes,
			Route{Kind: "Ingress", Name: long, Hosts: []string{long + "." + long}, Services: []string{long + strconv.Itoa(int(i))}},
			Route{Kind: "HTTPRoute", Name: long, Services: []string{long + strconv.Itoa(int(i))}},
		)
	}
	e.Entries = append(e.Entries, pool, pool, Entry{Kind: "Service", Name: long})
	e.Routes = append(e.Routes, Route{Kind: "Ingress", Name: long, Services: []string{"absent"}})
	return e
}

func TestCrowded(t *testing.T) {
	p := draw(crowded())
	checkPicture(t, p.svg())
	if diff := cmp.Diff(p.svg(), p.svg()); diff != "" {
		t.Errorf("want the same picture again: %s", diff)
	}
}

func TestEmpty(t *testing.T) {
	p := draw(&Explanation{Name: "a"})
	checkPicture(t, p.svg())
}

func TestWrap(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         []string
	}{
		"Short":     {reason: "What fits stays as it is.", text: "a b", want: []string{"a b"}},
		"Space":     {reason: "Words stay whole.", text: "wwwwww mmmmmm", want: []string{"wwwwww", "mmmmmm"}},
		"Dash":      {reason: "A name is split after a dash.", text: "wwwwww-wwwwww", want: []string{"wwwwww-", "wwwwww"}},
		"Unbroken":  {reason: "A word that is too long is split.", text: "wwwwwwwwwwwww", want: []string{"wwwwwwww", "wwwww"}},
		"LeftSpace": {reason: "Lines do not begin with spaces.", text: " a", want: []string{"a"}},
		"Empty":     {reason: "No text has no lines."},
		"Wide":      {reason: "Other characters may be wider.", text: "€€€€€€€€", want: []string{"€€€€€€", "€€"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, wrap(tc.text, 90, 11, false)); diff != "" {
				t.Errorf("%s\nwrap(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEscape checks that no name is read as syntax.
func TestEscape(t *testing.T) {
	const name = "a\"b<c>&d#e\\f`g"
	if diff := cmp.Diff("a#quot;b#lt;c#gt;#amp;d#35;e\\f#96;g", mermaidText([]string{name, ""})); diff != "" {
		t.Errorf("mermaidText(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(`"a\"b<c>&d#e\\f`+"`"+`g\n2"`, quoted(name, "", "2")); diff != "" {
		t.Errorf("quoted(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff("a&#34;b&lt;c&gt;&amp;d#e\\f`g", escaped(name)); diff != "" {
		t.Errorf("escaped(...): -want, +got:\n%s", diff)
	}
}
