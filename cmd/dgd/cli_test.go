package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// end of a command: what it has printed, and its exit status.
type end struct {
	out, err string
	code     int
}

// ended command.
func ended(t testing.TB, stdin string, args ...string) end {
	t.Helper()
	var out, stderr bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(stdin), out: &out, err: &stderr})
	return end{out: out.String(), err: stderr.String(), code: code}
}

// TestGenerated checks that what make generate writes with this program is up to date.
func TestGenerated(t *testing.T) {
	for path, args := range map[string][]string{
		"docs/cli.md":   {"reference", "cli"},
		"docs/codes.md": {"reference", "codes"},
		"schemas/dynamographdeployment-v1alpha1.json": {"schema", "v1alpha1"},
		"schemas/dynamographdeployment-v1beta1.json":  {"schema"},
	} {
		t.Run(path, func(t *testing.T) {
			got := ended(t, "", args...)
			if got.code != 0 {
				t.Fatalf("got exit status %d: %s", got.code, got.err)
			}
			if diff := cmp.Diff(string(read(t, path)), got.out); diff != "" {
				t.Errorf("%s: -want, +got (make generate writes it):\n%s", path, diff)
			}
		})
	}
}

// TestPlugin checks that help and errors have the name with which the program was started.
func TestPlugin(t *testing.T) {
	for program, want := range map[string]string{"/usr/local/bin/kubectl-dgd": "kubectl dgd", "./functions": "functions", "kubectl-dgd.exe": "kubectl dgd", "": "functions"} {
		var out, stderr bytes.Buffer
		code := run(t.Context(), []string{"validate"}, streams{out: &out, err: &stderr, program: program})
		if prefix := want + ": error: "; code != exitUsage || !strings.HasPrefix(stderr.String(), prefix) {
			t.Errorf("%s: want %q, got %d and %q", program, prefix, code, stderr.String())
		}
	}
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}}
	want := versions{Release: "development", Commit: "abc", Go: "go1.26", Dynamo: []string{"1.0.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0"}}
	if diff := cmp.Diff(want, versionsOf(info, true)); diff != "" {
		t.Errorf("versionsOf(...): -want, +got:\n%s", diff)
	}
	if got := versionsOf(nil, false); got.Go != "" || len(got.Dynamo) == 0 {
		t.Errorf("want the releases of Dynamo even if the build is not known, got %+v", got)
	}
	for format, want := range map[string]string{"text": "release: development\n", "json": "{\n  \"release\": \"development\",\n"} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"version", "-o", format}, streams{out: &out, err: &out}); code != 0 || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: want %q, got %d and %q", format, want, code, out.String())
		}
	}
}

func TestCompletionCommand(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var out bytes.Buffer
		code := run(t.Context(), []string{"completion", shell}, streams{out: &out, err: &out, program: "kubectl-dgd"})
		if code != 0 || !strings.Contains(out.String(), "kubectl-dgd") || !strings.Contains(out.String(), "validate") || strings.Contains(out.String(), "reference") {
			t.Errorf("%s: want a script with the commands that are not hidden, got %d and\n%s", shell, code, out.String())
		}
	}
}

func TestManCommand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	var out bytes.Buffer
	if code := run(t.Context(), []string{"man", folder}, streams{out: &out, err: &out, program: "kubectl-dgd"}); code != 0 {
		t.Fatalf("got exit status %d: %s", code, out.String())
	}
	page, err := os.ReadFile(filepath.Join(folder, "kubectl-dgd-validate.1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "kubectl dgd validate deploy/") {
		t.Errorf("want a page with examples, got\n%s", page)
	}
}
