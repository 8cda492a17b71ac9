package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// TestBreakIt breaks and repairs graphs in the playground as the page about that does. While a graph is broken, the commands of the alerts and of
// the runbook are run, and have to show what is wrong.
func TestBreakIt(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	// What is to blame for each failure of the page, in its order.
	culprits := []string{"1.3.0-missing", `"night"`, "gpus", "new-token", "model-weights"}
	inPlayground(t, func(s *suite, p *playground.Playground) {
		s.reads(t, page.BreakIt, p.Entrance, 30, func(c page.Command) {
			if !c.Fails() || c.Interrupted {
				return
			}
			if len(culprits) == 0 {
				t.Fatalf("%s: want to know what is to blame", c.Line)
			}
			graph := controlplane.Ref{APIVersion: nvidia, Kind: dgd, Namespace: playground.Namespace, Name: strings.Fields(c.Line)[3]}
			s.alerted(t, p.Entrance, graph)
			s.followRunbook(t, p.Entrance, graph, culprits[0])
			culprits = culprits[1:]
		})
	})
	if len(culprits) > 0 {
		t.Errorf("the page does not break what %v would be to blame for", culprits)
	}
}

// diagnose a graph with a command. It may end with status 1, as why does while the graph is not ready.
func (s *suite) diagnose(entrance, command string) (string, error) {
	return s.Shell(s.ctx, entrance+"\n"+command+" || test $? = 1")
}

// alerted runs the commands of the alerts for a graph, as whoever is woken copies them.
func (s *suite) alerted(t testing.TB, entrance string, graph controlplane.Ref) {
	t.Helper()
	data := harness.File(t, "package/monitoring/rules.yaml")
	var rules struct {
		Spec struct {
			Groups []struct {
				Rules []struct {
					Expr        string
					Annotations struct{ Description string }
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &rules); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, g := range rules.Spec.Groups {
		for _, r := range g.Rules {
			if !strings.Contains(r.Expr, "dynamographdeployment") {
				continue
			}
			var text strings.Builder
			labels := map[string]string{"namespace": graph.Namespace, "dynamographdeployment": graph.Name, "reason": "Invalid"}
			// Prometheus declares these variables, too.
			description := template.Must(template.New("").Parse(`{{ $labels := . }}{{ $value := 4 }}` + r.Annotations.Description))
			if err := description.Execute(&text, labels); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(text.String(), "\n")
			command := lines[len(lines)-1]
			if ran[command] {
				continue
			}
			ran[command] = true
			if out, err := s.diagnose(entrance, command); err != nil || !strings.Contains(out, graph.Name) {
				t.Errorf("%s: want it to say something about the graph: %v\n%s", command, err, out)
			}
		}
	}
	if len(ran) < 2 {
		t.Errorf("want alerts with several commands, got %v", ran)
	}
}

// inCode is code in a cell of a table.
var inCode = regexp.MustCompile("`([^`]+)`")

// A symptom is a row of the table of a runbook.
type symptom struct {
	// signs of which one is there, and commands that say more.
	signs    []*regexp.Regexp
	commands []string
}

// symptomsIn the table of a runbook. Between commas, all code of a cell is there in one line, with anything between. Three dots stand for anything.
func symptomsIn(t testing.TB, name string) []symptom {
	t.Helper()
	text := harness.File(t, name)
	var all []symptom
	_, table, _ := strings.Cut(string(text), "\n| symptom |")
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.SplitN(strings.Trim(row, "| "), " | ", 2)
		if len(cells) < 2 {
			continue
		}
		var found symptom
		for alternative := range strings.SplitSeq(cells[0], "`, ") {
			var words []string
			for _, code := range inCode.FindAllStringSubmatch(alternative+"`", -1) {
				for part := range strings.SplitSeq(code[1], "...") {
					words = append(words, regexp.QuoteMeta(strings.TrimSpace(part)))
				}
			}
			if len(words) > 0 {
				found.signs = append(found.signs, regexp.MustCompile(`(?m)(^|\W)`+strings.Join(words, `(\W.*)?`)+`(\W|$)`))
			}
		}
		for _, code := range inCode.FindAllStringSubmatch(cells[1], -1) {
			if strings.HasPrefix(code[1], "kubectl ") {
				found.commands = append(found.commands, code[1])
			}
		}
		all = append(all, found)
	}
	// Fewer would mean that the table is no longer read right.
	if len(all) < 15 {
		t.Fatalf("%s has %d symptoms, want at least 15", name, len(all))
	}
	return all
}

// commandsFor what is shown: those of the symptoms that it shows.
func commandsFor(shown string, symptoms []symptom) []string {
	var all []string
	for _, symptom := range symptoms {
		if slices.ContainsFunc(symptom.signs, func(sign *regexp.Regexp) bool { return sign.MatchString(shown) }) {
			all = append(all, symptom.commands...)
		}
	}
	return all
}

func TestSymptoms(t *testing.T) {
	const describePod = "kubectl describe pod POD --namespace=NAMESPACE"
	cases := map[string]struct {
		reason string
		shown  string
		want   []string
	}{
		"Ready":   {reason: "A graph that is ready has no symptom.", shown: "inference/llama is ready"},
		"Refused": {reason: "Two words of a symptom are in one line.", shown: "  Accepted    False   Invalid: no\n", want: []string{"kubectl describe dgd NAME --namespace=NAMESPACE"}},
		"Apart":   {reason: "Two words in two lines are no symptom.", shown: "  Accepted    True\n  Ready   False\n"},
		"Quota": {
			reason: "Three dots of a symptom stand for nothing, too.",
			shown:  "pods cannot be created: exceeded quota: gpus, requested: pods=1", want: []string{"kubectl describe resourcequota --namespace=NAMESPACE"},
		},
		"Image":  {reason: "Each of several symptoms leads to the same commands.", shown: "llama-0   0/1   ImagePullBackOff   0", want: []string{describePod}},
		"Secret": {reason: "A word within another one is no symptom.", shown: "llama-0   0/1   CreateContainerConfigError   0", want: []string{describePod}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, commandsFor(tc.shown, symptomsIn(t, runbook))); diff != "" {
				t.Errorf("%s\ncommandsFor(%q): -want, +got:\n%s", tc.reason, tc.shown, diff)
			}
		})
	}
}

// runbook of graphs that are not ready.
const runbook = "docs/runbooks/graph-not-ready.md"

// followRunbook about a graph that is not ready: look at the symptoms, and run what the runbook says about them, which has to name who is to blame.
func (s *suite) followRunbook(t testing.TB, entrance string, graph controlplane.Ref, culprit string) {
	t.Helper()
	fill := strings.NewReplacer("NAMESPACE", graph.Namespace, "NAME", graph.Name, "POD", s.unready(t, graph))
	var looked strings.Builder
	for _, command := range []string{"kubectl dgd why NAME --namespace=NAMESPACE", "kubectl get pods --namespace=NAMESPACE"} {
		out, err := s.diagnose(entrance, fill.Replace(command))
		if err != nil {
			t.Fatalf("%s: %v", runbook, err)
		}
		looked.WriteString(out)
	}
	shown := looked.String()
	var told []string
	for _, command := range commandsFor(shown, symptomsIn(t, runbook)) {
		out, err := s.Shell(s.ctx, entrance+"\n"+fill.Replace(command))
		if err != nil {
			t.Errorf("%s: %v", runbook, err)
		}
		told = append(told, fmt.Sprintf("$ %s\n%s", fill.Replace(command), out))
	}
	if all := strings.Join(told, ""); !strings.Contains(all, culprit) {
		t.Errorf("%s: want its commands to name %s of graph %s, got\n%s\nafter\n%s", runbook, culprit, graph.Name, all, shown)
	}
}

// unready is a pod of a graph that is not ready. It is empty if all are.
func (s *suite) unready(t testing.TB, graph controlplane.Ref) string {
	t.Helper()
	pods := s.podsOf(t, graph)
	ready := readyPods(slices.Clone(pods))
	for i := range pods {
		if !slices.ContainsFunc(ready, func(pod unstructured.Unstructured) bool { return pod.GetName() == pods[i].GetName() }) {
			return pods[i].GetName()
		}
	}
	return ""
}
