package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// secretKey is the key of the only composed resource that contains a secret.
const secretKey = "ssh-secret"

// chain of the Composition. No panic is recovered.
type chain struct {
	steps []pipeline.Step
	log   *bytes.Buffer
}

func newChain(t testing.TB) *chain {
	t.Helper()
	c := &chain{log: &bytes.Buffer{}}
	log := logging.NewLogrLogger(funcr.New(func(prefix, args string) { c.log.WriteString(prefix + args + "\n") }, funcr.Options{Verbosity: 10}))
	functions := crossplane.Servers(log)
	read, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range read.Steps {
		if functions[s.Function] == nil {
			t.Fatalf("the Composition has a step that this test does not know: %q", s.Name)
		}
		next := s.Step
		next.Function = functions[s.Function]
		c.steps = append(c.steps, next)
	}
	return c
}

// answer of the chain to a request.
type answer struct {
	// steps are the last responses of the steps that ran, without their desired resources.
	steps []stepAnswer
	// desired by the last step, without the data of the Secret.
	desired *fnv1.State
	secret  *structpb.Struct
	// log is what was logged.
	log string
	// fatal is the message of the step that ended the pipeline. It is empty if all steps ran.
	fatal string
	// results of all steps.
	results []*fnv1.Result
}

// stepAnswer is the answer of one step.
type stepAnswer struct {
	step     string
	response *fnv1.RunFunctionResponse
}

// run the chain for a graph in a cluster, as Crossplane does. A violation of the contract between the two is an error.
func (c *chain) run(ctx context.Context, g *graph, w *cluster) (*answer, error) {
	c.log.Reset()
	run, err := w.run(ctx, c.steps, g)
	if err != nil {
		return nil, err
	}
	a := &answer{desired: run.Calls[len(run.Calls)-1].Response.GetDesired(), log: c.log.String()}
	for _, call := range run.Calls {
		a.steps = append(a.steps, stepAnswer{step: call.Step, response: withoutResources(call.Response)})
		a.results = append(a.results, call.Response.GetResults()...)
		a.fatal = pipeline.Fatal(call.Response).GetMessage()
	}
	a.takeSecret()
	return a, nil
}

// run steps for a graph in the cluster.
func (w *cluster) run(ctx context.Context, steps []pipeline.Step, g *graph) (*pipeline.Run, error) {
	steps = slices.Clone(steps)
	for i := range steps {
		s := &steps[i]
		s.Function = receiver{function: s.Function, step: s.Name}
		if s.Name == "plan" {
			s.Input = w.input
		}
		s.Credentials = map[string]*fnv1.Credentials{"registry": {Source: &fnv1.Credentials_CredentialData{
			CredentialData: &fnv1.CredentialData{Data: map[string][]byte{"password": []byte(foreignSecret)}},
		}}}
	}
	caller := pipeline.Caller{Capabilities: w.capabilities, Early: w.bootstraps}
	return caller.Run(ctx, steps, g.observed(), &structpb.Struct{}, lookup{w, g})
}

// takeSecret out of the desired state, so that any other occurrence of it is found.
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

// others is everything that was returned except for the resources, in a canonical form. Bytes that gRPC could not send are an
// error.
func (a *answer) others() ([]byte, error) {
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

// resources that are desired, in the same form.
func (a *answer) resources() ([]byte, error) {
	encoded, err := deterministic.Marshal(a.desired)
	if err != nil {
		return nil, fmt.Errorf("the desired state cannot be sent: %w", err)
	}
	return encoded, nil
}

var deterministic = proto.MarshalOptions{Deterministic: true}

// lookup of required objects in a cluster and among the objects of a graph.
type lookup struct {
	*cluster

	graph *graph
}

// Resources that selectors select.
func (l lookup) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	return l.deliver(selectors, l.graph), nil
}

// Schemas of kinds.
func (l lookup) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	return l.schemas(selectors), nil
}

// receiver copies those parts of a request that a function may change: a response shares the desired state and the context with its
// request. Only computedomain changes objects that other steps desire, so only its request is copied deeply.
type receiver struct {
	function pipeline.Function
	step     string
}

// RunFunction runs the function.
func (r receiver) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	desired := &fnv1.State{Composite: proto.CloneOf(req.GetDesired().GetComposite()), Resources: maps.Clone(req.GetDesired().GetResources())}
	if r.step == "computedomain" {
		desired = proto.CloneOf(req.GetDesired())
	}
	own := &fnv1.RunFunctionRequest{
		Meta: req.GetMeta(), Observed: req.GetObserved(), Input: req.GetInput(), Credentials: req.GetCredentials(),
		RequiredResources: req.GetRequiredResources(), ExtraResources: req.GetExtraResources(), //nolint:staticcheck // Older versions of Crossplane have only the latter.
		RequiredSchemas: req.GetRequiredSchemas(), Desired: desired, Context: proto.CloneOf(req.GetContext()),
	}
	return r.function.RunFunction(ctx, own)
}

// differ describes the first difference between two answers.
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
