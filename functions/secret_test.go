package functions

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

const secretKey = "ssh-secret"

// functionsOf a Composition, with a log.
type functionsOf func(log logging.Logger) []server.Function

// pass is one pass of a pipeline, with everything that it says.
type pass struct {
	log       []string
	responses []*fnv1.RunFunctionResponse
	errors    []string
}

func (p *pass) desired() map[string]*fnv1.Resource {
	return p.responses[len(p.responses)-1].GetDesired().GetResources()
}

// runPipeline of functions as Crossplane does, and record all that they return.
func runPipeline(t *testing.T, functions functionsOf, xr *structpb.Struct, cluster []*structpb.Struct, observed map[string]*fnv1.Resource) *pass {
	t.Helper()
	p := &pass{}
	log := logging.NewLogrLogger(funcr.New(func(prefix, args string) { p.log = append(p.log, prefix+args) }, funcr.Options{Verbosity: 10}))
	var steps []pipeline.Step
	for _, fn := range functions(log) {
		steps = append(steps, pipeline.Step{Name: fn.Name, Function: recorder{pipeline.OverTheWire(fn.Runner), p}})
	}
	var objects pipeline.Objects
	for _, object := range cluster {
		objects = append(objects, &unstructured.Unstructured{Object: object.AsMap()})
	}
	state := &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: observed}
	if _, err := pipeline.Renderer().Run(t.Context(), steps, state, nil, objects); err != nil {
		p.errors = append(p.errors, err.Error())
	}
	return p
}

// A recorder keeps the responses of a function.
type recorder struct {
	pipeline.Function

	pass *pass
}

// RunFunction runs the function.
func (r recorder) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := r.Function.RunFunction(ctx, req)
	if err == nil {
		r.pass.responses = append(r.pass.responses, rsp)
	}
	return rsp, err
}

// output is everything that leaves the chain but the data of the composed Secret.
func (p *pass) output(t *testing.T) string {
	t.Helper()
	output := slices.Concat(p.log, p.errors)
	for _, rsp := range p.responses {
		rsp = proto.CloneOf(rsp)
		if secret, ok := rsp.GetDesired().GetResources()[secretKey]; ok {
			delete(secret.GetResource().GetFields(), "data")
		}
		encoded, err := protojson.Marshal(rsp)
		if err != nil {
			t.Fatal(err)
		}
		output = append(output, string(encoded))
	}
	return strings.Join(output, "\n")
}

func objectsOf(t *testing.T, path string) []*structpb.Struct {
	t.Helper()
	var objects []*structpb.Struct
	for document := range strings.SplitSeq(string(read(t, path)), "\n---\n") {
		encoded, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, resource.MustStructJSON(string(encoded)))
	}
	return objects
}

// secretsOf the data of a Secret are the forms in which it could leak: as it is, in base64, and the lines of the key,
// which are base64 of their own.
func secretsOf(t *testing.T, data map[string]*structpb.Value, key string) []string {
	t.Helper()
	encoded := data[key].GetStringValue()
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		plain = []byte(encoded)
	}
	forms := []string{encoded}
	for line := range bytes.Lines(plain) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("-----")) {
			// Loggers write bytes as text, in base64, or as a list of numbers.
			numbers := strings.Trim(fmt.Sprintf("%d", line), "[]")
			forms = append(forms, string(line), base64.StdEncoding.EncodeToString(line), numbers, strings.ReplaceAll(numbers, " ", ","))
		}
	}
	return forms
}

// TestNoSecretLeaks runs the pipelines over a graph with a key pair, and looks for the key in all that they say.
func TestNoSecretLeaks(t *testing.T) {
	t.Run("Chain", func(t *testing.T) { testNoSecretLeaks(t, Chain) })
	t.Run("Fused", func(t *testing.T) {
		testNoSecretLeaks(t, func(log logging.Logger) []server.Function { return []server.Function{Fused(log)} })
	})
}

func testNoSecretLeaks(t *testing.T, functions functionsOf) {
	t.Helper()
	xr := objectsOf(t, "examples/trtllm-multinode.yaml")[0]
	metadata := xr.GetFields()["metadata"].GetStructValue().GetFields()
	metadata["uid"] = structpb.NewStringValue("u1")
	name := "mpirun-ssh-key-" + metadata["name"].GetStringValue()
	lws := objectsOf(t, "examples/cluster/lws-volcano.yaml")
	first := runPipeline(t, functions, xr, lws, nil)
	secret, ok := first.desired()[secretKey]
	if !ok {
		t.Fatalf("the chain composes no Secret: %s", first.output(t))
	}
	good := secret.GetResource()
	// Data that is no base64 cannot be expressed by the type of a Secret.
	bad := steptest.Struct(map[string]any{
		"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"private.key": "!hunter2-hunter2!"},
		"metadata": metav1.ObjectMeta{Name: name, Namespace: "inference", OwnerReferences: []metav1.OwnerReference{{UID: "u1", Controller: new(true)}}},
	})
	observed := func(object *structpb.Struct) map[string]*fnv1.Resource {
		return map[string]*fnv1.Resource{secretKey: {Resource: object}}
	}
	invalid := proto.CloneOf(xr)
	invalid.GetFields()["spec"].GetStructValue().Fields["unknown"] = structpb.NewBoolValue(true)

	cases := map[string]struct {
		reason   string
		xr       *structpb.Struct
		cluster  []*structpb.Struct
		observed map[string]*fnv1.Resource
		secret   *structpb.Struct
		fatal    bool
	}{
		"Generated":          {reason: "A new key is not disclosed.", secret: good},
		"GeneratedOnGrove":   {reason: "A new key on Grove is not disclosed.", cluster: objectsOf(t, "examples/cluster/grove-kai.yaml")},
		"Observed":           {reason: "A key that was composed before is not disclosed.", observed: observed(good), secret: good},
		"LookedUp":           {reason: "A key of somebody else is not disclosed.", cluster: append(slices.Clone(lws), good), secret: good},
		"UnreadableObserved": {reason: "Data of a composed key that is no base64 is not disclosed.", observed: observed(bad), secret: bad, fatal: true},
		"UnreadableLookedUp": {reason: "Data of a key that was looked up and is no base64 is not disclosed.", cluster: append(slices.Clone(lws), bad), secret: bad, fatal: true},
		"Fatal":              {reason: "A key is not disclosed when the graph is refused.", xr: invalid, observed: observed(good), secret: good, fatal: true},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			if tc.cluster == nil {
				tc.cluster = lws
			}
			if tc.xr == nil {
				tc.xr = xr
			}
			p := first
			if label != "Generated" {
				p = runPipeline(t, functions, tc.xr, tc.cluster, tc.observed)
			}
			if got := pipeline.Fatal(p.responses[len(p.responses)-1]) != nil; got != tc.fatal || len(p.errors) > 0 {
				t.Fatalf("%s\nfatal: want %t, got %t; errors %v", tc.reason, tc.fatal, got, p.errors)
			}
			if len(p.log) == 0 {
				t.Fatal("nothing was logged, so that nothing is tested")
			}
			secret := tc.secret
			if secret == nil {
				secret = p.desired()[secretKey].GetResource()
			}
			output := p.output(t)
			for _, form := range secretsOf(t, secret.GetFields()["data"].GetStructValue().GetFields(), "private.key") {
				if strings.Contains(output, form) {
					t.Errorf("%s\nthe chain says the private key, or a part of it, outside of the Secret", tc.reason)
				}
			}
		})
	}
}

// TestOwnSecret shows that a Secret that the user names is mounted, and none is composed.
func TestOwnSecret(t *testing.T) {
	for _, cluster := range []string{"examples/cluster/lws-volcano.yaml", "examples/cluster/grove-kai.yaml"} {
		xr := objectsOf(t, "examples/trtllm-multinode.yaml")[0]
		xr.GetFields()["metadata"].GetStructValue().Fields["annotations"] = structpb.NewStructValue(resource.MustStructJSON(`{"nvidia.com/mpi-ssh-secret":"team-key"}`))
		p := runPipeline(t, Chain, xr, objectsOf(t, cluster), nil)
		desired := p.desired()
		if _, ok := desired[secretKey]; ok || pipeline.Fatal(p.responses[len(p.responses)-1]) != nil {
			t.Errorf("%s: want no Secret and no Fatal, got %v", cluster, slices.Sorted(maps.Keys(desired)))
		}
		workload := desired["podcliqueset"]
		if workload == nil {
			workload = desired["leaderworkerset-worker-0"]
		}
		encoded, err := protojson.Marshal(workload.GetResource())
		if err != nil {
			t.Fatal(err)
		}
		for text, count := range map[string]int{"team-key": 2, "mpirun-ssh-key-": 0} {
			if got := strings.Count(string(encoded), text); got != count {
				t.Errorf("%s: want %q %d times in the pods of leader and worker, got %d", cluster, text, count, got)
			}
		}
	}
}
