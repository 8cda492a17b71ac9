package upgrade

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Inputs of step plan from a file.
func Inputs(path string) ([]map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the inputs: %w", err)
	}
	var inputs []map[string]any
	if err := yaml.UnmarshalStrict(text, &inputs); err != nil {
		return nil, fmt.Errorf("cannot parse the inputs in %s: %w", path, err)
	}
	return inputs, nil
}

// Missing are the paths of fields that none of the inputs sets, sorted. A field with a list of values is missing with each value that no
// input sets.
func Missing(inputs []map[string]any) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(harness.Root(), "package", "plan", "input", "plan.dynamo.nvidia.com_inputs.yaml"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the schema of the input: %w", err)
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &definition); err != nil || len(definition.Spec.Versions) == 0 {
		return nil, fmt.Errorf("cannot parse the schema of the input: %w", err)
	}
	root := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	// The matrix lays them over the input in an EnvironmentConfig for some namespaces.
	for _, name := range []string{"apiVersion", "kind", "metadata", "namespaces"} {
		delete(root.Properties, name)
	}
	given := map[string]bool{}
	for _, input := range inputs {
		collect(given, "", input)
	}
	var missing []string
	for _, leaf := range root.leaves(nil, "") {
		if !given[leaf] {
			missing = append(missing, leaf)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// schema of a field.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
}

// leaves below a field; those with a list of values once for each.
func (s schema) leaves(found []string, path string) []string {
	switch {
	case len(s.Properties) > 0:
		for name, property := range s.Properties {
			found = property.leaves(found, path+"."+name)
		}
		return found
	case s.Items != nil:
		return s.Items.leaves(found, path)
	case len(s.Enum) > 0:
		for _, value := range s.Enum {
			found = append(found, path+"="+value)
		}
		return found
	default:
		return append(found, path)
	}
}

// collect the paths of all values, and the paths with their values.
func collect(given map[string]bool, path string, value any) {
	given[path] = true
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			collect(given, path+"."+name, field)
		}
	case []any:
		for _, element := range v {
			collect(given, path, element)
		}
	default:
		given[fmt.Sprintf("%s=%v", path, v)] = true
	}
}
