package graph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
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
const noWord = "{{ .Values.service }} of the {{component}}"

// TestText words messages about a graph in both forms, with the main container between two others and, of its amounts, only memory in the
// container itself.
func TestText(t *testing.T) {
	inComponents, errs := Decode(request(ofSpec(`{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[
		{"name":"one","image":"i"},{"name":"main"},{"name":"two","image":"i"}]}}}]}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	inServices, errs := Decode(request(ofSpec(`{"services":{"Worker":{"resources":{"limits":{"gpu":"1","gpuType":"nvidia.com/mig-1g"},"requests":{"custom":{"rdma/ib":"1"}}},"extraPodSpec":{
		"containers":[{"name":"one","image":"i"},{"name":"two","image":"i"}],"mainContainer":{"resources":{"limits":{"memory":"1Gi"}}}}}}}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	const worker, service = "spec.components[Worker].", "spec.services[Worker]."
	cases := map[string]struct {
		reason               string
		text                 string
		args                 []any
		components, services string
	}{
		"MainContainer": {
			reason: "The main container is beside the other containers of a service.", text: "{{" + worker + "podTemplate.spec.containers[main].env[0].name}}",
			components: worker + "podTemplate.spec.containers[main].env[0].name", services: service + "extraPodSpec.mainContainer.env[0].name",
		},
		"WholeField": {
			reason: "A field is not renamed because its name begins like that of another.", text: "{{" + worker + "typeOfAll}}",
			components: worker + "typeOfAll", services: service + "typeOfAll",
		},
		"Unchanged": {
			reason: "Most fields have the same name in both forms.", text: "{{" + worker + "multinode.nodeCount}}",
			components: worker + "multinode.nodeCount", services: service + "multinode.nodeCount",
		},
		"Key": {
			reason: "A key in brackets stays as it is.", text: "{{" + worker + "podTemplate.metadata.annotations[example.com/{services}]}}: a",
			components: worker + "podTemplate.metadata.annotations[example.com/{services}]: a", services: service + "extraPodMetadata.annotations[example.com/{services}]: a",
		},
		"ShortAmount": {
			reason: "An amount that the container does not have is in the short form.", text: "{{" + worker + "podTemplate.spec.containers[main].resources.limits[nvidia.com/gpu]}}",
			components: worker + "podTemplate.spec.containers[main].resources.limits[nvidia.com/gpu]", services: service + "resources.limits.gpu",
		},
		"ShortAmountOfType": {
			reason: "GPUs of a type are an amount with another name.", text: "{{" + worker + "podTemplate.spec.containers[main].resources.limits[nvidia.com/mig-1g]}}",
			components: worker + "podTemplate.spec.containers[main].resources.limits[nvidia.com/mig-1g]", services: service + "resources.limits.gpu",
		},
		"CustomAmount": {
			reason: "Other devices have a field of their own in the short form.", text: "{{" + worker + "podTemplate.spec.containers[main].resources.requests[rdma/ib]}}",
			components: worker + "podTemplate.spec.containers[main].resources.requests[rdma/ib]", services: service + "resources.requests.custom[rdma/ib]",
		},
		"NoAmount": {
			reason: "An amount that is missing belongs in the short form.", text: "{{" + worker + "podTemplate.spec.containers[main].resources.requests.memory}}",
			components: worker + "podTemplate.spec.containers[main].resources.requests.memory", services: service + "resources.requests.memory",
		},
		"OwnAmount": {
			reason: "An amount of the container is named where it is.", text: "{{" + worker + "podTemplate.spec.containers[main].resources.limits.memory}}",
			components: worker + "podTemplate.spec.containers[main].resources.limits.memory", services: service + "extraPodSpec.mainContainer.resources.limits.memory",
		},
		"Prose": {
			reason: "Messages speak of services.", text: "all {{components}} must have the same {{podTemplate.spec.schedulerName}}; change one {{component}}",
			components: "all components must have the same podTemplate.spec.schedulerName; change one component",
			services:   "all services must have the same extraPodSpec.schedulerName; change one service",
		},
		"Name": {
			reason: "The name of an object is not a word of a message.", text: "delete Deployment inference-component-env of {{component}} components",
			components: "delete Deployment inference-component-env of component components", services: "delete Deployment inference-component-env of service components",
		},
		"NoWord": {
			reason: "What only looks like a word is from the user.", text: "{{component}} %s", args: []any{noWord},
			components: "component " + noWord, services: "service " + noWord,
		},
		"FieldOfMain": {
			reason: "A word can be a path below a component.", text: "set {{podTemplate.spec.containers[main].image}}, {{containers[main].ports}} and {{resources.limits[nvidia.com/gpu]}}",
			components: "set podTemplate.spec.containers[main].image, containers[main].ports and resources.limits[nvidia.com/gpu]",
			services:   "set extraPodSpec.mainContainer.image, mainContainer.ports and resources.limits.gpu",
		},
		"NoName": {
			reason: "A component may lack its name.", text: "{{spec.components[]}}: Required value",
			components: "spec.components[]: Required value", services: "spec.services[]: Required value",
		},
		"FieldsOfTheGraph": {
			reason: "Fields of the graph are renamed as well.", text: "{{spec.topologyConstraint.clusterTopologyName}}: {{spec.env}} {{metadata.name}}",
			components: "spec.topologyConstraint.clusterTopologyName: spec.env metadata.name", services: "spec.topologyConstraint.topologyProfile: spec.envs metadata.name",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := message.Format(tc.text, tc.args...)
			for g, want := range map[*Graph]string{inComponents: tc.components, inServices: tc.services} {
				if got := text.In(g); got != want {
					t.Errorf("%s\nIn(%q):\nwant %s\ngot  %s", tc.reason, tc.text, want, got)
				}
			}
		})
	}
	for i, want := range [][2]string{{"0", "0"}, {"2", "1"}} {
		path := inComponents.Component("Worker").BesidePath(i)
		if got, expected := inComponents.Field(path.String()), worker+"podTemplate.spec.containers["+want[0]+"]"; got != expected {
			t.Errorf("Container %d beside the main container keeps the index that it has for the user: want %s, got %s", i, expected, got)
		}
		path = inServices.Component("Worker").BesidePath(i)
		if got, expected := inServices.Field(path.String()), service+"extraPodSpec.containers["+strconv.Itoa(i)+"]"; got != expected {
			t.Errorf("Container %d of a service is counted without the main container: want %s, got %s", i, expected, got)
		}
	}
}

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
			value, _ := strconv.Unquote(literal.Value) // The parser has read it.
			for _, match := range marked.FindAllStringSubmatch(value, -1) {
				terms[match[1]] = files.Position(literal.Pos())
			}
			return true
		})
		return nil
	})
	return terms, err
}
