package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/missing"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

const (
	// What has to be equal, and equal or accepted, in percent of all leaves. Off Grove the progress deadlines of Deployments
	// and the annotation with the revision of a workload are more than a percent.
	leastEqual    = 93.5
	leastAccepted = 99.0
)

// mode is one way to run a graph.
type mode struct {
	// golden is the folder of what the operator creates.
	golden, cluster string
	// manifests that the folder has.
	manifests int
	// refused is how many manifests that the operator takes are refused: fn-tests/corpus and fn-tests/lws list them. There is
	// nothing to compare them with.
	refused int
}

func modes() []mode {
	return []mode{
		{golden: "grove", cluster: harness.GroveKAI, manifests: 220, refused: 3},
		{golden: "lws", cluster: harness.LWSVolcano, manifests: 207},
	}
}

func TestConformance(t *testing.T) {
	compared := 0
	for _, m := range modes() {
		compared += m.manifests
	}
	script := shared.Path(t, compared, "conformance", "compare.py")
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", "import yaml").CombinedOutput(); err != nil {
		missing.Skipf(t, compared, "python3 with PyYAML: %v: %s", err, out)
	}
	accepted := read(t)
	most := map[*Row]int{}
	for _, m := range modes() {
		want, got := m.folders(t)
		counts, rest := accepted.Count(differing(compare(t, script, "-v", want, got)))
		for row, count := range counts {
			most[row] = max(most[row], count)
		}
		if harness.Update() {
			for _, leaf := range rest {
				t.Errorf("%s: no row accepts %s", m.golden, leaf)
			}
			continue
		}
		t.Run(m.golden, func(t *testing.T) { isAccounted(t, compare(t, script, "-v", "--accept", "accept.tsv", want, got)) })
	}
	if harness.Update() {
		if err := os.WriteFile("accept.tsv", []byte(accepted.WithMax(most)), 0o644); err != nil {
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

func isAccounted(t *testing.T, report string) {
	t.Helper()
	result := parse(t, report)
	t.Logf("%s", result.line)
	if result.equal < leastEqual || result.withAccepted < leastAccepted {
		t.Errorf("want at least %.1f%% equal, and %.1f%% with accepted", leastEqual, leastAccepted)
	}
	if result.differ > 0 {
		t.Errorf("differences that accept.tsv does not account for:\n%s", report)
	}
}

// folders of what the operator creates and of what we render, with the same files in both.
func (m mode) folders(t *testing.T) (want, got string) {
	t.Helper()
	golden := shared.Path(t, m.manifests, "golden", m.golden)
	// The operator brings the kind itself.
	composition := harness.WithInput(t, harness.Composition, map[string]any{"scalingAdapter": map[string]any{"mode": "Enabled"}})
	var renders []harness.Render
	for _, manifest := range shared.Corpus(t) {
		if _, err := os.Stat(filepath.Join(golden, manifest.Name+".yaml")); err == nil {
			renders = append(renders, harness.Render{XR: manifest.Path, Composition: composition, Cluster: m.cluster})
		}
	}
	if len(renders) != m.manifests {
		t.Errorf("%s: want %d manifests, got %d", m.golden, m.manifests, len(renders))
	}
	want, got = t.TempDir(), t.TempDir()
	skipped := 0
	for i, out := range harness.New(t).RenderAll(t, renders) {
		if out.Err != nil {
			skipped++
			continue
		}
		file := filepath.Base(renders[i].XR)
		if err := os.Symlink(filepath.Join(golden, file), filepath.Join(want, file)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(got, file), harness.Format(t, withoutRevisions(out)...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if skipped != m.refused {
		t.Errorf("%d manifests do not render, want %d", skipped, m.refused)
	}
	return want, got
}

// withoutRevisions are the objects of a render that the operator creates too. Revisions repeat the pod templates of the workloads.
func withoutRevisions(out harness.Output) []*unstructured.Unstructured {
	return slices.DeleteFunc(append([]*unstructured.Unstructured{out.Composite}, out.Composed...), func(object *unstructured.Unstructured) bool {
		return object.GetKind() == "ControllerRevision"
	})
}

func read(t *testing.T) *Accepted {
	t.Helper()
	file, err := os.ReadFile("accept.tsv")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ParseAccepted(string(file))
	if err != nil {
		t.Fatal(err)
	}
	return accepted
}

func compare(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("cannot compare: %v\n%s", err, out)
	}
	return string(out)
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
