package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "regenerate the golden files")

// arguments that most cases begin with.
func arguments(more ...string) []string {
	return append([]string{"testdata/xr.yaml", "testdata/composition.yaml", "testdata/functions.yaml"}, more...)
}

func execute(t *testing.T, in string, args []string) (string, error) {
	t.Helper()
	c := &Command{}
	parser, err := kong.New(c)
	if err != nil {
		t.Fatalf("cannot make parser: %v", err)
	}
	if _, err := parser.Parse(args); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = c.Execute(t.Context(), strings.NewReader(in), &out, fakeChain(), nil)
	return out.String(), err
}

func TestExecute(t *testing.T) {
	xr, err := os.ReadFile("testdata/xr.yaml")
	if err != nil {
		t.Fatalf("cannot read XR: %v", err)
	}

	homeless := strings.Replace(string(xr), "  namespace: inference\n", "", 1)
	cases := map[string]struct {
		reason string
		golden string
		stdin  string
		args   []string
	}{
		"Plain": {
			reason: "The composite resource comes first, then what is composed by key; results and context are not asked for.",
			golden: "plain.yaml",
			args:   arguments(),
		},
		"Stdin": {
			reason: "The composite resource may come from the standard input.",
			golden: "plain.yaml",
			stdin:  string(xr),
			args:   []string{"-", "testdata/composition.yaml", "testdata/functions.yaml"},
		},
		"Namespace": {
			reason: "A composite resource without a namespace gets that of the flag.",
			golden: "plain.yaml",
			stdin:  homeless,
			args:   []string{"-", "testdata/composition.yaml", "testdata/functions.yaml", "-n", "inference"},
		},
		"DefaultNamespace": {
			reason: "Without the flag a composite resource is created in the default namespace, as by kubectl.",
			golden: "default-namespace.yaml",
			stdin:  homeless,
			args:   []string{"-", "testdata/composition.yaml", "testdata/functions.yaml"},
		},
		"Everything": {
			reason: "All flags of the real renderer can be given together, in their short form.",
			golden: "everything.yaml",
			args:   arguments("-e", "testdata/required", "-o", "testdata/observed.yaml", "-r", "-c", "-x"),
		},
		"EverythingLong": {
			reason: "The long form of the flags, and the former name of one, are the same.",
			golden: "everything.yaml",
			args: arguments(
				"--extra-resources", "testdata/required/b.yml", "--required-resources", "testdata/required/a.yaml", "--observed-resources", "testdata/observed.yaml",
				"--include-function-results", "--include-context", "--include-full-xr", "--timeout", "5s",
			),
		},
		"Context": {
			reason: "The pipeline starts with the context that the flags make; values win over files.",
			golden: "context.yaml",
			args:   arguments("-c", "--context-values", `calls=6;given={"a":[1,2.5,null]}`, "--context-files", "given=testdata/functions.yaml;settings=testdata/observed.yaml"),
		},
		"Claimed": {
			reason: "A composite resource without a namespace composes where its functions say, and passes on the labels of its claim.",
			golden: "claimed.yaml",
			args:   []string{"testdata/claimed-xr.yaml", "testdata/composition.yaml", "testdata/functions.yaml", "-r"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := execute(t, tc.stdin, tc.args)
			if err != nil {
				t.Fatalf("\n%s\nExecute(...): unexpected error: %v", tc.reason, err)
			}
			path := filepath.Join("testdata", "golden", tc.golden)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatalf("cannot write golden file: %v", err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("cannot read golden file: %v", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("\n%s\nExecute(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestExecuteIsDeterministic(t *testing.T) {
	args := arguments("-e", "testdata/required", "-o", "testdata/observed.yaml", "-r", "-c", "-x")
	want, err := execute(t, "", args)
	if err != nil {
		t.Fatalf("Execute(...): unexpected error: %v", err)
	}
	for range 100 {
		got, err := execute(t, "", args)
		if err != nil {
			t.Fatalf("Execute(...): unexpected error: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Execute(...): two renders differ: -first, +later:\n%s", diff)
		}
	}
}

// edited is a file of testdata with some text replaced by other text.
func edited(t *testing.T, name string, replace ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatalf("cannot read %s: %v", name, err)
	}
	out := strings.NewReplacer(replace...).Replace(string(data))
	if out == string(data) {
		t.Fatalf("%s has none of %q", name, replace)
	}
	path := filepath.Join(t.TempDir(), "edited.yaml")
	if err := os.WriteFile(path, []byte(out), 0o600); err != nil { //nolint:gosec // In the test's own directory.
		t.Fatalf("cannot write %s: %v", path, err)
	}
	return path
}

func TestExecuteErrors(t *testing.T) {
	with := func(xr, composition, functions string, more ...string) []string {
		return append([]string{xr, composition, functions}, more...)
	}
	const xr, comp, fns = "testdata/xr.yaml", "testdata/composition.yaml", "testdata/functions.yaml"

	cases := map[string]struct {
		reason string
		stdin  string
		args   []string
		want   string
	}{
		"Fatal": {
			reason: "A Fatal ends the render with the step and the message; nothing is printed.",
			args:   with(xr, edited(t, "composition.yaml", "hello", "fatal"), fns, "-r", "-c"),
			want:   `cannot render composite resource: cannot compose resources: pipeline step "compose" returned a fatal result: spec.replicas: Invalid value: 2`,
		},
		"NoSuchFile": {
			reason: "A file that is not there is named.",
			args:   with("nope.yaml", comp, fns),
			want:   `cannot load composite resource from "nope.yaml": cannot read manifests: stat nope.yaml: no such file or directory`,
		},
		"EmptyStdin": {
			reason: "Nothing on the standard input is no composite resource.",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": expected exactly one object, found 0`,
		},
		"TwoCompositeResources": {
			reason: "One composite resource is rendered, and no other is left out silently.",
			stdin:  "{apiVersion: v1, kind: A, metadata: {name: a}}\n---\n{apiVersion: v1, kind: A, metadata: {name: b}}\n",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": expected exactly one object, found 2`,
		},
		"NoName": {
			reason: "What is composed is named after the composite resource.",
			stdin:  "{apiVersion: v1, kind: A}",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": it has no metadata.name`,
		},
		"OtherNamespace": {
			reason: "A namespace that differs from that of the flag is refused with both, as by kubectl.",
			args:   with(xr, comp, fns, "--namespace=staging"),
			want:   `cannot render composite resource from "testdata/xr.yaml": metadata.namespace: Invalid value: "inference": does not match --namespace=staging`,
		},
		"NotAnObject": {
			reason: "A document that is no object is not left out silently.",
			stdin:  "# Only a comment.\n---\n- a\n",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": it has documents that are no Kubernetes objects (1): each must be a mapping with apiVersion, kind and metadata`,
		},
		"NoKind": {
			reason: "An object without a kind is no Kubernetes object.",
			stdin:  "apiVersion: v1",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": it has documents that are no Kubernetes objects (1)`,
		},
		"KeyTwice": {
			reason: "Of a key that is written twice one value would be lost.",
			stdin:  "apiVersion: v1\nkind: A\nkind: B\n",
			args:   with("-", comp, fns),
			want:   `cannot load composite resource from "-": -:3:1: key "kind" is already set in line 2, and one of the two values is lost; remove one of them`,
		},
		"NotAComposition": {
			reason: "The order of the arguments is easy to confuse.",
			args:   with(xr, xr, fns),
			want:   `cannot load Composition from "testdata/xr.yaml": not a Composition of apiextensions.crossplane.io/v1: Graph of example.org/v1`,
		},
		"NotAPipeline": {
			reason: "Only pipelines can be rendered.",
			args:   with(xr, edited(t, "composition.yaml", "mode: Pipeline", "mode: Resources"), fns),
			want:   `composition "graph" must use spec.mode: Pipeline`,
		},
		"OtherKind": {
			reason: "A composition for another kind is refused.",
			args:   with(xr, edited(t, "composition.yaml", "kind: Graph", "kind: XGraph"), fns),
			want:   `composition's compositeTypeRef.kind (XGraph) does not match XR's kind (Graph)`,
		},
		"OtherVersion": {
			reason: "A composition for another version is refused.",
			args:   with(xr, edited(t, "composition.yaml", "apiVersion: example.org/v1\n    kind: Graph", "apiVersion: example.org/v2\n    kind: Graph"), fns),
			want:   `composition's compositeTypeRef.apiVersion (example.org/v2) does not match XR's apiVersion (example.org/v1)`,
		},
		"OtherLabels": {
			reason: "A composition that the composite resource does not select is refused.",
			args:   with(edited(t, "xr.yaml", "replicas: 2", "crossplane: {compositionSelector: {matchLabels: {channel: beta}}}"), comp, fns),
			want:   `XR selects compositions with label channel=beta, composition "graph" has "stable"`,
		},
		"Credentials": {
			reason: "Credentials are not read, and that is said.",
			args:   with(xr, edited(t, "composition.yaml", "      input:", "      credentials: [{name: a}]\n      input:"), fns),
			want:   `pipeline step "compose" uses credentials, which this renderer does not support`,
		},
		"CompositionOfOtherShape": {
			reason: "A composition that cannot be read is refused.",
			args:   with(xr, edited(t, "composition.yaml", "mode: Pipeline", "mode: [Pipeline]"), fns),
			want:   "cannot decode Composition",
		},
		"NotAFunction": {
			reason: "The file of functions holds nothing else.",
			args:   with(xr, comp, xr),
			want:   `cannot use functions from "testdata/xr.yaml": not a function: Graph/llama`,
		},
		"FunctionNotInstalled": {
			reason: "A function that the real renderer would not find is not found here either.",
			args:   with(xr, comp, edited(t, "functions.yaml", "name: function-dynamo-compose", "name: other")),
			want:   `pipeline step "compose" refers to function "function-dynamo-compose", which is not one of the given functions (acme-function-dynamo-plan, other)`,
		},
		"FunctionUnknown": {
			reason: "A function of someone else cannot be run here.",
			args: with(xr, edited(t, "composition.yaml", "name: function-dynamo-compose", "name: function-auto-ready"),
				edited(t, "functions.yaml", "name: function-dynamo-compose", "name: function-auto-ready")),
			want: `pipeline step "compose" refers to function "function-auto-ready", which is not part of this program; it has function-dynamo-plan, function-dynamo-compose`,
		},
		"ObservedOfAnother": {
			reason: "Crossplane would not show objects of another composite resource to a function.",
			args: arguments("-o", edited(t, "observed.yaml",
				"    crossplane.io/composition-resource-name: kept", "    a: b\n  ownerReferences: [{apiVersion: v1, kind: A, name: a, uid: u, controller: true}]",
				"namespace: inference", "namespace: elsewhere")),
			want: "cannot render composite resource: invalid observed resources: [observed resource first-name has a controller ref but is not controlled by the XR, " +
				"observed resource first-name is not in the same namespace as the XR, " +
				"observed resource first-name has no annotation crossplane.io/composition-resource-name]",
		},
		"NoObserved": {
			reason: "An observed file that is not there is named.",
			args:   arguments("-o", "nope.yaml"),
			want:   `cannot load observed composed resources from "nope.yaml"`,
		},
		"NoRequired": {
			reason: "A directory with nothing in it is a mistake.",
			args:   arguments("-e", t.TempDir()),
			want:   "there are no manifests in it",
		},
		"BrokenRequired": {
			reason: "The file of the directory that is broken is named.",
			args:   arguments("-e", "testdata/required/ignored"),
			want:   `cannot load required resources from "testdata/required/ignored": testdata/required/ignored/c.yaml:1:1: cannot parse YAML`,
		},
		"BrokenContext": {
			reason: "The key whose value is no YAML is named.",
			args:   arguments("--context-values", "a={"),
			want:   `cannot parse context value for key "a"`,
		},
		"NoContextFile": {
			reason: "The key whose file is not there is named.",
			args:   arguments("--context-files", "a=nope.yaml"),
			want:   `cannot read context value for key "a"`,
		},
		"UnknownFlag": {
			reason: "A flag of the real renderer that we do not have is not ignored.",
			args:   arguments("--crossplane-binary", "x"),
			want:   "unknown flag --crossplane-binary",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := execute(t, tc.stdin, tc.args)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nExecute(...): want error %q, got %v", tc.reason, tc.want, err)
			}
			if got != "" {
				t.Errorf("\n%s\nExecute(...): want no output, got:\n%s", tc.reason, got)
			}
		})
	}
}

func TestExecuteTimeout(t *testing.T) {
	c := &Command{
		CompositeResource: "testdata/xr.yaml",
		Composition:       "testdata/composition.yaml",
		Functions:         "testdata/functions.yaml",
		Timeout:           time.Nanosecond,
	}
	if err := c.Execute(t.Context(), nil, &bytes.Buffer{}, fakeChain(), nil); err == nil || !strings.Contains(err.Error(), "context deadline exceeded") {
		t.Errorf("Execute(...): want an error when the time is over, got %v", err)
	}
}
