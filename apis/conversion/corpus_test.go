package conversion_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// manifests that the operator of August 2026 was given, by the version that they are written in.
const (
	alphaManifests = 221
	betaManifests  = 122
)

// TestOperator holds conversion of real manifests to that of the operator, and conversion of what the operator made of them to the manifests,
// where testdata/accepted.tsv does not say why they differ.
func TestOperator(t *testing.T) {
	shared.SkipShort(t)
	shared.Path(t, alphaManifests+betaManifests, "golden-2026-08")
	accepted := readAccepted(t)
	compared := 0
	for _, version := range []struct {
		manifests, goldens string
		cases              int
		there, back        converter
	}{
		{"", "pure-converted-to-v1beta1", alphaManifests, conversion.ToV1beta1, conversion.ToV1alpha1},
		{"v1beta1", "pure-converted-to-v1alpha1", betaManifests, conversion.ToV1alpha1, conversion.ToV1beta1},
	} {
		t.Run(version.goldens, func(t *testing.T) {
			goldens := manifestsIn(t, version.cases, "golden-2026-08", version.goldens)
			for _, name := range slices.Sorted(maps.Keys(goldens)) {
				t.Run(name, func(t *testing.T) {
					compared++
					manifest, golden := readManifest(t, shared.Path(t, 1, "corpus", version.manifests, name+".yaml")), readManifest(t, goldens[name])
					converted, _ := version.there(manifest)
					original, _ := version.back(golden)
					for what, pair := range map[string][2]map[string]any{"there": {golden, converted}, "back": {manifest, withoutNotes(original)}} {
						ignored := cmp.FilterPath(func(path cmp.Path) bool {
							index, ok := path.Last().(cmp.MapIndex)
							return ok && accepted.has(name, what+index.Key().String())
						}, cmp.Ignore())
						if diff := cmp.Diff(flattened(t, pair[0]), flattened(t, pair[1]), ignored); diff != "" {
							t.Errorf("%s, -want, +got:\n%s", what, diff)
						}
					}
				})
			}
		})
	}
	if compared == alphaManifests+betaManifests {
		accepted.used(t)
	}
}

// TestCorpusComesBack checks that there and back is the identity for real manifests, and that each of their fields can be edited in between.
func TestCorpusComesBack(t *testing.T) {
	shared.SkipShort(t)
	for _, folder := range []string{"", "v1beta1"} {
		manifests := manifestsIn(t, 258+122, "corpus", folder)
		for i, name := range slices.Sorted(maps.Keys(manifests)) {
			t.Run(filepath.Join(folder, name), func(t *testing.T) {
				graph := readManifest(t, manifests[name])
				if spec, ok := graph["spec"].(map[string]any); ok && spec["services"] != nil {
					// One of the manifests gives itself the wrong version, which conversion rights.
					graph["apiVersion"] = conversion.V1alpha1
				}
				comesBack(t, graph)
				// Each field of each would take a minute.
				if i%40 == 0 {
					editsComeBack(t, graph)
				}
			})
		}
	}
}

// manifestsIn a folder by name.
func manifestsIn(t *testing.T, cases int, folder ...string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, cases, folder...), "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	manifests := map[string]string{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if !strings.HasSuffix(name, ".extra") {
			manifests[name] = path
		}
	}
	return manifests
}

// An acceptedDifference from the operator.
type acceptedDifference struct {
	manifest string
	path     *regexp.Regexp
	matched  bool
}

type acceptedDifferences []*acceptedDifference

func readAccepted(t *testing.T) acceptedDifferences {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "accepted.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes = '\t', true
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all acceptedDifferences
	for _, row := range rows[1:] {
		all = append(all, &acceptedDifference{manifest: row[0], path: regexp.MustCompile("^(" + row[1] + ")$")})
	}
	return all
}

func (a acceptedDifferences) has(name, path string) bool {
	for _, difference := range a {
		if ok, err := filepath.Match(difference.manifest, name); err == nil && ok && difference.path.MatchString(path) {
			difference.matched = true
			return true
		}
	}
	return false
}

// used fails for rows that no manifest needs any more.
func (a acceptedDifferences) used(t *testing.T) {
	t.Helper()
	for _, difference := range a {
		if !difference.matched {
			t.Errorf("testdata/accepted.tsv: no manifest differs at %s of %s", difference.path, difference.manifest)
		}
	}
}

// flattened is the leaves of an object by their paths, with the annotations decoded. Quantities are as Kubernetes writes them. What Go's types
// write for nothing is left out, and so is what only we write.
func flattened(t *testing.T, graph map[string]any) map[string]string {
	t.Helper()
	metadata, _ := graph["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for _, key := range []string{conversion.AnnotationSpec, conversion.AnnotationStatus} {
		if written, ok := annotations[key].(string); ok {
			payload := parseManifest(t, []byte(written))
			delete(payload, "exact")
			annotations[key] = payload
			if len(leaves("", payload["spec"], map[string]string{})) == 0 {
				delete(annotations, key)
			}
		}
	}
	// The goldens have namespaces of their own.
	delete(metadata, "namespace")
	return leaves("", graph, map[string]string{})
}

func leaves(path string, value any, out map[string]string) map[string]string {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			leaves(path+"/"+key, below, out)
		}
	case []any:
		for i, below := range value {
			leaves(fmt.Sprintf("%s/%d", path, i), below, out)
		}
	case nil:
	default:
		written := fmt.Sprint(value)
		if parsed, err := resource.ParseQuantity(written); err == nil && holdsQuantities.MatchString(path) {
			written = parsed.String()
		}
		if written != "" {
			out[path] = written
		}
	}
	return out
}

// holdsQuantities matches the paths of quantities.
var holdsQuantities = regexp.MustCompile(`/(requests|limits)/[^/]+(/[^/]+)?$|/custom/[^/]+$|/(sharedMemorySize|size|sizeLimit|storage)$`)
