package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entries of a tarball.
func entries(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	reader := tar.NewReader(bytes.NewReader(data))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatalf("cannot read the tarball: %v", err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatalf("cannot read %s: %v", header.Name, err)
		}
		files[header.Name] = content
	}
}

func TestWrite(t *testing.T) {
	var first, second bytes.Buffer
	for _, w := range []io.Writer{&first, &second} {
		if err := write(w, "arm64", "plan", []byte("binary")); err != nil {
			t.Fatalf("write(...): unexpected error: %v", err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("write(...): want the same bytes from the same binary")
	}

	files := entries(t, first.Bytes())
	want := `[{"Config":"config.json","Layers":["layer.tar"],"RepoTags":[]}]`
	if diff := cmp.Diff(want, string(files["manifest.json"])); diff != "" {
		t.Errorf("manifest: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]byte{"functions": []byte("binary")}, entries(t, files["layer.tar"])); diff != "" {
		t.Errorf("files of the image: -want, +got:\n%s", diff)
	}

	var got image
	if err := json.Unmarshal(files["config.json"], &got); err != nil {
		t.Fatalf("cannot parse the config: %v", err)
	}
	if diff := cmp.Diff(describe("arm64", "plan", files["layer.tar"]), got); diff != "" {
		t.Errorf("config: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/functions", "plan"}, append(got.Config.Entrypoint, got.Config.Cmd...)); diff != "" {
		t.Errorf("command: -want, +got:\n%s", diff)
	}
	if got.Config.User != "2000:2000" || got.Architecture != "arm64" {
		t.Errorf("want user 2000:2000 on arm64, got user %s on %s", got.Config.User, got.Architecture)
	}
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	binary, out := filepath.Join(folder, "binary"), filepath.Join(folder, "image.tar")
	if err := os.WriteFile(binary, []byte("binary"), 0o600); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason                      string
		arch, function, binary, out string
		fails                       bool
	}{
		"Image":     {reason: "An image is written.", arch: "amd64", function: "plan", binary: binary, out: out},
		"Missing":   {reason: "Every flag is needed.", arch: "amd64", binary: binary, out: out, fails: true},
		"NoBinary":  {reason: "A binary that is not there is an error.", arch: "amd64", function: "plan", binary: binary + "x", out: out, fails: true},
		"Elsewhere": {reason: "A folder that is not there is an error.", arch: "amd64", function: "plan", binary: binary, out: filepath.Join(out, "x"), fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := run(tc.arch, tc.function, tc.binary, tc.out); (err != nil) != tc.fails {
				t.Errorf("\n%s\nrun(...): want an error: %t, got %v", tc.reason, tc.fails, err)
			}
		})
	}
}
