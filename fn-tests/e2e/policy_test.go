package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// policyChanges installs, changes and removes the EnvironmentConfig of the platform beside a graph that runs: no pod is replaced, and only
// new graphs and larger ones are refused.
func (s *suite) policyChanges(t *T) {
	g := s.run(t, "disagg-vllm", "policy", onLeaderWorkerSets)
	ref, pods := controlplane.RefOf(g), s.podsOfComponents(t, g)
	stays := func(after string) {
		t.Helper()
		if diff := cmp.Diff(pods, s.podsOfComponents(t, g)); diff != "" {
			t.Errorf("want no pod replaced after %s: -before, +after:\n%s", after, diff)
		}
	}
	policy := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Name: "dynamo"}
	defer s.removePolicy(t, policy)

	s.applyPolicy(t, policy, map[string]any{
		"infrastructure": map[string]any{"natsAddress": otherNATS},
		"namespaces": []any{map[string]any{
			"selector":   map[string]any{"matchNames": []any{g.GetNamespace()}},
			"guardRails": map[string]any{"maxReplicas": int64(0)},
		}},
	})
	s.eventually(t, "the graph is warned of the guard rail", s.says(ref, "Accepted", "True", "the platform allows at most 0"))
	s.eventually(t, "the graph is outdated", s.outdated(g, true))
	stays("the policy is installed")

	refused := example(t, "agg-vllm")
	refused.SetName("policy-refused")
	s.apply(t, refused)
	s.eventually(t, "a new graph is refused", s.says(controlplane.RefOf(refused), "Accepted", "False", "the platform allows at most 0"))

	s.applyPolicy(t, policy, map[string]any{"guardRail": map[string]any{}})
	s.eventually(t, "an invalid policy is reported", s.says(ref, "Accepted", "False", "EnvironmentConfig[dynamo].data.guardRail"))
	stays("the policy is invalid")

	s.removePolicy(t, policy)
	s.eventually(t, "the graph is accepted without the policy", s.is(ref, "Accepted", "True", "Synced", "True", "Ready", "True"))
	s.eventually(t, "the new graph is accepted without the policy", s.is(controlplane.RefOf(refused), "Accepted", "True"))
	stays("the policy is removed")
	s.remove(t, g, refused)
}

// says reports whether a condition of a graph has a status and a message that contains a text.
func (s *suite) says(ref controlplane.Ref, condition, want, text string) func() error {
	return func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		if status, message := controlplane.Condition(object, condition); status != want || !strings.Contains(message, text) {
			return fmt.Errorf("%s: %s is %q: %s", ref, condition, status, message)
		}
		return nil
	}
}

// applyPolicy replaces the data of the EnvironmentConfig.
func (s *suite) applyPolicy(t testing.TB, ref controlplane.Ref, data map[string]any) {
	t.Helper()
	s.apply(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": map[string]any{"name": ref.Name}, "data": data,
	}})
}

// removePolicy deletes the EnvironmentConfig, if there is one.
func (s *suite) removePolicy(t testing.TB, ref controlplane.Ref) {
	t.Helper()
	if err := s.Client.Delete(s.ctx, ref); err != nil && !isNotFound(err) {
		t.Fatal(err)
	}
}
