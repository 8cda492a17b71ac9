package api

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// upstream are the versions of upstream's definition to compare with, the oldest first.
var upstream = []string{"2026-04", "2026-08"}

// documented is the version of upstream's API reference that has the fields of roles, of which there is no definition to compare with.
const documented = "2026-10"

// isDocumented reports whether a field is one of a role.
func isDocumented(path string) bool {
	return strings.HasSuffix(path, ".roles") || strings.Contains(path, ".roles[].")
}

// TestSince checks since.tsv against upstream's definitions: it has the oldest definition with each field.
func TestSince(t *testing.T) {
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	specs := make([][]extv1.JSONSchemaProps, len(upstream))
	for i, version := range upstream {
		specs[i] = specsOf(t, shared.Path(t, 1, "crds", "dynamo-"+version, "nvidia.com_dynamographdeployments.yaml"))
	}
	var table strings.Builder
	table.WriteString("# The first of upstream's definitions (" + strings.Join(upstream, ", ") + ") that has each field. CONFIGURATION_DYNAMO_UPDATE=1 writes it.\n")
	for _, field := range fields {
		since := ""
		for i := range upstream {
			if since == "" && slices.ContainsFunc(specs[i], func(spec extv1.JSONSchemaProps) bool { return has(&spec, field.Path) }) {
				since = upstream[i]
			}
		}
		if since == "" && isDocumented(field.Path) {
			since = documented
		}
		if since == "" {
			t.Errorf("%s: is in none of upstream's definitions", field.Path)
		}
		table.WriteString(field.Path + "\t" + since + "\n")
	}
	harness.Golden(t, "since.tsv", []byte(table.String()))
}

// TestEveryFieldSince checks without upstream's definitions that since.tsv has a line for each field, and no others.
func TestEveryFieldSince(t *testing.T) {
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	since, err := readTable("since.tsv", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		if len(since[field.Path]) == 0 || !slices.Contains(append(slices.Clone(upstream), documented), since[field.Path][0]) {
			t.Errorf("fn-tests/api/since.tsv: %s has none of the versions %s; add a line with the first of upstream's definitions that has the field",
				field.Path, strings.Join(upstream, ", "))
		}
		delete(since, field.Path)
	}
	for path := range since {
		t.Errorf("fn-tests/api/since.tsv: there is no field %s; remove its line", path)
	}
}

// specsOf all versions of a definition.
func specsOf(t *testing.T, path string) []extv1.JSONSchemaProps {
	t.Helper()
	crds, err := schema.Load(path)
	if err != nil || len(crds) != 1 {
		t.Fatalf("cannot load the definition in %s: %v", path, err)
	}
	var specs []extv1.JSONSchemaProps
	for _, version := range crds[0].Spec.Versions {
		specs = append(specs, version.Schema.OpenAPIV3Schema.Properties["spec"])
	}
	return specs
}

// has reports whether a schema has a field.
func has(spec *extv1.JSONSchemaProps, path string) bool {
	at := spec
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "spec."), ".") {
		name, list := strings.CutSuffix(segment, "[]")
		if name == "*" {
			if at.AdditionalProperties == nil || at.AdditionalProperties.Schema == nil {
				return false
			}
			at = at.AdditionalProperties.Schema
			continue
		}
		property, ok := at.Properties[name]
		if !ok {
			return false
		}
		if at = &property; list {
			if at.Items == nil || at.Items.Schema == nil {
				return false
			}
			at = at.Items.Schema
		}
	}
	return true
}
