package plan

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// floors are the folders of step plan from the ground up. A folder imports only what is below its floor, so that a subject
// knows nothing of the others on its floor, and nothing of the decision that is made of all of them.
var floors = [][]string{
	{"guardrails/guardrail", "input/v1alpha1", "memory", "inventory"},
	{"input", "admission"},
	{"subject"},
	{"adoption", "budget", "checkpoints", "components", "guardrails", "immutable", "mnnvl", "ownership", "pods", "releases", "scheduling", "served", "topology", "written"},
	{"generations", "recovery"},
	{"."},
}

// TestFloors holds the imports of step plan to the order of its floors.
func TestFloors(t *testing.T) {
	floorOf := map[string]int{}
	for floor, folders := range floors {
		for _, folder := range folders {
			floorOf[folder] = floor
		}
	}
	var found, wrong []string
	for folder, imports := range importsBelow(t, ".") {
		found = append(found, folder)
		for path := range imports {
			imported, ok := strings.CutPrefix(path, "github.com/dynamo-crossplane/configuration-dynamo/functions/plan")
			if !ok {
				continue
			}
			imported = filepath.Clean(strings.TrimPrefix(imported, "/"))
			if floorOf[imported] >= floorOf[folder] {
				wrong = append(wrong, folder+" imports "+imported)
			}
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff(slices.Sorted(slices.Values(slices.Concat(floors...))), found); diff != "" {
		t.Errorf("Each folder has a floor.\n-floors, +folders:\n%s", diff)
	}
	slices.Sort(wrong)
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("No import runs against the order of the floors.\n-want, +got:\n%s", diff)
	}
}

// TestInputIsOwn shows that no other step, and nothing that steps share, knows the input of this one.
func TestInputIsOwn(t *testing.T) {
	var wrong []string
	for folder, imports := range importsBelow(t, "..") {
		for path := range imports {
			ofPlan := folder == "plan" || strings.HasPrefix(folder, "plan"+string(filepath.Separator))
			if strings.Contains(path, "/functions/plan/") && !ofPlan {
				wrong = append(wrong, folder+" imports "+path)
			}
		}
	}
	slices.Sort(wrong)
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("The plan alone goes from step to step.\n-want, +got:\n%s", diff)
	}
}

// importsBelow a folder are those of the packages in it, by folder. Tests may import what they like.
func importsBelow(t *testing.T, root string) map[string]map[string]bool {
	t.Helper()
	imports := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		if imports[folder] == nil {
			imports[folder] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[folder][name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatalf("cannot read the source: %v", err)
	}
	return imports
}
