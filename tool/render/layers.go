package render

import (
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// layers are objects above another cluster. An object hides the one of its name below.
type layers struct {
	objects pipeline.Objects
	base    pipeline.Cluster
}

// Resources of both. What is selected by name is only looked up below if it is not among the objects.
func (l layers) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	found, err := l.objects.Resources(selectors)
	if err != nil {
		return nil, err
	}
	missing := map[string]*fnv1.ResourceSelector{}
	for name, s := range selectors {
		if _, byName := s.GetMatch().(*fnv1.ResourceSelector_MatchName); !byName || len(found[name].GetItems()) == 0 {
			missing[name] = s
		}
	}
	more, err := l.base.Resources(missing)
	if err != nil {
		return nil, err
	}
	for name, resources := range more {
		for _, r := range resources.GetItems() {
			if !slices.ContainsFunc(found[name].GetItems(), func(other *fnv1.Resource) bool { return identity(other) == identity(r) }) {
				found[name].Items = append(found[name].Items, r)
			}
		}
	}
	return found, nil
}

// identity of an object among those of its kind.
func identity(r *fnv1.Resource) [2]string {
	metadata := r.GetResource().GetFields()["metadata"].GetStructValue().GetFields()
	return [2]string{metadata["namespace"].GetStringValue(), metadata["name"].GetStringValue()}
}

// Schemas of the cluster below. Objects of a kind show that it is served, too.
func (l layers) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	found, err := l.base.Schemas(selectors)
	if err != nil {
		return nil, err
	}
	more, err := l.objects.Schemas(selectors)
	if err != nil {
		return nil, err
	}
	for name, s := range more {
		if found[name].GetOpenapiV3() == nil {
			found[name] = s
		}
	}
	return found, nil
}
