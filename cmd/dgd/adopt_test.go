package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// adoptCluster is a cluster with a graph of the operator, one without components, and one that was adopted before.
const adoptCluster = "testdata/adopt/cluster.yaml"

// adoptGolden compares with a file of testdata, or writes it.
func adoptGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	harness.Golden(t, filepath.Join("testdata", "adopt", name), got)
}

func TestAdoptCheck(t *testing.T) {
	for _, format := range []string{"text", "json", "yaml"} {
		t.Run(format, func(t *testing.T) {
			var out, stderr bytes.Buffer
			code := run(t.Context(), []string{"adopt", "check", "-f", adoptCluster, "-o", format}, streams{in: strings.NewReader(""), out: output.To(&out), err: output.To(&stderr)})
			if want := "dgd: error: 1 of 2 graphs cannot be adopted\n"; code != 1 || stderr.String() != want {
				t.Errorf("A graph that cannot be adopted ends the command with 1: want %q, got %d and %q", want, code, stderr.String())
			}
			adoptGolden(t, "check."+format, out.Bytes())
		})
	}
}

// TestAdoptCheckComponents holds that a graph that is read in v1beta1 is adopted in the same way.
func TestAdoptCheckComponents(t *testing.T) {
	objects := harness.Read(t, filepath.Join("cmd", "dgd", adoptCluster))
	for _, o := range objects {
		if o.GetKind() == "DynamoGraphDeployment" && o.GetName() == "llama" {
			o.Object, _ = conversion.ToV1beta1(o.Object)
		}
	}
	var out, stderr bytes.Buffer
	cluster := bytes.NewReader(harness.Format(t, objects...))
	run(t.Context(), []string{"adopt", "check", "-f", "-"}, streams{in: cluster, out: output.To(&out), err: output.To(&stderr)})
	adoptGolden(t, "check.text", out.Bytes())
}

func TestAdopt(t *testing.T) {
	var out, stderr bytes.Buffer
	folder := filepath.Join(t.TempDir(), "adoption")
	code := run(t.Context(), []string{"adopt", "-f", adoptCluster, "-d", folder}, streams{in: strings.NewReader(""), out: output.To(&out), err: output.To(&stderr)})
	want := filepath.Join(folder, "graphs.yaml") + " and " + filepath.Join(folder, "steps.sh") + " are written; read each command in steps.sh before you run it\ndgd: error: 1 of 2 graphs cannot be adopted\n"
	if code != 1 || stderr.String() != want {
		t.Errorf("A graph that cannot be adopted ends the command with 1: want %q, got %d and %q", want, code, stderr.String())
	}
	for _, name := range []string{"graphs.yaml", "steps.sh"} {
		got := harness.File(t, filepath.Join(folder, name))
		adoptGolden(t, name, got)
	}
}

// TestAdoptOthers is about a graph with a LeaderWorkerSet for all replicas of a component, and about one that can only be replaced.
func TestAdoptOthers(t *testing.T) {
	const cluster = "testdata/adopt/others.yaml"
	var out, stderr bytes.Buffer
	folder := t.TempDir()
	for _, args := range [][]string{{"adopt", "check", "-f", cluster}, {"adopt", "-f", cluster, "-d", folder}} {
		if code := run(t.Context(), args, streams{in: strings.NewReader(""), out: output.To(&out), err: output.To(&stderr)}); code != 1 {
			t.Errorf("%v: want 1, got %d and %s", args, code, stderr.String())
		}
	}
	adoptGolden(t, "others.text", out.Bytes())
	steps := harness.File(t, filepath.Join(folder, "steps.sh"))
	adoptGolden(t, "others.sh", steps)
}

func TestAdoptFrom(t *testing.T) {
	data, err := os.ReadFile(adoptCluster)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   int
		out    string
		err    string
	}{
		"StandardInput": {
			reason: "A dash is the standard input, and the only graph of another namespace is none.",
			args:   []string{"-f", "-", "-n", "other"}, stdin: string(data), code: exitUsage,
			err: "dgd: error: no graph of the Dynamo operator in namespace other is in the files, which have 14 objects; " +
				"pass DynamoGraphDeployments as kubectl get -o yaml prints them, with the objects that the operator has made for them\n",
		},
		"Alone": {
			reason: "A graph without what the operator has made for it leaves nothing to check.",
			args:   []string{"-f", "../../examples/agg-vllm.yaml"},
			out:    "Graph inference/agg-vllm\n  Nothing that the operator has made for it was found; files have to contain these objects, too\n",
		},
		"Missing": {
			reason: "A file that does not exist is an error.",
			args:   []string{"-f", "missing.yaml"}, code: exitUsage,
			err: "dgd: error: cannot load objects from \"missing.yaml\": cannot read manifests: stat missing.yaml: no such file or directory\n",
		},
		"Format": {
			reason: "A format that is none is an error of usage.",
			args:   []string{"-f", adoptCluster, "-o", "table"}, code: exitUsage,
			err: "dgd: error: --output must be one of \"text\",\"json\",\"yaml\" but got \"table\"\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ended(t, tc.stdin, append([]string{"adopt", "check"}, tc.args...)...)
			if want := (end{out: tc.out, err: tc.err, code: tc.code}); got != want {
				t.Errorf("%s\nwant %+v, got %+v", tc.reason, want, got)
			}
		})
	}
}
