package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestDocument(t *testing.T) {
	all := []Field{
		{Path: "spec.restart", Type: "object", Description: "Restart asks."},
		{Path: "spec.restart.id", Type: "string", Description: "ID is <a>|b.", Leaf: true, Limits: "immutable"},
		{Path: "spec.restart.order", Type: "list of string", Description: "Order of it.", Leaf: true},
		{Path: "spec.restart.type", Type: "string", Description: "Type is parallel or not.", Leaf: true, Values: []string{"parallel"}},
		{Path: "spec.components[].experimental.limits.cpu", Type: "quantity", Description: "CPU of the component.", Leaf: true},
		{Path: "spec.components[].experimental.requests.cpu", Type: "quantity", Description: "CPU of the component.", Leaf: true},
		{Path: "spec.components[].replicas", Type: "integer", Description: "Replicas of the component.", Leaf: true, Limits: "default `1`"},
		{Path: "spec.components[].roles", Type: "object", Description: "Roles restarts it.", Leaf: true},
		{Path: "spec.services.*.extraPodSpec", Type: "object", Description: "A pod."},
		{Path: "spec.services.*.extraPodSpec.hostname", Type: "string", Leaf: true},
		{Path: "spec.services.*.extraPodSpec.nodeName", Type: "string", Leaf: true},
		{Path: "spec.services.*.limits.cpu", Type: "quantity", Description: "CPU of the service.", Leaf: true},
		{Path: "spec.services.*.replicas", Type: "integer", Description: "Replicas of the service.", Leaf: true},
		{Path: "spec.services.*.requests.cpu", Type: "quantity", Description: "CPU of the service.", Leaf: true},
		{Path: "spec.services.*.roles", Type: "object", Description: "Roles restarts it.", Leaf: true},
	}
	everywhere := []State{Works, Works, Works}
	support := map[string]Support{
		"spec.components[].experimental.limits.cpu":   {Since: "2026-08", States: everywhere},
		"spec.components[].experimental.requests.cpu": {Since: "2026-08", States: everywhere},
		"spec.components[].replicas":                  {Since: "2026-08", States: everywhere},
		"spec.components[].roles":                     {Since: "2026-10", States: everywhere},
		"spec.restart":                                {Since: "2026-04"},
		"spec.restart.id":                             {Since: "2026-04", States: []State{Works, Warned, NotThere}},
		"spec.restart.order":                          {Since: "2026-08", States: []State{Works, Refused, NotThere}},
		"spec.restart.type":                           {Since: "2026-04", States: everywhere},
		"spec.services.*.extraPodSpec":                {Since: "2026-04"},
		"spec.services.*.extraPodSpec.hostname":       {Since: "2026-04", States: everywhere},
		"spec.services.*.extraPodSpec.nodeName":       {Since: "2026-04", States: []State{Refused, Works, Warned}},
		"spec.services.*.limits.cpu":                  {Since: "2026-04", States: everywhere},
		"spec.services.*.replicas":                    {Since: "2026-04", States: everywhere},
		"spec.services.*.requests.cpu":                {Since: "2026-04", States: everywhere},
		"spec.services.*.roles":                       {Since: "2026-10", States: everywhere},
	}
	const columns = "| field | value | what it does | effect |\n|---|---|---|---|\n"
	want := "\n## The graph\n\n" + columns +
		"| `spec.restart` | object | Restart asks. | yes, below, below |\n" +
		"| `spec.restart.id` | string; immutable | \\<a>\\|b. | yes, warning, - |\n" +
		"| `spec.restart.order` | list of string | Order of it. (2026-08) | yes, refused, - |\n" +
		"| `spec.restart.type` | string | parallel or not. | yes |\n" +
		"\n## Each component or service\n\n" +
		"Services have these fields without `experimental.`\n\n" + columns +
		"| `experimental.limits.cpu`, `experimental.requests.cpu` | quantity | CPU of the component. | yes |\n" +
		"| `roles` | object | Restarts it. (2026-10) | yes |\n" +
		"\n## Each component\n\n" + columns +
		"| `replicas` | integer; default `1` | Replicas of the component. | yes |\n" +
		"\n## Each service\n\n" + columns +
		"| `extraPodSpec` | object | A pod. | below, yes, below |\n" +
		"| `extraPodSpec.nodeName` | string |  | refused, yes, warning |\n" +
		"| `replicas` | integer | Replicas of the service. | yes |\n" +
		annotationsHead + "| `example.org/a` | graph | any | Something. |\n"
	annotations := []UserAnnotation{{Name: "example.org/a", Where: "graph", Values: "any", Description: "Something."}}
	if diff := cmp.Diff(want, strings.TrimPrefix(Document(all, support, annotations), head)); diff != "" {
		t.Errorf("Of embedded types only what is not handed on is listed, and what is the same of several fields once.\nDocument(...): -want, +got:\n%s", diff)
	}
}

// TestRows checks that the rows of the page have each field that has a description, once.
func TestRows(t *testing.T) {
	all, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	support, err := ReadSupport(".")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range sectionsOf(rowsOf(all, support)) {
		for _, r := range s.rows {
			for _, path := range r.paths {
				counts[s.title+" "+path]++
			}
		}
	}
	for _, field := range all {
		if field.Description == "" {
			continue
		}
		path, title := strings.TrimPrefix(field.Path, prefixOf(field.Path)), map[string]string{components: "Each component", services: "Each service"}[prefixOf(field.Path)]
		if title == "" {
			title = "The graph"
		}
		got := counts[title+" "+path] + counts["Each component or service "+path]
		if title == "Each service" {
			got += counts["Each component or service "+experimental+path]
		}
		if got != 1 {
			t.Errorf("the page has %s in %d rows, want 1", field.Path, got)
		}
	}
}

// TestPage checks that the page is up to date with the tables and the definition.
func TestPage(t *testing.T) {
	if harness.Update() {
		t.Skip("make generate writes the page that contains the tables")
	}
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	support, err := ReadSupport(".")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	annotations, err := ReadAnnotations(".")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), Document(fields, support, annotations)); diff != "" {
		t.Errorf("docs/api.md is not what make generate writes: -page, +want:\n%s", diff)
	}
}

func TestFields(t *testing.T) {
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Field{}
	for _, field := range fields {
		got[field.Path] = field
	}
	for path, want := range map[string]Field{
		"spec.pvcs":                                        {Type: "list of object", Description: "PVCs that services can mount through volumeMounts.", Limits: "at most 100 items"},
		"spec.services.*.checkpoint.mode":                  {Type: "string", Description: "Mode is deprecated: Auto (created for the graph) or Manual.", Leaf: true, Values: []string{"Auto", "Manual"}, Limits: "`Auto`, `Manual`"},
		"spec.services.*.minAvailable":                     {Type: "integer", Description: "MinAvailable is the number of replicas that the gang scheduler must place together on Grove.", Leaf: true, Limits: "at least 1; immutable"},
		"spec.pvcs[].size":                                 {Type: "quantity", Description: "Size of a created claim, in bytes: a quantity such as 100Gi.", Leaf: true},
		"spec.services.*.labels":                           {Type: "map of string", Description: "Labels of the workload of the service.", Leaf: true},
		"spec.services.*.livenessProbe":                    {Type: "object", Description: "LivenessProbe replaces the generated liveness probe of the main container.", Leaf: true},
		"spec.services.*.extraPodSpec.mainContainer.image": {Type: "string", Leaf: true},
	} {
		want.Path = path
		if diff := cmp.Diff(want, got[path]); diff != "" {
			t.Errorf("Fields(...)[%s]: -want, +got:\n%s", path, diff)
		}
	}
	for _, absent := range []string{"spec", "spec.crossplane", "spec.services.*.livenessProbe.exec"} {
		if _, ok := got[absent]; ok {
			t.Errorf("Fields(...): want no %s", absent)
		}
	}
}
