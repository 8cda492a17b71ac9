package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
)

// Files with graphs before and after a change, each with another verdict.
const (
	oldGraphs = "testdata/diff/old.yaml"
	newGraphs = "testdata/diff/new.yaml"
)

func compared(t testing.TB, stdin string, args ...string) end {
	t.Helper()
	return ended(t, stdin, append([]string{"diff"}, args...)...)
}

func TestDiffFormats(t *testing.T) {
	for name, args := range map[string][]string{
		"report.text": {"-o", "text"}, "report.json": {"-o", "json"}, "report.markdown": {"-o", "markdown"},
		"fields.text": {"--fields"}, "fields.markdown": {"--fields", "-o", "markdown"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "report.text" {
				t.Skip("one format is enough for the race detector, with which the command is slow: graphs are compared at the same time in all of them")
			}
			got := compared(t, "", append([]string{oldGraphs, newGraphs}, args...)...)
			if got.code != exitRefused {
				t.Errorf("a graph that is refused ends the command with 1, got %d: %s", got.code, got.err)
			}
			if strings.Contains(got.out, "print-this") {
				t.Error("the report has a value that may be secret")
			}
			harness.Golden(t, filepath.Join("testdata", "diff", name), []byte(got.out))
		})
	}
}

func TestDiffExit(t *testing.T) {
	if testing.Short() {
		t.Skip("a command that compares one graph runs in one goroutine, which has no races, and is slow with the race detector")
	}
	const fine, multinode = "../../examples/agg-vllm.yaml", "../../examples/sglang-multinode.yaml"
	const adapted, together = "../../examples/scaling-adapter.yaml", "../../examples/scaled-together.yaml"
	const adapters = "--input=../../examples/scaling-adapter/input.yaml"
	replaced := func(old, by string) string {
		return strings.Replace(string(read(t, "examples/agg-vllm.yaml")), old, by, 1)
	}
	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   int
		out    string
		err    string
	}{
		"Nothing":  {reason: "A file is equal to itself.", args: []string{fine, fine}, out: "inference/agg-vllm: nothing changes\n", err: "1 graph compared: 1 without a change\n"},
		"Form":     {reason: "The version and the form in which a graph is written change nothing.", args: []string{"../../examples/v1alpha1/agg-vllm.yaml", fine}, out: "inference/agg-vllm: nothing changes\n"},
		"Restarts": {reason: "Restarts do not fail a pipeline by default.", args: []string{fine, "-"}, stdin: replaced("runtime:1.3.0", "runtime:1.3.1"), out: "Frontend: its pod restarts (image)\n"},
		"Strict":   {reason: "They do if the pipeline is strict.", args: []string{fine, "-", "--strict"}, stdin: replaced("runtime:1.3.0", "runtime:1.3.1"), code: exitWarnings, out: "pods restart"},
		"Asked":    {reason: "A restart that is asked for is no reason to fail.", args: []string{fine, "-", "--strict"}, stdin: replaced("spec:", "spec:\n  restart: {id: now}"), out: "Worker: all 2 pods restart (spec.restart)\n"},
		"Scales":   {reason: "Replicas do not restart pods.", args: []string{fine, "-", "--strict"}, stdin: replaced("replicas: 2", "replicas: 3"), out: "  Worker: 2 -> 3 replicas, no pod restarts\n"},
		"Configuration": {
			reason: "An Endpoint Picker reads its configuration when it starts.", args: []string{"../../examples/endpoint-picker.yaml", "-"},
			stdin: strings.Replace(string(read(t, "examples/endpoint-picker.yaml")), "weight: 1", "weight: 2", 1),
			out:   "  Picker: its pod restarts (eppConfig)\n",
		},
		"Hidden": {
			reason: "A number in the graph that an adapter hides is named, as is the adapter.", args: []string{adapted, "-", adapters},
			stdin: strings.Replace(string(read(t, "examples/scaling-adapter.yaml")), "replicas: 2", "replicas: 3", 1),
			out:   "  Worker: keeps 2 replicas, because DynamoGraphDeploymentScalingAdapter scaling-adapter-worker has the number; 3 in the graph has no effect\n",
		},
		"HiddenBeside": {
			reason: "It is also named if something else happens.", args: []string{adapted, "-", adapters},
			stdin: strings.NewReplacer("replicas: 2", "replicas: 3", "runtime:1.3.0", "runtime:1.3.1").Replace(string(read(t, "examples/scaling-adapter.yaml"))),
			out:   "  Worker: all 2 pods restart (image); keeps 2 replicas, because",
		},
		"Units": {
			reason: "What is scaled together is counted in units too.", args: []string{together, "-", adapters},
			stdin: strings.NewReplacer("Prefill=1,Decode=2", "Prefill=1,Decode=3", "replicas: 4", "replicas: 6").Replace(string(read(t, "examples/scaled-together.yaml"))),
			out:   "  Decode: 4 -> 6 replicas, of 2 units, no pod restarts\n",
		},
		"Multinode": {
			reason: "A replica has a pod on each node, whatever runs it.", args: []string{multinode, "-"},
			stdin: strings.ReplaceAll(string(read(t, "examples/sglang-multinode.yaml")), "runtime:1.3.0", "runtime:1.3.1"),
			out:   "  Decode: all 2 pods restart (image)\n",
		},
		"Refused": {
			reason: "A change that is refused changes nothing.", args: []string{fine, "-"}, stdin: replaced("name: Worker", "name: Other"), code: exitRefused,
			out: "components cannot be removed after creation; restore worker, or delete and recreate the graph [DGD308] at -:",
		},
		"Schema": {
			reason: "The API server refuses a change, too, before the functions see it.", args: []string{fine, "-"}, stdin: replaced("replicas: 2", "replica: 2"), code: exitRefused,
			out: "unknown field",
		},
		"Created": {reason: "A graph may be new.", args: []string{os.DevNull, fine}, out: "inference/agg-vllm: is created\n  Frontend is created with 1 pod\n"},
		"Deleted": {reason: "A graph may be gone.", args: []string{fine, os.DevNull}, out: "inference/agg-vllm: is deleted\n  Frontend is deleted with its pod\n"},
		"Refused before": {
			reason: "A graph that was refused has never run.", args: []string{"-", fine}, stdin: replaced("replicas: 2", "replicas: -2"),
			out: "inference/agg-vllm: is created\n  note: OLD is refused, so it is compared as if it had never run\n",
		},
		"Never": {reason: "A graph that never ran does not go.", args: []string{"-", os.DevNull}, stdin: replaced("replicas: 2", "replicas: -2"), out: "inference/agg-vllm: nothing changes\n"},
		"Claim": {reason: "A claim that the graph has created stays as long as the graph.", args: []string{"testdata/diff/claims.yaml", "-"}, stdin: withoutScratch(t), out: "  PVC scratch is kept until the graph is deleted\n"},
		"Shrinks": {
			reason: "The API server does not shrink a claim.", args: []string{"testdata/diff/claims.yaml", "-"}, code: exitRefused,
			stdin: strings.Replace(string(read(t, "cmd/dgd/testdata/diff/claims.yaml")), "size: 10Gi", "size: 5Gi", 1),
			out: "prod/claims: is refused in part\n  PVC scratch is refused by the API server, because a claim cannot shrink: spec.resources.requests.storage is 10Gi, and would be 5Gi; " +
				"restore the value, or mount a claim with another name and move the data\n",
		},
		"Grows": {
			reason: "It expands it.", args: []string{"testdata/diff/claims.yaml", "-"}, out: "  PVC scratch changes (spec.resources)\n",
			stdin: strings.Replace(string(read(t, "cmd/dgd/testdata/diff/claims.yaml")), "size: 10Gi", "size: 20Gi", 1),
		},
		"Class": {
			reason: "The rest of its spec cannot change.", args: []string{"testdata/diff/claims.yaml", "-"}, code: exitRefused,
			stdin: strings.Replace(string(read(t, "cmd/dgd/testdata/diff/claims.yaml")), "storageClass: fast", "storageClass: slow", 1),
			out:   "refused",
		},
		"First": {
			reason: "Before the first pull request, there is no folder of graphs.", args: []string{"absent", fine}, out: "inference/agg-vllm: is created\n",
			err: "OLD absent does not exist, so all graphs are new\n1 graph compared: 1 created\n",
		},
		"Twice": {
			reason: "It is not known which of two manifests of a graph counts.", args: []string{fine, "-"}, code: exitUsage, stdin: replaced("a", "a") + "---\n" + replaced("a", "a"),
			err: "graph inference/agg-vllm is also in -:7:9, and what is applied last replaces the other; rename one of the two, or compare their files separately\n",
		},
		"Folder":   {reason: "Graphs are compared by name, whatever their files are called.", args: []string{"../../examples/v1alpha1", "../../examples/agg-vllm.yaml"}, out: "inference/agg-vllm: nothing changes\n"},
		"None":     {reason: "A comparison of nothing is a mistake.", args: []string{os.DevNull, "../../examples/functions.yaml"}, code: exitUsage, err: "there is no DynamoGraphDeployment"},
		"TooMany":  {reason: "There are two sides.", args: []string{fine, fine, fine}, code: exitUsage, err: "expected OLD and NEW, or NEW alone, got 3 paths"},
		"Missing":  {reason: "A file that is not there is not fine.", args: []string{"absent.yaml", fine}, code: exitUsage, err: "cannot read manifests"},
		"NotYAML":  {reason: "A file that cannot be parsed cannot be compared.", args: []string{fine, "-"}, stdin: "spec: [\n", code: exitRefused, err: "-:"},
		"OtherOne": {reason: "NEW alone is compared with a real cluster.", args: []string{fine, "--cluster=none"}, code: exitUsage, err: "--cluster=none is for OLD and NEW in files"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := compared(t, tc.stdin, tc.args...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d, %q and %q, got %d, %q and %q", tc.reason, tc.code, tc.out, tc.err, got.code, got.out, got.err)
			}
		})
	}
}

// withoutScratch is the graph with claims without one of them.
func withoutScratch(t *testing.T) string {
	t.Helper()
	graph := harness.Read(t, "cmd/dgd/testdata/diff/claims.yaml")[0]
	for _, path := range [][]string{{"spec", "pvcs"}, {"spec", "services", "Worker", "volumeMounts"}} {
		list, _, _ := unstructured.NestedSlice(graph.Object, path...)
		list = slices.DeleteFunc(list, func(item any) bool {
			fields, _ := item.(map[string]any)
			return fields["name"] == "scratch"
		})
		if err := unstructured.SetNestedSlice(graph.Object, list, path...); err != nil {
			t.Fatal(err)
		}
	}
	return string(harness.Format(t, graph))
}

// run a graph in the cluster, as Crossplane and the controllers do.
func (c *cluster) run(t *testing.T, path, offered string) (graph, composite *unstructured.Unstructured) {
	t.Helper()
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	graph = harness.Read(t, path)[0]
	g := crossplane.NewGraph(graph, harness.Read(t, offered))
	if _, err := pipeline.Settle(t.Context(), g, crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))); err != nil {
		t.Fatal(err)
	}
	c.put(t, slices.Concat(g.Objects(), g.Cluster(), []*unstructured.Unstructured{g.Composite()})...)
	return graph, g.Composite()
}

// TestDiffLive compares with graphs that run in a cluster.
func TestDiffLive(t *testing.T) {
	if testing.Short() {
		t.Skip("a command that compares one graph runs in one goroutine, which has no races, and is slow with the race detector")
	}
	const vllm, nodes = "examples/agg-vllm.yaml", "examples/trtllm-multinode.yaml"
	cases := map[string]struct {
		reason        string
		path, offered string
		live          func(xr *unstructured.Unstructured)
		edit          func(text string) string
		code          int
		want          string
	}{
		"Nothing": {reason: "What runs is what was written.", path: vllm, offered: harness.GroveKAI, want: "inference/agg-vllm: nothing changes\n"},
		"NothingOnDeployments": {
			reason: "The API server has added nothing to it that counts.", path: vllm, offered: "examples/cluster/none.yaml", want: "inference/agg-vllm: nothing changes\n",
		},
		"NothingOnSets": {reason: "A key that exists stays.", path: nodes, offered: harness.LWSVolcano, want: "inference/trtllm-multinode: nothing changes\n"},
		"Image": {
			reason: "Only the pods of the component restart that was edited.", path: vllm, offered: harness.GroveKAI,
			edit: func(text string) string { return strings.Replace(text, "runtime:1.3.0", "runtime:1.4.0", 1) },
			want: "inference/agg-vllm: pods restart\n  Frontend: its pod restarts (image)\n",
		},
		"Replicas": {
			reason: "What scales is played to its end.", path: nodes, offered: harness.LWSVolcano,
			edit: func(text string) string { return strings.ReplaceAll(text, "replicas: 1", "replicas: 2") },
			want: "inference/trtllm-multinode: scales, no pod restarts\n  Frontend: 1 -> 2 replicas, no pod restarts\n  Worker: 1 -> 2 replicas, no pod restarts\n",
		},
		"Refused": {
			reason: "What is immutable is so for a live graph.", path: nodes, offered: harness.GroveKAI, code: exitRefused,
			edit: func(text string) string { return strings.Replace(text, "nodeCount: 2", "nodeCount: 4", 1) },
			want: "inference/trtllm-multinode: is refused, and nothing changes\n  refused: spec.components[Worker].multinode.nodeCount: ",
		},
		"Repaired": {
			reason: "While a live graph is refused, what was accepted before runs on.", path: nodes, offered: harness.GroveKAI,
			live: func(xr *unstructured.Unstructured) {
				componentsIn(xr)[1]["multinode"] = map[string]any{"nodeCount": int64(4)}
			},
			edit: func(text string) string { return strings.Replace(text, "replicas: 1", "replicas: 2", 1) },
			want: "inference/trtllm-multinode: scales, no pod restarts\n  Frontend: 1 -> 2 replicas, no pod restarts\n",
		},
		"Created": {
			reason: "A graph of another name does not exist yet.", path: vllm, offered: harness.GroveKAI,
			edit: func(text string) string { return strings.Replace(text, "name: agg-vllm", "name: other", 1) },
			want: "inference/other: is created\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			graph, composite := c.run(t, tc.path, tc.offered)
			if tc.live != nil {
				tc.live(composite)
				c.put(t, composite)
			}
			text := string(harness.Format(t, graph))
			if tc.edit != nil {
				text = tc.edit(text)
			}
			got := compared(t, text, "-", "--context=prod", "--fields")
			if got.code != tc.code || !strings.HasPrefix(withoutFields(got.out), tc.want) {
				t.Errorf("%s\nwant exit status %d and %q, got %d, %q and %q", tc.reason, tc.code, tc.want, got.code, got.out, got.err)
			}
			if strings.Contains(got.out, "PRIVATE KEY") {
				t.Errorf("the report has a key: %s", got.out)
			}
			if strings.Contains(got.out, "note:") {
				t.Errorf("a graph that runs comes to rest, got: %s", got.out)
			}
			for _, line := range c.asked(t) {
				if !strings.HasPrefix(line, "--context=prod get ") {
					t.Errorf("a cluster is only read, but kubectl was asked: %s", line)
				}
			}
		})
	}
}

// withoutFields is a report in text without the fields that change.
func withoutFields(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "      ") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// runClaim runs a claim in the cluster, as Crossplane does: it has given its composite resource a name.
func (c *cluster) runClaim(t *testing.T, path, offered string) *unstructured.Unstructured {
	t.Helper()
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.ClaimsComposition))
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	claim := harness.Read(t, path)[0]
	live := claim.DeepCopy()
	live.SetUID("claim")
	xr := claim.DeepCopy()
	xr.SetKind("XDynamoGraphDeployment")
	xr.SetName(claim.GetName() + "-x7k2p")
	xr.SetNamespace("")
	xr.SetLabels(map[string]string{"crossplane.io/claim-name": claim.GetName(), "crossplane.io/claim-namespace": claim.GetNamespace()})
	for object, fields := range map[*unstructured.Unstructured]map[string]any{
		live: {
			"resourceRef":           map[string]any{"apiVersion": xr.GetAPIVersion(), "kind": xr.GetKind(), "name": xr.GetName()},
			"compositeDeletePolicy": "Background",
		},
		xr: {"claimRef": map[string]any{"apiVersion": claim.GetAPIVersion(), "kind": claim.GetKind(), "name": claim.GetName(), "namespace": claim.GetNamespace()}},
	} {
		fields["compositionRef"] = map[string]any{"name": "xdynamographdeployment"}
		fields["compositionUpdatePolicy"] = "Automatic"
		spec, _ := object.Object["spec"].(map[string]any)
		maps.Copy(spec, fields)
	}
	g := crossplane.NewGraph(xr, harness.Read(t, offered))
	if _, err := pipeline.Settle(t.Context(), g, crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))); err != nil {
		t.Fatal(err)
	}
	c.put(t, slices.Concat(g.Objects(), g.Cluster(), []*unstructured.Unstructured{g.Composite(), live})...)
	return claim
}

// TestDiffLiveClaim compares with a claim that runs in a cluster. The manifest of a claim looks like that of a graph with a namespace.
func TestDiffLiveClaim(t *testing.T) {
	if testing.Short() {
		t.Skip("a command that compares one graph runs in one goroutine, which has no races, and is slow with the race detector")
	}
	const path = "examples/trtllm-multinode.yaml"
	more := func(text string) string { return strings.ReplaceAll(text, "replicas: 1", "replicas: 2") }
	scaled := "inference/trtllm-multinode: scales, no pod restarts\n  Frontend: 1 -> 2 replicas, no pod restarts\n  Worker: 1 -> 2 replicas, no pod restarts\n"
	same := func(text string) string { return text }
	cases := map[string]struct {
		reason string
		edit   func(string) string
		args   []string
		want   string
	}{
		"Nothing": {reason: "What runs is what was written.", edit: same, args: []string{"--claims"}, want: "inference/trtllm-multinode: nothing changes\n"},
		"Scaled":  {reason: "What scales is played to its end.", edit: more, args: []string{"--claims"}, want: scaled},
		"Found":   {reason: "What is a claim in the cluster is one in the file.", edit: same, want: "inference/trtllm-multinode: nothing changes\n"},
		"Edited":  {reason: "An edited claim is one, too.", edit: more, want: scaled},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			text := string(harness.Format(t, c.runClaim(t, path, harness.LWSVolcano)))
			got := compared(t, tc.edit(text), append([]string{"-", "--fields"}, tc.args...)...)
			if got.code != 0 || withoutFields(got.out) != tc.want {
				t.Errorf("%s\nwant %q, got %d, %q and %q", tc.reason, tc.want, got.code, got.out, got.err)
			}
		})
	}
}

// TestDiffLiveAsks checks what is read of a cluster.
func TestDiffLiveAsks(t *testing.T) {
	c := newCluster(t)
	graph, _ := c.run(t, "examples/agg-vllm.yaml", harness.GroveKAI)
	if got := compared(t, string(harness.Format(t, graph)), "-"); got.code != 0 {
		t.Fatalf("got exit status %d: %s", got.code, got.err)
	}
	harness.Golden(t, filepath.Join("testdata", "diff", "live.txt"), []byte(strings.Join(c.asked(t), "\n")+"\n"))
}

// TestDiffLiveFails checks that a cluster that cannot be reached is not taken for an empty one.
func TestDiffLiveFails(t *testing.T) {
	newCluster(t).write(t, "failure", "connection refused\n")
	if got := compared(t, "", "../../examples/agg-vllm.yaml"); got.code != exitUsage || !strings.Contains(got.err, "connection refused") {
		t.Errorf("want an error with the words of kubectl, got %d and %s%s", got.code, got.out, got.err)
	}
}

// TestDiffObjects checks that a report in JSON has the objects that people are not told of one by one.
func TestDiffObjects(t *testing.T) {
	got := compared(t, "", os.DevNull, "../../examples/agg-vllm.yaml", "--output=json")
	report := compare.Report{}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range report.Graphs[0].Objects {
		kinds = append(kinds, string(o.Effect)+" "+o.Kind)
	}
	want := []string{
		"created PodCliqueSet", "created Role", "created RoleBinding", "created Service", "created ServiceAccount",
	}
	if diff := cmp.Diff(want, slices.Compact(kinds)); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

// restless writes another status in every reconcile, as a faulty step would.
type restless struct {
	fnv1.FunctionRunnerServiceServer

	calls atomic.Int64
}

// RunFunction counts the calls in the status of the composite resource.
func (r *restless) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := r.FunctionRunnerServiceServer.RunFunction(ctx, req)
	if status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"]; status != nil {
		status.GetStructValue().Fields["calls"] = structpb.NewNumberValue(float64(r.calls.Add(1)))
	}
	return rsp, err
}

// TestDiffRestless compares with a graph that every reconcile changes again: the report says that it may be incomplete.
func TestDiffRestless(t *testing.T) {
	if testing.Short() {
		t.Skip("a command that compares one graph runs in one goroutine, which has no races, and is slow with the race detector")
	}
	const path = "../../examples/agg-vllm.yaml"
	c := diffCommand{Paths: []string{path, path}}
	c.Cluster = defaultCluster
	var d differ
	if err := c.prepare(t.Context(), streams{}, &d); err != nil {
		t.Fatal(err)
	}
	for i := range d.previewer.Functions {
		f := &d.previewer.Functions[i]
		f.Runner = &restless{FunctionRunnerServiceServer: f.Runner}
	}
	got, err := d.report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	note := "OLD still changed in the last of the reconciles that were played, so this report may be incomplete; " +
		"NEW still changed in the last of the reconciles that were played, so this report may be incomplete"
	want := &compare.Report{Graphs: []compare.Graph{{Name: "inference/agg-vllm", Effect: compare.Nothing, Note: note}}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(compare.Graph{}, "Components", "Objects")); diff != "" {
		t.Errorf("d.report(...): -want, +got:\n%s", diff)
	}
	var text strings.Builder
	if err := got.Write(&text, compare.Markdown, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "NEW still changed") {
		t.Errorf("want the note in a comment too, although nothing changes, got:\n%s", text.String())
	}
}
