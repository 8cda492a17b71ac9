package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// secretKey is the key of the only resource that holds a secret.
const secretKey = "ssh-secret"

// maxCalls is how often Crossplane calls a function whose requirements change: once, and five times again.
const maxCalls = 6

// step of the pipeline.
type step struct {
	name     string
	function fnv1.FunctionRunnerServiceServer
	// bootstrap are the requirements that the Composition declares.
	bootstrap map[string]*fnv1.ResourceSelector
}

// chain of the Composition. No panic is recovered.
type chain struct {
	steps []step
	log   *bytes.Buffer
}

func newChain(t testing.TB) *chain {
	t.Helper()
	c := &chain{log: &bytes.Buffer{}}
	log := logging.NewLogrLogger(funcr.New(func(prefix, args string) { c.log.WriteString(prefix + args + "\n") }, funcr.Options{Verbosity: 10}))
	functions := crossplane.Servers(log)
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range pipeline.Steps {
		if functions[s.Function] == nil {
			t.Fatalf("the Composition has a step that this test does not know: %q", s.Name)
		}
		c.steps = append(c.steps, step{name: s.Name, function: functions[s.Function], bootstrap: s.Bootstrap})
	}
	return c
}

// answer is what a run of the chain comes to.
type answer struct {
	// steps are the last answers of the steps that ran, all but the resources that they desire.
	steps []said
	// desired by the last step, the data of the Secret set apart.
	desired *fnv1.State
	secret  *structpb.Struct
	// log is what was logged.
	log string
	// fatal is the message of the step that ended the run; empty: it went through.
	fatal string
	// results of all steps.
	results []*fnv1.Result
}

// said by a step.
type said struct {
	step     string
	response *fnv1.RunFunctionResponse
}

// run the chain over a graph in a cluster, as Crossplane does. What breaks the contract between the two is an error.
func (c *chain) run(ctx context.Context, g *graph, w *cluster) (*answer, error) {
	c.log.Reset()
	a := &answer{desired: &fnv1.State{}}
	pipeline := &structpb.Struct{}
	for _, s := range c.steps {
		rsp, err := c.call(ctx, s, w, g, &fnv1.RunFunctionRequest{
			Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: w.capabilities}, Observed: g.observed(), Desired: a.desired, Context: pipeline,
		})
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", s.name, err)
		}
		a.desired, pipeline = rsp.GetDesired(), rsp.GetContext()
		a.steps = append(a.steps, said{step: s.name, response: withoutResources(rsp)})
		a.results = append(a.results, rsp.GetResults()...)
		if a.fatal = fatalOf(rsp); a.fatal != "" {
			break
		}
	}
	a.log = c.log.String()
	a.takeSecret()
	return a, nil
}

// takeSecret out of what is desired, so that it is found wherever else it is.
func (a *answer) takeSecret() {
	if secret, ok := a.desired.GetResources()[secretKey]; ok {
		a.secret = secret.GetResource().GetFields()["data"].GetStructValue()
		delete(secret.GetResource().GetFields(), "data")
	}
}

func withoutResources(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta: rsp.GetMeta(), Results: rsp.GetResults(), Conditions: rsp.GetConditions(), Context: rsp.GetContext(),
		Requirements: rsp.GetRequirements(), Desired: &fnv1.State{Composite: rsp.GetDesired().GetComposite()},
	}
}

func fatalOf(rsp *fnv1.RunFunctionResponse) string {
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return result.GetMessage()
		}
	}
	return ""
}

// told is all that was answered but the resources, in a form that is equal exactly when it is. Bytes that gRPC could not send
// are an error.
func (a *answer) told() ([]byte, error) {
	var all []byte
	for _, s := range a.steps {
		encoded, err := deterministic.Marshal(s.response)
		if err != nil {
			return nil, fmt.Errorf("step %s: the answer cannot be sent: %w", s.step, err)
		}
		all = append(all, encoded...)
	}
	return all, nil
}

// resources that are desired, in such a form.
func (a *answer) resources() ([]byte, error) {
	encoded, err := deterministic.Marshal(a.desired)
	if err != nil {
		return nil, fmt.Errorf("the desired state cannot be sent: %w", err)
	}
	return encoded, nil
}

var deterministic = proto.MarshalOptions{Deterministic: true}

// call one function until its requirements no longer change.
func (c *chain) call(ctx context.Context, s step, w *cluster, g *graph, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if s.name == "plan" {
		req.Input = w.input
	}
	bootstrap := map[string]*fnv1.Resources{}
	if w.bootstraps {
		bootstrap = w.deliver(s.bootstrap, g)
	}
	req.RequiredResources = bootstrap
	req.Credentials = map[string]*fnv1.Credentials{"registry": {Source: &fnv1.Credentials_CredentialData{
		CredentialData: &fnv1.CredentialData{Data: map[string][]byte{"password": []byte(foreignSecret)}},
	}}}
	var required *fnv1.Requirements
	for range maxCalls {
		rsp, err := s.function.RunFunction(ctx, c.received(s, w, req))
		if err != nil {
			return nil, err
		}
		if proto.Equal(required, rsp.GetRequirements()) || fatalOf(rsp) != "" {
			return rsp, nil
		}
		required = rsp.GetRequirements()
		req.Context = rsp.GetContext()
		delivered := maps.Clone(bootstrap)
		maps.Copy(delivered, w.deliver(required.GetResources(), g))
		maps.Copy(delivered, w.deliver(required.GetExtraResources(), g)) //nolint:staticcheck // What older versions of Crossplane are asked with.
		req.RequiredResources = delivered
		req.RequiredSchemas = w.schemas(required.GetSchemas())
	}
	return nil, fmt.Errorf("its requirements change with every call, last to %v", required)
}

// received is a request of which a function may change what it may: an answer shares its desired state and its context with
// the request. Only computedomain changes the objects that others desire, which is why all others do without a deep copy.
func (*chain) received(s step, w *cluster, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	desired := &fnv1.State{Composite: proto.CloneOf(req.GetDesired().GetComposite()), Resources: maps.Clone(req.GetDesired().GetResources())}
	if s.name == "computedomain" {
		desired = proto.CloneOf(req.GetDesired())
	}
	own := &fnv1.RunFunctionRequest{
		Meta: req.GetMeta(), Observed: req.GetObserved(), Input: req.GetInput(), Credentials: req.GetCredentials(),
		RequiredResources: req.GetRequiredResources(), RequiredSchemas: req.GetRequiredSchemas(),
		Desired: desired, Context: proto.CloneOf(req.GetContext()),
	}
	if w.older {
		own.ExtraResources, own.RequiredResources = own.GetRequiredResources(), nil //nolint:staticcheck // What older versions of Crossplane do.
	}
	return own
}

// differ says where two answers part.
func differ(a, b *answer) string {
	if len(a.steps) != len(b.steps) {
		return fmt.Sprintf("one ends with step %s (%s), the other with step %s (%s)",
			a.steps[len(a.steps)-1].step, a.fatal, b.steps[len(b.steps)-1].step, b.fatal)
	}
	for i := range a.steps {
		if diff := cmp.Diff(readable(a.steps[i].response), readable(b.steps[i].response)); diff != "" {
			return "step " + a.steps[i].step + ": -first, +second:\n" + diff
		}
	}
	return "what is desired: -first, +second:\n" + cmp.Diff(readable(&fnv1.RunFunctionResponse{Desired: a.desired}), readable(&fnv1.RunFunctionResponse{Desired: b.desired}))
}

// readable form of an answer.
func readable(rsp *fnv1.RunFunctionResponse) map[string]any {
	all := map[string]any{
		"composite": rsp.GetDesired().GetComposite().GetResource().AsMap(), "ready": rsp.GetDesired().GetComposite().GetReady().String(),
		"context": rsp.GetContext().AsMap(), "ttl": rsp.GetMeta().GetTtl().AsDuration().String(), "requirements": rsp.GetRequirements().String(),
	}
	for i, result := range rsp.GetResults() {
		all[fmt.Sprintf("result %d", i)] = result.String()
	}
	for _, condition := range rsp.GetConditions() {
		all["condition "+condition.GetType()] = condition.String()
	}
	for key, r := range rsp.GetDesired().GetResources() {
		all["resource "+key], all["ready "+key] = r.GetResource().AsMap(), r.GetReady().String()
	}
	return all
}
