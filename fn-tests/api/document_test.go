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
	fields := []Field{
		{Path: "spec.restart", Type: "object", Description: "Restart asks."},
		{Path: "spec.restart.id", Type: "string", Description: "ID is <a>|b.", Leaf: true, Limits: "immutable"},
		{Path: "spec.restart.order", Type: "list of string", Description: "Order of it.", Leaf: true},
		{Path: "spec.components[].replicas", Type: "integer", Description: "Replicas of it.", Leaf: true},
		{Path: "spec.services.*.extraPodSpec", Type: "object", Description: "A pod."},
		{Path: "spec.services.*.extraPodSpec.hostname", Type: "string", Leaf: true},
		{Path: "spec.services.*.extraPodSpec.nodeName", Type: "string", Leaf: true},
	}
	support := map[string]Support{
		"spec.components[].replicas":            {Since: "2026-08"},
		"spec.restart":                          {Since: "2026-04"},
		"spec.restart.id":                       {Since: "2026-04", States: []State{Works, Warned, NotThere}},
		"spec.restart.order":                    {Since: "2026-08", States: []State{Works, Works, NotThere}},
		"spec.services.*.extraPodSpec":          {Since: "2026-04"},
		"spec.services.*.extraPodSpec.hostname": {Since: "2026-04", States: []State{Works, Works, Works}},
		"spec.services.*.extraPodSpec.nodeName": {Since: "2026-04", States: []State{Refused, Works, Works}},
	}
	want := `
## The graph

| field | type | value | what it does | since | Grove | LWS | Deployment |
|---|---|---|---|---|---|---|---|
| ` + "`spec.restart`" + ` | object |  | Restart asks. | 2026-04 | yes | below | - |
| ` + "`spec.restart.id`" + ` | string | immutable | ID is \<a>\|b. | 2026-04 | yes | warning | - |
| ` + "`spec.restart.order`" + ` | list of string |  | Order of it. | 2026-08 | yes | yes | - |

## Each component

| field | type | value | what it does | since | Grove | LWS | Deployment |
|---|---|---|---|---|---|---|---|
| ` + "`replicas`" + ` | integer |  | Replicas of it. | 2026-08 |  |  |  |

## Each service

| field | type | value | what it does | since | Grove | LWS | Deployment |
|---|---|---|---|---|---|---|---|
| ` + "`extraPodSpec`" + ` | object |  | A pod. | 2026-04 | below | yes | yes |
| ` + "`extraPodSpec.nodeName`" + ` | string |  |  | 2026-04 | refused | yes | yes |
` + annotationsHead + `| ` + "`example.org/a`" + ` | graph | any | Something. |
`
	annotations := []UserAnnotation{{Name: "example.org/a", Where: "graph", Values: "any", Description: "Something."}}
	if diff := cmp.Diff(want, strings.TrimPrefix(Document(fields, support, annotations), head)); diff != "" {
		t.Errorf("Of embedded types only what is not handed on is listed.\nDocument(...): -want, +got:\n%s", diff)
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
