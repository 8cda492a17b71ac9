// Package e2e runs a real control plane, without mocks: what a platform engineer installs, and what users do with it. Only nodes are
// missing, and therefore the operators that watch pods. The tests simulate both.
//
// It takes minutes and builds Kubernetes and Crossplane first, so it runs only with CONFIGURATION_DYNAMO_E2E=1.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	nvidia = "nvidia.com/v1alpha1"
	dgd    = "DynamoGraphDeployment"
	// compositeKind is the kind of the composite resource of a claim.
	compositeKind = "XDynamoGraphDeployment"
)

// A suite is a control plane with the Configuration, for the scenarios of a test.
type suite struct {
	*controlplane.ControlPlane

	ctx context.Context //nolint:containedctx // A suite lives as long as its test.
	// logf is of the whole test, for what goes on in none of its cases.
	logf      func(format string, args ...any)
	operators *operators
	// ofClaims is true if graphs are claims, each with a composite resource.
	ofClaims bool
	// served contains for each kind that was looked up whether it is installed.
	served map[apiKind]bool
	// grove is the version of the CRDs of Grove.
	grove string
	// tool is only there in tests of the commands for people.
	tool tool
	// nextRelease builds packages once, and returns their directory. It is only there in the gate.
	nextRelease func() (string, error)
}

// The Configurations of the two flavours, and that of the chain of functions.
const (
	namespacedConfiguration = "configuration-dynamo"
	claimsConfiguration     = "configuration-dynamo-claims"
	chainConfiguration      = "configuration-dynamo-chain"
)

const (
	newGrove = "grove-v0.1.0-alpha.12-rc1"
	oldGrove = "grove-v0.1.0-alpha.6"
)

// machine of all tests. Control planes wait about half of the time, so two of them at once fill two processors.
var machine = controlplane.NewMachine(2)

// start a control plane for a test, with a Configuration, a version of Grove, and the objects that the examples expect.
func start(t testing.TB, configuration, grove string) *suite {
	t.Helper()
	s := bare(t, configuration, grove)
	s.fixtures(t)
	return s
}

// bare starts a control plane without the objects that graphs expect, and without a Configuration if its name is empty. It is stopped at
// the end of the test, even after a failure or a signal.
func bare(t testing.TB, configuration, grove string) *suite {
	t.Helper()
	return with(t, configuration, grove, controlplane.Options{CRDs: definitions.Platform(grove)})
}

// with starts a control plane with options, to which those that all tests have are added.
func with(t testing.TB, configuration, grove string, o controlplane.Options) *suite {
	t.Helper()
	ctx := interruptible(t)
	begin := time.Now()
	o = ofAll(o)
	o.Packages, o.Configuration, o.Logf = packages(t), configuration, t.Logf
	c, err := controlplane.Start(ctx, o)
	t.Cleanup(func() { end(t, c) })
	if err != nil {
		t.Fatalf("cannot start the control plane: %v", err)
	}
	t.Logf("control plane with %q and %s up in %s", configuration, grove, time.Since(begin).Round(time.Millisecond))

	s := &suite{
		ControlPlane: c, ctx: ctx, logf: t.Logf, operators: startOperators(ctx, c.Client),
		ofClaims: configuration == claimsConfiguration, served: map[apiKind]bool{}, grove: grove,
	}
	t.Cleanup(s.operators.Stop)
	return s
}

// interruptible context of a test with a control plane. The test is skipped unless such tests are asked for.
func interruptible(t testing.TB) context.Context {
	t.Helper()
	if os.Getenv("CONFIGURATION_DYNAMO_E2E") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_E2E=1 to run a real control plane, whose programs are built first")
	}
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	t.Cleanup(stop)
	return ctx
}

// ofAll are options with those that all tests have.
func ofAll(o controlplane.Options) controlplane.Options {
	o.Machine, o.Root = machine, harness.Root()
	// Their garbage collectors would otherwise take a quarter of the processor time of the API server, whose heap is small here.
	o.Environment = []string{"GOGC=400"}
	// Crossplane writes its many debug messages only for who asks.
	if os.Getenv("CONFIGURATION_DYNAMO_DEBUG") == "1" {
		o.CrossplaneFlags = append(o.CrossplaneFlags, "--debug")
	}
	return o
}

// end a control plane. Its files are kept if the test has failed.
func end(t testing.TB, c *controlplane.ControlPlane) {
	t.Helper()
	if t.Failed() {
		t.Logf("the last lines of the logs of the control plane:\n%s", c.Logs(25))
	}
	if err := c.Stop(); err != nil {
		t.Errorf("cannot stop the control plane: %v", err)
	}
	if !t.Failed() {
		if err := c.Remove(); err != nil {
			t.Errorf("cannot remove the files of the control plane: %v", err)
		}
	}
}

// built contains the directory of the packages, because all tests install the same packages. CONFIGURATION_DYNAMO_PACKAGES specifies a
// directory with packages of hack/package.sh.
var built struct {
	once   sync.Once
	folder string
	err    error
}

func packages(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.folder = os.Getenv("CONFIGURATION_DYNAMO_PACKAGES"); built.folder != "" {
			return
		}
		built.folder = filepath.Join(harness.Root(), "_output", "e2e")
		command := exec.CommandContext(t.Context(), "hack/package.sh", built.folder) //nolint:gosec // It is a script of the repository.
		command.Dir = harness.Root()
		if out, err := command.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("cannot build the packages: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.folder
}

// clusterObjects are those that the examples expect in a cluster.
func clusterObjects(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	objects, err := playground.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// fixtures creates the objects that the examples expect in a cluster, as the playground does.
func (s *suite) fixtures(t testing.TB) {
	t.Helper()
	s.namespace(t, playground.Namespace)
	objects := clusterObjects(t)
	for _, object := range objects {
		if s.grove == oldGrove && object.GetKind() == "ClusterTopologyBinding" {
			object.SetKind("ClusterTopology")
		}
	}
	s.fixture(t, objects...)
}

// fixture creates objects with their status.
func (s *suite) fixture(t testing.TB, objects ...*unstructured.Unstructured) {
	t.Helper()
	if err := playground.Create(s.ctx, s.Client, objects...); err != nil {
		t.Fatal(err)
	}
}

// fixturesIn are the objects that the examples expect in a cluster, with those of their namespace in another one.
func fixturesIn(t testing.TB, namespace string) (all, moved []*unstructured.Unstructured) {
	t.Helper()
	all = clusterObjects(t)
	for _, object := range all {
		if object.GetNamespace() != "" {
			object.SetNamespace(namespace)
			moved = append(moved, object)
		}
	}
	return all, moved
}

// namespaceOfExamples is a namespace with the objects that the examples expect in theirs.
func (s *suite) namespaceOfExamples(t testing.TB, name string) {
	t.Helper()
	s.namespace(t, name)
	_, moved := fixturesIn(t, name)
	s.fixture(t, moved...)
}

func (s *suite) namespace(t testing.TB, name string) {
	t.Helper()
	if err := s.CreateNamespace(s.ctx, name); err != nil {
		t.Fatalf("cannot create namespace %s: %v", name, err)
	}
}

func (s *suite) apply(t testing.TB, object *unstructured.Unstructured) {
	t.Helper()
	if _, err := s.Client.Apply(s.ctx, object); err != nil {
		t.Fatalf("cannot apply %s: %v", controlplane.RefOf(object), err)
	}
}

// example is a graph of directory examples/v1alpha1, with services, whose fields the tests change.
func example(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	return oneOf(t, harness.ExampleV1alpha1(name))
}

// exampleOfComponents is the same graph with components, as users start from it.
func exampleOfComponents(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	return oneOf(t, filepath.Join("examples", name+".yaml"))
}

// oneOf is the only object of a file.
func oneOf(t testing.TB, path string) *unstructured.Unstructured {
	t.Helper()
	objects := harness.Read(t, path)
	if len(objects) != 1 {
		t.Fatalf("%s: want one object, got %d", path, len(objects))
	}
	return objects[0]
}

// graph names a graph in the namespace of the examples.
func graph(name string) controlplane.Ref {
	return controlplane.Ref{APIVersion: nvidia, Kind: dgd, Namespace: "inference", Name: name}
}

// eventually waits until a check succeeds, as long as there is time for the whole test. It says so if that takes long.
func (s *suite) eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	if err := s.await(what, check, t.Logf); err != nil {
		t.Fatal(err)
	}
}

// await is eventually where the test goes on. It checks less and less often: many tests wait at the same time, and each
// check of a graph reads all of its objects.
func (s *suite) await(what string, check func() error, logf func(format string, args ...any)) error {
	const first, last, long = 100 * time.Millisecond, 200 * time.Millisecond, time.Minute
	told := time.Now()
	var why error
	for pause := first; ; pause = min(pause*5/4, last) {
		err := check()
		if err == nil {
			return nil
		}
		// A check that the end of the time has interrupted does not say what is wrong.
		if why == nil || s.ctx.Err() == nil {
			why = err
		}
		if time.Since(told) > long {
			told = time.Now()
			logf("still waiting: %s: %v", what, why)
		}
		select {
		case <-s.ctx.Done():
			return fmt.Errorf("waited in vain: %s: %w: %w", what, context.Cause(s.ctx), why)
		case <-time.After(pause):
		}
	}
}

// is checks conditions of an object, given as pairs of type and status. Those of a claim are also checked on its composite resource,
// because only that shows whether everything is in sync.
func (s *suite) is(ref controlplane.Ref, pairs ...string) func() error {
	return func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		composite, err := s.compositeOf(object)
		if err != nil {
			return err
		}
		var errs []error
		for i := 0; i < len(pairs); i += 2 {
			objects := []*unstructured.Unstructured{composite}
			if composite != object && pairs[i] != "Synced" && pairs[i] != "Responsive" {
				objects = append(objects, object)
			}
			for _, o := range objects {
				if status, message := controlplane.Condition(o, pairs[i]); status != pairs[i+1] || outdated(pairs[i], status, message) {
					errs = append(errs, fmt.Errorf("%s: %s is %q, want %q: %s", controlplane.RefOf(o), pairs[i], status, pairs[i+1], message))
				}
			}
		}
		return errors.Join(errs...)
	}
}

// isAfterEdit checks conditions like is, of a graph whose last edit Crossplane has reconciled.
func (s *suite) isAfterEdit(ref controlplane.Ref, pairs ...string) func() error {
	check := s.is(ref, pairs...)
	return func() error {
		if err := s.isSeen(ref); err != nil {
			return err
		}
		return check()
	}
}

// isSeen reports whether Crossplane has reconciled a graph as it is now. What a claim says, its composite resource says a little later.
func (s *suite) isSeen(ref controlplane.Ref) error {
	graph, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		return err
	}
	composite, err := s.compositeOf(graph)
	if err != nil {
		return err
	}
	if seen := controlplane.ObservedGeneration(composite, "Synced"); seen < composite.GetGeneration() {
		return fmt.Errorf("%s: Synced is of generation %d, want %d", ref, seen, composite.GetGeneration())
	}
	if composite == graph {
		return nil
	}
	for _, field := range []string{"services", "components", "restart", "annotations"} {
		if diff := cmp.Diff(specOf(graph)[field], specOf(composite)[field]); diff != "" {
			return fmt.Errorf("%s: spec.%s has not reached the composite resource: -claim, +composite resource:\n%s", ref, field, diff)
		}
	}
	for name, value := range graph.GetAnnotations() {
		// Those of Kubernetes are of the claim alone.
		if got := composite.GetAnnotations()[name]; got != value && !strings.Contains(name, "kubernetes.io/") {
			return fmt.Errorf("%s: annotation %s of the composite resource is %q, want %q", ref, name, got, value)
		}
	}
	return nil
}

// specOf a graph.
func specOf(graph *unstructured.Unstructured) map[string]any {
	spec, _ := graph.Object["spec"].(map[string]any)
	return spec
}

// outdated reports whether a condition is one that Crossplane has cached before its last write, and applies again right before it writes those of
// the present. Its message for a Ready resource is empty, so that of the last write stays.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L744
func outdated(conditionType, status, message string) bool {
	return conditionType == "Ready" && status == "True" && strings.Contains(message, "Unready resources: ")
}

// compositeOf a graph is the composite resource of a claim, or the graph itself.
func (s *suite) compositeOf(graph *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !s.ofClaims || graph.GetKind() != dgd {
		return graph, nil
	}
	name, _, err := unstructured.NestedString(graph.Object, "spec", "resourceRef", "name")
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fmt.Errorf("claim %s does not name its composite resource", graph.GetName())
	}
	return s.Client.Get(s.ctx, controlplane.Ref{APIVersion: nvidia, Kind: compositeKind, Name: name})
}

// composed are the objects that Crossplane has composed for a graph, by composition resource name.
func (s *suite) composed(t testing.TB, ref controlplane.Ref) map[string]*unstructured.Unstructured {
	t.Helper()
	var byKey map[string]*unstructured.Unstructured
	// Crossplane also has references to objects that it is about to create, and that it has just deleted.
	s.eventually(t, "all that "+ref.String()+" refers to is there", func() error {
		var err error
		byKey, err = s.composedNow(ref)
		return err
	})
	return byKey
}

// composedNow is composed without waiting. It returns an error if an object that Crossplane refers to does not exist. Revisions are left
// out, because they change with the graph.
func (s *suite) composedNow(ref controlplane.Ref) (map[string]*unstructured.Unstructured, error) {
	composite, err := s.composite(ref)
	if err != nil {
		return nil, err
	}
	refs, err := references(composite)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*unstructured.Unstructured{}
	for _, named := range refs {
		object, err := s.Client.Get(s.ctx, named)
		if err != nil {
			return nil, err
		}
		if object.GetKind() != controllerRevision {
			byKey[harness.Key(object)] = object
		}
	}
	return byKey, nil
}

// composite resource of a graph.
func (s *suite) composite(ref controlplane.Ref) (*unstructured.Unstructured, error) {
	graph, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.compositeOf(graph)
}

// references of a composite resource to its composed resources.
func references(composite *unstructured.Unstructured) ([]controlplane.Ref, error) {
	refs, found, err := unstructured.NestedSlice(composite.Object, "spec", "crossplane", "resourceRefs")
	if !found {
		refs, _, err = unstructured.NestedSlice(composite.Object, "spec", "resourceRefs")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the references of %s: %w", composite.GetName(), err)
	}
	var named []controlplane.Ref
	for _, ref := range refs {
		fields, ok := ref.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: a reference is no object: %v", composite.GetName(), ref)
		}
		n := controlplane.Ref{APIVersion: fmt.Sprint(fields["apiVersion"]), Kind: fmt.Sprint(fields["kind"]), Name: fmt.Sprint(fields["name"])}
		if namespace, ok := fields["namespace"].(string); ok {
			n.Namespace = namespace
		} else {
			n.Namespace = composite.GetNamespace()
		}
		named = append(named, n)
	}
	return named, nil
}

func isNotFound(err error) bool { return kerrors.IsNotFound(err) }
