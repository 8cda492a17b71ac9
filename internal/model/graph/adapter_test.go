package graph

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseUnit(t *testing.T) {
	cases := map[string]struct {
		reason   string
		text     string
		want     []Share
		problems []string
	}{
		"Ratio":    {reason: "Each component has its number.", text: "Prefill=1,Decode=2", want: []Share{{"Prefill", 1}, {"Decode", 2}}},
		"Spaces":   {reason: "Spaces separate nothing.", text: " Prefill = 1, Decode=2 ", want: []Share{{"Prefill", 1}, {"Decode", 2}}},
		"Empty":    {reason: "An empty annotation scales nothing.", problems: []string{`"" has no name`}},
		"NoName":   {reason: "A number needs a component.", text: "=1,Decode=2,", want: []Share{{"Decode", 2}}, problems: []string{`"=1" has no name`, `"" has no name`}},
		"NoNumber": {reason: "A number is not guessed.", text: "Prefill,Decode=", problems: []string{`"Prefill" has no number of at least 1`, `"Decode=" has no number of at least 1`}},
		"Numbers": {
			reason: "What is no positive integer is no number of replicas.", text: "a=0,b=-1,c=1.5,d=1=2,e=2147483648,f=+1",
			problems: []string{
				`"a=0" has no number of at least 1`, `"b=-1" has no number of at least 1`, `"c=1.5" has no number of at least 1`,
				`"d=1=2" has no number of at least 1`, `"e=2147483648" has no number of at least 1`, `"f=+1" has no number of at least 1`,
			},
		},
		"Twice": {reason: "Two numbers of a component contradict each other.", text: "a=1,b=1,a=2", want: []Share{{"a", 1}, {"b", 1}}, problems: []string{`"a=2" repeats a name`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			unit, problems := ParseUnit(tc.text)
			if diff := cmp.Diff(tc.want, unit); diff != "" {
				t.Errorf("%s\nParseUnit(%q): -want unit, +got unit:\n%s", tc.reason, tc.text, diff)
			}
			if diff := cmp.Diff(tc.problems, problems); diff != "" {
				t.Errorf("%s\nParseUnit(%q): -want problems, +got problems:\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}

// FuzzParseUnit shows that no text panics, and that a unit is written as it is read: each component is there once, with a number.
func FuzzParseUnit(f *testing.F) {
	for _, seed := range []string{"Prefill=1,Decode=2", "", ",", "a=1,a=1", " a = 007 ", "a=2147483647", "a=0", "=", "a=1=1", "\x00=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		unit, problems := ParseUnit(text)
		if len(unit)+len(problems) == 0 {
			t.Fatalf("ParseUnit(%q): want a unit or a problem, got neither", text)
		}
		if len(problems) > 0 {
			return
		}
		a := Adapter{Key: "scalingadapter", Unit: unit}
		if diff := cmp.Diff(unit, UnitIn(a.String())); diff != "" {
			t.Errorf("UnitIn(%q): -want, +got:\n%s", a.String(), diff)
		}
		seen := map[string]bool{}
		for _, share := range unit {
			if share.Replicas < 1 || share.Component == "" || seen[share.Component] {
				t.Errorf("ParseUnit(%q): want different components with replicas, got %v", text, unit)
			}
			seen[share.Component] = true
		}
	})
}

// TestUnits counts in units and back.
func TestUnits(t *testing.T) {
	g := &Graph{Components: map[string]*Component{}}
	for name, replicas := range map[string]int32{"Prefill": 3, "Decode": 5} {
		g.Components[name] = &Component{graph: g}
		g.Components[name].Component.Replicas = &replicas
	}
	a := Adapter{graph: g, Unit: []Share{{"Prefill", 1}, {"Decode", 2}}}
	if got := a.Units((*Component).Replicas); got != 3 {
		t.Errorf("Units(...): want the fewest with 3 and 5 replicas, which are 3, got %d", got)
	}
	share := Share{Replicas: 2}
	if got := share.Of(math.MaxInt32); got != math.MaxInt32 {
		t.Errorf("Of(...): want the largest number instead of one that overflows, got %d", got)
	}
}
