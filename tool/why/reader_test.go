package why

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// fakeReader is a cluster with objects.
type fakeReader struct {
	objects []unstructured.Unstructured

	// forbidden kinds, and log for pods/log.
	forbidden []string

	log   string
	asked []string
}

// clusterIn a file of testdata: its objects, and a first line with the kinds that may not be read.
func clusterIn(t testing.TB, name string) *fakeReader {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	r := &fakeReader{}
	if first, _, _ := strings.Cut(string(data), "\n"); strings.HasPrefix(first, "# forbidden: ") {
		r.forbidden = strings.Fields(strings.TrimPrefix(first, "# forbidden: "))
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		object := unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); err != nil {
			return r
		}
		if object.IsList() {
			list, err := object.ToList()
			if err != nil {
				t.Fatal(err)
			}
			r.objects = append(r.objects, list.Items...)
		} else if len(object.Object) > 0 {
			r.objects = append(r.objects, object)
		}
	}
}

func (r *fakeReader) Get(q preview.Query) ([]unstructured.Unstructured, error) {
	verb := "get"
	if len(q.Names) == 0 {
		verb = "list"
	}
	r.asked = append(r.asked, verb+" "+q.Kind)
	if slices.Contains(r.forbidden, q.Kind) {
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
	var found []unstructured.Unstructured
	for _, o := range r.objects {
		if o.GetKind() == q.Kind && o.GetNamespace() == q.Namespace && strings.HasPrefix(o.GetAPIVersion(), strings.SplitN(q.APIVersion, "/", 2)[0]) &&
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

func (r *fakeReader) Log(namespace, _, _ string, _ bool, _ int) (string, error) {
	if slices.Contains(r.forbidden, "log") {
		return "", &preview.ForbiddenError{Verb: "get", Resource: "pods/log", Namespace: namespace}
	}
	if r.log == "" {
		return "", errors.New("no log")
	}
	return r.log, nil
}
