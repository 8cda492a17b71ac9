package render

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// Composition in a file.
func Composition(path string) (*pipeline.Composition, error) {
	o, err := single(path, nil)
	if err != nil {
		return nil, err
	}
	return pipeline.CompositionOf(o)
}

// isGraph reports whether a version is one of graphs, all of which have the same schema. A cluster hands functions a graph at the
// version of the Composition, whatever version its user wrote it at.
func isGraph(apiVersion string) bool {
	return apiVersion == v1beta1.Group+"/"+v1beta1.Version || apiVersion == v1alpha1.Group+"/"+v1alpha1.Version
}

// Check that a Composition is a pipeline for a composite resource.
func Check(c *pipeline.Composition, xr *unstructured.Unstructured) error {
	if want, got := c.Spec.CompositeTypeRef.Kind, xr.GetKind(); want != got {
		return errors.Errorf("composition's compositeTypeRef.kind (%s) does not match XR's kind (%s)", want, got)
	}
	if want, got := c.Spec.CompositeTypeRef.APIVersion, xr.GetAPIVersion(); want != got && (!isGraph(want) || !isGraph(got)) {
		return errors.Errorf("composition's compositeTypeRef.apiVersion (%s) does not match XR's apiVersion (%s)", want, got)
	}

	selected, _, _ := unstructured.NestedStringMap(xr.Object, "spec", "crossplane", "compositionSelector", "matchLabels")
	for _, key := range slices.Sorted(maps.Keys(selected)) {
		if got, ok := c.Metadata.Labels[key]; !ok || got != selected[key] {
			return errors.Errorf("XR selects compositions with label %s=%s, composition %q has %q", key, selected[key], c.Metadata.Name, got)
		}
	}

	if c.Spec.Mode != "Pipeline" {
		return errors.Errorf("composition %q must use spec.mode: Pipeline", c.Metadata.Name)
	}
	for _, s := range c.Spec.Pipeline {
		if len(s.Credentials) > 0 {
			return errors.Errorf("pipeline step %q uses credentials, which this renderer does not support", s.Step)
		}
	}
	return nil
}
