// Package kustomization builds kustomizations from local files, with the library of kubectl.
package kustomization

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Is reports whether a file is a kustomization: its name says so.
func Is(file string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(file))
}

// In a folder, the file that is a kustomization. Empty if there is none.
func In(folder string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	return ""
}

// Build the objects of a kustomization, as YAML. What is not local is not read: whoever checks the files of a stranger must not follow their links.
func Build(file string) (built []byte, err error) {
	folder := filepath.Dir(file)
	if err := isLocal(file, map[string]bool{}); err != nil {
		return nil, errors.Errorf("cannot build the kustomization: %w", err)
	}
	defer func() {
		// The library may panic on what it does not expect.
		if p := recover(); p != nil {
			built, err = nil, errors.Errorf("cannot build the kustomization: %v", p)
		}
	}()
	// An absolute path is never taken for that of a repository.
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, errors.Errorf("cannot find the folder of the kustomization: %w", err)
	}
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), absolute)
	if err == nil {
		built, err = objects.AsYaml()
	}
	if err != nil {
		// Messages name files by their absolute paths.
		return nil, errors.Errorf("cannot build the kustomization: %s", strings.ReplaceAll(err.Error(), absolute, folder))
	}
	return built, nil
}

// Parts of a kustomization are the paths that it names, from the folder in which the program runs.
type Parts struct {
	// Resources are files with whole objects, or folders with other kustomizations.
	Resources []string

	// Patches are files with parts of objects, and all others that change resources.
	Patches []string

	// Data are files that become data of objects.
	Data []string
}

// PartsOf a kustomization.
func PartsOf(file string) (*Parts, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.Errorf("cannot read the kustomization: %w", err)
	}
	var k types.Kustomization
	if err := k.Unmarshal(data); err != nil {
		return nil, errors.Errorf("cannot read the kustomization: %w", err)
	}
	k.FixKustomization()
	parts := &Parts{
		Resources: slices.Concat(k.Resources, k.Components),
		Patches:   slices.Concat(k.Crds, k.Configurations, k.Generators, k.Transformers, k.Validators, []string{k.OpenAPI["path"]}),
	}
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) { //nolint:staticcheck // Kustomizations still have the deprecated field.
		parts.Patches = append(parts.Patches, p.Path)
	}
	for _, p := range k.PatchesStrategicMerge { //nolint:staticcheck // The same.
		parts.Patches = append(parts.Patches, string(p))
	}
	for i := range k.Replacements {
		parts.Patches = append(parts.Patches, k.Replacements[i].Path)
	}
	for i := range k.ConfigMapGenerator {
		parts.Data = append(parts.Data, sourcesOf(&k.ConfigMapGenerator[i].KvPairSources)...)
	}
	for i := range k.SecretGenerator {
		parts.Data = append(parts.Data, sourcesOf(&k.SecretGenerator[i].KvPairSources)...)
	}
	for _, paths := range []*[]string{&parts.Resources, &parts.Patches, &parts.Data} {
		*paths = below(filepath.Dir(file), *paths)
	}
	return parts, nil
}

// sourcesOf the data of an object. A file may have a key before it.
func sourcesOf(k *types.KvPairSources) []string {
	all := append(slices.Clone(k.EnvSources), k.EnvSource)
	for _, source := range k.FileSources {
		_, path, hasKey := strings.Cut(source, "=")
		if !hasKey {
			path = source
		}
		all = append(all, path)
	}
	return all
}

// below a folder, the paths that are not empty and not YAML in place of a path. Links to other places stay as they are.
func below(folder string, paths []string) []string {
	var all []string
	for _, path := range paths {
		switch {
		case path == "", strings.ContainsAny(path, "\n{"):
		case isRemote(path), filepath.IsAbs(path):
			all = append(all, path)
		default:
			all = append(all, filepath.Join(folder, path))
		}
	}
	return all
}

// isRemote reports whether a path has the form of a link to a repository or a website.
func isRemote(path string) bool {
	return strings.ContainsAny(path, ":?") || strings.Contains(path, "github.com/")
}

// isLocal returns an error if a kustomization, or one that it contains, names what is not a local file or folder. seen are those that were looked at.
func isLocal(file string, seen map[string]bool) error {
	if seen[file] {
		return nil
	}
	seen[file] = true
	parts, err := PartsOf(file)
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(parts.Resources, parts.Patches, parts.Data) {
		info, err := os.Stat(path)
		switch {
		case isRemote(path):
			return errors.Errorf("%s names %s, and nothing is fetched; build it first: %s | kubectl dgd validate -",
				file, path, output.Shell("kubectl", "kustomize", filepath.Dir(file)))
		case err != nil:
			return errors.Errorf("%s names what cannot be read: %w", file, err)
		case info.IsDir() && In(path) != "":
			if err := isLocal(In(path), seen); err != nil {
				return err
			}
		}
	}
	return nil
}
