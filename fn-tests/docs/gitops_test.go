package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// gitops is the folder with the example of a repository.
const gitops = "examples/gitops"

// inGitOps are the files of the example, by their paths in its repository.
func inGitOps(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"graphs/*/*.yaml", "argocd/*.yaml", "flux/*.yaml", ".github/workflows/*.yaml"} {
		paths := harness.Glob(t, filepath.Join(gitops, pattern))
		for _, path := range paths {
			relative, err := filepath.Rel(filepath.Join(harness.Root(), gitops), path)
			if err != nil {
				t.Fatal(err)
			}
			files[relative] = string(harness.File(t, filepath.Join(gitops, relative)))
		}
	}
	return files
}

// TestGitOpsExample holds what applies the example to its folders, and its checks to those that users are told to install.
func TestGitOpsExample(t *testing.T) {
	harness.WatchSources(t)
	checks := field(t, harness.Read(t, "package/gitops/flux-health.yaml")[0], "spec", "healthCheckExprs")
	applied := map[string][]string{}
	for tool, path := range map[string][]string{"argocd": {"spec", "source", "path"}, "flux": {"spec", "path"}} {
		for _, object := range harness.Read(t, filepath.Join(gitops, tool, "graphs.yaml")) {
			folder, _ := field(t, object, path...).(string)
			applied[tool] = append(applied[tool], filepath.Clean(folder))
			if _, err := os.Stat(filepath.Join(harness.Root(), gitops, folder, "kustomization.yaml")); err != nil {
				t.Errorf("%s %s applies a folder that is no environment: %v", tool, object.GetName(), err)
			}
			if tool == "flux" {
				if diff := cmp.Diff(checks, field(t, object, "spec", "healthCheckExprs")); diff != "" {
					t.Errorf("checks of %s: -package/gitops/flux-health.yaml, +%s:\n%s", object.GetName(), gitops, diff)
				}
			}
		}
	}
	environments := []string{"graphs/dev", "graphs/prod"}
	if diff := cmp.Diff(map[string][]string{"argocd": environments, "flux": environments}, applied); diff != "" {
		t.Errorf("folders that are applied: -want, +got:\n%s", diff)
	}
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct {
				Matrix struct {
					Environment []string `json:"environment"`
				} `json:"matrix"`
			} `json:"strategy"`
			Steps []struct {
				Run  string         `json:"run"`
				Uses string         `json:"uses"`
				With map[string]any `json:"with"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(inGitOps(t)[".github/workflows/graphs.yaml"]), &workflow); err != nil {
		t.Fatal(err)
	}
	compared := workflow.Jobs["consequences"]
	if diff := cmp.Diff([]string{"dev", "prod"}, compared.Strategy.Matrix.Environment); diff != "" {
		t.Errorf("environments that the workflow compares: -want, +got:\n%s", diff)
	}
	if last := compared.Steps[len(compared.Steps)-1]; last.With["path"] != "graphs/${{ matrix.environment }}" || !strings.Contains(last.Uses, diffAction) {
		t.Errorf("want the action for each environment, got %v", last)
	}
}

// field of an object, which must have it.
func field(t *testing.T, object *unstructured.Unstructured, path ...string) any {
	t.Helper()
	value, ok, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	if err != nil || !ok {
		t.Fatalf("%s has no %v: %v", object.GetName(), path, err)
	}
	return value
}
