package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

const uid = "6f1c2a52-6a0c-4dfb-9d1e-0d3a8e1f9b11"

// graph is a graph as Crossplane observes it.
type graph struct {
	tree     map[string]any
	xr       *structpb.Struct
	composed map[string]*fnv1.Resource
	// scaled is by how many replicas the live children of a PodCliqueSet differ from it. If it is negative, they do not exist.
	scaled int
}

// newGraph of a manifest, for which nothing has been composed yet.
func newGraph(tree map[string]any) (*graph, bool) {
	xr, err := structpb.NewStruct(tree)
	if err != nil {
		return nil, false
	}
	return &graph{tree: tree, xr: xr, composed: map[string]*fnv1.Resource{}, scaled: -1}, true
}

// parse a manifest in JSON or YAML, and set what the API server sets.
func parse(manifest []byte) (map[string]any, bool) {
	tree := map[string]any{}
	if bytes.HasPrefix(manifest, []byte("{")) {
		if json.Unmarshal(manifest, &tree) != nil {
			return nil, false
		}
	} else if yaml.Unmarshal(manifest, &tree) != nil || tree == nil {
		return nil, false
	}
	if metadata, ok := tree["metadata"].(map[string]any); ok {
		metadata["uid"] = uid
	}
	return tree, true
}

func (g *graph) uid() string { return g.metadata()["uid"].GetStringValue() }

func (g *graph) metadata() map[string]*structpb.Value {
	return g.xr.GetFields()["metadata"].GetStructValue().GetFields()
}

// observed state.
func (g *graph) observed() *fnv1.State {
	return &fnv1.State{Composite: &fnv1.Resource{Resource: g.xr}, Resources: g.composed}
}

func (g *graph) objects() []*structpb.Struct {
	var all []*structpb.Struct
	for _, key := range slices.Sorted(maps.Keys(g.composed)) {
		all = append(all, g.composed[key].GetResource())
	}
	return all
}

// children that Grove creates for the PodCliqueSet.
func (g *graph) children() []*structpb.Struct {
	set := g.composed["podcliqueset"].GetResource()
	if set == nil || g.scaled < 0 {
		return nil
	}
	template := set.GetFields()["spec"].GetStructValue().GetFields()["template"].GetStructValue().GetFields()
	metadata := set.GetFields()["metadata"].GetStructValue().GetFields()
	name := metadata["name"].GetStringValue()
	var all []*structpb.Struct
	add := func(kind, part string, replicas float64) {
		all = append(all, mustStruct(map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": kind,
			"metadata": map[string]any{
				"name": name + "-0-" + part, "namespace": metadata["namespace"].GetStringValue(), "generation": 1.0, "uid": "uid-" + part,
				"labels": map[string]any{"app.kubernetes.io/part-of": name},
			},
			"spec":   map[string]any{"replicas": replicas + float64(g.scaled)},
			"status": map[string]any{"observedGeneration": 1.0, "replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas, "updatedReplicas": replicas},
		}))
	}
	for _, clique := range template["cliques"].GetListValue().GetValues() {
		fields := clique.GetStructValue().GetFields()
		add("PodClique", fields["name"].GetStringValue(), fields["spec"].GetStructValue().GetFields()["replicas"].GetNumberValue())
	}
	for _, group := range template["podCliqueScalingGroups"].GetListValue().GetValues() {
		fields := group.GetStructValue().GetFields()
		add("PodCliqueScalingGroup", fields["name"].GetStringValue(), fields["replicas"].GetNumberValue())
	}
	return all
}

// after returns the graph after Crossplane has applied an answer.
func (g *graph) after(a *answer) *graph {
	next := &graph{tree: g.tree, xr: proto.CloneOf(g.xr), composed: map[string]*fnv1.Resource{}, scaled: g.scaled}
	var references []any
	for _, key := range slices.Sorted(maps.Keys(a.desired.GetResources())) {
		object := proto.CloneOf(a.desired.GetResources()[key].GetResource())
		if key == secretKey {
			object.Fields["data"] = structpb.NewStructValue(a.secret)
		}
		next.composed[key] = &fnv1.Resource{
			Resource:          live(object, key, g.uid(), g.composed[key].GetResource()),
			ConnectionDetails: map[string][]byte{"password": []byte(foreignSecret)},
		}
		fields := object.GetFields()
		references = append(references, map[string]any{
			"apiVersion": fields["apiVersion"].GetStringValue(), "kind": fields["kind"].GetStringValue(),
			"name": fields["metadata"].GetStructValue().GetFields()["name"].GetStringValue(),
		})
	}
	if spec := next.xr.GetFields()["spec"].GetStructValue(); spec != nil {
		machinery := mustStruct(map[string]any{"resourceRefs": references})
		spec.Fields["crossplane"] = structpb.NewStructValue(machinery)
	}
	next.xr.Fields["status"] = structpb.NewStructValue(g.status(a))
	return next
}

// live returns an object as it is in the cluster after it was applied.
func live(object *structpb.Struct, key, owner string, before *structpb.Struct) *structpb.Struct {
	metadata := object.GetFields()["metadata"].GetStructValue()
	if metadata == nil {
		return object
	}
	set := func(name string, value any) { metadata.Fields[name], _ = structpb.NewValue(value) }
	annotations := metadata.GetFields()["annotations"].GetStructValue()
	if annotations == nil {
		annotations = mustStruct(map[string]any{})
	}
	annotations.Fields["crossplane.io/composition-resource-name"] = structpb.NewStringValue(key)
	metadata.Fields["annotations"] = structpb.NewStructValue(annotations)
	set("uid", "uid-of-"+key)
	set("resourceVersion", "1")
	set("generation", 1.0)
	set("creationTimestamp", "2026-01-01T00:00:00Z")
	set("ownerReferences", []any{map[string]any{"uid": owner, "controller": true, "kind": "DynamoGraphDeployment", "name": "graph"}})
	if status, ok := before.GetFields()["status"]; ok {
		object.Fields["status"] = status
	}
	return object
}

// conditions that the steps returned.
func (a *answer) conditions() []*fnv1.Condition {
	var all []*fnv1.Condition
	for _, s := range a.steps {
		all = append(all, s.response.GetConditions()...)
	}
	return all
}

// status of the composite resource after an answer.
func (g *graph) status(a *answer) *structpb.Struct {
	status := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	maps.Copy(status.GetFields(), a.desired.GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields())
	conditions := map[string]any{}
	for _, c := range g.xr.GetFields()["status"].GetStructValue().GetFields()["conditions"].GetListValue().GetValues() {
		conditions[c.GetStructValue().GetFields()["type"].GetStringValue()] = c.AsInterface()
	}
	for _, c := range a.conditions() {
		word := map[fnv1.Status]string{fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False"}[c.GetStatus()]
		if word == "" {
			word = "Unknown"
		}
		conditions[c.GetType()] = map[string]any{
			"type": c.GetType(), "status": word, "reason": c.GetReason(), "message": c.GetMessage(), "lastTransitionTime": "2026-01-01T00:00:00Z",
		}
	}
	var list []any
	for _, conditionType := range slices.Sorted(maps.Keys(conditions)) {
		list = append(list, conditions[conditionType])
	}
	status.Fields["conditions"], _ = structpb.NewValue(list)
	return status
}

// with another manifest, while the same objects are observed.
func (g *graph) with(tree map[string]any) (*graph, bool) {
	next, ok := newGraph(tree)
	if !ok {
		return nil, false
	}
	next.composed, next.scaled = g.composed, g.scaled
	if status, ok := g.xr.GetFields()["status"]; ok {
		next.xr.Fields["status"] = status
	}
	machinery, ok := g.xr.GetFields()["spec"].GetStructValue().GetFields()["crossplane"]
	if spec := next.xr.GetFields()["spec"].GetStructValue(); ok && spec != nil {
		spec.Fields["crossplane"] = machinery
	}
	return next, true
}

func (g *graph) String() string {
	text, err := yaml.Marshal(g.xr.AsMap())
	if err != nil {
		return fmt.Sprint(g.tree)
	}
	return string(text)
}
