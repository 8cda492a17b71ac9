package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// maxComponents of a graph.
const maxComponents = 25

// units that long texts consist of, which shells, the kubelet, validation or messages treat specially.
var units = []string{
	"$A", "$(A)", "${A}", "$$", "-tp $A ", "--tensor-parallel-size=$(A) ", "python3 -m dynamo.vllm\n", "python3 -m dynamo.trtllm -tp 8; ", "'", "\"", "\"'",
	"a b ", "\\", "`", "(", "('\" ", "\"a -b\" ", "<<X\n", "#\n", "a/", "1", "x", "\x01", "é", "\U0001f600", "-", ".", "\n",
}

// The inflations.
const (
	inflateField = iota
	inflateComponents
	inflateCommon
	inflateArguments
	inflateScript
	inflateVariable
	inflateNumber
	inflateUnknown
	inflateStatus
	inflations
)

// inflater turns a small manifest into large ones.
type inflater struct {
	graph   map[string]any
	samples []api.Sample
}

func newInflater(t testing.TB) inflater {
	t.Helper()
	samples, err := api.ReadSamples(harness.Root() + "/fn-tests/api/testdata/samples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	graph, _ := numbers(samples.Graph).(map[string]any)
	return inflater{graph: graph, samples: samples.Fields}
}

// inflate the graph as a program says.
func (in inflater) inflate(p *program) map[string]any {
	tree := runtime.DeepCopyJSON(in.graph)
	for range 1 + p.below(4) {
		in.inflateOnce(tree, p)
	}
	return tree
}

func (in inflater) inflateOnce(tree map[string]any, p *program) {
	components := childOf(childOf(tree, "spec"), "services")
	names := slices.Sorted(maps.Keys(components))
	switch p.below(inflations) {
	case inflateField:
		in.field(tree, p)
	case inflateComponents:
		component := components[names[p.below(len(names))]]
		for i := 0; len(components) < maxComponents; i++ {
			components[fmt.Sprintf("copy-%d", i)] = runtime.DeepCopyJSONValue(component)
		}
	case inflateCommon:
		key := []string{"annotations", "envs", "labels"}[p.below(3)]
		childOf(tree, "spec")[key] = common(key, countOf(p), textOf(p))
	case inflateArguments:
		size := textOf(p)
		eachMain(components, func(main map[string]any) {
			main["args"] = []any{"--tensor-parallel-size", size, "--pipeline-parallel-size", size}
		})
	case inflateScript:
		script := "python3 -m dynamo.vllm " + textOf(p)
		eachMain(components, func(main map[string]any) { main["command"], main["args"] = []any{"sh", "-c"}, []any{script} })
	case inflateVariable:
		value := textOf(p)
		eachMain(components, func(main map[string]any) { main["env"] = []any{map[string]any{"name": "A", "value": value}} })
	case inflateNumber:
		component, _ := components[names[p.below(len(names))]].(map[string]any)
		component["replicas"] = float64(int(1) << p.below(18))
		component["multinode"] = map[string]any{"nodeCount": float64(int(1) << p.below(14))}
	case inflateUnknown:
		component, _ := components[names[p.below(len(names))]].(map[string]any)
		component["extraPodSpec"] = common("unknown", countOf(p), textOf(p))
	default:
		n, text := countOf(p), textOf(p)
		condition := map[string]any{"type": "Accepted", "status": "True", "reason": "Valid", "message": text[:len(text)/n]}
		tree["status"] = map[string]any{"conditions": repeated(condition, n)}
	}
}

// field of the API, with a large value of its type.
func (in inflater) field(tree map[string]any, p *program) {
	sample := in.samples[p.below(len(in.samples))]
	component := sample.Service
	if component == "" {
		component = []string{"Nodes", "Worker", "Frontend"}[p.below(3)]
	}
	api.Merge(tree, withComponent(sample.With, component))
	var value any
	switch typed := numbers(sample.Value).(type) {
	case []any:
		n, text := countOf(p), textOf(p)
		var item any = text[:len(text)/n]
		if len(typed) > 0 && p.next()&1 == 0 {
			item = typed[0]
		}
		value = repeated(item, n)
	case map[string]any:
		value = common("labels", countOf(p), textOf(p))
	default:
		value = textOf(p)
	}
	place(tree, strings.Split(sample.Path, "."), component, value)
}

// textOf up to 128 KiB.
func textOf(p *program) string {
	length := 1 << p.below(18)
	unit := units[p.below(len(units))]
	return strings.Repeat(unit, max(1, length/len(unit)))
}

// countOf up to 8192 entries.
func countOf(p *program) int { return 1 << p.below(14) }

// repeated item of a list. Items with a name get different names.
func repeated(item any, n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = runtime.DeepCopyJSONValue(item)
		if object, ok := all[i].(map[string]any); ok && object["name"] != nil {
			object["name"] = fmt.Sprintf("n%d", i)
		}
	}
	return all
}

// common field of all services, or an object with this number of entries. Together they are about as long as the text.
func common(key string, n int, text string) any {
	if key == "envs" {
		return repeated(map[string]any{"name": "n", "value": text[:len(text)/n]}, n)
	}
	all := make(map[string]any, n)
	for i := range n {
		all[fmt.Sprintf("k%d", i)] = text[:len(text)/n]
	}
	return all
}

// eachMain container that a manifest has.
func eachMain(components map[string]any, edit func(main map[string]any)) {
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		if main := childOf(childOf(component, "extraPodSpec"), "mainContainer"); main != nil {
			edit(main)
		}
	}
}

// inflatedSeeds are programs for the inflater.
func inflatedSeeds() [][]byte {
	const (
		once, twice   = 0, 1
		nodes, worker = 1, 2 // Services of the graph by their order.
		long, longest = 15, 17
		many, most    = 11, 13
	)
	seeds := [][]byte{
		{once, inflateComponents, nodes},
		{twice, inflateComponents, nodes, inflateNumber, 0, 3, 9},
		{twice, inflateNumber, nodes, 17, 13, inflateComponents, nodes},
		{once, inflateUnknown, worker, most, long, 0},
		{once, inflateStatus, most, longest, 0},
	}
	for key := range byte(3) {
		for _, count := range []byte{0, many, 12} {
			seeds = append(seeds, []byte{twice, inflateComponents, nodes, inflateCommon, key, count, long, 1})
		}
	}
	for i := range units {
		unit := byte(i)
		seeds = append(seeds,
			[]byte{twice, inflateArguments, long, unit, inflateVariable, 14, 18},
			[]byte{twice, inflateScript, long, unit, inflateVariable, long, unit},
			// Work that grows with the square of a text exceeds a budget only if the text is long.
			[]byte{once, inflateScript, longest, unit})
	}
	for i := range 50 {
		field := byte(4 * i)
		seeds = append(seeds, []byte{once, inflateField, field, 0, 12, long, field, 1})
	}
	return seeds
}
