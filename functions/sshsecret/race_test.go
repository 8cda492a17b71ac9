package sshsecret

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

var errImmutable = errors.New("field is immutable when `immutable` is set")

// apiServer holds one Secret as the API server does: the data of an immutable one cannot change.
// https://kubernetes.io/docs/concepts/configuration/secret/#secret-immutable
type apiServer struct{ secret *corev1.Secret }

// apply what a response composes, as Crossplane does with forced server-side apply.
func (s *apiServer) apply(t *testing.T, rsp *fnv1.RunFunctionResponse) error {
	t.Helper()
	text, err := json.Marshal(rsp.GetDesired().GetResources()["ssh-secret"].GetResource().AsMap())
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{}
	if err := json.Unmarshal(text, secret); err != nil {
		t.Fatal(err)
	}
	if s.secret != nil && ptr.Deref(s.secret.Immutable, false) && !cmp.Equal(s.secret.Data, secret.Data) {
		return errImmutable
	}
	secret.OwnerReferences = []metav1.OwnerReference{{APIVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeployment", Name: "llama", UID: "u1", Controller: new(true)}}
	s.secret = secret
	return nil
}

// stored is the Secret as the API server returns it.
func (s *apiServer) stored(t *testing.T) fields {
	t.Helper()
	text, err := json.Marshal(s.secret)
	if err != nil {
		t.Fatal(err)
	}
	stored := fields{}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

// TestTwoRunsAtOnce shows that two runs of which neither sees a Secret do not lead to two keys in use: the API
// server refuses the second write, and every later run composes the key that is stored.
func TestTwoRunsAtOnce(t *testing.T) {
	server := &apiServer{}
	first := steptest.Run(t, function(), request(t, withSecret(), lookedUp(nil)))
	second := steptest.Run(t, function(), request(t, withSecret(), lookedUp(nil)))
	if cmp.Equal(composed(t, first, "private.key"), composed(t, second, "private.key")) {
		t.Fatal("want two keys to begin with")
	}

	if err := server.apply(t, first); err != nil {
		t.Fatalf("the first write: %v", err)
	}
	if err := server.apply(t, second); !errors.Is(err, errImmutable) {
		t.Fatalf("the second write: want it to be refused, got %v", err)
	}

	for name, option := range map[string]requestOption{
		"NotObservedYet": lookedUp(server.stored(t)),
		"Observed":       observed(server.stored(t)),
	} {
		later := steptest.Run(t, function(), request(t, withSecret(), option))
		for _, key := range []string{"private.key", "private.key.pub"} {
			if diff := cmp.Diff(composed(t, first, key), composed(t, later, key)); diff != "" {
				t.Errorf("%s: %s of a later run differs", name, key)
			}
		}
		if err := server.apply(t, later); err != nil {
			t.Errorf("%s: the write of a later run: %v", name, err)
		}
	}
}
