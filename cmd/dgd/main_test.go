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
