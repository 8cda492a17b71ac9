package adoption

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// annotation with which a graph adopts the objects of the operator, and its value.
const (
	annotation = "dynamo.nvidia.com/adopt-from"
	operator   = "dynamo-operator"
)

// errRefused is wrapped by the error for a graph that cannot be adopted.
var errRefused = errors.New("refused")

// A subject is a graph of the operator.
type subject struct {
	pipeline *crossplane.Pipeline
	manifest *unstructured.Unstructured

	// cluster that runs the graph, and the objects that the operator has created for it.
	cluster, live []*unstructured.Unstructured

	// mistaken is true if the graph has an error. Its objects are adopted without changes, and the user must fix the error before the graph
	// can change.
	mistaken bool
}

func functions() crossplane.Functions {
	return crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
}

// run adopts the graph and then changes the image of one of its components. It returns errRefused if the graph cannot be adopted.
func (s *subject) run(ctx context.Context) error {
	g, err := s.adopt(ctx)
	if errors.Is(err, crossplane.ErrFatal) {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	if err != nil {
		return err
	}
	if err := s.isAdopted(g); err != nil {
		return err
	}
	err = s.changeImage(ctx, g, s.component())
	if errors.Is(err, crossplane.ErrFatal) && s.hasMistake(ctx) {
		s.mistaken = true
		return nil
	}
	return err
}

// hasMistake reports whether a new graph of the manifest, with the image of one component changed, is refused.
func (s *subject) hasMistake(ctx context.Context) bool {
	manifest := s.manifest.DeepCopy()
	setImage(manifest, s.component())
	_, err := s.pipeline.Settle(ctx, crossplane.NewGraph(manifest, s.cluster), functions())
	return errors.Is(err, crossplane.ErrFatal)
}

// setImage of a component to another one, and return the new image.
func setImage(xr *unstructured.Unstructured, name string) string {
	image := "registry.example.com/" + strings.ToLower(name) + ":2.0.0"
	if components, ok, _ := unstructured.NestedSlice(xr.Object, "spec", "components"); ok {
		for _, item := range components {
			if component, _ := item.(map[string]any); component["name"] == name {
				setImageOfMain(component, image)
			}
		}
		_ = unstructured.SetNestedSlice(xr.Object, components, "spec", "components")
		return image
	}
	// The manifest only consists of maps, slices and strings.
	_ = unstructured.SetNestedField(xr.Object, image, "spec", "services", name, "extraPodSpec", "mainContainer", "image")
	return image
}

func setImageOfMain(component map[string]any, image string) {
	containers, _, _ := unstructured.NestedSlice(component, "podTemplate", "spec", "containers")
	i := slices.IndexFunc(containers, func(item any) bool {
		container, _ := item.(map[string]any)
		return container["name"] == "main"
	})
	if i < 0 {
		i, containers = len(containers), append(containers, map[string]any{"name": "main"})
	}
	if main, ok := containers[i].(map[string]any); ok {
		main["image"] = image
	}
	_ = unstructured.SetNestedSlice(component, containers, "podTemplate", "spec", "containers")
}

// typesOf the components of a graph by name, in either form.
func typesOf(xr *unstructured.Unstructured) map[string]string {
	types := map[string]string{}
	services, _, _ := unstructured.NestedMap(xr.Object, "spec", "services")
	for name := range services {
		types[name], _, _ = unstructured.NestedString(services, name, "componentType")
	}
	components, _, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
	for _, item := range components {
		component, _ := item.(map[string]any)
		name, _ := component["name"].(string)
		types[name], _ = component["type"].(string)
	}
	return types
}

// component whose image changes: a worker if there is one.
func (s *subject) component() string {
	types := typesOf(s.manifest)
	all := slices.Sorted(maps.Keys(types))
	for _, name := range all {
		if slices.Contains([]string{"worker", "prefill", "decode"}, types[name]) {
			return name
		}
	}
	return all[0]
}

// adopt the live objects.
func (s *subject) adopt(ctx context.Context) (*crossplane.Graph, error) {
	manifest := s.manifest.DeepCopy()
	annotations := manifest.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotation] = operator
	manifest.SetAnnotations(annotations)
	g := crossplane.NewGraph(manifest, slices.Concat(s.cluster, s.live))
	_, err := s.pipeline.Settle(ctx, g, functions())
	return g, err
}

// isAdopted reports the differences of a graph that has adopted all its objects.
func (s *subject) isAdopted(g *crossplane.Graph) error {
	composed := map[string]*unstructured.Unstructured{}
	for _, object := range g.Objects() {
		composed[id(object)] = object
	}
	var errs []error
	for _, before := range s.live {
		after, ok := composed[id(before)]
		if !ok {
			if !s.stays(before) {
				errs = append(errs, fmt.Errorf("%s is not adopted", id(before)))
			}
			continue
		}
		if isWorkload(before) {
			if diff := cmp.Diff(before.Object["spec"], overlaid(after.Object["spec"], before.Object["spec"])); diff != "" {
				errs = append(errs, fmt.Errorf("%s: spec: -before, +after:\n%s", id(before), diff))
			}
		}
	}
	errs = append(errs, selectsPods(g, podsOf(g)))
	for name, object := range composed {
		isLive := slices.ContainsFunc(s.live, func(o *unstructured.Unstructured) bool { return id(o) == name })
		if isWorkload(object) && !isLive && slices.ContainsFunc(s.live, func(o *unstructured.Unstructured) bool { return runsSame(o, object) }) {
			errs = append(errs, fmt.Errorf("%s is composed beside what is live", name))
		}
	}
	return errors.Join(errs...)
}

// stays reports whether an object of the operator belongs to no graph, because graphs of a namespace share it, or only the operator uses
// it.
func (s *subject) stays(object *unstructured.Unstructured) bool {
	name := object.GetName()
	switch object.GetKind() {
	case "Service":
		return strings.HasPrefix(name, "dynamo-model-")
	case "ServiceAccount", "RoleBinding", "Role":
		return strings.HasPrefix(name, "planner-serviceaccount") || strings.HasPrefix(name, "epp-serviceaccount") || strings.HasPrefix(name, "checkpoint-")
	case "PodGroup":
		// The operator failed after it had created the gang.
		return !slices.ContainsFunc(s.live, func(o *unstructured.Unstructured) bool { return id(o) == "LeaderWorkerSet "+name })
	case "ResourceClaimTemplate":
		// The claims of pods that share GPUs with each other are from templates in the PodCliqueSet.
		return harness.SharesBetweenPods(s.manifest)
	case "Secret":
		return name == "mpi-run-ssh-secret"
	case "ConfigMap":
		return strings.HasSuffix(name, "-wait-leader-script")
	default:
		return false
	}
}

func isWorkload(object *unstructured.Unstructured) bool {
	return kinds.Of(object.GetAPIVersion(), object.GetKind()).Pods != kinds.NoPods
}

// runsSame reports whether two workloads run the same pods.
func runsSame(a, b *unstructured.Unstructured) bool {
	const component = "nvidia.com/dynamo-component"
	return a.GetKind() == "PodCliqueSet" && b.GetKind() == "PodCliqueSet" ||
		isWorkload(a) && a.GetLabels()[component] != "" && a.GetLabels()[component] == b.GetLabels()[component]
}

func id(object *unstructured.Unstructured) string { return object.GetKind() + " " + object.GetName() }

// overlaid is the result of an apply: the applied fields, and the others of the live object. Lists only contain the applied elements.
func overlaid(applied, before any) any {
	switch applied := applied.(type) {
	case map[string]any:
		nested, ok := before.(map[string]any)
		if !ok {
			return applied
		}
		out := maps.Clone(nested)
		for key, value := range applied {
			out[key] = overlaid(value, nested[key])
		}
		return out
	case []any:
		list, ok := before.([]any)
		if !ok || len(list) != len(applied) {
			return applied
		}
		out := make([]any, len(applied))
		for i := range applied {
			out[i] = overlaid(applied[i], list[i])
		}
		return out
	case float64:
		if number, ok := before.(int64); ok && float64(number) == applied {
			return number
		}
		return applied
	default:
		return applied
	}
}

// changeImage of a component. Only its pods change.
func (s *subject) changeImage(ctx context.Context, g *crossplane.Graph, component string) error {
	image, before := "", podsOf(g)
	g.Edit(func(xr *unstructured.Unstructured) { image = setImage(xr, component) })
	if _, err := s.pipeline.Settle(ctx, g, functions()); err != nil {
		return err
	}
	after := podsOf(g)
	var errs []error
	if diff := cmp.Diff(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))); diff != "" {
		errs = append(errs, fmt.Errorf("workloads: -before, +after:\n%s", diff))
	}
	for name, p := range after {
		changed := !cmp.Equal(before[name].template, p.template)
		if mine := p.component == component; mine != changed {
			errs = append(errs, fmt.Errorf("%s: want pods that change: %t, got %t: -before, +after:\n%s", name, mine, changed, cmp.Diff(before[name].template, p.template)))
		}
		if p.component == component && p.image != image {
			errs = append(errs, fmt.Errorf("%s: want image %s, got %s", name, image, p.image))
		}
		for _, key := range identity {
			if before[name].labels[key] != p.labels[key] {
				errs = append(errs, fmt.Errorf("%s: label %s was %q and is %q", name, key, before[name].labels[key], p.labels[key]))
			}
		}
		if before[name].suffix != p.suffix {
			errs = append(errs, fmt.Errorf("%s: %s was %q and is %q", name, workerSuffix, before[name].suffix, p.suffix))
		}
	}
	return errors.Join(append(errs, selectsPods(g, after))...)
}
