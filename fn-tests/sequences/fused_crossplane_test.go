package sequences

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// callers that send different information to functions, and call them with different frequency.
func callers() map[string]pipeline.Caller {
	all := map[string]pipeline.Caller{"v2.0": pipeline.Old(), "v2.4": pipeline.Crossplane(), "render": pipeline.Renderer()}
	for version, c := range all {
		// Hashing a request takes as long as sending it, and nothing here depends on the hash.
		c.Tag = "request"
		all[version] = c
	}
	return all
}

// stepsOf a Composition.
func stepsOf(t testing.TB, composition string) []pipeline.Step {
	t.Helper()
	functions := crossplane.Servers(logging.NewNopLogger())
	if !filepath.IsAbs(composition) {
		composition = filepath.Join(harness.Root(), composition)
	}
	read, err := crossplane.ReadPipeline(composition)
	if err != nil {
		t.Fatal(err)
	}
	var steps []pipeline.Step
	for _, s := range read.Steps {
		if functions[s.Function] == nil {
			t.Fatalf("%s has a function that this test does not know: %s", composition, s.Function)
		}
		next := s.Step
		next.Function = pipeline.OverTheWire(functions[s.Function])
		steps = append(steps, next)
	}
	return steps
}

// A cluster contains the objects that functions may require.
type cluster []object

// An object of the cluster, in both forms that are needed.
type object struct {
	*unstructured.Unstructured

	resource *fnv1.Resource
}

func newObject(o *unstructured.Unstructured) object {
	return object{o, &fnv1.Resource{Resource: toStruct(o.Object)}}
}

func newCluster(t testing.TB, path string) cluster {
	t.Helper()
	var all cluster
	for _, o := range harness.Read(t, path) {
		all = append(all, newObject(o))
	}
	return all
}

// with the observed composed resources, and the children that Grove creates from them.
func (c cluster) with(observed *fnv1.State) cluster {
	all := slices.Clone(c)
	for _, r := range observed.GetResources() {
		o := object{&unstructured.Unstructured{Object: r.GetResource().AsMap()}, r}
		all = append(all, o)
		if o.GetKind() == "PodCliqueSet" {
			all = append(all, children(o, "cliques", "PodClique")...)
			all = append(all, children(o, "podCliqueScalingGroups", "PodCliqueScalingGroup")...)
		}
	}
	return all
}

// children of a PodCliqueSet.
func children(set object, list, kind string) cluster {
	templates, _, _ := unstructured.NestedSlice(set.Object, "spec", "template", list)
	var all cluster
	for _, template := range templates {
		fields, _ := template.(map[string]any)
		child := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": set.GetAPIVersion(), "kind": kind,
			"spec":   map[string]any{"replicas": int64(1)},
			"status": map[string]any{"observedGeneration": int64(1), "replicas": int64(1), "readyReplicas": int64(1)},
		}}
		child.SetName(fmt.Sprintf("%s-0-%v", set.GetName(), fields["name"]))
		child.SetNamespace(set.GetNamespace())
		child.SetGeneration(1)
		child.SetLabels(map[string]string{"app.kubernetes.io/part-of": set.GetName()})
		all = append(all, newObject(child))
	}
	return all
}

// Resources that selectors select.
func (c cluster) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	all := make(map[string]*fnv1.Resources, len(selectors))
	for name, s := range selectors {
		all[name] = &fnv1.Resources{}
		for _, o := range c {
			if pipeline.Selects(s, o.Unstructured) {
				all[name].Items = append(all[name].Items, o.resource)
			}
		}
	}
	return all, nil
}

// Schemas of kinds. They exist if the cluster has an APIService for their group.
func (c cluster) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	all := make(map[string]*fnv1.Schema, len(selectors))
	for name, s := range selectors {
		all[name] = &fnv1.Schema{}
		for _, o := range c {
			if group, _, _ := unstructured.NestedString(o.Object, "spec", "group"); o.GetKind() == "APIService" && group+"/v1alpha1" == s.GetApiVersion() {
				all[name].OpenapiV3 = toStruct(map[string]any{"type": "object"})
			}
		}
	}
	return all, nil
}

// An outcome of a pipeline contains what Crossplane collects from all responses, as a single response, and the number of calls of the
// function that was called most.
type outcome struct {
	*fnv1.RunFunctionResponse

	calls int
}

func (o *outcome) fatal() bool { return pipeline.Fatal(o.RunFunctionResponse) != nil }

// reconcile once, as a version of Crossplane does.
func reconcile(ctx context.Context, c pipeline.Caller, steps []pipeline.Step, observed *fnv1.State, in cluster) (*outcome, error) {
	run, err := c.Run(ctx, steps, observed, &structpb.Struct{}, in)
	if err != nil {
		return nil, err
	}
	all := &outcome{RunFunctionResponse: &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{}, Requirements: &fnv1.Requirements{}}}
	for _, call := range run.Calls {
		pipeline.Gather(all.RunFunctionResponse, call.Response)
		proto.Merge(all.Requirements, call.Response.GetRequirements())
		all.calls = max(all.calls, len(call.Requests))
	}
	all.Meta.Ttl = durationpb.New(all.GetMeta().GetTtl().AsDuration().Round(time.Millisecond))
	return all, nil
}

func toStruct(content map[string]any) *structpb.Struct {
	data, err := json.Marshal(content)
	s := &structpb.Struct{}
	if err == nil {
		err = protojson.Unmarshal(data, s)
	}
	if err != nil {
		panic(fmt.Sprintf("cannot encode what was read from a file: %v", err))
	}
	return s
}
