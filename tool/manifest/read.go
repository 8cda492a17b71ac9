package manifest

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/kustomization"
)

// Stdin is the path of standard input, and its name in positions.
const Stdin = "-"

// maxSize of a file. No manifest is larger, and a path may name anything.
const maxSize = 64 << 20

// A Reader of manifests.
type Reader struct {
	// In is standard input.
	In io.Reader

	// Recursive says that folders in folders are read too.
	Recursive bool

	// AsIs says that kustomizations are read as the files that they are, and not built.
	AsIs bool
}

// Read files, folders and patterns, in this order. An error is about a path that cannot be read. What is wrong in a file is a problem, so
// that all problems of all files are found at once.
func (r Reader) Read(paths []string) (*Files, error) {
	found, err := r.Find(paths)
	if err != nil {
		return nil, err
	}
	files, sources := &Files{}, sourcesOf(found)
	for _, file := range found {
		if (!r.AsIs || !kustomization.Is(file)) && files.source(file, sources) {
			continue
		}
		data, err := r.Content(file)
		if err != nil {
			return nil, err
		}
		files.parse(file, data)
	}
	files.deployed()
	return files, nil
}

// Find the files of paths, each once: patterns may overlap. Standard input is one of them.
func (r Reader) Find(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		found, err := []string{path}, error(nil)
		if path != Stdin {
			found, err = r.files(path)
		}
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all, nil
}

// Content of a file, or of standard input.
func (r Reader) Content(file string) ([]byte, error) {
	if file == Stdin {
		return limited(r.In, Stdin)
	}
	return readFile(file)
}

// files of a path: a file, the manifests in a folder, or what matches a pattern.
func (r Reader) files(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return r.inFolder(path)
	case err == nil:
		return []string{filepath.Clean(path)}, nil
	case !strings.ContainsAny(path, "*?["):
		return nil, errors.Errorf("cannot read manifests: %w", err)
	}
	matches, err := filepath.Glob(path)
	if err != nil {
		return nil, errors.Errorf("cannot read manifests: %s is not a valid pattern: %w", path, err)
	}
	if len(matches) == 0 {
		return nil, errors.Errorf("cannot read manifests: no file matches %s", path)
	}
	var found []string
	for _, match := range matches {
		more, err := r.files(match)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// IsManifest reports whether a path is that of a file that is read if it is in a folder.
func IsManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// inFolder finds manifests in a folder, in the order of their names.
func (r Reader) inFolder(folder string) ([]string, error) {
	var found []string
	// With a separator at its end, a link to a folder is the folder.
	root := filepath.Clean(folder) + string(filepath.Separator)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (!r.Recursive || strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case !entry.IsDir() && (IsManifest(path) || kustomization.Is(path)):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Errorf("cannot read the manifests in %s: %w", folder, err)
	}
	return found, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Errorf("cannot read a manifest: %w", err)
	}
	defer f.Close() //nolint:errcheck // Only open for reading.
	return limited(f, path)
}

func limited(in io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if err != nil {
		return nil, errors.Errorf("cannot read %s: %w", name, err)
	}
	if len(data) > maxSize {
		return nil, errors.Errorf("cannot read %s: it is larger than %d MB", name, maxSize>>20)
	}
	return data, nil
}
