// Image writes the container image that a Function package runs: the one static binary of all functions, and nothing else. The
// functions call nobody and read no files but the certificates that are mounted, so there is no shell, no CA bundle and no
// user database in it. The same binary gives the same bytes.
//
// The file is what `docker save` writes, which is what `crossplane xpkg build --embed-runtime-image-tarball` reads.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const (
	// binaryPath of the functions in the image.
	binaryPath = "functions"

	// user that Crossplane runs functions as. A number, so that the kubelet sees that it is not root.
	user = "2000:2000"
)

// An image is what the config of a container image says. Its fields are those of the OCI image specification.
type image struct {
	Architecture string   `json:"architecture"`
	OS           string   `json:"os"`
	Created      string   `json:"created"`
	Config       config   `json:"config"`
	RootFS       rootFS   `json:"rootfs"`
	History      []record `json:"history"`
}

type config struct {
	User         string              `json:"User"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts"`
	Entrypoint   []string            `json:"Entrypoint"`
	Cmd          []string            `json:"Cmd"`
	WorkingDir   string              `json:"WorkingDir"`
	Labels       map[string]string   `json:"Labels"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type record struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

// epoch is when every image was made, so that two of the same binary are the same.
const epoch = "1970-01-01T00:00:00Z"

func main() {
	arch := flag.String("arch", "", "architecture of the binary, such as amd64")
	function := flag.String("function", "", "function that the image serves, such as plan")
	binary := flag.String("binary", "", "path of the static binary")
	out := flag.String("out", "", "path of the image to write")
	flag.Parse()

	if err := run(*arch, *function, *binary, *out); err != nil {
		fmt.Fprintln(os.Stderr, "image: error:", err)
		os.Exit(1)
	}
}

func run(arch, function, binary, out string) error {
	if arch == "" || function == "" || binary == "" || out == "" {
		return errors.New("specify --arch, --function, --binary and --out")
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("cannot read the binary: %w", err)
	}
	var tarball bytes.Buffer
	if err := write(&tarball, arch, function, data); err != nil {
		return err
	}
	if err := os.WriteFile(out, tarball.Bytes(), 0o644); err != nil {
		return fmt.Errorf("cannot write the image: %w", err)
	}
	return nil
}

// write the image of a function as a tarball.
func write(w io.Writer, arch, function string, binary []byte) error {
	var layer bytes.Buffer
	if err := archive(&layer, file{name: binaryPath, mode: 0o755, data: binary}); err != nil {
		return err
	}
	cfg, err := json.Marshal(describe(arch, function, layer.Bytes()))
	if err != nil {
		return fmt.Errorf("cannot encode the config: %w", err)
	}
	const cfgName, layerName = "config.json", "layer.tar"
	manifest, err := json.Marshal([]map[string]any{{"Config": cfgName, "RepoTags": []string{}, "Layers": []string{layerName}}})
	if err != nil {
		return fmt.Errorf("cannot encode the manifest: %w", err)
	}
	return archive(w,
		file{name: cfgName, mode: 0o644, data: cfg},
		file{name: layerName, mode: 0o644, data: layer.Bytes()},
		file{name: "manifest.json", mode: 0o644, data: manifest},
	)
}

func describe(arch, function string, layer []byte) image {
	sum := sha256.Sum256(layer)
	return image{
		Architecture: arch,
		OS:           "linux",
		Created:      epoch,
		Config: config{
			User:         user,
			ExposedPorts: map[string]struct{}{"9443/tcp": {}, "8080/tcp": {}},
			Entrypoint:   []string{"/" + binaryPath},
			Cmd:          []string{function},
			WorkingDir:   "/",
			Labels: map[string]string{
				"org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.source":   "https://github.com/dynamo-crossplane/configuration-dynamo",
				"org.opencontainers.image.title":    "function-dynamo-" + function,
			},
		},
		RootFS:  rootFS{Type: "layers", DiffIDs: []string{"sha256:" + hex.EncodeToString(sum[:])}},
		History: []record{{Created: epoch, CreatedBy: "hack/image"}},
	}
}

type file struct {
	name string
	mode int64
	data []byte
}

// archive files without owners and times.
func archive(w io.Writer, files ...file) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data))}
		if err := t.WriteHeader(header); err != nil {
			return fmt.Errorf("cannot archive %s: %w", f.name, err)
		}
		if _, err := t.Write(f.data); err != nil {
			return fmt.Errorf("cannot archive %s: %w", f.name, err)
		}
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("cannot finish the archive: %w", err)
	}
	return nil
}
