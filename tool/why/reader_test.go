package why

import (
	"errors"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/clustertest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// fakeReader is a cluster in which all containers have the same log. If log is forbidden, nobody may read it.
type fakeReader struct {
	*clustertest.Cluster

	log string
}

// clusterIn a file of testdata.
func clusterIn(t testing.TB, name string) *fakeReader {
	t.Helper()
	return &fakeReader{Cluster: clustertest.In(t, "tool/why/testdata/"+name)}
}

func clusterWith(objects ...unstructured.Unstructured) *fakeReader {
	return &fakeReader{Cluster: &clustertest.Cluster{Objects: objects}}
}

func (r *fakeReader) Log(namespace, _, _ string, _ bool, _ int) (string, error) {
	if slices.Contains(r.Forbidden, "log") {
		return "", &preview.ForbiddenError{Verb: "get", Resource: "pods/log", Namespace: namespace}
	}
	if r.log == "" {
		return "", errors.New("no log")
	}
	return r.log, nil
}
