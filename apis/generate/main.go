// Command generate converts the CustomResourceDefinition that controller-gen creates from apis/v1alpha1 and apis/v1beta1 to the two
// CompositeResourceDefinitions of this project: the namespaced one, and the one with claims.
//
//	controller-gen crd:allowDangerousTypes=true paths=./apis/v1alpha1 paths=./apis/v1beta1 output:crd:stdout | go run ./apis/generate -out apis
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

func main() {
	out := flag.String("out", "apis", "folder under which the definitions are written")
	flag.Parse()

	if err := run(os.Stdin, *out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out string) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read the CustomResourceDefinition: %w", err)
	}
	crd := &extv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		return fmt.Errorf("cannot parse the CustomResourceDefinition: %w", err)
	}
	if len(crd.Spec.Versions) != 2 || crd.Spec.Versions[0].Name != v1alpha1.Version || crd.Spec.Versions[1].Name != v1beta1.Version {
		return fmt.Errorf("want the versions %s and %s in %q", v1alpha1.Version, v1beta1.Version, crd.Name)
	}
	schema, err := compositeSchema(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, crd.Spec.Versions[1].Schema.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	for _, definition := range []definition{namespaced(schema), claims(schema)} {
		if err := write(filepath.Join(out, definition.folder, "definition.yaml"), definition); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, definition definition) error {
	data, err := yaml.Marshal(definition.object)
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot create the directory of %s: %w", path, err)
	}
	header := "# Generated from apis/v1alpha1, apis/v1beta1 and apis/generate by `make generate`. Do not edit.\n"
	if err := os.WriteFile(path, append([]byte(header), data...), 0o644); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
