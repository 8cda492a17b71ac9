package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/labels"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// foreignSecret is contained in all Secrets of other owners that are delivered to the functions.
const foreignSecret = "hunter2-of-another-owner"

// clusters of the examples.
var clusters = []string{"grove-kai", "lws-volcano", "all", "none", "grove"}

// policies are inputs of step plan.
var policies = []string{
	``,
	`{"mnnvl":{"mode":"Auto"}}`,
	`{"mnnvl":{"mode":"Auto","scope":"Replica"},"kai":{"mode":"Disabled"}}`,
	`{"mnnvl":{"mode":"Grove"},"grove":{"topologyDialect":"PackDomain"}}`,
	`{"lws":{"gangProvider":"LWS"},"topology":{"allowWithoutKAI":true,"profiles":[{"name":"fleet","levels":[{"domain":"zone","key":"z"},{"domain":"rack","key":"r"}]}]}}`,
	`{"infrastructure":{"natsAddress":"nats://n:4222","etcdAddress":"e:2379"},"ingress":{"className":"nginx","hostSuffix":"example.org"},"imagePullSecrets":[{"registry":"nvcr.io","secretName":"registry"}]}`,
}

// delivery is how a required resource is delivered.
type delivery int

const (
	asItIs delivery = iota
	notFound
	neverLookedUp
	ofSomebodyElse
	garbled
	withoutObject
	deliveries
)

func (d delivery) String() string {
	return [...]string{"as it is", "not found", "never looked up", "of another owner", "garbled", "an entry without an object"}[d]
}

// cluster is everything that the functions see in addition to the graph.
type cluster struct {
	name         string
	objects      []*structpb.Struct
	input        *structpb.Struct
	capabilities []fnv1.Capability
	// bootstraps is true if Crossplane looks up what the Composition declares.
	bootstraps bool
	// older is true if Crossplane delivers in extra_resources only.
	older bool
	// served are kinds whose schemas are delivered.
	served bool
	// spoiled are requirements that are delivered incorrectly.
	spoiled map[string]delivery
}

func (w *cluster) String() string {
	parts := []string{fmt.Sprintf("cluster %s, bootstrap requirements %t, extra resources %t, schemas %t", w.name, w.bootstraps, w.older, w.served)}
	if w.input != nil {
		parts = append(parts, fmt.Sprint("input ", w.input.AsMap()))
	}
	for _, name := range slices.Sorted(maps.Keys(w.spoiled)) {
		parts = append(parts, fmt.Sprintf("requirement %s %s", name, w.spoiled[name]))
	}
	return strings.Join(parts, ", ")
}

// environment is what clusters consist of.
type environment struct {
	objects map[string][]*structpb.Struct
	driver  []*structpb.Struct
	inputs  []*structpb.Struct
}

func newEnvironment(t testing.TB) environment {
	t.Helper()
	e := environment{objects: map[string][]*structpb.Struct{}}
	for _, object := range harness.Driver(t) {
		e.driver = append(e.driver, mustStruct(object.Object))
	}
	for _, name := range clusters {
		for _, object := range harness.Read(t, "examples/cluster/"+name+".yaml") {
			s, err := structpb.NewStruct(object.Object)
			if err != nil {
				t.Fatal(err)
			}
			e.objects[name] = append(e.objects[name], s)
		}
	}
	for _, policy := range policies {
		var input *structpb.Struct
		if policy != "" {
			input = &structpb.Struct{}
			if err := input.UnmarshalJSON([]byte(policy)); err != nil {
				t.Fatal(err)
			}
			input.Fields["apiVersion"] = structpb.NewStringValue("plan.dynamo.nvidia.com/v1alpha1")
			input.Fields["kind"] = structpb.NewStringValue("Input")
		}
		e.inputs = append(e.inputs, input)
	}
	return e
}

// cluster that the program chooses.
func (e environment) cluster(p *program) *cluster {
	name := clusters[p.below(len(clusters))]
	flags := p.next()
	w := &cluster{
		name: name, objects: e.objects[name], input: e.inputs[p.below(len(e.inputs))],
		bootstraps: flags&1 != 0, older: flags&2 != 0, served: flags&4 != 0,
	}
	if flags&16 != 0 || w.input.GetFields()["mnnvl"] != nil {
		w.objects = slices.Concat(w.objects, e.driver)
	}
	if w.older {
		w.bootstraps = false
		return w
	}
	w.capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	if flags&8 != 0 {
		w.capabilities = append(w.capabilities, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	}
	return w
}

// spoil the delivery of requirements that the program chooses.
func (w *cluster) spoil(p *program, names []string) *cluster {
	spoiled := *w
	spoiled.spoiled = map[string]delivery{}
	all := delivery(p.below(2 * int(deliveries)))
	for _, name := range names {
		// Often all of them are spoiled in the same way.
		d := all
		if all >= deliveries {
			d = delivery(p.below(int(deliveries)))
		}
		if d != asItIs {
			spoiled.spoiled[name] = d
		}
	}
	return &spoiled
}

// deliver the selected objects.
func (w *cluster) deliver(selectors map[string]*fnv1.ResourceSelector, g *graph) map[string]*fnv1.Resources {
	all := map[string]*fnv1.Resources{}
	for name, selector := range selectors {
		switch w.spoiled[name] {
		case neverLookedUp:
		case notFound:
			all[name] = &fnv1.Resources{}
		case withoutObject:
			all[name] = &fnv1.Resources{Items: []*fnv1.Resource{{}}}
		case ofSomebodyElse:
			all[name] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: strange(selector, g)}}}
		case garbled:
			all[name] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: garbage(selector)}}}
		default:
			all[name] = w.find(selector, g)
		}
	}
	return all
}

func (w *cluster) find(selector *fnv1.ResourceSelector, g *graph) *fnv1.Resources {
	found := &fnv1.Resources{}
	for _, object := range slices.Concat(w.objects, g.objects(), g.children()) {
		if selects(selector, object) {
			found.Items = append(found.Items, &fnv1.Resource{Resource: object})
		}
	}
	return found
}

func selects(selector *fnv1.ResourceSelector, object *structpb.Struct) bool {
	if object.GetFields()["apiVersion"].GetStringValue() != selector.GetApiVersion() || object.GetFields()["kind"].GetStringValue() != selector.GetKind() {
		return false
	}
	metadata := object.GetFields()["metadata"].GetStructValue().GetFields()
	if metadata["namespace"].GetStringValue() != selector.GetNamespace() {
		return false
	}
	if selector.GetMatchLabels() == nil {
		return metadata["name"].GetStringValue() == selector.GetMatchName()
	}
	have := labels.Set{}
	for key, value := range metadata["labels"].GetStructValue().GetFields() {
		have[key] = value.GetStringValue()
	}
	return labels.SelectorFromSet(selector.GetMatchLabels().GetLabels()).Matches(have)
}

// strange is a selected object of another owner, which contains a secret.
func strange(selector *fnv1.ResourceSelector, g *graph) *structpb.Struct {
	wanted := map[string]any{}
	for key, value := range selector.GetMatchLabels().GetLabels() {
		wanted[key] = value
	}
	return mustStruct(map[string]any{
		"apiVersion": selector.GetApiVersion(), "kind": selector.GetKind(),
		"metadata": map[string]any{
			"name": selector.GetMatchName(), "namespace": selector.GetNamespace(), "labels": wanted,
			"ownerReferences": []any{map[string]any{"uid": g.uid() + "-not", "controller": true, "kind": "Other", "name": "other"}},
		},
		"data": map[string]any{"private.key": foreignSecret},
		"spec": map[string]any{}, "status": map[string]any{},
	})
}

// garbage is a malformed object of a kind and a name.
func garbage(selector *fnv1.ResourceSelector) *structpb.Struct {
	return mustStruct(map[string]any{
		"apiVersion": selector.GetApiVersion(), "kind": selector.GetKind(),
		"metadata": map[string]any{"name": selector.GetMatchName(), "labels": "none", "ownerReferences": map[string]any{}, "uid": 7.0},
		"spec":     []any{foreignSecret}, "status": 1.0, "data": foreignSecret,
	})
}

// schemas of kinds.
func (w *cluster) schemas(selectors map[string]*fnv1.SchemaSelector) map[string]*fnv1.Schema {
	all := map[string]*fnv1.Schema{}
	for name := range selectors {
		switch {
		case w.spoiled[name] == neverLookedUp:
		case w.served && w.spoiled[name] == asItIs:
			all[name] = &fnv1.Schema{OpenapiV3: mustStruct(map[string]any{"type": "object"})}
		default:
			all[name] = &fnv1.Schema{}
		}
	}
	return all
}

func mustStruct(tree map[string]any) *structpb.Struct {
	s, err := structpb.NewStruct(tree)
	if err != nil {
		panic(err)
	}
	return s
}
