package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// example arguments of render, with the composite resource first.
func example(xr string) []string {
	return []string{
		"render", xr, "../../compositions/dynamographdeployment.yaml", "../../examples/functions.yaml", "-e", "../../examples/cluster/grove-kai.yaml",
	}
}

func TestRunRender(t *testing.T) {
	dgd := string(read(t, "examples/agg-vllm.yaml"))

	cases := map[string]struct {
		reason  string
		args    []string
		in      string
		code    int
		wantOut string
		wantErr string
	}{
		"Example": {
			reason:  "An example becomes what runs it.",
			args:    example("../../examples/agg-vllm.yaml"),
			wantOut: "kind: PodCliqueSet",
		},
		"Stdin": {
			reason:  "The graph may come from the standard input.",
			args:    example("-"),
			in:      dgd,
			wantOut: "kind: PodCliqueSet",
		},
		"Refused": {
			reason:  "A graph that is refused is exit status 1 and nothing on the standard output.",
			args:    example("-"),
			in:      strings.ReplaceAll(dgd, "replicas:", "replicaz:"),
			code:    1,
			wantErr: `dgd: error: cannot render composite resource: cannot compose resources: pipeline step "plan" returned a fatal result: `,
		},
		"NoArguments": {
			reason:  "What is missing on the command line is said.",
			args:    []string{"render"},
			code:    exitUsage,
			wantErr: `dgd: error: expected the path of a graph, or - for standard input`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tc.args, streams{in: strings.NewReader(tc.in), out: output.To(&stdout), err: output.To(&stderr)})
			if code != tc.code {
				t.Errorf("\n%s\nrun(...): want exit status %d, got %d: %s", tc.reason, tc.code, code, stderr.String())
			}
			if !strings.Contains(stdout.String(), tc.wantOut) || tc.wantOut == "" && stdout.Len() > 0 {
				t.Errorf("\n%s\nrun(...): want output with %q, got:\n%s", tc.reason, tc.wantOut, stdout.String())
			}
			if !strings.HasPrefix(stderr.String(), tc.wantErr) || tc.wantErr == "" && stderr.Len() > 0 {
				t.Errorf("\n%s\nrun(...): want error output %q, got:\n%s", tc.reason, tc.wantErr, stderr.String())
			}
		})
	}
}

// TestRenderTwice shows that two renders of one graph are equal, also where a key pair is made, and that neither prints the key.
func TestRenderTwice(t *testing.T) {
	render := func(more ...string) string {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append(example("../../examples/trtllm-multinode.yaml"), more...), streams{out: output.To(&stdout), err: output.To(&stderr)}); code != 0 {
			t.Fatalf("run(...): exit status %d: %s", code, stderr.String())
		}
		return stdout.String()
	}
	first := render()
	if diff := cmp.Diff(first, render()); diff != "" {
		t.Errorf("two renders differ: -first, +second:\n%s", diff)
	}
	// How a private key of OpenSSH begins, in base64: 24 bytes, so that what follows changes nothing in it.
	key := base64.StdEncoding.EncodeToString([]byte("-----BEGIN OPENSSH PRIVA"))
	if strings.Contains(first, key) || !strings.Contains(first, "private.key: REDACTED") {
		t.Error("the private key is printed")
	}
	if !strings.Contains(render("--include-secret-data"), key) {
		t.Error("the private key is not printed where it is asked for")
	}
}

// read a file of the repository.
func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(filepath.Join("..", "..", path)))
	if err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}
	return data
}
