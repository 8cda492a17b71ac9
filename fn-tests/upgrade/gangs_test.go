package upgrade

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A gang is what a scheduler is told of the pods of a LeaderWorkerSet.
type gang struct {
	Members  int32
	Priority string
	// Requests of all pods together, in the form in which quantities are compared.
	Requests map[corev1.ResourceName]string
}

// TestGangsFitTheirPods changes each of the inputs under live graphs of the corpus and of the examples, and then scales them out. Whatever the pods
// of a replica are, its PodGroup asks Volcano for these, and that of a live replica does not change.
func TestGangsFitTheirPods(t *testing.T) {
	inputs, err := Inputs("testdata/inputs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Guard rails would refuse to scale out, and change nothing else. A forced release may refuse it, too.
	inputs = slices.DeleteFunc(inputs, func(input map[string]any) bool { return input["guardRails"] != nil })
	graphs := map[string]corpus.Manifest{}
	for _, m := range corpus.Manifests(t) {
		if !m.Refused {
			graphs[m.Name] = m
		}
	}
	for _, example := range harness.Examples(t) {
		if example.Composition == harness.Composition {
			graphs[filepath.Join("examples", example.Name)] = corpus.Manifest{Path: example.XR}
		}
	}
	functions, cluster, seen := crossplane.Direct(crossplane.Servers(logging.NewNopLogger())), harness.Read(t, harness.LWSVolcano), 0
	pipelines, changes := map[string]*crossplane.Pipeline{}, map[string][]change{}
	for name, m := range graphs {
		t.Run(name, func(t *testing.T) {
			source := harness.Read(t, m.Path)[0]
			if !strings.Contains(fmt.Sprint(source.Object["spec"]), "multinode") {
				t.Skip("no component spans nodes")
			}
			if changes[m.Platform.Name] == nil {
				input := map[string]any{}
				maps.Copy(input, m.Platform.Input)
				pipelines[m.Platform.Name], changes[m.Platform.Name] = compositiontest.Pipeline(t, fused, input), inputChanges(t, input, inputs)
			}
			live, changes := crossplane.NewGraph(source, cluster), changes[m.Platform.Name]
			if _, err := pipelines[m.Platform.Name].Settle(t.Context(), live, functions); errors.Is(err, crossplane.ErrFatal) {
				t.Skipf("the cluster cannot run the graph: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			before := gangsOf(t, live)
			if len(before) == 0 {
				t.Skip("no component is a gang of the chain")
			}
			seen++
			var mutex sync.Mutex
			harness.Parallel(len(changes), func(i int) {
				// The first ones change what pods request.
				if i > 2 && !harness.Sampled(i+len(name), 30) {
					return
				}
				g := live.Clone()
				_, changed := changes[i].pipeline.Run(t.Context(), g, functions)
				g.Edit(scaleOut)
				_, scaled := changes[i].pipeline.Run(t.Context(), g, functions)
				mutex.Lock()
				defer mutex.Unlock()
				if err := errors.Join(changed, scaled); err != nil {
					t.Errorf("%s: %v", changes[i].name, err)
					return
				}
				after := gangsOf(t, g)
				if len(after) <= len(before) && g.Condition("Accepted")["status"] == "True" {
					t.Errorf("%s: %d gangs before and %d after the graph was scaled out", changes[i].name, len(before), len(after))
				}
				maps.DeleteFunc(after, func(key string, _ gang) bool { _, lived := before[key]; return !lived })
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%s: gangs of a live graph: -before, +after:\n%s", changes[i].name, diff)
				}
			})
		})
	}
	if seen == 0 {
		t.Error("no graph has a gang")
	}
}

// scaleOut each component by a replica.
func scaleOut(xr *unstructured.Unstructured) {
	grow := func(component any) {
		fields, _ := component.(map[string]any)
		replicas, given := fields["replicas"].(int64)
		if !given {
			replicas = 1
		}
		fields["replicas"] = replicas + 1
	}
	components, _, _ := unstructured.NestedFieldNoCopy(xr.Object, "spec", "components")
	list, _ := components.([]any)
	for _, component := range list {
		grow(component)
	}
	services, _, _ := unstructured.NestedFieldNoCopy(xr.Object, "spec", "services")
	byName, _ := services.(map[string]any)
	for _, component := range byName {
		grow(component)
	}
}

// gangsOf a graph, by name. Each PodGroup has to ask for the pods of its LeaderWorkerSet.
func gangsOf(t *testing.T, g *crossplane.Graph) map[string]gang {
	t.Helper()
	asked, pods := map[string]gang{}, map[string]gang{}
	for _, object := range g.Objects() {
		switch object.GetKind() {
		case "PodGroup":
			group := &volcanov1beta1.PodGroup{}
			decode(t, object, group)
			requests := corev1.ResourceList{}
			if group.Spec.MinResources != nil {
				requests = *group.Spec.MinResources
			}
			asked[object.GetName()] = gang{group.Spec.MinMember, group.Spec.PriorityClassName, canonical(requests)}
		case "LeaderWorkerSet":
			set := &lwsv1.LeaderWorkerSet{}
			decode(t, object, set)
			pods[object.GetName()] = gangOf(set.Spec.LeaderWorkerTemplate)
		}
	}
	// A component whose scheduler the user chose has none.
	maps.DeleteFunc(pods, func(name string, _ gang) bool { _, grouped := asked[name]; return !grouped })
	if diff := cmp.Diff(pods, asked); diff != "" {
		t.Errorf("PodGroups by name: -want what the pods of the LeaderWorkerSet request, +got:\n%s", diff)
	}
	return asked
}

func gangOf(template lwsv1.LeaderWorkerTemplate) gang {
	total := corev1.ResourceList{}
	for i := range *template.Size {
		spec := template.WorkerTemplate.Spec
		if i == 0 {
			spec = template.LeaderTemplate.Spec
		}
		for name, amount := range resourcehelper.PodRequests(&corev1.Pod{Spec: *defaulted(spec.DeepCopy())}, resourcehelper.PodResourcesOptions{}) {
			sum := total[name]
			sum.Add(amount)
			total[name] = sum
		}
	}
	return gang{*template.Size, template.LeaderTemplate.Spec.PriorityClassName, canonical(total)}
}

// defaulted is a pod as the API server stores it: what has a limit is requested.
func defaulted(spec *corev1.PodSpec) *corev1.PodSpec {
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			r := &containers[i].Resources
			requests := maps.Clone(r.Limits)
			if requests == nil {
				requests = corev1.ResourceList{}
			}
			maps.Copy(requests, r.Requests)
			r.Requests = requests
		}
	}
	return spec
}

// canonical amounts. What is zero is not asked for.
func canonical(list corev1.ResourceList) map[corev1.ResourceName]string {
	amounts := map[corev1.ResourceName]string{}
	for name, amount := range list {
		if !amount.IsZero() {
			amounts[name] = resource.NewMilliQuantity(amount.MilliValue(), resource.DecimalSI).String()
		}
	}
	return amounts
}

func decode(t *testing.T, object *unstructured.Unstructured, out any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out); err != nil {
		t.Fatal(fmt.Errorf("cannot read %s %s: %w", object.GetKind(), object.GetName(), err))
	}
}
