package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

func example() *Report {
	return &Report{Graphs: 2, Skipped: 1, Findings: []Finding{
		{
			Position: manifest.Position{File: "a.yaml", Line: 3, Column: 7}, Severity: Error, Code: rule.UnknownField, Graph: "ns/a",
			Field: "spec.replica", Value: 2, Message: "Invalid value: 2: unknown field", Remedy: "remove it",
		},
		{Position: manifest.Position{File: "a.yaml", Line: 4, Column: 1}, Severity: Warning, Code: rule.Misspelt, Message: "is misspelt"},
	}}
}

func TestText(t *testing.T) {
	const plainText = "a.yaml:3:7: error: spec.replica: Invalid value: 2: unknown field [DGD101]\na.yaml:4:1: warning: is misspelt [DGD240]\n"
	const colored = "a.yaml:3:7: \x1b[31;1merror\x1b[0m: spec.replica: Invalid value: 2: unknown field [DGD101]\na.yaml:4:1: \x1b[33;1mwarning\x1b[0m: is misspelt [DGD240]\n"
	for want, isColored := range map[string]bool{plainText: false, colored: true} {
		var out bytes.Buffer
		if err := example().Write(&output.Writer{Out: &out, Colored: isColored}, output.FormatText); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("Write(...): -want, +got:\n%s", diff)
		}
	}
	if diff := cmp.Diff("2 graphs checked: 1 error, 1 warning; skipped 1 object of other kinds", example().Summary()); diff != "" {
		t.Errorf("Summary(): -want, +got:\n%s", diff)
	}
}

func TestWithout(t *testing.T) {
	r := example()
	r.Without([]rule.Code{rule.UnknownField, rule.Misspelt})
	if r.Count(Error) != 1 || r.Count(Warning) != 0 {
		t.Errorf("want only the error left, got %v", r.Findings)
	}
}

// TestSARIF checks what the specification requires, section by section.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := example().Write(&out, SARIF); err != nil {
		t.Fatal(err)
	}
	log := sarif{}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("3.13: want one run of version 2.1.0, got %+v", log)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || run.ColumnKind != "unicodeCodePoints" {
		t.Errorf("3.14, 3.19: a run has a driver with a name, and columns of a known kind: %+v", run)
	}
	ids := map[rule.Code]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if ids[r.ID] || r.ID == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" {
			t.Errorf("3.49: a rule has an identifier of its own, and no description is empty: %+v", r)
		}
		ids[r.ID] = true
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("3.27.6: index %d is not that of rule %s", r.RuleIndex, r.RuleID)
		}
		if r.Level != "error" && r.Level != "warning" || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("3.27: a result has a level, a message and, here, a location: %+v", r)
		}
		if place := r.Locations[0].PhysicalLocation; place.ArtifactLocation.URI != "a.yaml" || place.Region.StartLine < 1 || place.Region.StartColumn < 1 {
			t.Errorf("3.29, 3.30: a location has a file, a line and a column: %+v", place)
		}
	}
	if len(run.Results) != 2 || len(ids) != 2 {
		t.Errorf("want two results of two rules, got %+v", run)
	}
}

// TestEmptySARIF checks that a run without results has an empty list, which says that there are none.
func TestEmptySARIF(t *testing.T) {
	var out bytes.Buffer
	if err := (&Report{}).Write(&out, SARIF); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, `"results": []`) || !strings.Contains(text, `"rules": []`) {
		t.Errorf("want empty lists, got %s", text)
	}
}

func TestRemedy(t *testing.T) {
	files, err := manifest.Reader{In: strings.NewReader("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}}")}.Read([]string{manifest.Stdin})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := rule.Of(rule.Misspelt)
	cases := map[string]struct {
		reason  string
		message string
		want    string
	}{
		"Message": {reason: "A message ends with its remedy, and may have semicolons before it.", message: "a is wrong; b is, too; remove both", want: "remove both"},
		"Rule":    {reason: "The remedy of a rule serves messages that have none.", message: "a is wrong", want: known.Remedy},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ofMessage(&files.Graphs()[0], Error, &message.Message{Code: rule.Misspelt, Detail: message.Plain(tc.message)}, &graph.Graph{})
			if diff := cmp.Diff(tc.want, got.Remedy); diff != "" {
				t.Errorf("%s\nofMessage(...): -want, +got remedy:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestShown(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   any
	}{
		"Text":   {reason: "Short values help.", value: "x", want: "x"},
		"Number": {reason: "Numbers help.", value: int64(2), want: int64(2)},
		"Empty":  {reason: "An empty text says nothing.", value: ""},
		"Object": {reason: "Objects are too long, and what is in them may be secret.", value: map[string]any{"a": "b"}},
		"None":   {reason: "Some errors have no value.", value: field.OmitValueType{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, shown(tc.value)); diff != "" {
				t.Errorf("%s\nshown(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOfFunctions checks that nothing that the functions say is lost, also if a graph that step plan accepts cannot be rendered.
func TestOfFunctions(t *testing.T) {
	files, err := manifest.Reader{In: strings.NewReader("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}}")}.Read([]string{manifest.Stdin})
	if err != nil {
		t.Fatal(err)
	}
	coded := func(code rule.Code, m *message.Message) *message.Message {
		m.Code = code
		return m
	}
	verdict := &plan.Verdict{
		Refusals: []subject.Refusal{
			{Kind: subject.Mistake, Message: coded(rule.UnknownField, message.Forbidden(field.NewPath("spec"), "wrong"))},
			{Kind: subject.NameTaken, Message: coded(rule.NameTaken, message.Because("taken"))},
		},
		Warnings: message.List{coded(rule.Misspelt, message.Because("misspelt"))},
	}
	var got strings.Builder
	report := Report{Findings: OfFunctions(&preview.Result{Source: files.Graphs()[0], Verdict: verdict, Err: errors.New("broken")})}
	if err := report.Write(&got, output.FormatText); err != nil {
		t.Fatal(err)
	}
	want := "-:1:1: error: spec: Forbidden: wrong [DGD101]\n" +
		"-:1:1: error: taken [" + string(rule.NameTaken) + "]\n" +
		"-:1:1: error: broken [" + string(rule.Refused) + "]\n" +
		"-:1:1: warning: misspelt [" + string(rule.Misspelt) + "]\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("OfFunctions(...): -want, +got:\n%s", diff)
	}
}
