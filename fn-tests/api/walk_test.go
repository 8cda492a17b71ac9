package api

import (
	"cmp"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	supported "github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// acceptFieldsEnv is the environment variable that, set to 1, has the table of fields written although some do less than before.
// harness.UpdateEnv alone does not.
const acceptFieldsEnv = "CONFIGURATION_DYNAMO_FIELDS"

// TestEveryField sets every field of the API. The field must change the objects of the graph or its status, or a message must report that
// it has no effect.
func TestEveryField(t *testing.T) {
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	byPath, states := map[string]Sample{}, map[tried]State{}
	for _, path := range []string{"testdata/samples.yaml", "testdata/components.yaml"} {
		samples, err := ReadSamples(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samples.Fields {
			byPath[sample.Path] = sample
			if !slices.ContainsFunc(fields, func(f Field) bool { return f.Path == sample.Path }) {
				t.Errorf("%s: %s is no field of the API; remove it", path, sample.Path)
			}
		}
		maps.Copy(states, try(t, samples))
	}
	for _, field := range fields {
		if _, ok := byPath[field.Path]; field.Leaf && !ok {
			t.Errorf("%s: has no sample in testdata/; add one with a value that makes a difference", field.Path)
		}
	}
	after := map[string][]State{}
	var table strings.Builder
	table.WriteString("# What becomes of each field on Grove, on LeaderWorkerSets and on Deployments. CONFIGURATION_DYNAMO_UPDATE=1 writes it.\n")
	for _, field := range fields {
		if _, ok := byPath[field.Path]; !ok {
			continue
		}
		table.WriteString(field.Path)
		for _, o := range orchestrators(&Samples{}) {
			state := states[tried{field.Path, o.name}]
			if state == Silent {
				t.Errorf("%s: has no effect on %s, and is ignored silently: make it work, warn about it, or refuse it", field.Path, o.name)
			}
			after[field.Path] = append(after[field.Path], state)
			table.WriteString("\t" + string(state))
		}
		table.WriteString("\n")
	}
	before, err := supported.Support()
	if err != nil {
		t.Fatal(err)
	}
	lost := losses(before, after)
	if accepted := harness.Accepts(t, acceptFieldsEnv); len(lost) > 0 && !accepted {
		t.Fatalf("Fields do less than before:\n  %s\nIf it is wanted, describe it in a file changelog.d/NAME.changed.md, and then run: make fields", strings.Join(lost, "\n  "))
	}
	harness.Golden(t, filepath.Join(harness.Root(), "tool", "fields", "support.tsv"), []byte(table.String()))
}

// orchestrator on which fields are tested.
type orchestrator struct {
	name, cluster string
	// input of step plan for the platform of such a cluster, YAML.
	input string
	// composition is the file of a Composition with that input.
	composition string
	// services whose fields are tested.
	services []string
	// nodes is true if services may span nodes.
	nodes bool
}

// profiles are the topologies to which the samples refer, for clusters without Grove, which would define them.
const profiles = `
topology:
  profiles:
    - {name: my-cluster-topology, levels: [{domain: block, key: example.org/block}, {domain: rack, key: example.org/rack}]}
    - {name: other-topology, levels: [{domain: block, key: example.org/hall}, {domain: rack, key: example.org/row}]}
`

// checkpoints can be looked up.
const checkpoints = `
checkpoints: {mode: Enabled}
`

func orchestrators(s *Samples) []orchestrator {
	single := slices.DeleteFunc(slices.Clone(s.Services), func(name string) bool { return name == s.Nodes })
	return []orchestrator{
		{name: "Grove", cluster: harness.GroveKAI, input: checkpoints, services: s.Services, nodes: true},
		// Single-node services are Deployments in such a cluster, too.
		{name: "LeaderWorkerSet", cluster: harness.LWSVolcano, input: profiles + checkpoints, services: []string{s.Nodes}, nodes: true},
		{name: "Deployment", cluster: "examples/cluster/none.yaml", input: checkpoints, services: single},
	}
}

type tried struct{ path, orchestrator string }

// trial is the test of one field of one service on one orchestrator.
type trial struct {
	tried

	// namedBy are other fields. A message about them is also about the tested field.
	namedBy []string
	// hashAlone is the reason why the hash of the user's pod settings may change although the pods do not.
	hashAlone     string
	later         bool
	before, after harness.Render
	// created is the graph at its creation.
	created harness.Render
}

// try all samples, and return the worst state of each.
func try(t *testing.T, samples *Samples) map[tried]State {
	t.Helper()
	k := &kitchen{binary: harness.New(t), graphs: map[string]string{}, outputs: map[harness.Render]harness.Output{}}
	var trials []trial
	states := map[tried]State{}
	for _, o := range orchestrators(samples) {
		o.cluster = k.cluster(t, o.cluster)
		o.composition = harness.CompositionWithInput(t, o.input)
		for _, sample := range samples.Fields {
			states[tried{sample.Path, o.name}] = NotThere
			trials = append(trials, k.trials(t, samples, sample, o)...)
		}
	}
	var befores, afters []harness.Render
	for _, tr := range trials {
		befores = append(befores, tr.before, tr.created)
	}
	k.render(t, befores)
	for i := range trials {
		tr := &trials[i]
		if tr.later && k.outputs[tr.created].Err == nil {
			observed := harness.Write(t, composed(k.outputs[tr.created])...)
			tr.before.Observed, tr.after.Observed = observed, observed
			afters = append(afters, tr.before)
		}
		afters = append(afters, tr.after)
	}
	k.render(t, afters)
	alone := map[string]bool{}
	for _, tr := range trials {
		before, after := k.outputs[tr.before], k.outputs[tr.after]
		if before.Err != nil {
			// A graph that does not run on this orchestrator anyway tells nothing of the field, unless it should.
			if tr.orchestrator != "Deployment" || !strings.Contains(before.Stderr, "no orchestrator for them is installed") {
				t.Errorf("%s on %s: the graph without the field is refused: %s", tr.path, tr.orchestrator, before.Stderr)
			}
			continue
		}
		states[tr.tried] = worse(states[tr.tried], judge(t, tr, before, after))
		if checkHashes(t, tr, before, after) {
			alone[tr.path] = true
		}
	}
	for _, sample := range samples.Fields {
		if sample.HashAlone != "" && !alone[sample.Path] {
			t.Errorf("%s: the hash never changes alone; remove hashAlone", sample.Path)
		}
	}
	return states
}

// judge the effect of a field.
func judge(t *testing.T, tr trial, before, after harness.Output) State {
	t.Helper()
	named := func(message string) bool {
		return slices.ContainsFunc(tr.namedBy, func(field string) bool { return names(message, field) })
	}
	if after.Err != nil {
		if !named(after.Stderr) {
			t.Errorf("%s on %s: is refused without being named: %s", tr.path, tr.orchestrator, after.Stderr)
		}
		return Refused
	}
	switch {
	case slices.ContainsFunc(after.Warnings(), named):
		return Warned
	case !reflect.DeepEqual(visible(before), visible(after)):
		return Works
	default:
		return Silent
	}
}

// visible is everything that users and controllers can see of a graph: the composed resources, and the status without the warnings.
func visible(out harness.Output) []any {
	var all []any
	for _, object := range composed(out) {
		all = append(all, object.Object)
	}
	status, _, _ := unstructured.NestedMap(out.Composite.Object, "status")
	delete(status, "conditions")
	all = append(all, status)
	for _, c := range out.Conditions() {
		if condition, ok := c.(map[string]any); ok && condition["type"] != "Accepted" {
			all = append(all, c)
		}
	}
	return all
}

// composed are the composed resources of a render, without its results and its context.
func composed(out harness.Output) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(out.Composed), func(object *unstructured.Unstructured) bool {
		return object.GetAPIVersion() == "render.crossplane.io/v1beta1"
	})
}

// kitchen renders graphs, and renders the same graph only once.
type kitchen struct {
	binary  *harness.Binary
	graphs  map[string]string
	outputs map[harness.Render]harness.Output
}

// cluster of an orchestrator, with everything else that graphs may use.
func (k *kitchen) cluster(t *testing.T, path string) string {
	t.Helper()
	return harness.Write(t, append(harness.Read(t, path), harness.Read(t, "fn-tests/api/testdata/cluster.yaml")...)...)
}

func (k *kitchen) trials(t *testing.T, samples *Samples, sample Sample, o orchestrator) []trial {
	t.Helper()
	services := o.services
	switch {
	case sample.Service == samples.Nodes && !o.nodes:
		return nil
	case sample.Service != "":
		services = []string{sample.Service}
	case !strings.Contains(sample.Path, ".*") && !strings.HasPrefix(sample.Path, components):
		services = services[:1]
	}
	var trials []trial
	for _, service := range services {
		before, after, err := samples.Graphs(sample, service, o.nodes)
		if err != nil {
			t.Fatalf("%s: %v", sample.Path, err)
		}
		created := clone(before)
		Merge(created, sample.Created)
		of := func(graph map[string]any) harness.Render {
			return harness.Render{XR: k.graph(t, graph), Cluster: o.cluster, Composition: o.composition, Everything: true}
		}
		trials = append(trials, trial{
			tried:     tried{sample.Path, o.name},
			namedBy:   []string{sample.Path, cmp.Or(sample.NamedBy, sample.Path)},
			hashAlone: sample.HashAlone,
			later:     sample.Later,
			before:    of(before),
			after:     of(after),
			created:   of(created),
		})
	}
	return trials
}

// graph written to a file. The same graph is always written to the same file.
func (k *kitchen) graph(t *testing.T, object map[string]any) string {
	t.Helper()
	object = listed(object)
	text := string(harness.Format(t, &unstructured.Unstructured{Object: object}))
	if k.graphs[text] == "" {
		k.graphs[text] = harness.Write(t, &unstructured.Unstructured{Object: object})
	}
	return k.graphs[text]
}

func (k *kitchen) render(t *testing.T, renders []harness.Render) {
	t.Helper()
	wanted := map[harness.Render]bool{}
	for _, r := range renders {
		if _, done := k.outputs[r]; !done {
			wanted[r] = true
		}
	}
	all := slices.Collect(maps.Keys(wanted))
	for i, out := range k.binary.RenderAll(t, all) {
		k.outputs[all[i]] = out
	}
}
