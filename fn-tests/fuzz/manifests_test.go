package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/adopt"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/convert"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/why"
)

// manyMistakes are manifests with n mistakes of a kind, or n keys. The command line looks for the position of each field that a message is about, and for the
// field that was meant.
func manyMistakes() map[string]func(n int) string {
	const graph = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: graph, namespace: team}\n"
	lines := func(n int, format string) string {
		var all strings.Builder
		for i := range n {
			_, _ = fmt.Fprintf(&all, format, i)
		}
		return all.String()
	}
	component := func(fields, main string) string {
		return graph + "spec:\n  components:\n  - name: worker\n    type: worker\n" + fields +
			"    podTemplate:\n      spec:\n        containers:\n        - name: main\n          image: registry.example.org/runtime:1.5.0\n" + main
	}
	return map[string]func(n int) string{
		"MisspeltFields": func(n int) string { return component("", "          env:\n"+lines(n, "          - {nam: A%d}\n")) },
		"MissingFields": func(n int) string {
			return component("    replicas: many\n", "          env:\n"+lines(n, "          - {value: \"%d\"}\n"))
		},
		"WrongTypes": func(n int) string {
			return component("", "          env:\n"+lines(n, "          - {name: A%d, value: 1}\n"))
		},
		"UnknownFields": func(n int) string { return graph + "spec:\n" + lines(n, "  unknown%d: 1\n") },
		"Annotations": func(n int) string {
			return strings.Replace(component("", ""), "namespace: team", "namespace: team, annotations: {"+lines(n, "a%d: b, ")+"}", 1)
		},
		"Services": func(n int) string {
			return strings.Replace(graph, "v1beta1", "v1alpha1", 1) + "spec:\n  services:\n" + lines(n, "    worker-%d: {componentType: worker, dynamoNamespace: a}\n")
		},
		"Variables": func(n int) string {
			return component("", "          env:\n"+lines(n, "          - {name: A%d, value: \"1\"}\n"))
		},
		"DuplicateKeys": func(n int) string { return graph + "spec:\n" + lines(n, "  unknown: %d\n") },
		"Components": func(n int) string {
			return graph + "spec:\n  components:\n" + lines(n, "  - {name: worker-%d, type: works}\n")
		},
	}
}

// commands that read a manifest, and fail if they read nothing.
func commands() map[string]func(t *testing.T, text string) {
	return map[string]func(t *testing.T, text string){
		"Validate": func(t *testing.T, text string) {
			t.Helper()
			files, err := manifest.Reader{In: strings.NewReader(text)}.Read([]string{manifest.Stdin})
			if err != nil {
				t.Fatal(err)
			}
			checker := check.Checker{Previewer: &preview.Previewer{Functions: functions.All(logging.NewNopLogger())}}
			report, err := checker.Check(t.Context(), files)
			if err != nil {
				t.Fatal(err)
			}
			if report.Graphs+len(report.Findings) == 0 {
				t.Fatalf("nothing is checked: %.200s", text)
			}
		},
		"Convert": func(t *testing.T, text string) {
			t.Helper()
			for _, from := range []string{"v1beta1", "v1alpha1"} {
				for _, to := range []string{"v1beta1", "v1alpha1"} {
					converter := convert.Converter{To: to}
					out, err := converter.File(manifest.Stdin, strings.NewReader(strings.Replace(text, "v1beta1", from, 1)))
					if len(out) == 0 && err == nil {
						t.Fatalf("nothing is converted: %.200s", text)
					}
				}
			}
		},
	}
}

// TestManifests checks that the work of commands does not grow with the square of what is wrong in a manifest, or of the keys of a mapping:
// eight times as many may take little more than eight times as long.
func TestManifests(t *testing.T) {
	const few = 1000
	all := manyMistakes()
	for name, command := range commands() {
		for _, subject := range slices.Sorted(maps.Keys(all)) {
			t.Run(name+subject, func(t *testing.T) {
				checkGrowth(t, few, func(n int) time.Duration {
					text := all[subject](n)
					started := processTime()
					command(t, text)
					return processTime() - started
				})
			})
		}
	}
}

// manyObjects are clusters with n objects of a kind that belong to one graph of the operator, or of Crossplane.
func manyObjects() map[string]func(n int) []unstructured.Unstructured {
	object := func(apiVersion, kind, name string, owners ...string) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{}}
		o.SetAPIVersion(apiVersion)
		o.SetKind(kind)
		o.SetNamespace("team")
		o.SetName(name)
		o.SetUID(uidOf(name))
		o.SetLabels(map[string]string{metadata.LabelGraphName: "graph"})
		var refs []metav1.OwnerReference
		for _, owner := range owners {
			version, ownerName, _ := strings.Cut(owner, " ")
			i := strings.LastIndex(version, "/")
			refs = append(refs, metav1.OwnerReference{APIVersion: version[:i], Kind: version[i+1:], Name: ownerName, UID: uidOf(ownerName), Controller: new(true)})
		}
		o.SetOwnerReferences(refs)
		return o
	}
	graph := func() unstructured.Unstructured {
		o := object("nvidia.com/v1beta1", "DynamoGraphDeployment", "graph")
		o.Object["spec"] = map[string]any{"components": []any{map[string]any{"name": "worker", "type": "worker"}}}
		return o
	}
	const (
		ofGraph     = "nvidia.com/v1beta1/DynamoGraphDeployment graph"
		ofComponent = "nvidia.com/v1beta1/DynamoComponentDeployment "
	)
	each := func(n int, of func(name string) []unstructured.Unstructured) []unstructured.Unstructured {
		all := []unstructured.Unstructured{graph(), object("apps/v1", "Deployment", "graph-worker", ofGraph)}
		for i := range n {
			all = append(all, of(fmt.Sprintf("graph-%d", i))...)
		}
		return all
	}
	return map[string]func(n int) []unstructured.Unstructured{
		"Owned": func(n int) []unstructured.Unstructured {
			return each(n, func(name string) []unstructured.Unstructured {
				return []unstructured.Unstructured{object("v1", "ConfigMap", name, ofGraph)}
			})
		},
		"Labelled": func(n int) []unstructured.Unstructured {
			return each(n, func(name string) []unstructured.Unstructured {
				return []unstructured.Unstructured{object("apps/v1", "Deployment", name)}
			})
		},
		"Components": func(n int) []unstructured.Unstructured {
			return each(n, func(name string) []unstructured.Unstructured {
				return []unstructured.Unstructured{
					object("nvidia.com/v1beta1", "DynamoComponentDeployment", name, ofGraph),
					object("v1", "Service", name, ofComponent+name),
				}
			})
		},
		"Pods": func(n int) []unstructured.Unstructured {
			return each(n, func(name string) []unstructured.Unstructured {
				pod := object("v1", "Pod", name, "apps/v1/Deployment graph-worker")
				pod.Object["status"] = map[string]any{"phase": "Pending", "conditions": []any{map[string]any{
					"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room for " + name,
				}}}
				event := object("v1", "Event", name)
				event.Object["involvedObject"] = map[string]any{"kind": "Pod", "namespace": "team", "name": name, "uid": string(uidOf(name))}
				event.Object["type"], event.Object["reason"], event.Object["message"] = "Warning", "FailedScheduling", "no room for "+name
				return []unstructured.Unstructured{pod, event}
			})
		},
	}
}

func uidOf(name string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String())
}

// adoption of graphs.
type adoption struct{ checker adopt.Checker }

func newAdoption(t testing.TB) adoption {
	t.Helper()
	composition := adopt.Composition()
	runners, err := render.Runners(composition.Spec.Pipeline, functions.All(logging.NewNopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	return adoption{checker: adopt.Checker{Composition: composition, Functions: runners}}
}

// adopt the graph among objects.
func (a adoption) adopt(t *testing.T, objects []unstructured.Unstructured) {
	t.Helper()
	report, err := a.checker.Check(t.Context(), objects, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Write(io.Discard, output.FormatText); err != nil || !strings.Contains(report.Steps(), objects[0].GetName()) {
		t.Fatalf("want steps, got %v", err)
	}
}

// explain why the graph, which is the first object, is not ready.
func explain(t *testing.T, objects []unstructured.Unstructured) {
	t.Helper()
	facts := &why.Facts{Graph: &objects[0]}
	for _, o := range objects[1:] {
		if o.GetKind() == "Event" {
			facts.Events = append(facts.Events, o)
			continue
		}
		facts.Objects = append(facts.Objects, o)
	}
	d := why.Diagnose(facts, "kubectl")
	if len(d.Causes) == 0 {
		t.Fatal("want a cause")
	}
	for _, format := range []string{output.FormatText, output.FormatJSON} {
		if err := d.Write(io.Discard, format); err != nil {
			t.Fatal(err)
		}
	}
}

// convertBoth ways, a graph in either form.
func convertBoth(t *testing.T, graph map[string]any) {
	t.Helper()
	text := encoded(t, graph)
	for _, to := range []string{"v1beta1", "v1alpha1"} {
		converter := convert.Converter{To: to}
		if _, err := converter.File(manifest.Stdin, bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
}

func encoded(t *testing.T, object map[string]any) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sizeOf(t *testing.T, objects []unstructured.Unstructured) int {
	t.Helper()
	size := 0
	for i := range objects {
		size += len(encoded(t, objects[i].Object))
	}
	return size
}

// liveObjects are a graph of the operator with the objects that it owns.
func liveObjects(t *testing.T, g *graph) []unstructured.Unstructured {
	t.Helper()
	owner := unstructured.Unstructured{Object: maps.Clone(g.tree)}
	if spec, ok := owner.Object["spec"].(map[string]any); ok {
		spec = maps.Clone(spec)
		delete(spec, "crossplane")
		owner.Object["spec"] = spec
	}
	all := []unstructured.Unstructured{owner}
	for _, key := range slices.Sorted(maps.Keys(g.composed)) {
		o := unstructured.Unstructured{Object: g.composed[key].GetResource().AsMap()}
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: "DynamoGraphDeployment", Name: owner.GetName(), UID: uidOf(owner.GetName())}})
		all = append(all, o)
	}
	return all
}

// TestClusters checks the same of what reads a cluster, whose objects users make.
func TestClusters(t *testing.T) {
	const few = 250
	all := manyObjects()
	for name, reader := range map[string]func(*testing.T, []unstructured.Unstructured){"Adopt": newAdoption(t).adopt, "Why": explain} {
		for _, subject := range slices.Sorted(maps.Keys(all)) {
			t.Run(name+subject, func(t *testing.T) {
				checkGrowth(t, few, func(n int) time.Duration {
					objects := all[subject](n)
					started := processTime()
					reader(t, objects)
					return processTime() - started
				})
			})
		}
	}
}
