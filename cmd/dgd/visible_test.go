package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// TestVisible shows that what users write cannot make the terminal of somebody else do something.
func TestVisible(t *testing.T) {
	const escape = `\u001b[31m\u202e`
	graph := string(read(t, "examples/agg-vllm.yaml"))
	graphs := map[string]string{
		"Name":      strings.Replace(graph, "name: agg-vllm", `name: "agg`+escape+`"`, 1),
		"Component": strings.Replace(graph, "name: Frontend", `name: "Front`+escape+`"`, 1),
		"Image":     regexp.MustCompile(`image: (\S+)`).ReplaceAllString(graph, `image: "$1`+escape+`"`),
		"Argument":  strings.Replace(graph, "- Qwen/Qwen3-8B", `- "Qwen`+escape+`"`, 1),
		"Field":     strings.Replace(graph, "spec:\n", "spec:\n  \"x"+escape+"\": 1\n", 1),
	}
	for name, manifest := range graphs {
		if manifest == graph {
			t.Fatalf("%s: the example has nothing to replace", name)
		}
		for _, args := range [][]string{
			{"validate", "-"},
			{"render", "-"},
			{"explain", "-"},
			{"explain", "--commands", "-"},
			{"diff", "../../examples/agg-vllm.yaml", "-", "--fields"},
			{"diff", "-", "../../examples/agg-vllm.yaml", "--output=markdown", "--fields"},
		} {
			t.Run(name+"/"+strings.Join(args, " "), func(t *testing.T) {
				got := ended(t, manifest, args...)
				for _, r := range got.out + got.err {
					// What is rendered is data, which stays as it is where YAML allows it.
					turns := r == '\u202e' && args[0] != "render"
					if unicode.IsControl(r) && r != '\n' && r != '\t' || turns {
						t.Fatalf("want nothing that a terminal acts on, got %q in\n%s", r, strict.Visible(got.out+got.err))
					}
				}
			})
		}
	}
}
