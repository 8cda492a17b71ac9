package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// sizes of the binaries and of what is pulled.
func (b *bench) sizes() error {
	rows := [][]string{{"", "MB"}}
	for _, binary := range []struct{ name, path string }{{"binary of all functions", b.functions}, {"binary of echo", b.static}} {
		info, err := os.Stat(binary.path)
		if err != nil {
			return fmt.Errorf("cannot read the size of a binary: %w", err)
		}
		rows = append(rows, []string{binary.name, megabytes(info.Size())})
	}
	name, size, err := b.imageSize()
	if err != nil {
		return err
	}
	b.table("Sizes", append(rows, []string{name, megabytes(size)}))
	return nil
}

// imageSize is the size of a function's package with its image, or of the compressed binary where no package was built.
func (b *bench) imageSize() (name string, size int64, err error) {
	packages, err := filepath.Glob(filepath.Join(harness.Root(), "_output", "package", "function-dynamo-"+b.pipeline.Steps[0].Function+"-amd64.xpkg"))
	if err != nil {
		return "", 0, fmt.Errorf("cannot look for packages: %w", err)
	}
	if len(packages) > 0 {
		info, err := os.Stat(packages[0]) //nolint:gosec // The path is one of the repository.
		if err != nil {
			return "", 0, fmt.Errorf("cannot read the size of a package: %w", err)
		}
		return "package of a function with its image, " + filepath.Base(packages[0]), info.Size(), nil
	}
	binary, err := os.Open(b.functions) //nolint:gosec // It has built the file itself.
	if err != nil {
		return "", 0, fmt.Errorf("cannot read a binary: %w", err)
	}
	defer binary.Close() //nolint:errcheck // It is only read.
	var counted counter
	compressed := gzip.NewWriter(&counted)
	if _, err := io.Copy(compressed, binary); err != nil {
		return "", 0, fmt.Errorf("cannot compress a binary: %w", err)
	}
	if err := compressed.Close(); err != nil {
		return "", 0, fmt.Errorf("cannot compress a binary: %w", err)
	}
	return "binary of all functions, compressed (make package makes the image)", int64(counted), nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}
