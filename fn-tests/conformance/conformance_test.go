package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// comparison is with the objects of one release of the operator.
type comparison struct {
	release string
	// forced is the release of Dynamo that all images are taken for, because the operator of a release knows no other.
	forced string
	// input of step plan, in addition to that of the shipped Composition and the forced release. A newcomer has none, so a comparison needs a reason.
	input map[string]any
	modes []mode
	// serves is an API that the cluster serves in addition to those of the mode.
	serves string
	// leastEqual and leastAccepted are what has to be equal, and equal or accepted, in percent of all leaves.
	leastEqual, leastAccepted float64
}

// mode is one way to run graphs of one version of the API.
type mode struct {
	// golden is the folder of what the operator creates, manifests that of the manifests.
	golden, manifests string
	cluster           string
	// files that both folders have.
	files int
	// others are files that cannot be compared: the manifest is refused, or its PodCliqueSet has another name than ours.
	others []string
}

func comparisons() []comparison {
	return []comparison{
		{
			release: "1.1", forced: "1.1.0",
			// The operator's webhook marks new graphs with its release, which since 1.0.0 makes their executor mp. No webhook ran for these graphs,
			// so all of them have Ray.
			input: map[string]any{"vllm": map[string]any{"distributedExecutor": "ray"}},
			modes: []mode{
				{golden: "golden/grove", manifests: "corpus", cluster: harness.GroveKAI, files: 220, others: longNames()},
				{golden: "golden/lws", manifests: "corpus", cluster: harness.LWSVolcano, files: 207},
			},
			// Off Grove the progress deadlines of Deployments and the annotation with the revision of a workload are more than a percent.
			leastEqual: 93, leastAccepted: 100,
		},
		{
			// The operator of August came before 1.5.0. What that release gives to its own images was decided later.
			release: "1.5", forced: "1.4.0",
			modes: []mode{
				{golden: "golden-2026-08/grove-v1alpha1", manifests: "corpus", cluster: harness.GroveKAI, files: 216},
				{golden: "golden-2026-08/lws-v1alpha1", manifests: "corpus", cluster: harness.LWSVolcano, files: 204},
				{golden: "golden-2026-08/grove-v1beta1", manifests: "corpus/v1beta1", cluster: harness.GroveKAI, files: 116, others: refused()},
				{golden: "golden-2026-08/lws-v1beta1", manifests: "corpus/v1beta1", cluster: harness.LWSVolcano, files: 109, others: refused()},
			},
			serves: "v1.inference.networking.k8s.io",
			// Off Grove each replica over several nodes is a LeaderWorkerSet with its gang, where the operator has one for all and no gangs.
			leastEqual: 89, leastAccepted: 100,
		},
	}
}

func TestConformance(t *testing.T) {
	shared.SkipShort(t)
	for _, c := range comparisons() {
		t.Run(c.release, c.run)
	}
}

func (c comparison) run(t *testing.T) {
	files := 0
	for _, m := range c.modes {
		files += m.files
	}
	script := shared.Path(t, files, "conformance", "compare.py")
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", "import yaml").CombinedOutput(); err != nil {
		shared.Skipf(t, files, "python3 with PyYAML: %v: %s", err, out)
	}
	release := releaseOf(t, c.release)
	accepted := read(t, release)
	most := map[*Row]int{}
	for _, m := range c.modes {
		want, got := c.folders(t, m)
		reports := compare(t, script, []string{"-v", want, got}, []string{"-v", "--accept", release.File, want, got})
		counts, rest := accepted.Count(differing(reports[0]))
		for row, count := range counts {
			most[row] = max(most[row], count)
		}
		if harness.Update() {
			for _, leaf := range rest {
				t.Errorf("%s: no row accepts %s", m.golden, leaf)
			}
			continue
		}
		t.Run(m.golden, func(t *testing.T) { c.isAccounted(t, reports[1]) })
	}
	if harness.Update() {
		if err := os.WriteFile(release.File, []byte(accepted.WithMax(most)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, row := range accepted.Rows() {
		if most[row] != row.Max {
			t.Errorf("%s: want %d differences, got %d", row.Title, row.Max, most[row])
		}
	}
}

func (c comparison) isAccounted(t *testing.T, report string) {
	t.Helper()
	result := parse(t, report)
	t.Logf("%s", result.line)
	if result.equal < c.leastEqual || result.withAccepted < c.leastAccepted {
		t.Errorf("want at least %.1f%% equal, and %.1f%% with accepted", c.leastEqual, c.leastAccepted)
	}
	if result.differ > 0 {
		t.Errorf("differences that the table does not account for:\n%s", report)
	}
}

// folders of what the operator creates and of what we render, with the same files in both.
func (c comparison) folders(t *testing.T, m mode) (want, got string) {
	t.Helper()
	golden, manifests := shared.Path(t, m.files, m.golden), shared.Path(t, m.files, m.manifests)
	pipeline, functions := c.pipeline(t), crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	// The operator brings the kind of scaling adapters itself.
	cluster := append(harness.Read(t, m.cluster), harness.ScalingAdapter())
	if c.serves != "" {
		cluster = append(cluster, harness.APIService(t, c.serves))
	}
	files, err := filepath.Glob(filepath.Join(golden, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != m.files {
		t.Errorf("%s: want %d manifests, got %d", m.golden, m.files, len(files))
	}
	files = slices.DeleteFunc(files, func(file string) bool { return slices.Contains(m.others, filepath.Base(file)) })
	want, got = t.TempDir(), t.TempDir()
	harness.Parallel(len(files), func(i int) {
		file := filepath.Base(files[i])
		graph := crossplane.NewGraph(harness.Read(t, filepath.Join(manifests, file))[0], cluster)
		reconcile, err := pipeline.Reconcile(t.Context(), graph, functions)
		if err != nil {
			t.Errorf("%s: %s: %v", m.golden, file, err)
			return
		}
		err = errors.Join(
			os.Symlink(files[i], filepath.Join(want, file)),
			os.WriteFile(filepath.Join(got, file), harness.Format(t, composed(t, reconcile)...), 0o600),
		)
		if err != nil {
			t.Errorf("%s: %s: %v", m.golden, file, err)
		}
	})
	return want, got
}

// pipeline of the shipped Composition, as Crossplane runs it: it detects which kinds the cluster serves.
func (c comparison) pipeline(t *testing.T) *crossplane.Pipeline {
	t.Helper()
	input := map[string]any{"runtime": map[string]any{"version": c.forced, "force": true}}
	maps.Copy(input, c.input)
	return compositiontest.Pipeline(t, harness.Composition, input)
}

// refused are manifests that the operator accepts only without its validation, or whose workers have neither a command nor a
// backendFramework that determines it.
func refused() []string {
	return []string{
		"dynamo-docs-vllm-fern-dgd-reference-l20.yaml",
		"dynamo-docs-vllm-fern-rolling-update-l337.yaml",
		"dynamo-docs-vllm-fern-topology-aware-kv-transfer-l141.yaml",
		"dynamo-docs-vllm-fern-use-cases-tool-calling-and-reasoning-chat-processors-l65.yaml",
	}
}

// longNames are manifests with names that are too long for Grove. Release 1.1 does not cut them.
func longNames() []string {
	return []string{
		"dynamo-comp-vllm-dynamo-planner-tests-manual-perf-test-configs-disagg-8b-planner-orchestrator.yaml",
		"eks-aioneks-sglang-sglang-disaggregated-default.yaml",
		"eks-aioneks-trtllm-trtllm-disaggregated-default.yaml",
	}
}

// composed objects that the operator creates too. Revisions repeat the pod templates of the workloads.
func composed(t *testing.T, r *crossplane.Reconcile) []*unstructured.Unstructured {
	t.Helper()
	resources := r.Desired().GetResources()
	var objects []*unstructured.Unstructured
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		data, err := resources[key].GetResource().MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(data); err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if object.GetKind() != "ControllerRevision" {
			objects = append(objects, object)
		}
	}
	return objects
}

func releaseOf(t *testing.T, name string) Release {
	t.Helper()
	releases := Releases()
	i := slices.IndexFunc(releases, func(r Release) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("no table for release %s", name)
	}
	return releases[i]
}

func read(t *testing.T, release Release) *Accepted {
	t.Helper()
	accepted, err := release.Accepted()
	if err != nil {
		t.Fatal(err)
	}
	return accepted
}

// comparing runs the script in its first argument with each line of its standard input as the arguments. The parser in C, where PyYAML has
// it, takes an eighth of the time, and each file is parsed once for all comparisons.
const comparing = `
import functools, json, runpy, sys, yaml
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

@functools.cache
def parsed(path):
    with open(path) as file:
        return list(yaml.load_all(file, Loader=loader))

yaml.safe_load_all = lambda file: parsed(file.name)
script = sys.argv[1]
for line in sys.stdin:
    sys.argv = [script, *json.loads(line)]
    runpy.run_path(script, run_name="__main__")
    print("\f")
`

// compare folders with a script that is called with each list of arguments, and return the reports.
func compare(t *testing.T, script string, calls ...[]string) []string {
	t.Helper()
	var input bytes.Buffer
	for _, args := range calls {
		line, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-c", comparing, script)
	cmd.Stdin = &input
	out, err := cmd.CombinedOutput()
	reports := strings.Split(string(out), "\f\n")
	if err != nil || len(reports) != len(calls)+1 {
		t.Fatalf("cannot compare: %v\n%s", err, out)
	}
	return reports
}

// differing leaves of a report, which are what it indents by four.
func differing(report string) []string {
	var leaves []string
	for line := range strings.SplitSeq(report, "\n") {
		if leaf, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(leaf, " ") {
			leaves = append(leaves, leaf)
		}
	}
	return leaves
}

type result struct {
	line                string
	differ              int
	equal, withAccepted float64
}

func parse(t *testing.T, report string) result {
	t.Helper()
	report = strings.TrimSpace(report)
	last := report[strings.LastIndex(report, "\n")+1:]
	numbers := regexp.MustCompile(` (\d+) differ; equal ([\d.]+)%, with accepted = ([\d.]+)%$`).FindStringSubmatch(last)
	if numbers == nil {
		t.Fatalf("the last line of the report is not the figures: %s", last)
	}
	r := result{line: last}
	var errs [3]error
	r.differ, errs[0] = strconv.Atoi(numbers[1])
	r.equal, errs[1] = strconv.ParseFloat(numbers[2], 64)
	r.withAccepted, errs[2] = strconv.ParseFloat(numbers[3], 64)
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}
