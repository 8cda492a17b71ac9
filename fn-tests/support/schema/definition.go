// Package schema reads definitions for package tool/schema, which determines how an API server responds to a custom resource. A
// CompositeResourceDefinition is replaced by the CustomResourceDefinitions that Crossplane creates for it.
package schema

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xrdv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/schema"
)

// Validator validates the custom resources of one version of a definition.
type Validator = schema.Validator

// New returns a Validator of one served version of a definition.
func New(crd *extv1.CustomResourceDefinition, version string) (*Validator, error) {
	return schema.New(crd, version)
}

// LoadSet returns the Validators of all definitions in files.
func LoadSet(paths ...string) (Set, error) {
	crds, err := Load(paths...)
	if err != nil {
		return nil, err
	}
	return NewSet(crds...)
}

// Load reads the definitions in files, as Parse does.
func Load(paths ...string) ([]*extv1.CustomResourceDefinition, error) {
	var crds []*extv1.CustomResourceDefinition
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read definitions: %w", err)
		}
		more, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		crds = append(crds, more...)
	}
	return crds, nil
}

// Parse reads the CustomResourceDefinitions of a YAML stream. For a CompositeResourceDefinition, it returns those that Crossplane creates:
// the definition of the composite resource, then that of the claim if there is one.
func Parse(data []byte) ([]*extv1.CustomResourceDefinition, error) {
	var crds []*extv1.CustomResourceDefinition
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read a document: %w", err)
		}
		more, err := parseDocument(document)
		if err != nil {
			return nil, err
		}
		crds = append(crds, more...)
	}
}

func parseDocument(document []byte) ([]*extv1.CustomResourceDefinition, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return nil, fmt.Errorf("cannot parse a document: %w", err)
	}
	switch kind.Kind {
	case "":
		return nil, nil
	case "CustomResourceDefinition":
		crd := &extv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(document, crd); err != nil {
			return nil, fmt.Errorf("cannot parse a CustomResourceDefinition: %w", err)
		}
		return []*extv1.CustomResourceDefinition{crd}, nil
	case "CompositeResourceDefinition":
		// v1 and v2 of the kind allow different fields, which have the same meaning.
		xrd := &xrdv1.CompositeResourceDefinition{}
		if err := yaml.UnmarshalStrict(document, xrd); err != nil {
			return nil, fmt.Errorf("cannot parse a CompositeResourceDefinition: %w", err)
		}
		return fromComposite(xrd)
	default:
		return nil, fmt.Errorf("want a CustomResourceDefinition or a CompositeResourceDefinition, got kind %q", kind.Kind)
	}
}

func fromComposite(xrd *xrdv1.CompositeResourceDefinition) ([]*extv1.CustomResourceDefinition, error) {
	composite, err := xcrd.ForCompositeResource(xrd)
	if err != nil {
		return nil, fmt.Errorf("cannot derive the composite resource's CustomResourceDefinition: %w", err)
	}
	// The owner is the UID of the CompositeResourceDefinition, which a file does not contain.
	composite.SetOwnerReferences(nil)
	if xrd.Spec.ClaimNames == nil {
		return []*extv1.CustomResourceDefinition{composite}, nil
	}
	claim, err := xcrd.ForCompositeResourceClaim(xrd)
	if err != nil {
		return nil, fmt.Errorf("cannot derive the claim's CustomResourceDefinition: %w", err)
	}
	claim.SetOwnerReferences(nil)
	return []*extv1.CustomResourceDefinition{composite, claim}, nil
}

// Check returns the reasons why the API server would refuse the definition itself, such as schemas that are not structural, and CEL rules
// that do not compile or that could cost too much.
func Check(crd *extv1.CustomResourceDefinition) (field.ErrorList, error) {
	internal, err := schema.Internal(crd)
	if err != nil {
		return nil, err
	}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
		}
	}
	return validation.ValidateCustomResourceDefinition(context.Background(), internal), nil
}
