package monitoring

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// kustomization has the fields that the file of package/monitoring uses.
type kustomization struct {
	APIVersion         string   `json:"apiVersion"`
	Kind               string   `json:"kind"`
	Namespace          string   `json:"namespace"`
	Resources          []string `json:"resources"`
	ConfigMapGenerator []struct {
		Name    string   `json:"name"`
		Files   []string `json:"files"`
		Options options  `json:"options"`
	} `json:"configMapGenerator"`
	GeneratorOptions options `json:"generatorOptions"`
}

type options struct {
	DisableNameSuffixHash bool              `json:"disableNameSuffixHash"`
	Labels                map[string]string `json:"labels"`
}

// TestKustomization checks that the kustomization applies each file of package/monitoring, and no other.
func TestKustomization(t *testing.T) {
	const file = "kustomization.yaml"
	var k kustomization
	if err := yaml.UnmarshalStrict(read(t, file), &k); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"kustomize.config.k8s.io/v1beta1", "Kustomization"}, []string{k.APIVersion, k.Kind}); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	listed := slices.Clone(k.Resources)
	for _, generator := range k.ConfigMapGenerator {
		for _, source := range generator.Files {
			_, name, isRenamed := strings.Cut(source, "=")
			if !isRenamed {
				name = source
			}
			listed = append(listed, name)
		}
	}
	slices.Sort(listed)
	entries, err := os.ReadDir(filepath.Join(harness.Root(), "package", "monitoring"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		if entry.Name() != file {
			files = append(files, entry.Name())
		}
	}
	if diff := cmp.Diff(files, listed); diff != "" {
		t.Errorf("-files of package/monitoring, +those that %s lists:\n%s", file, diff)
	}
}
