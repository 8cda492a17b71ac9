package graph

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Words of messages, and paths among them.
var (
	marked = regexp.MustCompile(`\{\{(.+?)\}\}`)
	isPath = regexp.MustCompile(`^(?:spec|metadata)(?:[.\[]|$)`)
)

// noWord is a text in which a user wrote braces.
const noWord = "{{ .Values.service }} of the {{service}}"

func TestText(t *testing.T) {
	g, errs := Decode(request(ofSpec(`{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[
		{"name":"one","image":"i"},{"name":"main"},{"name":"two","image":"i"}]}}}]}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	cases := map[string]struct {
		reason string
		text   string
		args   []any
		want   string
	}{
		"MainContainer": {
			reason: "The main container is one of the containers of the pod template.",
			text:   "{{spec.services[Worker].extraPodSpec.mainContainer.env[0].name}}",
			want:   "spec.components[Worker].podTemplate.spec.containers[main].env[0].name",
		},
		"ContainerBeforeMain": {
			reason: "A container before the main container has the index that it has for the user.",
			text:   "{{spec.services[Worker].extraPodSpec.containers[0].image}}",
			want:   "spec.components[Worker].podTemplate.spec.containers[0].image",
		},
		"ContainerAfterMain": {
			reason: "A container after the main container is counted with it.",
			text:   "{{spec.services[Worker].extraPodSpec.containers[1].image}}",
			want:   "spec.components[Worker].podTemplate.spec.containers[2].image",
		},
		"WholeField": {
			reason: "A field is not renamed because its name begins like that of another.",
			text:   "{{spec.services[Worker].resourcesOfAll}}",
			want:   "spec.components[Worker].resourcesOfAll",
		},
		"Unchanged": {
			reason: "Most fields have the same name in both forms.",
			text:   "{{spec.services[Worker].multinode.nodeCount}}",
			want:   "spec.components[Worker].multinode.nodeCount",
		},
		"Key": {
			reason: "A key in brackets stays as it is.",
			text:   "{{spec.services[Worker].extraPodMetadata.annotations[example.com/{services}]}}: a",
			want:   "spec.components[Worker].podTemplate.metadata.annotations[example.com/{services}]: a",
		},
		"Prose": {
			reason: "Messages speak of components.",
			text:   "all {{services}} must have the same {{extraPodSpec.schedulerName}}; change one {{service}}",
			want:   "all components must have the same podTemplate.spec.schedulerName; change one component",
		},
		"Name": {
			reason: "The name of an object is not a word of a message.",
			text:   "delete Deployment inference-service-envs of {{service}} services",
			want:   "delete Deployment inference-service-envs of component services",
		},
		"NoWord": {
			reason: "What only looks like a word is from the user.",
			text:   "{{service}} %s",
			args:   []any{noWord},
			want:   "component " + noWord,
		},
		"FieldOfMain": {
			reason: "A word can be a path below a service.",
			text:   "set {{extraPodSpec.mainContainer.image}}, {{mainContainer.ports}} and {{resources.limits.gpu}}",
			want:   "set podTemplate.spec.containers[main].image, containers[main].ports and resources.limits[nvidia.com/gpu]",
		},
		"NoName": {
			reason: "A component may lack its name.",
			text:   "{{spec.services[]}}: Required value",
			want:   "spec.components[]: Required value",
		},
		"TopologyOfTheGraph": {
			reason: "Fields of the graph are renamed as well.",
			text:   "{{spec.topologyConstraint.topologyProfile}}: {{spec.envs}} {{metadata.name}}",
			want:   "spec.topologyConstraint.clusterTopologyName: spec.env metadata.name",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := message.Format(tc.text, tc.args...)
			if got := text.In(g); got != tc.want {
				t.Errorf("%s\nIn(%q):\nwant %s\ngot  %s", tc.reason, tc.text, tc.want, got)
			}
			services := &Graph{}
			if got, want := text.In(services), fmt.Sprintf(withoutMarks.Replace(tc.text), tc.args...); got != want {
				t.Errorf("A graph with services keeps the words of %q, got %q", tc.text, got)
			}
		})
	}
}

var withoutMarks = strings.NewReplacer("{{", "", "}}", "")

// TestWords checks that each word that is marked in a message of the project is one that a graph words.
func TestWords(t *testing.T) {
	literals := map[string]token.Position{}
	for _, folder := range []string{"functions", "internal", "tool", "cmd"} {
		inFolder, err := messageTerms(filepath.Join("..", "..", "..", folder))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(literals, inFolder)
	}
	if len(literals) == 0 {
		t.Fatal("no marked word found: want some")
	}
	for term, at := range literals {
		if _, ok := wordOf(term); !ok && !isPath.MatchString(term) {
			t.Errorf("%s: {{%s}} is neither a word of messages nor the path of a field", at, term)
		}
	}
}

// messageTerms are the marked words in the strings of Go files, and where the first of each is.
func messageTerms(root string) (map[string]token.Position, error) {
	terms := map[string]token.Position{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			for _, match := range marked.FindAllStringSubmatch(literal.Value, -1) {
				terms[match[1]] = files.Position(literal.Pos())
			}
			return true
		})
		return nil
	})
	return terms, err
}
