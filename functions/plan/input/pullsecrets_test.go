package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPullSecrets(t *testing.T) {
	in, errs := Read(given(`{"imagePullSecrets":[{"registry":"nvcr.io","secretName":"nvcr"},
		{"registry":"index.docker.io","secretName":"hub"},{"registry":"localhost:5000","secretName":"own"}]}`), "")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []graphplan.RegistrySecret{
		{Registry: "nvcr.io", SecretName: "nvcr"},
		{Registry: "docker.io", SecretName: "hub"},
		{Registry: "localhost:5000", SecretName: "own"},
	}
	if diff := cmp.Diff(want, PullSecrets(in)); diff != "" {
		t.Errorf("Registries are called as in the normal form of an image's name.\nPullSecrets(...): -want, +got:\n%s", diff)
	}
}
