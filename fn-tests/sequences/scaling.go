package sequences

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// A scalingLife of a graph in a cluster.
type scalingLife struct {
	composition string
	cluster     string
	steps       []scalingStep
}

// scalingStep of a life: a change, and then a render.
type scalingStep struct {
	// title describes the change.
	title string
	// graph changes the components of the graph. Fields that are nil are removed.
	graph map[string]map[string]any
	// children are the replicas of the children that Grove creates, by component, from this step on.
	children map[string]int64
	// lost is true if no child is visible in this render.
	lost bool
	// scaled are replicas that are set through the scale subresource of a composed object, by key.
	scaled map[string]int64
	// composition for this render only.
	composition string
}

// scalingChain is a life in progress.
type scalingChain struct {
	*harness.Chain

	// others are the objects of the cluster that have nothing to do with the graph, and children the replicas of those of Grove.
	others   []*unstructured.Unstructured
	children map[string]int64
	// pods of the PodCliqueSet.
	pods *unstructured.Unstructured
}

// live through the steps, and return for each the objects that determine replicas.
func live(t *testing.T, binary *harness.Binary, xr *unstructured.Unstructured, l scalingLife) []byte {
	t.Helper()
	c := &scalingChain{Chain: harness.NewChain(t, binary, harness.Write(t, xr), l.cluster), children: map[string]int64{}}
	c.others = c.Cluster
	var record strings.Builder
	for i, s := range l.steps {
		fmt.Fprintf(&record, "# %d. %s\n", i+1, s.title)
		c.change(t, s)
		c.Composition, c.Cluster = l.composition, slices.Concat(c.others, c.visible(s))
		if s.composition != "" {
			c.Composition = s.composition
		}
		out := c.Render(t)
		if out.Err != nil {
			// In this case, Crossplane changes nothing.
			fmt.Fprintf(&record, "# refused: %s\n", strings.TrimSpace(out.Stderr[strings.LastIndex(out.Stderr, "fatal result: ")+len("fatal result: "):]))
			continue
		}
		c.Gone(t, slices.Collect(maps.Keys(c.Terminating))...)
		isAccepted(t, s.title, out.Composed)
		c.keepsPods(t, s.title, out.Composed)
		record.Write(digest(t, out))
	}
	return []byte(record.String())
}

// change applies a step.
func (c *scalingChain) change(t *testing.T, s scalingStep) {
	t.Helper()
	for component, fields := range s.graph {
		for field, value := range fields {
			path := []string{"spec", "services", component, field}
			if value == nil {
				unstructured.RemoveNestedField(c.XR.Object, path...)
				continue
			}
			setField(t, c.XR, value, path...)
		}
	}
	maps.Copy(c.children, s.children)
	for key, object := range c.Objects {
		if replicas, ok := s.scaled[key]; ok {
			setField(t, object, replicas, "spec", "replicas")
			setField(t, object, []any{map[string]any{
				"manager": "kube-controller-manager", "operation": "Update", "subresource": "scale", "fieldsType": "FieldsV1",
				"fieldsV1": map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}},
			}}, "metadata", "managedFields")
		}
	}
}

func setField(t *testing.T, object *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// visible are the children that can be required in a step.
func (c *scalingChain) visible(s scalingStep) []*unstructured.Unstructured {
	if s.lost {
		return nil
	}
	var objects []*unstructured.Unstructured
	for component, replicas := range c.children {
		kind := "PodClique"
		if _, multinode, _ := unstructured.NestedMap(c.XR.Object, "spec", "services", component, "multinode"); multinode {
			kind = "PodCliqueScalingGroup"
		}
		name := c.XR.GetName()
		objects = append(objects, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": kind,
			"metadata": map[string]any{
				"name": name + "-0-" + strings.ToLower(component), "namespace": c.XR.GetNamespace(),
				"labels": map[string]any{"app.kubernetes.io/part-of": name},
			},
			"spec": map[string]any{"replicas": replicas},
		}})
	}
	return objects
}

// isAccepted checks that the API server accepts the objects that scale.
func isAccepted(t *testing.T, title string, composed []*unstructured.Unstructured) {
	t.Helper()
	for _, object := range composed {
		if object.GetKind() != "HorizontalPodAutoscaler" {
			continue
		}
		for _, broken := range crds.BuiltInResource(object) {
			t.Errorf("%s: %s: %s", title, object.GetName(), broken)
		}
	}
}

// keepsPods checks that scaling changes nothing but numbers: everything else would restart pods.
func (c *scalingChain) keepsPods(t *testing.T, title string, composed []*unstructured.Unstructured) {
	t.Helper()
	for _, object := range composed {
		if object.GetKind() != "PodCliqueSet" {
			continue
		}
		before := c.pods
		c.pods = object.DeepCopy()
		withoutReplicas(t, c.pods, "cliques", "spec", "replicas")
		withoutReplicas(t, c.pods, "podCliqueScalingGroups", "replicas")
		// That of the set itself is none of its pods.
		unstructured.RemoveNestedField(c.pods.Object, "metadata", "annotations", metadata.AnnotationTemplateHash)
		if before == nil {
			continue
		}
		if diff := cmp.Diff(before.Object, c.pods.Object); diff != "" {
			t.Errorf("%s: -before, +after:\n%s", title, diff)
		}
	}
}

// withoutReplicas removes a number from one list in the template of a PodCliqueSet.
func withoutReplicas(t *testing.T, object *unstructured.Unstructured, list string, path ...string) {
	t.Helper()
	items, found, err := unstructured.NestedSlice(object.Object, "spec", "template", list)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if item, ok := i.(map[string]any); ok {
			unstructured.RemoveNestedField(item, path...)
		}
	}
	if found {
		setField(t, object, items, "spec", "template", list)
	}
}

// digest of a render: the numbers of the workloads, all objects that scale them, and the warnings.
func digest(t *testing.T, out harness.Output) []byte {
	t.Helper()
	short := map[string]any{}
	for _, object := range out.Composed {
		switch object.GetKind() {
		case "PodCliqueSet":
			numbers(t, short, object, "cliques", "spec", "replicas")
			numbers(t, short, object, "podCliqueScalingGroups", "replicas")
		case "Deployment", "LeaderWorkerSet":
			replicas, found, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
			short[harness.Key(object)] = "left to others"
			if found {
				short[harness.Key(object)] = replicas
			}
		case "HorizontalPodAutoscaler", "DynamoGraphDeploymentScalingAdapter":
			short[harness.Key(object)] = map[string]any{"name": object.GetName(), "spec": object.Object["spec"]}
		}
	}
	conditions, _, _ := unstructured.NestedSlice(out.Composite.Object, "status", "conditions")
	for _, c := range conditions {
		if condition, _ := c.(map[string]any); condition["type"] == "Accepted" && condition["message"] != nil {
			short["warning"] = condition["message"]
		}
	}
	document, err := yaml.Marshal(short)
	if err != nil {
		t.Fatal(err)
	}
	return append(document, '\n')
}

// numbers of one list in the template of a PodCliqueSet.
func numbers(t *testing.T, short map[string]any, object *unstructured.Unstructured, list string, path ...string) {
	t.Helper()
	items, _, err := unstructured.NestedSlice(object.Object, "spec", "template", list)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		item, _ := i.(map[string]any)
		replicas, _, _ := unstructured.NestedInt64(item, path...)
		short[fmt.Sprintf("podcliqueset %v", item["name"])] = replicas
	}
}
