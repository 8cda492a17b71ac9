package written

import (
	"encoding/json"
	"slices"
	"testing"
)

// sayings are graphs in which all fields of a component say something.
func sayings(t *testing.T) []map[string]any {
	t.Helper()
	const frontend = `{"name":"Frontend","frontendSidecar":"sidecar","podTemplate":{"spec":{"containers":[{"name":"main","image":"a"},{"name":"sidecar","image":"b"},{"name":"log","image":"c"}]}}}`
	all := []map[string]any{manifests(t)[0].object}
	for _, spec := range []string{
		`{"services":{"S":{"annotations":{"nvidia.com/enable-metrics":"false"},"extraPodMetadata":{"annotations":{"nvidia.com/enable-metrics":"true"}}}}}`,
		`{"envs":[{"name":"A","value":"b"}],"services":{"S":{"componentType":"worker","extraPodSpec":{"initContainers":[{"name":"runtime","image":"a","restartPolicy":"Always"}]}}}}`,
		`{"experimental":{"kvTransferPolicy":{"labelKey":"a","domain":"b"}},"services":{"S":{"componentType":"worker"}}}`,
		`{"services":{"S":{"checkpoint":{"enabled":true,"checkpointRef":"a"}}}}`,
		`{"services":{"S":{"multinode":{"nodeCount":2},"roles":[{"name":"leader","podTemplate":{"spec":{"containers":[{"name":"main","image":"a"}]}}},` +
			`{"name":"worker","podTemplate":{"metadata":{"annotations":{"nvidia.com/dynamo-discovery-backend":"etcd"}},"spec":{"containers":[{"name":"main","image":"a"}]}}}]}}}`,
		`{"services":{"Epp":{"componentType":"epp"},"S":{"componentType":"worker"}}}`,
		`{"services":{"Epp":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"a","key":"b"}}}}}`,
		`{"services":{"Epp":{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}}}`,
	} {
		all = append(all, objectOf(t, "v1alpha1", spec))
	}
	const roles = `{"name":"S","multinode":{"nodeCount":2},"roles":[{"name":"leader","podTemplate":{"spec":{"containers":[{"name":"main","image":"a"}]}}},` +
		`{"name":"worker","podTemplate":{"spec":{"containers":[{"name":"main","image":"b"}]}}}]}`
	return append(all, objectOf(t, "v1beta1", `{"components":[`+frontend+`,`+roles+`]}`))
}

func objectOf(t *testing.T, version, spec string) map[string]any {
	t.Helper()
	object := map[string]any{}
	text := `{"apiVersion":"nvidia.com/` + version + `","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// TestFormats shows that each field can be added in a new format: a release that has it finds the hashes of the release before, and tells graphs
// apart that differ in the field.
func TestFormats(t *testing.T) {
	for _, name := range fieldsOf() {
		older := Formats{{Number: 1, Lacks: []string{name}}}
		newer := append(slices.Clone(older), Format{Number: 2})
		said := false
		for _, object := range sayings(t) {
			before, after, empty := hashesIn(t, object, older), hashesIn(t, object, newer), hashesIn(t, object, Formats{{Number: 2, Lacks: []string{name}}})
			for component, hash := range after {
				if !hash.Same(before[component]) {
					t.Errorf("%s: the release before does not find its hash of %s in %q, or finds another one than %q", name, component, hash, before[component])
				}
				said = said || !hash.Same(empty[component])
			}
		}
		if !said {
			t.Errorf("%s: says nothing in any graph; add one in which it does", name)
		}
	}
}

// TestStrip shows that a format leaves out what it lacks, and nothing else.
func TestStrip(t *testing.T) {
	c := component{Name: "S", Model: "m", Nodes: 2}
	Format{Number: 3, Lacks: []string{"model", "other"}}.strip(&c)
	if c.Format != 3 || c.Name != "S" || c.Model != "" || c.Nodes != 2 {
		t.Errorf("strip(...): want format 3 without the model, got %+v", c)
	}
}
