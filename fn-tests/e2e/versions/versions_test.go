// Package versions checks that a real API server takes graphs of both versions of the API, and serves each as it was written at either.
//
// It needs no more than an API server, and runs with CONFIGURATION_DYNAMO_E2E=1 as the suite on a control plane does.
package versions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

const (
	group     = "nvidia.com"
	kind      = "DynamoGraphDeployment"
	namespace = "default"
)

// versions of the API.
func versions() []string { return []string{"v1alpha1", "v1beta1"} }

// A server with the API installed.
type server struct {
	*controlplane.ControlPlane

	validators map[string]*schema.Validator
}

// TestVersions submits every manifest that the definition of the Dynamo operator accepted, at its version.
func TestVersions(t *testing.T) {
	s := start(t)
	t.Run("Corpus", func(t *testing.T) {
		submitted := map[string]bool{}
		for i, manifest := range slices.Concat(shared.Corpus(t), shared.August(t)) {
			if !manifest.Valid || submitted[manifest.Path] {
				continue
			}
			submitted[manifest.Path] = true
			t.Run(manifest.Version+"/"+manifest.Name, func(t *testing.T) {
				graph := harness.Read(t, manifest.Path)[0]
				graph.SetName(fmt.Sprintf("graph-%d", i))
				graph.SetNamespace(namespace)
				s.keeps(t, graph)
			})
		}
	})
	// After a definition is installed, lists are refused for a while.
	t.Run("Columns", s.columns)
}

// start an API server with the definition that Crossplane derives from ours.
func start(t *testing.T) *server {
	t.Helper()
	api := controlplane.StartAPI(t, controlplane.Options{})
	s := &server{ControlPlane: api.ControlPlane, validators: map[string]*schema.Validator{}}
	for _, version := range versions() {
		validator, err := schema.New(api.Definition, version)
		if err != nil {
			t.Fatal(err)
		}
		s.validators[version] = validator
	}
	return s
}

// keeps checks that the API server takes a graph in strict mode, and that it comes back as it was written, with no more than defaults
// added, at either version. Writing it back at either, as Crossplane does at the stored one, changes nothing.
func (s *server) keeps(t *testing.T, graph *unstructured.Unstructured) {
	t.Helper()
	version := strings.TrimPrefix(graph.GetAPIVersion(), group+"/")
	s.Client.Warnings()
	created, err := s.Client.Create(t.Context(), graph)
	if err != nil {
		t.Fatalf("the API server refuses it: %v", err)
	}
	var want []string
	if version == "v1alpha1" {
		want = []string{"nvidia.com/v1alpha1 DynamoGraphDeployment is deprecated; use nvidia.com/v1beta1 DynamoGraphDeployment"}
	}
	if diff := cmp.Diff(want, s.Client.Warnings()); diff != "" {
		t.Errorf("warnings: -want, +got:\n%s", diff)
	}
	defaulted, errs := s.validators[version].Admit(graph, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	for _, path := range missing("spec", graph.Object["spec"], defaulted.Object["spec"]) {
		t.Errorf("%s is not as it was written", path)
	}
	for _, version := range versions() {
		ref := controlplane.RefOf(graph)
		ref.APIVersion = group + "/" + version
		read, err := s.Client.Get(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(defaulted.Object["spec"], read.Object["spec"]); diff != "" {
			t.Errorf("spec at %s: -written, +read:\n%s", version, diff)
		}
		if err := s.Client.Replace(t.Context(), read); err != nil {
			t.Fatalf("cannot write it back at %s: %v", version, err)
		}
		after, err := s.Client.Get(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if after.GetResourceVersion() != created.GetResourceVersion() {
			t.Errorf("writing it back at %s has changed it", version)
		}
	}
}

// missing are the paths of what was written and is not there, or is something else.
func missing(path string, written, read any) []string {
	switch written := written.(type) {
	case nil:
		// A null counts as absent.
		return nil
	case map[string]any:
		fields, ok := read.(map[string]any)
		if !ok {
			return []string{path}
		}
		var paths []string
		for key, value := range written {
			paths = append(paths, missing(path+"."+key, value, fields[key])...)
		}
		return paths
	case []any:
		items, ok := read.([]any)
		if !ok || len(items) != len(written) {
			return []string{path}
		}
		var paths []string
		for i := range written {
			paths = append(paths, missing(fmt.Sprintf("%s[%d]", path, i), written[i], items[i])...)
		}
		return paths
	default:
		// One reader of YAML has numbers of another type than the other.
		if fmt.Sprint(written) != fmt.Sprint(read) {
			return []string{path}
		}
		return nil
	}
}

// columns holds both versions to the same columns. Those that begin with SYNCED are Crossplane's.
func (s *server) columns(t *testing.T) {
	for _, version := range versions() {
		table, err := s.Table(t.Context(), "/apis/"+group+"/"+version+"/dynamographdeployments")
		if err != nil {
			t.Fatal(err)
		}
		header, _, _ := strings.Cut(table, "\n")
		want := []string{"NAME", "ACCEPTED", "COMPONENTS", "GPUS", "ORCHESTRATOR", "SYNCED", "READY", "COMPOSITION", "AGE"}
		if diff := cmp.Diff(want, strings.Fields(header)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", version, diff)
		}
	}
}
