package manifest

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/kustomization"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// chartName is the name of the file by which a folder is a chart of Helm, and templatesName that of the folder in it with templates.
const (
	chartName     = "Chart.yaml"
	templatesName = "templates"
)

// sources of the objects that are applied: files that are applied as they are, and others from which tools build objects.
type sources struct {
	// found are the absolute paths of all files, and parts those that a kustomization among them names.
	found, parts map[string]bool

	// known are the parts of kustomizations, among them those above the files.
	known map[string]*kustomization.Parts

	// charts that are already known not to be rendered.
	charts map[string]bool
}

func sourcesOf(found []string) *sources {
	s := &sources{found: map[string]bool{}, parts: map[string]bool{}, known: map[string]*kustomization.Parts{}, charts: map[string]bool{}}
	for _, file := range found {
		if file != Stdin {
			s.found[absolute(file)] = true
		}
	}
	contains := map[string][]string{}
	contained := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(s.found)) {
		if !kustomization.Is(file) {
			continue
		}
		parts := s.partsOf(file)
		for _, part := range slices.Concat(parts.Resources, parts.Patches, parts.Data) {
			if inner := kustomization.In(part); inner != "" && inner != file {
				contains[file], contained[inner] = append(contains[file], inner), true
				continue
			}
			s.parts[part] = true
		}
	}
	// What is only contained in itself is built on its own, which says so.
	var add func(file string)
	add = func(file string) {
		for _, inner := range contains[file] {
			if !s.parts[inner] {
				s.parts[inner] = true
				add(inner)
			}
		}
	}
	for file := range contains {
		if !contained[file] {
			add(file)
		}
	}
	return s
}

// partsOf a kustomization. If it cannot be read, it has none: it cannot be built either, which is said.
func (s *sources) partsOf(file string) *kustomization.Parts {
	if s.known[file] == nil {
		parts, err := kustomization.PartsOf(file)
		if err != nil {
			parts = &kustomization.Parts{}
		}
		s.known[file] = parts
	}
	return s.known[file]
}

// absolute path, by which two names of the same file are equal.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// source reads a file as what it is: a kustomization is built, and what belongs to one or to a chart is no manifest. done is false for a manifest.
func (f *Files) source(file string, s *sources) (done bool) {
	path := absolute(file)
	switch chart := chartOf(path); {
	case file == Stdin:
		return false
	case s.parts[path]:
		return true
	case kustomization.Is(file):
		f.build(file)
		return true
	case chart != "":
		f.chart(file, chart, s)
		return true
	}
	f.belongs(file, path, s)
	return false
}

// build the objects of a kustomization. Their fields are in no file, so their position is that of the kustomization.
func (f *Files) build(file string) {
	built, err := kustomization.Build(file)
	if err != nil {
		f.Unbuilt = append(f.Unbuilt, atBeginning(file, "%s", err))
		return
	}
	before := len(f.Objects)
	f.parse(file, built)
	for i := range f.Objects[before:] {
		f.Objects[before+i].isBuilt = true
	}
}

// chart that is not rendered. It is only a problem if its graphs are not known, and only the first file of it says so.
func (f *Files) chart(file, chart string, s *sources) {
	if s.charts[chart] || !mayHaveGraphs(chart) {
		return
	}
	s.charts[chart] = true
	f.Unbuilt = append(f.Unbuilt, atBeginning(file,
		"the chart of Helm is not rendered, so its graphs are not checked; render it first, with the values of each environment: %s | kubectl dgd validate -",
		output.Shell("helm", "template", asNamed(chart, file))))
}

// chartOf a file: the outermost folder that is a chart, if the file makes it one or is a template of it. Empty if there is none.
func chartOf(path string) string {
	outermost := ""
	if filepath.Base(path) == chartName {
		outermost = filepath.Dir(path)
	}
	for folder := filepath.Dir(path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		chart := filepath.Dir(folder)
		if base := filepath.Base(folder); base != templatesName && (base != "charts" || outermost == "") {
			continue
		}
		if _, err := os.Stat(filepath.Join(chart, chartName)); err == nil {
			outermost = chart
		}
	}
	return outermost
}

// mayHaveGraphs reports whether a chart has a graph, or other charts of which this is not known.
func mayHaveGraphs(chart string) bool {
	may := false
	_ = filepath.WalkDir(chart, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || may {
			return nil //nolint:nilerr // What cannot be read has no graph.
		}
		data, err := readFile(path)
		may = err == nil && (bytes.Contains(data, []byte(v1alpha1.Kind)) || entry.Name() == chartName && bytes.Contains(data, []byte("dependencies:")))
		return nil
	})
	return may
}

// belongs says that a file is part of a kustomization above it that is not built.
func (f *Files) belongs(file, path string, s *sources) {
	for folder := filepath.Dir(path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if k := kustomization.In(folder); k != "" && !s.found[k] {
			switch parts, shown := s.partsOf(k), asNamed(folder, file); {
			case slices.Contains(parts.Resources, path):
				f.Doubts = append(f.Doubts, atBeginning(file, "the kustomization in %s may change this file before it is applied; to check what is applied, pass folder %[1]s", shown))
				return
			case slices.Contains(parts.Patches, path):
				f.Unbuilt = append(f.Unbuilt, atBeginning(file, "the file is a part of the kustomization in %s, and no whole graph; pass folder %[1]s", shown))
				return
			}
		}
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			return
		}
	}
}

// asNamed is the path of a folder in the form of that of a file: absolute, or from the folder in which the program runs.
func asNamed(folder, file string) string {
	if relative, err := filepath.Rel(absolute("."), folder); err == nil && !filepath.IsAbs(file) {
		return relative
	}
	return folder
}

func atBeginning(file, format string, args ...any) Problem {
	return Problem{Position: Position{File: file, Line: 1, Column: 1}, Message: fmt.Sprintf(format, args...)}
}
