package determinism

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
)

// chain runs the functions in this process, thousands of times: a process for each render would take minutes. It does of what
// Crossplane does only what functions can see.
type chain struct {
	steps   []step
	cluster []object
}

// object of the cluster, in the two forms in which it is needed.
type object struct {
	*unstructured.Unstructured

	resource *fnv1.Resource
}

type step struct {
	name     string
	function fnv1.FunctionRunnerServiceServer
	input    *structpb.Struct
}

// maxCalls is how often Crossplane calls a function whose requirements change.
const maxCalls = 5

func newChain(t *testing.T, composition, cluster string) *chain {
	t.Helper()
	functions := map[string]fnv1.FunctionRunnerServiceServer{
		"plan":          plan.NewFunction(logging.NewNopLogger()),
		"foundation":    foundation.NewFunction(logging.NewNopLogger()),
		"grove":         grove.NewFunction(logging.NewNopLogger()),
		"lws":           lws.NewFunction(logging.NewNopLogger()),
		"computedomain": computedomain.NewFunction(logging.NewNopLogger()),
		"sshsecret":     sshsecret.NewFunction(logging.NewNopLogger()),
		"status":        status.NewFunction(logging.NewNopLogger()),
	}
	c := &chain{}
	for _, o := range harness.Read(t, cluster) {
		c.cluster = append(c.cluster, object{o, &fnv1.Resource{Resource: toStruct(t, o.Object)}})
	}
	pipeline, _, err := unstructured.NestedSlice(harness.Read(t, composition)[0].Object, "spec", "pipeline")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range pipeline {
		content, _ := s.(map[string]any)
		name, _, _ := unstructured.NestedString(content, "step")
		if functions[name] == nil {
			t.Fatalf("Composition %s has a step that this test does not know: %q", composition, name)
		}
		next := step{name: name, function: functions[name]}
		if input, ok := content["input"].(map[string]any); ok {
			next.input = toStruct(t, input)
		}
		c.steps = append(c.steps, next)
	}
	return c
}

// run the chain, and return everything that the functions answered, in a form that is equal exactly when they are.
func (c *chain) run(ctx context.Context, xr *structpb.Struct) ([]byte, error) {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES,
			fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
	}
	var answers []byte
	for _, s := range c.steps {
		rsp, err := c.call(ctx, s, req)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", s.name, err)
		}
		mask(rsp)
		answer, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the answer of step %s: %w", s.name, err)
		}
		answers = append(answers, answer...)
		for _, result := range rsp.GetResults() {
			if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				return answers, nil
			}
		}
		req.Desired, req.Context = rsp.GetDesired(), rsp.GetContext()
	}
	return answers, nil
}

// call one function until its requirements no longer change.
func (c *chain) call(ctx context.Context, s step, before *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	req := &fnv1.RunFunctionRequest{
		Meta: before.GetMeta(), Observed: before.GetObserved(), Desired: before.GetDesired(), Context: before.GetContext(), Input: s.input,
	}
	var required *fnv1.Requirements
	for range maxCalls {
		rsp, err := s.function.RunFunction(ctx, req)
		if err != nil {
			return nil, err
		}
		if proto.Equal(required, rsp.GetRequirements()) {
			return rsp, nil
		}
		required = rsp.GetRequirements()
		req.Context = rsp.GetContext()
		req.RequiredResources = map[string]*fnv1.Resources{}
		for name, selector := range required.GetResources() {
			req.RequiredResources[name] = c.find(selector)
		}
	}
	return nil, errors.New("its requirements change with every call")
}

// find what a selector selects.
func (c *chain) find(selector *fnv1.ResourceSelector) *fnv1.Resources {
	found := &fnv1.Resources{}
	for _, o := range c.cluster {
		if o.GetAPIVersion() != selector.GetApiVersion() || o.GetKind() != selector.GetKind() || o.GetNamespace() != selector.GetNamespace() {
			continue
		}
		byName := selector.GetMatchName() != "" && o.GetName() == selector.GetMatchName()
		byLabels := selector.GetMatchLabels() != nil && labels.SelectorFromSet(selector.GetMatchLabels().GetLabels()).Matches(labels.Set(o.GetLabels()))
		if byName || byLabels {
			found.Items = append(found.Items, o.resource)
		}
	}
	return found
}

// mask the data of Secrets, which are random.
func mask(rsp *fnv1.RunFunctionResponse) {
	for _, resource := range rsp.GetDesired().GetResources() {
		fields := resource.GetResource().GetFields()
		if fields["kind"].GetStringValue() == "Secret" {
			for _, key := range slices.Collect(maps.Keys(fields["data"].GetStructValue().GetFields())) {
				fields["data"].GetStructValue().Fields[key] = structpb.NewStringValue("(masked)")
			}
		}
	}
}

func toStruct(t *testing.T, content map[string]any) *structpb.Struct {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	s := &structpb.Struct{}
	if err := protojson.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// differ describes where two runs part, in a few words.
func differ(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	around := func(x []byte) string {
		return strings.ToValidUTF8(string(x[max(0, i-80):min(len(x), i+40)]), "?")
	}
	return fmt.Sprintf("%q and %q", around(a), around(b))
}
