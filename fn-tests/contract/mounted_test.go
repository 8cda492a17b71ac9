package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// followed are the composed kinds without pods whose edited content needs no other pods, and why.
func followed() map[string]string {
	const watched = "Its controller follows edits, and pods do not read it."
	return map[string]string{
		"ControllerRevision":                  "It is a record of pods.",
		"ComputeDomain":                       watched,
		"DestinationRule":                     watched,
		"DynamoGraphDeploymentScalingAdapter": "Planners watch it.",
		"HTTPRoute":                           watched,
		"HorizontalPodAutoscaler":             watched,
		"InferencePool":                       "Endpoint Pickers watch it.",
		"Ingress":                             watched,
		"PersistentVolumeClaim":               "A claim grows below running pods.",
		"PodGroup":                            watched,
		"Role":                                watched,
		"RoleBinding":                         watched,
		"Service":                             "Its addresses are names, which do not change.",
		"ServiceAccount":                      "It has no content.",
		"SnapshotJob":                         "It runs a pod of its own.",
		"Usage":                               watched,
		"VirtualService":                      watched,
	}
}

// TestMountedContent edits each value of live graphs of the corpus, one after the other. Programs read what their pods mount when they start, so if
// the content of an object is another one, the templates of all pods that refer to it are others, too, or the edit is refused.
func TestMountedContent(t *testing.T) {
	mounted := map[string]bool{}
	for i, m := range corpus.Manifests(t) {
		if m.Refused {
			continue
		}
		source := harness.Read(t, m.Path)[0]
		live := crossplane.NewGraph(source, harness.Read(t, m.Platform.Cluster))
		p := pipelineOf(t, m.Platform)
		for range 3 {
			if _, err := p.Run(t.Context(), live, functions()); err != nil {
				t.Fatal(err)
			}
		}
		before := mountingOf(t, live)
		readers := before.readers()
		for key := range readers {
			mounted[before.objects[key].GetKind()] = true
		}
		if len(readers) == 0 || !harness.Sampled(i, 3) && !strings.Contains(m.Name, "endpoint-picker") {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			editEach(source.Object["spec"], "spec", func(path string) {
				edited := live.Clone()
				edited.Edit(func(xr *unstructured.Unstructured) {
					spec, _ := xr.Object["spec"].(map[string]any)
					written, _ := runtime.DeepCopyJSON(source.Object)["spec"].(map[string]any)
					maps.Copy(spec, written)
				})
				// An Endpoint Picker waits for its ConfigMap.
				for range 2 {
					if _, err := p.Run(t.Context(), edited, functions()); err != nil {
						t.Fatal(err)
					}
					if len(before.edited(t, mountingOf(t, edited))) == 0 {
						return
					}
				}
				before.compare(t, path, mountingOf(t, edited))
			})
		})
	}
	for _, kind := range kinds.Composed() {
		if kind.Pods == "" && !mounted[kind.Kind] && followed()[kind.Kind] == "" {
			t.Errorf("%s: no pod of the corpus mounts one, and nothing says why an edit of its content needs no other pods", kind.Kind)
		}
	}
}

// mounting is what a graph has: its objects, and the pods of each workload.
type mounting struct {
	objects map[string]*unstructured.Unstructured
	pods    map[string]string
}

func mountingOf(t *testing.T, g *crossplane.Graph) mounting {
	t.Helper()
	m := mounting{objects: map[string]*unstructured.Unstructured{}, pods: map[string]string{}}
	for _, object := range g.Objects() {
		key := harness.Key(object)
		m.objects[key] = object.DeepCopy()
		if kind := kinds.Of(object.GetAPIVersion(), object.GetKind()); kind.Pods != "" {
			m.pods[key] = encoded(t, object.Object["spec"])
		}
	}
	return m
}

// readers of the composed objects that pods refer to, both by their keys.
func (m mounting) readers() map[string][]string {
	all := map[string][]string{}
	for key, object := range m.objects {
		if m.pods[key] != "" || followed()[object.GetKind()] != "" {
			continue
		}
		for _, workload := range slices.Sorted(maps.Keys(m.pods)) {
			if strings.Contains(m.pods[workload], strconv.Quote(object.GetName())) {
				all[key] = append(all[key], workload)
			}
		}
	}
	return all
}

// edited are the objects with other content after an edit to which pods refer, by their keys.
func (m mounting) edited(t *testing.T, after mounting) map[string][]string {
	t.Helper()
	all := m.readers()
	maps.DeleteFunc(all, func(key string, _ []string) bool {
		return after.objects[key] == nil || content(t, after.objects[key]) == content(t, m.objects[key])
	})
	return all
}

// compare with the graph after an edit.
func (m mounting) compare(t *testing.T, path string, after mounting) {
	t.Helper()
	for key, workloads := range m.edited(t, after) {
		for _, workload := range workloads {
			if after.pods[workload] == m.pods[workload] {
				t.Errorf("after an edit of %s, %s has other content, and the pods of %s are the same, so their programs do not read it", path, key, workload)
			}
		}
	}
}

// content of an object. That of a Secret is random.
func content(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	if object.GetKind() == "Secret" {
		return ""
	}
	fields := maps.Clone(object.Object)
	delete(fields, "metadata")
	return encoded(t, fields)
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// editEach leaf of a value: it has another value while a function is called with its path.
func editEach(value any, path string, edited func(path string)) {
	visit := func(path string, leaf any, set func(any)) {
		switch leaf := leaf.(type) {
		case string:
			set(leaf + "x")
			if number, err := strconv.Atoi(leaf); err == nil {
				set(strconv.Itoa(number + 1))
			}
		case bool:
			set(!leaf)
		case int64:
			set(leaf + 1)
		case float64:
			set(leaf / 2)
		default:
			editEach(leaf, path, edited)
			return
		}
		edited(path)
		set(leaf)
	}
	switch value := value.(type) {
	case map[string]any:
		for key, leaf := range value {
			visit(path+"."+key, leaf, func(other any) { value[key] = other })
		}
	case []any:
		for i, leaf := range value {
			visit(fmt.Sprintf("%s[%d]", path, i), leaf, func(other any) { value[i] = other })
		}
	}
}
