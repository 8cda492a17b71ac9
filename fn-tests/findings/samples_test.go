package findings

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A setting is what a sample of a rule leaves out: the graph that it is a part of, and what the graph meets.
type setting struct {
	// platform of the corpus, grove-kai by default.
	platform string
	// with is a part of the graph that the wrong sample and the right one have in common.
	with string
	// at is the place of fields that are not where fields of their name usually are.
	at map[string]string
	// beside the graph is another object in its file, and in the cluster one that exists already.
	beside, cluster string
	// without is a field that the graph only has if the sample does.
	without string
	// runs says that the right graph runs when the sample is applied.
	runs bool
	// file is what the sample itself is, if it is no part of a graph.
	file func(t *testing.T, c *check.Checker, sample string) []check.Finding
}

// TestSamples breaks each rule with the example that its explanation shows as wrong, and not with the one that it shows as right.
func TestSamples(t *testing.T) {
	used, all, checkers := map[string]bool{}, settings(), checkersOf{}
	for _, r := range rule.Rules() {
		for i, sample := range r.Samples {
			name := fmt.Sprintf("%s/%d", r.Code, i)
			s := all[name]
			used[name] = true
			t.Run(name, func(t *testing.T) {
				isOfRule := func(f check.Finding) bool { return f.Code == r.Code }
				if wrong := s.findings(t, checkers, sample.Wrong, sample.Right); !slices.ContainsFunc(wrong, isOfRule) {
					t.Errorf("%s: does not break the rule:\n%s\n%s", r.Title, sample.Wrong, textOf(wrong))
				}
				right := s.findings(t, checkers, sample.Right, sample.Right)
				if slices.ContainsFunc(right, func(f check.Finding) bool { return isOfRule(f) || f.Severity == check.Error && s.file == nil }) {
					t.Errorf("%s: is not right:\n%s\n%s", r.Title, sample.Right, textOf(right))
				}
			})
		}
	}
	for name := range all {
		if !used[name] {
			t.Errorf("there is no sample %s", name)
		}
	}
}

func textOf(found []check.Finding) string {
	var b strings.Builder
	for i := range found {
		fmt.Fprintf(&b, "%s %s %s\n", found[i].Severity, found[i].Code, found[i].Text())
	}
	return b.String()
}

const baseOfSamples = `
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: inference}
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1"}]}}
    - name: Worker
      type: worker
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1
              command: [python3, -m, dynamo.vllm]
              args: [--model, example/chat-8b]
              resources: {limits: {nvidia.com/gpu: "1"}}
`

const baseWithServices = `
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: inference}
spec:
  services:
    Frontend:
      componentType: frontend
      extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1"}}
    Worker:
      componentType: worker
      resources: {limits: {gpu: "1"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1
          command: [python3, -m, dynamo.vllm]
          args: [--model, example/chat-8b]
`

// findings about a graph with a sample.
func (s *setting) findings(t *testing.T, checkers checkersOf, sample, right string) []check.Finding {
	t.Helper()
	c := checkers.on(t, cmp.Or(s.platform, "grove-kai"), s.cluster)
	switch {
	case s.file != nil:
		return s.file(t, c, sample)
	case s.runs:
		return s.findingsOfEdit(t, c, sample, right)
	default:
		return findingsOf(t, c, s.graphs(t, sample))
	}
}

// checkersOf clusters: platforms of the corpus, with an object.
type checkersOf map[string]*check.Checker

func (c checkersOf) on(t *testing.T, platform, object string) *check.Checker {
	t.Helper()
	if known := c[platform+object]; known != nil {
		return known
	}
	platforms := corpus.Platforms()
	p := previews.On(t, platforms[slices.IndexFunc(platforms, func(p corpus.Platform) bool { return p.Name == platform })])
	if object != "" {
		p.Objects = append(p.Objects, unstructured.Unstructured{Object: documentOf(t, []byte(object))})
	}
	c[platform+object] = &check.Checker{Previewer: p}
	return c[platform+object]
}

// findingsOfEdit of a graph that runs.
func (s *setting) findingsOfEdit(t *testing.T, c *check.Checker, sample, right string) []check.Finding {
	t.Helper()
	live, err := c.Previewer.Settle(t.Context(), only(t, s.graphs(t, right)), nil, nil)
	if err != nil || live.Refused() {
		t.Fatalf("the graph does not run: %v\n%s", err, textOf(check.OfFunctions(live.Result)))
	}
	edited, err := c.Previewer.Settle(t.Context(), only(t, s.graphs(t, sample)), live.State, nil)
	if err != nil {
		t.Fatal(err)
	}
	return check.OfFunctions(edited.Result)
}

func only(t *testing.T, graph []byte) manifest.Object {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	write(t, path, string(graph))
	files, err := manifest.Reader{}.Read([]string{path})
	if err != nil || len(files.Graphs()) != 1 {
		t.Fatalf("cannot read the graph: %v\n%s", err, graph)
	}
	return files.Graphs()[0]
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// graphs with a sample, and what is beside them. Documents of a sample are graphs of their own.
func (s *setting) graphs(t *testing.T, sample string) []byte {
	t.Helper()
	var out []string
	for part := range strings.SplitSeq(sample, "\n---\n") {
		fields := documentOf(t, []byte(part))
		d := documentOf(t, []byte(baseOfSamples))
		if ofServices(fields) || ofServices(documentOf(t, []byte(s.with))) {
			d = documentOf(t, []byte(baseWithServices))
		}
		beside := documentOf(t, []byte(s.beside))
		s.put(t, d, beside, documentOf(t, []byte(s.with)))
		if s.without != "" {
			remove(s.without)(d, &check.Finding{Field: "spec.components[Worker]"}, nil)
		}
		s.put(t, d, beside, fields)
		out = append(out, string(d.yaml(t)))
		if len(beside) > 0 {
			out = append(out, string(beside.yaml(t)))
		}
	}
	return []byte(strings.Join(out, "---\n"))
}

// ofServices reports whether the fields are of a graph with services.
func ofServices(fields document) bool {
	for _, name := range []string{"services", "componentType", "pvcs", "ingress", "autoscaling", "failover", "gpuMemoryService"} {
		if fields[name] != nil {
			return true
		}
	}
	return fields["apiVersion"] == "nvidia.com/v1alpha1"
}

// put fields at their places in a graph, or in the object beside it.
func (s *setting) put(t *testing.T, d, beside, fields document) {
	t.Helper()
	of := &check.Finding{Field: "spec.components[Worker]"}
	if ofServices(d) {
		of.Field = "spec.services[Worker]"
	}
	for name, value := range fields {
		at, ok := s.at[name]
		if !ok {
			at = placeOf(name)
		}
		to := d
		if rest, isBeside := strings.CutPrefix(at, "beside:"); isBeside {
			to, at = beside, rest
		}
		path := pathOf(at, of, nil)
		if name != "" {
			path = append(path, name)
		}
		to.apply(path, func(old any) any { return merged(old, value, name == "components") })
	}
}

// placeOf a field in a graph, in the words of pathOf.
func placeOf(name string) string {
	switch name {
	case "apiVersion", "kind", "metadata", "spec":
		return ""
	case "backendFramework", "components", "services", "pvcs", "restart":
		return "spec"
	case "annotations":
		return "metadata"
	case "containers", "volumes", "tolerations":
		return "@pod"
	case "args", "command", "env", "envFrom", "image", "livenessProbe", "resources", "securityContext", "volumeMounts":
		return "@main"
	default:
		return "@"
	}
}

// merged are a value and another one over it. Items of lists are the same if they have the same name. Only components that both have are left, and
// those that are new are like the worker.
func merged(old, over any, isComponents bool) any {
	switch over := over.(type) {
	case map[string]any:
		object, _ := old.(map[string]any)
		out := maps.Clone(object)
		if len(over) == 0 || out == nil {
			out = map[string]any{}
		}
		for name, value := range over {
			out[name] = merged(out[name], value, name == "components")
		}
		return out
	case []any:
		return mergedLists(old, over, isComponents)
	default:
		return over
	}
}

func mergedLists(old any, over []any, isComponents bool) any {
	left, _ := old.([]any)
	all := left
	left = slices.Clone(left)
	var out []any
	for _, item := range over {
		name := nameOf(item)
		if name == nil {
			return over
		}
		i := slices.IndexFunc(left, func(l any) bool { return nameOf(l) == name })
		switch {
		case i >= 0:
			out = append(out, merged(left[i], item, false))
			left = slices.Delete(left, i, i+1)
		case isComponents && len(all) > 0:
			out = append(out, merged(all[len(all)-1], item, false))
		default:
			out = append(out, item)
		}
	}
	if isComponents {
		return out
	}
	return append(left, out...)
}

func nameOf(item any) any {
	object, _ := item.(map[string]any)
	return object["name"]
}

// asFile is a sample that is the end of a file.
func asFile(before string) func(*testing.T, *check.Checker, string) []check.Finding {
	return func(t *testing.T, c *check.Checker, sample string) []check.Finding {
		t.Helper()
		return findingsOf(t, c, []byte(before+sample+"\n"))
	}
}

// asCommand is a sample that reads a folder, or standard input.
func asCommand(files map[string]string) func(*testing.T, *check.Checker, string) []check.Finding {
	return func(t *testing.T, c *check.Checker, sample string) []check.Finding {
		t.Helper()
		if strings.HasSuffix(sample, " -") {
			return findingsOf(t, c, []byte(baseOfSamples))
		}
		root := t.TempDir()
		for path, text := range files {
			write(t, filepath.Join(root, path), text)
		}
		read, err := manifest.Reader{}.Read([]string{filepath.Join(root, strings.Fields(sample)[2])})
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Check(t.Context(), read)
		if err != nil {
			t.Fatal(err)
		}
		return report.Findings
	}
}

// asInput is a sample of the policy of the platform.
func asInput(t *testing.T, c *check.Checker, sample string) []check.Finding {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input.yaml")
	write(t, path, sample)
	var err error
	if c.Previewer.Input, err = preview.InputIn(path); err != nil {
		t.Fatal(err)
	}
	defer func() { c.Previewer.Input = nil }()
	return findingsOf(t, c, []byte(baseOfSamples))
}

// settings of samples that need one, by the code of the rule and the number of the sample.
func settings() map[string]setting {
	const (
		component = "@"
		spec      = "spec"
		frontend  = "spec.services[Frontend]"
		separate  = "annotations: {nvidia.com/dynamo-kube-discovery-mode: container}"
		mounted   = "volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]\nvolumeMounts: [{name: models, mountPath: /models}]\n"
		decode    = "{name: Decode, type: decode, podTemplate: {spec: {containers: [{name: main, args: [--disaggregation-mode, decode]}]}}}"
		prefill   = "{name: Prefill, type: prefill, podTemplate: {spec: {containers: [{name: main, args: [--disaggregation-mode, prefill]}]}}}"
	)
	return map[string]setting{
		"DGD001/0": {file: asFile("apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n")},
		"DGD002/0": {file: asFile("apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\n")},
		"DGD006/0": {file: asCommand(map[string]string{"chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n", "chart/templates/graph.yaml": "kind: DynamoGraphDeployment\n"})},
		"DGD006/1": {file: asCommand(map[string]string{"overlays/prod/kustomization.yaml": "resources: [../base]\n"})},
		"DGD105/0": {at: map[string]string{"crossplane": spec}},
		"DGD106/0": {with: separate},
		"DGD211/0": {with: "volumes: [{name: models, emptyDir: {}}]"},
		"DGD212/1": {
			with:   mounted + "args: [--tensor-parallel-size, \"4\"]",
			beside: "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, namespace: inference}}",
			at:     map[string]string{"accessModes": "beside:spec"},
		},
		"DGD213/0": {at: map[string]string{"ingress": frontend}},
		"DGD216/0": {with: "image: nvcr.io/nvidia/ai-dynamo/frontend:1.4.0"},
		"DGD218/0": {with: separate},
		"DGD219/0": {platform: "everything"},
		"DGD220/0": {with: "pvcs: []\nresources: {requests: {cpu: \"1\"}}", at: map[string]string{"resources": component}},
		"DGD226/0": {at: map[string]string{"topologyConstraint": spec}},
		"DGD227/0": {at: map[string]string{"experimental": spec}},
		"DGD233/0": {platform: "deployment"},
		"DGD234/0": {platform: "lws-volcano", with: "multinode: {nodeCount: 2}\nargs: [--tensor-parallel-size, \"2\"]"},
		"DGD235/0": {platform: "deployment", at: map[string]string{"annotations": spec}},
		"DGD236/0": {without: "@main.image"},
		"DGD238/0": {with: "pvcs: [{name: kernels}]\ncommand: [python3, -m, dynamo.sglang]", at: map[string]string{"volumeMounts": component}},
		"DGD239/0": {with: "volumes: [{name: shm, emptyDir: {medium: Memory}}]"},
		"DGD243/0": {platform: "everything"},
		"DGD244/0": {with: "components: [{name: Worker}, " + decode + "]"},
		"DGD244/2": {with: "components: [{name: Frontend}, " + prefill + ", " + decode + "]"},
		"DGD247/1": {with: mounted, at: map[string]string{"claimName": "@pod.volumes[models].persistentVolumeClaim"}},
		"DGD304/0": {cluster: "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: taken, namespace: inference}}"},
		"DGD305/0": {platform: "everything", with: "resources: {limits: {nvidia.com/gpu: \"4\"}}\nargs: [--tensor-parallel-size, \"4\"]"},
		"DGD306/0": {cluster: "{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-a}}"},
		"DGD307/0": {platform: "lws-volcano", with: "multinode: {nodeCount: 2}\nargs: [--tensor-parallel-size, \"2\"]"},
		"DGD308/0": {with: "spec: {topologyConstraint: {clusterTopologyName: my-cluster-topology, packDomain: zone}}", runs: true},
		"DGD309/0": {with: "resources: {limits: {nvidia.com/gpu: \"8\"}}"},
		"DGD310/0": {platform: "deployment"},
		"DGD311/0": {file: asInput},
		"DGD313/0": {platform: "guarded"},
	}
}
