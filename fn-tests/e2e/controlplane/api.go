package controlplane

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// patience is the time for the whole test of an API server, unless that of `go test -timeout` is shorter.
const patience = 30 * time.Minute

// An API is served to a test, without Crossplane.
type API struct {
	*ControlPlane

	// Context ends with the time for the test, or when somebody interrupts it.
	Context context.Context //nolint:containedctx // It lives as long as the test.
	// Definition of graphs, as Crossplane derives it from that of this repository.
	Definition *extv1.CustomResourceDefinition
}

// StartAPI starts an API server with the definition of graphs, and stops it at the end of the test. The test is skipped unless such tests are
// asked for.
func StartAPI(t testing.TB, o Options) *API {
	t.Helper()
	if os.Getenv("CONFIGURATION_DYNAMO_E2E") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_E2E=1 to run a real API server, which is built first")
	}
	ctx, cancel := context.WithDeadline(t.Context(), Deadline(t, patience))
	t.Cleanup(cancel)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	t.Cleanup(stop)
	o.Machine, o.Root, o.Logf = NewMachine(1), harness.Root(), t.Logf
	c, err := StartServer(ctx, o)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what the processes said last:\n%s", c.Logs(20))
		}
		if err := errors.Join(c.Stop(), c.Remove()); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatalf("cannot start the API server: %v", err)
	}
	crds, err := schema.Load(filepath.Join(harness.Root(), "apis", "dynamographdeployment", "definition.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	api := &API{ControlPlane: c, Context: ctx, Definition: crds[0]}
	if err := api.install(); err != nil {
		t.Fatal(err)
	}
	return api
}

// install the definition.
func (a *API) install() error {
	fields, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(a.Definition)
	if err != nil {
		return err
	}
	delete(fields, "status")
	object := &unstructured.Unstructured{Object: fields}
	object.SetAPIVersion("apiextensions.k8s.io/v1")
	object.SetKind("CustomResourceDefinition")
	if _, err := a.Client.Create(a.Context, object); err != nil {
		return err
	}
	return a.Await(a.Context, RefOf(object), "Established")
}
