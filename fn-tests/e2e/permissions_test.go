package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// notRead is how Crossplane says that it may not read a kind: it has waited for its informer.
const notRead = "Timeout: failed waiting for"

// role is what package/rbac.yaml allows.
func role() controlplane.Ref {
	return controlplane.Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "crossplane-configuration-dynamo"}
}

// A missingRule of package/rbac.yaml, and what a graph says that needs it.
type missingRule struct {
	reason   string
	resource string
	example  string
	change   []func(*unstructured.Unstructured)
	want     string
}

// permissions removes rules of package/rbac.yaml, one at a time. Everything else here shows that with all of them everything
// works.
func (s *suite) permissions(t *T) {
	cases := map[string]missingRule{
		"PodCliqueSets":    {reason: "Without the workload's kind nothing is composed.", resource: "podcliquesets", example: "disagg-vllm", want: "podcliquesets"},
		"LeaderWorkerSets": {reason: "Without Grove, too, nothing is composed while the workload's kind is forbidden.", resource: "leaderworkersets", example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}, want: "leaderworkersets"},
		"Roles":            {reason: "The Roles of a graph are composed too.", resource: "roles", example: "agg-vllm", want: "roles"},
		"Granted":          {reason: "Nobody may grant what they may not do themselves.", resource: "dynamoworkermetadatas", example: "agg-vllm", want: "attempting to grant RBAC permissions not currently held"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			s.removeRule(t, tc.resource)
			s.forbidden(t, tc)
		})
	}
}

// forbidden creates a graph that needs a rule which is missing, and gives it that rule after that.
func (s *suite) forbidden(t testing.TB, m missingRule) {
	t.Helper()
	g := example(t, m.example)
	g.SetName("no-" + m.resource)
	for _, c := range m.change {
		c(g)
	}
	s.apply(t, g)
	ref := controlplane.RefOf(g)
	var refusal string
	s.eventually(t, m.reason, func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		status, message := controlplane.Condition(object, "Synced")
		refusal = message
		if status != "False" {
			return fmt.Errorf("Synced is %q: %s", status, message)
		}
		return nil
	})
	t.Logf("without %s: Synced=False: %s", m.resource, refusal)
	// What Crossplane has not read before it cannot begin to watch.
	if !strings.Contains(refusal, m.want) && !strings.Contains(refusal, notRead) {
		t.Errorf("\n%s\nwant Synced=False with %q, got: %s", m.reason, m.want, refusal)
	}
	s.restoreRules(t)
	s.eventually(t, "it recovers", s.is(ref, "Synced", "True"))
	s.remove(t, g)
}

func (s *suite) restoreRules(t testing.TB) {
	t.Helper()
	if err := s.ApplyFile(s.ctx, "package/rbac.yaml"); err != nil {
		t.Fatal(err)
	}
}

// removeRule takes a resource out of the role.
func (s *suite) removeRule(t testing.TB, resource string) {
	t.Helper()
	object, err := s.Client.Get(s.ctx, role())
	if err != nil {
		t.Fatalf("cannot get %s: %v", role(), err)
	}
	rules, _, err := unstructured.NestedSlice(object.Object, "rules")
	if err != nil {
		t.Fatalf("cannot read %s: %v", role(), err)
	}
	var rest []any
	for _, value := range rules {
		rule, _ := value.(map[string]any)
		resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
		kept := slices.DeleteFunc(slices.Clone(resources), func(r string) bool { return r == resource })
		if len(kept) == len(resources) {
			rest = append(rest, rule)
			continue
		}
		if len(kept) > 0 {
			_ = unstructured.SetNestedStringSlice(rule, kept, "resources")
			rest = append(rest, rule)
		}
	}
	if err := s.Client.Patch(s.ctx, role(), map[string]any{"rules": rest}); err != nil {
		t.Fatalf("cannot change %s: %v", role(), err)
	}
	crossplane := controlplane.Ref{APIVersion: role().APIVersion, Kind: role().Kind, Name: "crossplane"}
	s.eventually(t, "Crossplane's role follows", func() error {
		object, err := s.Client.Get(s.ctx, crossplane)
		if err != nil {
			return err
		}
		rules, _, err := unstructured.NestedSlice(object.Object, "rules")
		for _, value := range rules {
			rule, _ := value.(map[string]any)
			if resources, _, _ := unstructured.NestedStringSlice(rule, "resources"); slices.Contains(resources, resource) {
				return fmt.Errorf("it still has %s", resource)
			}
		}
		return err
	})
}
