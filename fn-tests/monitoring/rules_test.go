package monitoring

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// repository is where links of alerts lead.
const repository = "https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/"

// A rule of the PrometheusRule.
type rule struct {
	Alert       string            `json:"alert,omitempty"`
	Record      string            `json:"record,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type groups struct {
	Groups []group `json:"groups"`
}

func rules(t *testing.T) groups {
	t.Helper()
	var object struct {
		Spec groups `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(specOf(t, "rules.yaml"), &object); err != nil {
		t.Fatal(err)
	}
	return object.Spec
}

// specOf an object alone, without what all objects have.
func specOf(t *testing.T, name string) []byte {
	t.Helper()
	var object struct {
		Spec any `json:"spec"`
	}
	decode(t, name, &object)
	spec, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestRules has promtool check the alerts, and fire them.
func TestRules(t *testing.T) {
	promtool, folder := tool(t, "promtool", 2), t.TempDir()
	encoded, err := yaml.Marshal(rules(t))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("testdata/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run(t, promtool, "check", "rules", "--lint=all", "--lint-fatal", write(t, folder, "rules.yaml", encoded))
	run(t, promtool, "test", "rules", write(t, folder, "tests.yaml", tests))
}

// TestQueries has promtool parse the queries of the dashboard.
func TestQueries(t *testing.T) {
	promtool := tool(t, "promtool", 1)
	variables := strings.NewReplacer("$__rate_interval", "5m", "$namespace", ".*")
	queries := group{Name: "dashboard"}
	for i, query := range dashboard(t).queries() {
		queries.Rules = append(queries.Rules, rule{Record: fmt.Sprintf("query:%d", i), Expr: variables.Replace(query)})
	}
	encoded, err := yaml.Marshal(groups{Groups: []group{queries}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, promtool, "check", "rules", write(t, t.TempDir(), "queries.yaml", encoded))
}

func run(t *testing.T, binary string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), binary, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args[:2], " "), err, out)
	}
}

// TestAlerts holds each alert to a severity, a summary and a runbook that exists, and to the page and the unit tests that name it.
func TestAlerts(t *testing.T) {
	page := harness.File(t, filepath.Join("docs", "monitoring.md"))
	tests, err := os.ReadFile("testdata/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rules(t).Groups {
		for _, r := range g.Rules {
			if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.For == "" {
				t.Errorf("%s: want a severity, a summary, a description and a duration", r.Alert)
			}
			if err := r.says(); err != nil {
				t.Errorf("%s: %v", r.Alert, err)
			}
			link, ok := strings.CutPrefix(r.Annotations["runbook_url"], repository)
			if !ok {
				t.Errorf("%s: want a runbook in %s, got %q", r.Alert, repository, r.Annotations["runbook_url"])
			}
			path, _, _ := strings.Cut(link, "#")
			if text, err := os.ReadFile(filepath.Join(harness.Root(), path)); err != nil || !strings.Contains(string(text), r.Alert) {
				t.Errorf("%s: want it in its runbook %s (%v)", r.Alert, path, err)
			}
			if !strings.Contains(string(page), "| `"+r.Alert+"` |") {
				t.Errorf("docs/monitoring.md has no row for alert %s", r.Alert)
			}
			if !strings.Contains(string(tests), "alertname: "+r.Alert+"\n") {
				t.Errorf("testdata/rules.yaml does not test alert %s", r.Alert)
			}
		}
	}
}

// says reports whether the description ends with the whole command to run, with name and namespace, which who is woken copies.
func (r rule) says() error {
	lines := strings.Split(r.Annotations["description"], "\n")
	command := lines[len(lines)-1]
	parts := []string{"--namespace=crossplane-system"}
	if strings.Contains(r.Expr, "dynamographdeployment") {
		parts = []string{" {{ $labels.dynamographdeployment }} ", "--namespace={{ $labels.namespace }}"}
	}
	for _, part := range append(parts, "kubectl ") {
		if !strings.Contains(command, part) {
			return fmt.Errorf("want the description to end with a command that contains %q, got %q", part, command)
		}
	}
	return nil
}

// A board is the part of a dashboard that tests look at.
type board struct {
	UID           string  `json:"uid"`
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []panel `json:"panels"`
	Templating    struct {
		List []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		} `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID         int        `json:"id"`
	Type       string     `json:"type"`
	Title      string     `json:"title"`
	Datasource datasource `json:"datasource"`
	GridPos    struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	} `json:"gridPos"`
	Targets []struct {
		RefID      string     `json:"refId"`
		Expr       string     `json:"expr"`
		Datasource datasource `json:"datasource"`
	} `json:"targets"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

func dashboard(t *testing.T) board {
	t.Helper()
	var b board
	if err := json.Unmarshal(read(t, "dashboard.json"), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b board) queries() []string {
	var queries []string
	for _, p := range b.Panels {
		for _, target := range p.Targets {
			queries = append(queries, target.Expr)
		}
	}
	return queries
}

// TestDashboard holds the dashboard to what Grafana needs: panels with queries at places of their own, and data sources by the variable.
func TestDashboard(t *testing.T) {
	b := dashboard(t)
	if b.UID == "" || b.SchemaVersion == 0 || len(b.Templating.List) == 0 || b.Templating.List[0].Type != "datasource" {
		t.Errorf("want a UID, a version of the schema and a data source as the first variable, got %q, %d, %v", b.UID, b.SchemaVersion, b.Templating.List)
	}
	want := datasource{Type: "prometheus", UID: "${" + b.Templating.List[0].Name + "}"}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range b.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %q: want an id of its own and a title, got id %d", p.Title, p.ID)
		}
		ids[p.ID] = true
		p.place(t, cells)
		if p.Type == "row" {
			continue
		}
		if p.Datasource != want || len(p.Targets) == 0 {
			t.Errorf("panel %q: want queries and data source %v, got %v", p.Title, want, p.Datasource)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if target.Expr == "" || target.Datasource != want || refs[target.RefID] {
				t.Errorf("panel %q: want a query with a name of its own and data source %v, got %v", p.Title, want, target)
			}
			refs[target.RefID] = true
		}
	}
}

// place a panel where no other one is.
func (p panel) place(t *testing.T, cells map[[2]int]string) {
	t.Helper()
	const columns = 24
	if p.GridPos.X+p.GridPos.W > columns || p.GridPos.W == 0 || p.GridPos.H == 0 {
		t.Errorf("panel %q: want it within %d columns, got %v", p.Title, columns, p.GridPos)
	}
	for x := range p.GridPos.W {
		for y := range p.GridPos.H {
			cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
			if other, taken := cells[cell]; taken {
				t.Errorf("panels %q and %q overlap", p.Title, other)
				return
			}
			cells[cell] = p.Title
		}
	}
}
