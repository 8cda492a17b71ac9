package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// manyMistakes are manifests with n mistakes of a kind, or n keys. The command line looks for the position of each field that a message is about, and for the
// field that was meant.
func manyMistakes() map[string]func(n int) string {
	const graph = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: graph, namespace: team}\n"
	lines := func(n int, format string) string {
		var all strings.Builder
		for i := range n {
			_, _ = fmt.Fprintf(&all, format, i)
		}
		return all.String()
	}
	component := func(fields, main string) string {
		return graph + "spec:\n  components:\n  - name: worker\n    type: worker\n" + fields +
			"    podTemplate:\n      spec:\n        containers:\n        - name: main\n          image: registry.example.org/runtime:1.5.0\n" + main
	}
	return map[string]func(n int) string{
		"MisspeltFields": func(n int) string { return component("", "          env:\n"+lines(n, "          - {nam: A%d}\n")) },
		"MissingFields": func(n int) string {
			return component("    replicas: many\n", "          env:\n"+lines(n, "          - {value: \"%d\"}\n"))
		},
		"WrongTypes": func(n int) string {
			return component("", "          env:\n"+lines(n, "          - {name: A%d, value: 1}\n"))
		},
		"UnknownFields": func(n int) string { return graph + "spec:\n" + lines(n, "  unknown%d: 1\n") },
		"Annotations": func(n int) string {
			return strings.Replace(component("", ""), "namespace: team", "namespace: team, annotations: {"+lines(n, "a%d: b, ")+"}", 1)
		},
		"DuplicateKeys": func(n int) string { return graph + "spec:\n" + lines(n, "  unknown: %d\n") },
		"Components": func(n int) string {
			return graph + "spec:\n  components:\n" + lines(n, "  - {name: worker-%d, type: works}\n")
		},
	}
}

// TestManifests checks that the work of dgd validate does not grow with the square of what is wrong in a manifest, or of the keys of a mapping:
// eight times as many may take little more than eight times as long.
func TestManifests(t *testing.T) {
	const few = 1000
	all := manyMistakes()
	for _, subject := range slices.Sorted(maps.Keys(all)) {
		t.Run(subject, func(t *testing.T) {
			measure := func(n int) time.Duration {
				text := all[subject](n)
				started := processTime()
				files, err := manifest.Reader{In: strings.NewReader(text)}.Read([]string{manifest.Stdin})
				if err != nil {
					t.Fatal(err)
				}
				checker := check.Checker{Previewer: &preview.Previewer{Functions: functions.All(logging.NewNopLogger())}}
				report, err := checker.Check(t.Context(), files)
				if err != nil {
					t.Fatal(err)
				}
				if report.Graphs+len(report.Findings) == 0 {
					t.Fatalf("nothing is checked: %.200s", text)
				}
				return processTime() - started
			}
			checkGrowth(t, few, measure)
		})
	}
}
