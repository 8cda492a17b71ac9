// Package api shows that users are told what becomes of all that they write: every field of the published API takes effect, or a graph with the
// field is warned or refused; several mistakes are reported at once; and a graph that runs while an edit of it is refused stays as it is. It
// also writes the page about the fields.
package api

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// Field of the API. In its path, * stands for a key of a map, and [] for an item of a list.
type Field = fields.Field

// Prefixes of the fields of a component and of a service.
const (
	components = "spec.components[]."
	services   = "spec.services.*."
)

// Definition of the namespaced flavour, from the root of the repository.
const Definition = "apis/dynamographdeployment/definition.yaml"

// Fields of the spec in the definition of a file, including objects and lists.
func Fields(path string) ([]Field, error) {
	crds, err := schema.Load(path)
	if err != nil {
		return nil, err
	}
	if len(crds) == 0 {
		return nil, fmt.Errorf("%s holds no definition", path)
	}
	return fields.Of(crds[0])
}
