package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// indent of what is below a key of YAML.
const indent = 2

// YAML of a value, as Kubernetes writes it.
func YAML(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, errors.Errorf("cannot encode YAML: %w", err)
	}
	// JSON is YAML, apart from characters that it does not escape and YAML has to.
	data, err := k8syaml.JSONToYAML([]byte(escaped(string(text), escapeYAML)))
	if err != nil {
		return nil, errors.Errorf("cannot encode YAML: %w", err)
	}
	if isVisible(string(data)) && !strings.Contains(string(data), mergeKey+":") {
		return data, nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return nil, errors.Errorf("cannot escape YAML: %w", err)
	}
	quoteMergeKeys(&node)
	return YAMLOf(&node, true)
}

// YAMLOf a node, with its comments. In compact form, lists are not indented more than their key.
func YAMLOf(node *yaml.Node, compact bool) ([]byte, error) {
	quote(node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(indent)
	if compact {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(node); err != nil {
		return nil, errors.Errorf("cannot encode YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, errors.Errorf("cannot encode YAML: %w", err)
	}
	return []byte(escaped(out.String(), escapeYAML)), nil
}

// quote texts with characters that only quotes can hold in an escaped form.
func quote(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && !isVisible(node.Value) {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		quote(child)
	}
}

// mergeKey merges its value into the object if it is not quoted, and sigs.k8s.io/yaml does not quote it.
const mergeKey = "<<"

func quoteMergeKeys(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.Value == mergeKey {
		node.Tag, node.Style = "!!str", yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		quoteMergeKeys(child)
	}
}

func isVisible(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !strict.IsVisible(r) }) < 0
}

// escaped characters that a terminal would act on. Encoders escape most of them, and leave those that change the direction of text.
func escaped(text string, escape func(r rune) string) string {
	if isVisible(text) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if strict.IsVisible(r) {
			out.WriteRune(r)
			continue
		}
		out.WriteString(escape(r))
	}
	return out.String()
}

// escapeJSON has two escapes for a character beyond the first 65,536.
func escapeJSON(r rune) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(&out, `\u%04x`, unit)
	}
	return out.String()
}

func escapeYAML(r rune) string { return fmt.Sprintf(`\U%08X`, r) }
