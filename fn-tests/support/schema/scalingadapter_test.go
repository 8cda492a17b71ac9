package schema_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// adapterDefinitions are those of scaling adapters: of a bare kind, and of composite resources.
func adapterDefinitions() map[string]string {
	return map[string]string{"Bare": "package/scalingadapter-crd.yaml", "Composite": "apis/dynamographdeploymentscalingadapter/definition.yaml"}
}

// TestScalingAdapter checks that both versions of the kind have the same schema, because nothing converts them, and a scale.
func TestScalingAdapter(t *testing.T) {
	for name, path := range adapterDefinitions() {
		t.Run(name, func(t *testing.T) { checkScalingAdapters(t, scalingAdapters(t, path)) })
	}
}

func checkScalingAdapters(t *testing.T, crd *extv1.CustomResourceDefinition) {
	t.Helper()
	if errs, err := schema.Check(crd); err != nil || len(errs) > 0 {
		t.Errorf("want a definition that the API server takes, got %v, %v", errs, err)
	}
	scale := &extv1.CustomResourceSubresources{
		Status: &extv1.CustomResourceSubresourceStatus{},
		Scale: &extv1.CustomResourceSubresourceScale{
			SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: new(".status.selector"),
		},
	}
	if crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy != extv1.NoneConverter {
		t.Errorf("want nothing to convert adapters, got %v", crd.Spec.Conversion)
	}
	versions := crd.Spec.Versions
	if len(versions) != 2 || versions[0].Name != "v1beta1" || !versions[0].Storage || versions[1].Name != "v1alpha1" || !versions[1].Deprecated {
		t.Fatalf("want v1beta1, which is stored, and v1alpha1, which is deprecated")
	}
	for i := range versions {
		if !versions[i].Served {
			t.Errorf("want version %s served", versions[i].Name)
		}
	}
	if diff := cmp.Diff(versions[0].Schema, versions[1].Schema); diff != "" {
		t.Errorf("schema: -%s, +%s:\n%s", versions[0].Name, versions[1].Name, diff)
	}
	columns := map[string]int{}
	for i := range versions {
		if diff := cmp.Diff(scale, versions[i].Subresources); diff != "" {
			t.Errorf("subresources of version %s: -want, +got:\n%s", versions[i].Name, diff)
		}
		for _, column := range versions[i].AdditionalPrinterColumns {
			columns[column.Name]++
		}
	}
	for name, times := range columns {
		if times != len(versions) {
			t.Errorf("want column %s in each version, got it %d times", name, times)
		}
	}
}

// TestScalingAdapterValues shows what is taken at either version.
func TestScalingAdapterValues(t *testing.T) {
	for name, path := range adapterDefinitions() {
		t.Run(name, func(t *testing.T) {
			set, err := schema.NewSet(scalingAdapters(t, path))
			if err != nil {
				t.Fatal(err)
			}
			checkAdapterValues(t, set)
		})
	}
}

func checkAdapterValues(t *testing.T, set schema.Set) {
	t.Helper()
	cases := map[string]struct {
		reason string
		spec   map[string]any
		want   string
	}{
		"Service":   {reason: "An adapter of v1alpha1 names a service.", spec: map[string]any{"replicas": int64(0), "dgdRef": map[string]any{"name": "llama", "serviceName": "Decode"}}},
		"Component": {reason: "An adapter of v1beta1 names a component.", spec: map[string]any{"replicas": int64(2), "dgdRef": map[string]any{"name": "llama", "componentName": "decode"}}},
		"Both": {
			reason: "An adapter scales one component.",
			spec:   map[string]any{"replicas": int64(2), "dgdRef": map[string]any{"name": "llama", "componentName": "decode", "serviceName": "Decode"}},
			want:   "spec.dgdRef: Invalid value: exactly one of componentName and serviceName must be set",
		},
		"Neither": {
			reason: "An adapter scales a component.",
			spec:   map[string]any{"replicas": int64(2), "dgdRef": map[string]any{"name": "llama"}},
			want:   "spec.dgdRef: Invalid value: exactly one of componentName and serviceName must be set",
		},
		"Negative": {
			reason: "There are no negative numbers of replicas.",
			spec:   map[string]any{"replicas": int64(-1), "dgdRef": map[string]any{"name": "llama", "serviceName": "Decode"}},
			want:   "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
		},
		"NoNumber": {
			reason: "The number is required.",
			spec:   map[string]any{"dgdRef": map[string]any{"name": "llama", "serviceName": "Decode"}},
			want:   "spec.replicas: Required value",
		},
	}
	for name, tc := range cases {
		for _, version := range []string{"v1beta1", "v1alpha1"} {
			t.Run(name+"/"+version, func(t *testing.T) {
				got := set.Validate(&unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "nvidia.com/" + version, "kind": "DynamoGraphDeploymentScalingAdapter",
					"metadata": map[string]any{"name": "llama-decode", "namespace": "inference"}, "spec": tc.spec,
				}})
				text := ""
				if err := got.ToAggregate(); err != nil {
					text = err.Error()
				}
				if diff := cmp.Diff(tc.want, text); diff != "" {
					t.Errorf("%s\nValidate(...): -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestScalingAdapterFields checks that the schema has every field of the operator's definitions.
func TestScalingAdapterFields(t *testing.T) {
	const releases = 2
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, releases, "crds"), "dynamo-*", "*scalingadapters.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		shared.Skipf(t, releases, "definitions of scaling adapters in the folder that %s names", shared.Env)
	}
	ours := fields("", scalingAdapters(t, adapterDefinitions()["Composite"]).Spec.Versions[0].Schema.OpenAPIV3Schema)
	for _, path := range paths {
		crds, err := schema.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range crds[0].Spec.Versions {
			for _, field := range fields("", version.Schema.OpenAPIV3Schema) {
				if !slices.Contains(ours, field) {
					t.Errorf("%s: version %s has %s", path, version.Name, field)
				}
			}
		}
	}
}

// fields of a schema, with their types.
func fields(path string, props *extv1.JSONSchemaProps) []string {
	all := []string{path + " " + props.Type}
	for name, property := range props.Properties {
		all = append(all, fields(path+"."+name, &property)...)
	}
	return all
}

func scalingAdapters(t *testing.T, path string) *extv1.CustomResourceDefinition {
	t.Helper()
	crds, err := schema.Load(filepath.Join(harness.Root(), path))
	if err != nil {
		t.Fatal(err)
	}
	return crds[0]
}
