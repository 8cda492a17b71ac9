package fuzz

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

const (
	// maxManifest is the size up to which manifests are tried.
	maxManifest = 64 << 10
	// maxCount is the largest number of replicas and nodes that is tried. Absurd ones are refused; how fast is tested elsewhere.
	maxCount = 32
	// ownSecret is the value of the variables of the graph.
	ownSecret = "hunter3-of-the-graph"
)

// FuzzChain runs the steps over the life of a graph in an arbitrary cluster. It checks that no step panics, that the same request
// gets the same response, that composed objects are composed again without a change, that no existing object is removed because
// something else is missing or malformed, and that no response contains a secret. A program chooses the cluster and the events.
func FuzzChain(f *testing.F) {
	debug.SetGCPercent(400) // A run makes much garbage, and little else.
	c, e, edit := newChain(f), newEnvironment(f), newEditor(f)
	examples := examples(f)
	seeds := 0
	add := func(example byte, manifest, script []byte) {
		seeds++
		// All seeds are tests. Where fuzzing begins with them, few are enough: every 23rd has each of the eight scripts of a graph in turn.
		if !testing.Short() || seeds%23 == 0 {
			f.Add(example, manifest, script)
		}
	}
	for i := range examples {
		for j := range byte(6) {
			add(byte(i), []byte{}, scriptOf(byte(i), j))
		}
		// On LeaderWorkerSets and Volcano; the observed Secret cannot be read.
		add(byte(i), []byte{}, []byte{1, 1, 0, 0, 1, 0, 1, 0, 1, 3})
		// In an empty cluster, in which nothing changes.
		add(byte(i), []byte{}, []byte{'0', ','})
	}
	for i, manifest := range manifests(f) {
		add(byte(0), manifest, scriptOf(byte(i), 0))
	}
	f.Fuzz(func(t *testing.T, example byte, manifest, script []byte) {
		if len(manifest) > maxManifest {
			return
		}
		if len(manifest) == 0 {
			manifest = examples[int(example)%len(examples)]
		}
		p := &program{bytes: script}
		tree, ok := parse(manifest)
		if !ok {
			return
		}
		life := &life{t: t, chain: c, cluster: e.cluster(p)}
		tree, life.changes = edit.edit(tree, p)
		if absurd(tree, 0) {
			return
		}
		hideValues(tree)
		life.follow(tree, edit, p)
	})
}

// life of one graph.
type life struct {
	t       *testing.T
	chain   *chain
	cluster *cluster
	graph   *graph
	changes []string
	secrets []string
}

// follow the graph: it is composed and observed, and then the program changes something.
func (l *life) follow(tree map[string]any, edit editor, p *program) {
	l.t.Helper()
	defer l.explainPanic()
	g, ok := newGraph(tree)
	if !ok {
		return
	}
	first := l.run(g, l.cluster)
	what := p.below(3)
	if what == 0 || first.fatal != "" {
		l.same(first, l.run(g, l.cluster), "the same request has two answers")
	}
	if first.fatal != "" {
		return
	}
	l.hide(first)
	switch g = g.after(first); what {
	case 0:
		l.settle(g, first)
	case 1:
		l.damaged(g, first, p)
	default:
		l.changed(g, tree, edit, p)
	}
}

// settle checks that the graph comes to rest: what was composed is composed again, and then nothing changes any more.
func (l *life) settle(g *graph, first *answer) {
	l.t.Helper()
	before, err := deterministic.Marshal(g.observed())
	if err != nil {
		return
	}
	second := l.run(g, l.cluster)
	if second.fatal != "" {
		l.failf("what was composed is refused when it is observed: %s", second.fatal)
	}
	if after, err := deterministic.Marshal(g.observed()); err != nil || !bytes.Equal(before, after) {
		l.failf("a step writes to what is observed")
	}
	for key := range merged(first.desired.GetResources(), second.desired.GetResources()) {
		// Its readiness depends on the observed objects.
		one, two := first.desired.GetResources()[key].GetResource(), second.desired.GetResources()[key].GetResource()
		if version := versionOf(two); version != "" && version == versionOf(g.composed[key].GetResource()) {
			two = proto.CloneOf(two) // The number of a scaling adapter is applied on condition of the version that was observed.
			delete(two.GetFields()["metadata"].GetStructValue().GetFields(), "resourceVersion")
		}
		if !proto.Equal(one, two) {
			l.failf("%s is composed in another way when it is observed: -first, +second:\n%s", key, cmp.Diff(one.AsMap(), two.AsMap()))
		}
	}
	if !proto.Equal(first.secret, second.secret) {
		l.failf("the Secret is another one") // Without the difference, which is secret.
	}
	third := l.run(g.after(second), l.cluster)
	if len(third.results) > 0 {
		l.failf("nothing has changed, and there are results: %v", third.results)
	}
	// The warnings may be different ones once the objects exist. Each is emitted once.
	for _, step := range second.steps {
		step.response.Results = nil
	}
	l.same(second, third, "nothing has changed, and the answer does")
}

func versionOf(object *structpb.Struct) string {
	return object.GetFields()["metadata"].GetStructValue().GetFields()["resourceVersion"].GetStringValue()
}

// same fails the test if two answers differ.
func (l *life) same(a, b *answer, otherwise string) {
	l.t.Helper()
	equal := func(form func(*answer) ([]byte, error)) bool {
		one, err := form(a)
		two, errTwo := form(b)
		return err == nil && errTwo == nil && bytes.Equal(one, two)
	}
	if !equal((*answer).others) || !equal((*answer).resources) {
		l.failf("%s: %s", otherwise, differ(a, b))
	}
}

// damaged checks that no observed object is removed if requirements are delivered incorrectly or observed objects are malformed.
func (l *life) damaged(g *graph, before *answer, p *program) {
	l.t.Helper()
	spoiled := l.cluster.spoil(p, requirementsOf(before))
	l.keepsAll(g, l.run(g, spoiled), spoiled)
	g, changes := damage(g, p)
	l.changes = append(l.changes, changes...)
	l.keepsAll(g, l.run(g, l.cluster), l.cluster)
	l.keepsAll(g, l.run(g, spoiled), spoiled)
}

// keepsAll checks that all observed objects are composed under the same names.
func (l *life) keepsAll(g *graph, a *answer, w *cluster) {
	l.t.Helper()
	if a.fatal != "" {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(g.composed)) {
		l.keeps(key, g, a, w)
	}
}

func (l *life) keeps(key string, g *graph, a *answer, w *cluster) {
	l.t.Helper()
	desired, ok := a.desired.GetResources()[key]
	if !ok {
		l.failf("%s is observed, and is given up: %s", key, w)
	}
	observed := g.composed[key].GetResource().GetFields()
	for _, field := range []string{"apiVersion", "kind"} {
		if was, is := observed[field].GetStringValue(), desired.GetResource().GetFields()[field].GetStringValue(); was != is {
			l.failf("%s has %s %s, and gets %s: %s", key, field, was, is, w)
		}
	}
}

// changed checks that a change of the graph removes only the objects that it should remove, and no others if requirements are
// delivered incorrectly.
func (l *life) changed(g *graph, tree map[string]any, edit editor, p *program) {
	l.t.Helper()
	tree, changes := edit.edit(tree, p)
	if len(changes) == 0 || absurd(tree, 0) {
		return
	}
	hideValues(tree)
	g, ok := g.with(tree)
	if !ok || g.uid() != uid {
		return
	}
	l.changes = append(append(l.changes, "then"), changes...)
	wanted := l.run(g, l.cluster)
	if wanted.fatal != "" {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(g.composed)) {
		if _, ok := wanted.desired.GetResources()[key]; !ok && !mayGo(key, tree) {
			l.failf("%s is observed, and is given up", key)
		}
	}
	spoiled := l.cluster.spoil(p, requirementsOf(wanted))
	got := l.run(g, spoiled)
	if got.fatal != "" {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(g.composed)) {
		if _, ok := wanted.desired.GetResources()[key]; ok {
			l.keeps(key, g, got, spoiled)
		}
	}
}

// mayGo reports whether a change of the graph may remove an object that was composed for it.
func mayGo(key string, tree map[string]any) bool {
	services := map[string]map[string]any{}
	for name, component := range childOf(childOf(tree, "spec"), "services") {
		services[strings.ToLower(name)], _ = component.(map[string]any)
	}
	components, _ := childOf(tree, "spec")["components"].([]any)
	for _, item := range components {
		component, _ := item.(map[string]any)
		name, _ := component["name"].(string)
		services[strings.ToLower(name)] = component
	}
	for _, prefix := range []string{"leaderworkerset-", "podgroup-"} {
		if set, ok := strings.CutPrefix(key, prefix); ok {
			at := strings.LastIndex(set, "-")
			replicas, given := services[set[:at]]["replicas"].(float64)
			i, err := strconv.Atoi(set[at+1:])
			return err == nil && given && i >= int(replicas)
		}
	}
	return key != "podcliqueset" && !strings.HasPrefix(key, "deployment-")
}

// run the chain, and look for secrets in everything that it returns and logs.
func (l *life) run(g *graph, w *cluster) *answer {
	l.t.Helper()
	l.graph = g
	a, err := l.chain.run(l.t.Context(), g, w)
	if err != nil {
		l.failf("%v: %s", err, w)
	}
	others, err := a.others()
	if err != nil {
		l.failf("%v: %s", err, w)
	}
	resources, err := a.resources()
	if err != nil {
		l.failf("%v: %s", err, w)
	}
	others = append(others, a.log...)
	for _, secret := range append(l.secrets, foreignSecret) {
		if bytes.Contains(others, []byte(secret)) || bytes.Contains(resources, []byte(secret)) {
			l.failf("an answer contains a secret: %s", w)
		}
	}
	// Values of variables belong only in pods.
	if bytes.Contains(others, []byte(ownSecret)) {
		l.failf("an answer contains the value of a variable: %s", w)
	}
	return a
}

// hide the generated key: from now on, it is looked for in plain text and in its encodings.
func (l *life) hide(a *answer) {
	encoded := a.secret.GetFields()["private.key"].GetStringValue()
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if encoded == "" || err != nil {
		return
	}
	lines := strings.Split(string(plain), "\n")
	l.secrets = append(l.secrets, encoded[40:80], lines[len(lines)/2])
}

func (l *life) explainPanic() {
	l.t.Helper()
	if p := recover(); p != nil {
		l.failf("a panic: %v\n%s", p, debug.Stack())
	}
}

// failf with everything that is needed to reproduce the failure.
func (l *life) failf(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\n\n%s\nchanges: %s\nobserved: %s\ngraph:\n%s", fmt.Sprintf(format, args...), l.cluster,
		strings.Join(l.changes, "; "), strings.Join(slices.Sorted(maps.Keys(l.graph.composed)), ", "), l.graph)
}

// requirementsOf all steps, sorted.
func requirementsOf(a *answer) []string {
	names := map[string]bool{}
	for _, step := range a.steps {
		r := step.response.GetRequirements()
		for name := range r.GetResources() {
			names[name] = true
		}
		for name := range r.GetExtraResources() { //nolint:staticcheck // What older versions of Crossplane are asked with.
			names[name] = true
		}
		for name := range r.GetSchemas() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// absurd reports whether a manifest has numbers or a depth that this test does not try.
func absurd(node any, depth int) bool {
	switch typed := node.(type) {
	case map[string]any:
		for name, child := range typed {
			number, ok := child.(float64)
			if ok && number > maxCount && (name == "replicas" || name == "nodeCount" || name == "minReplicas") || absurd(child, depth+1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(typed, func(child any) bool { return absurd(child, depth+1) })
	}
	return depth > 200
}

// modelVariable matches a flag that takes the name of a model from a variable. The status reports this name.
var modelVariable = regexp.MustCompile(`--(?:served-model-name|model-name|model|model-path)[ =]["']?\$[({]?([A-Za-z_][A-Za-z0-9_]*)`)

// hideValues makes the values of variables secret, except for names of models.
func hideValues(node any) {
	switch typed := node.(type) {
	case map[string]any:
		models := map[string]bool{}
		for _, found := range modelVariable.FindAllStringSubmatch(fmt.Sprint(typed["command"], typed["args"]), -1) {
			models[found[1]] = true
		}
		for _, name := range []string{"env", "envs"} {
			list, _ := typed[name].([]any)
			for _, item := range list {
				variable, _ := item.(map[string]any)
				// Variables that begin with DYN_ configure the graph itself.
				if name, _ := variable["name"].(string); variable["value"] != nil && !strings.HasPrefix(name, "DYN_") && !models[name] {
					variable["value"] = ownSecret
				}
			}
		}
		for _, child := range typed {
			hideValues(child)
		}
	case []any:
		for _, child := range typed {
			hideValues(child)
		}
	}
}

// scriptOf a seed: arbitrary bytes that are the same each time.
func scriptOf(i, j byte) []byte {
	script := sha256.Sum256([]byte{i, j})
	script[0], script[4] = i+j, j // Each in some clusters; and nothing, or all kinds of things, happen to it.
	if j < 3 {
		script[1], script[2], script[3] = 1+8*j, 0, 0
	}
	return script[:]
}

// examples of the repository in both versions, as JSON.
func examples(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, example := range slices.Concat(harness.ExamplesV1alpha1(t), harness.Examples(t)) {
		all = append(all, manifestOf(t, example.XR))
	}
	return all
}

func manifestOf(t testing.TB, path string) []byte {
	t.Helper()
	encoded, err := json.Marshal(harness.Read(t, path)[0].Object)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// manifests of the corpus, if it is available, and some invalid graphs.
func manifests(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, path := range shared.Sample(24) {
		if info, err := os.Stat(path); err == nil && info.Size() < 8<<10 {
			all = append(all, manifestOf(t, path))
		}
	}
	for _, invalid := range []string{
		`{}`, `{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"b"}}`, `{"metadata":null,"spec":[]}`,
		`{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"b"},"spec":{"services":{"":{},"A":{"replicas":"1"},"a":null}}}`,
		`{"kind":"XDynamoGraphDeployment","metadata":{"name":"a"},"spec":{"claimRef":1,"services":[]},"status":{"conditions":[1,{"type":2}],"orchestrator":"Grove"}}`,
		`{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"b"},"spec":{"components":[{"name":""},{"name":"A","replicas":"1"},{"name":"A"},null]}}`,
		`{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"b","annotations":{"nvidia.com/dgd-spec":"{\"services\":1}"}},"spec":{"components":{"a":{}}}}`,
		"kind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\nspec: {unknown: 1, services: {w: {componentType: worker, multinode: {nodeCount: 2}}}}\n",
	} {
		all = append(all, []byte(invalid))
	}
	return all
}

func merged[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
