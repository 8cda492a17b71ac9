// Package clustertest lets tests of commands read the objects of a file in place of a live cluster.
package clustertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Cluster with objects.
type Cluster struct {
	Objects []unstructured.Unstructured

	// Forbidden kinds, which the user may not read.
	Forbidden []string

	// Failing is a kind that cannot be read for another reason.
	Failing string

	// Asked is what was read: verbs and kinds.
	Asked []string
}

// In a file, whose path is relative to the root of the repository. Its first line may name the kinds that are forbidden.
func In(t testing.TB, path string) *Cluster {
	t.Helper()
	data := harness.File(t, path)
	objects, err := harness.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	c := &Cluster{}
	for _, o := range objects {
		c.Objects = append(c.Objects, *o)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if kinds, ok := strings.CutPrefix(first, "# forbidden: "); ok {
		c.Forbidden = strings.Fields(kinds)
	}
	return c
}

// Get the objects that a query selects, in any version of their API.
func (c *Cluster) Get(q preview.Query) ([]unstructured.Unstructured, error) {
	verb := "get"
	if len(q.Names) == 0 {
		verb = "list"
	}
	c.Asked = append(c.Asked, verb+" "+q.Kind)
	if c.Failing == q.Kind {
		return nil, errors.New("connection refused")
	}
	if slices.Contains(c.Forbidden, q.Kind) {
		return nil, &preview.ForbiddenError{Verb: verb, Resource: strings.ToLower(q.Kind) + "s", Namespace: q.Namespace}
	}
	selector, err := labels.Parse(q.Labels)
	if err != nil {
		return nil, err
	}
	chosen, err := fields.ParseSelector(q.Fields)
	if err != nil {
		return nil, err
	}
	wanted := schema.FromAPIVersionAndKind(q.APIVersion, q.Kind).GroupKind()
	var found []unstructured.Unstructured
	for _, o := range c.Objects {
		if o.GroupVersionKind().GroupKind() == wanted && (q.Namespace == "" || o.GetNamespace() == q.Namespace) &&
			(len(q.Names) == 0 || slices.Contains(q.Names, o.GetName())) && selector.Matches(labels.Set(o.GetLabels())) && chosen.Matches(fieldsOf(&o)) {
			found = append(found, o)
		}
	}
	return found, nil
}

// fieldsOf an object by which it can be selected.
func fieldsOf(o *unstructured.Unstructured) fields.Set {
	set := fields.Set{}
	for _, name := range []string{"type", "reason"} {
		set[name], _, _ = unstructured.NestedString(o.Object, name)
	}
	return set
}
