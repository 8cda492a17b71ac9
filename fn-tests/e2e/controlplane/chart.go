package controlplane

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// chartTemplates are what of Crossplane's chart says what Crossplane may do. What the chart runs is run here as processes.
func chartTemplates() []string {
	return []string{
		"serviceaccount.yaml",
		"clusterrole.yaml",
		"clusterrolebinding.yaml",
		"rbac-manager-serviceaccount.yaml",
		"rbac-manager-clusterrole.yaml",
		"rbac-manager-clusterrolebinding.yaml",
		"rbac-manager-allowed-provider-permissions.yaml",
		"rbac-manager-managed-clusterroles.yaml",
	}
}

// renderChart renders templates of a chart with the chart's own values.
func renderChart(chart, namespace string) ([]*unstructured.Unstructured, error) {
	values, metadata := map[string]any{}, map[string]any{}
	for file, into := range map[string]*map[string]any{"values.yaml": &values, "Chart.yaml": &metadata} {
		data, err := os.ReadFile(filepath.Join(chart, file))
		if err != nil {
			return nil, fmt.Errorf("cannot read the chart of Crossplane: %w", err)
		}
		if err := yaml.Unmarshal(data, into); err != nil {
			return nil, fmt.Errorf("cannot parse %s of the chart of Crossplane: %w", file, err)
		}
	}
	data := map[string]any{
		"Values":  values,
		"Chart":   map[string]any{"Name": metadata["name"], "Version": metadata["version"], "AppVersion": metadata["appVersion"]},
		"Release": map[string]any{"Name": "crossplane", "Namespace": namespace, "Service": "Helm"},
	}

	files := []string{filepath.Join(chart, "templates", "_helpers.tpl")}
	for _, file := range chartTemplates() {
		files = append(files, filepath.Join(chart, "templates", file))
	}
	root := template.New("chart")
	parsed, err := root.Funcs(chartFunctions(root)).ParseFiles(files...)
	if err != nil {
		return nil, fmt.Errorf("cannot parse the chart of Crossplane: %w", err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range chartTemplates() {
		var rendered bytes.Buffer
		if err := parsed.ExecuteTemplate(&rendered, file, data); err != nil {
			return nil, fmt.Errorf("cannot render the chart of Crossplane: %w", err)
		}
		some, err := harness.Parse(rendered.Bytes())
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s of the chart of Crossplane: %w", file, err)
		}
		objects = append(objects, some...)
	}
	return objects, nil
}

// chartFunctions are those of Helm's template functions that the templates call.
func chartFunctions(root *template.Template) template.FuncMap {
	indent := func(spaces int, text string) string {
		pad := strings.Repeat(" ", spaces)
		return pad + strings.ReplaceAll(text, "\n", "\n"+pad)
	}
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"default": func(fallback, value any) any {
			if value == nil || value == "" {
				return fallback
			}
			return value
		},
		"indent":  indent,
		"nindent": func(spaces int, text string) string { return "\n" + indent(spaces, text) },
		"toYaml": func(value any) (string, error) {
			out, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(out), "\n"), err
		},
		"quote":      func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"replace":    func(old, replacement, text string) string { return strings.ReplaceAll(text, old, replacement) },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc": func(length int, text string) string {
			if len(text) > length {
				return text[:length]
			}
			return text
		},
	}
}
