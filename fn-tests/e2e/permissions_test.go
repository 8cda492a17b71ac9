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

// permissions removes rules of package/rbac.yaml, one at a time. Everything else here shows that with all of them everything
// works.
func (s *suite) permissions(t *testing.T) {
	// The order matters: Crossplane waits two minutes for a kind that it may not read and does not watch yet, and after a restart
	// it watches none.
	cases := []struct {
		name     string
		reason   string
		resource string
		example  string
		lws      bool
		// restart Crossplane: what it reads it keeps watching, also without permission, until the watch ends.
		restart bool
		want    string
	}{
		{
			name:     "PodCliqueSets",
			reason:   "Without the workload's kind nothing is composed.",
			resource: "podcliquesets", example: "disagg-vllm",
			want: "podcliquesets",
		},
		{
			name:     "LeaderWorkerSets",
			reason:   "The same without Grove.",
			resource: "leaderworkersets", example: "sglang-multinode", lws: true,
			want: "leaderworkersets",
		},
		{
			name:     "Roles",
			reason:   "The Roles of a graph are composed too.",
			resource: "roles", example: "agg-vllm",
			want: "roles",
		},
		{
			name:     "Granted",
			reason:   "Nobody grants what he may not do himself.",
			resource: "dynamoworkermetadatas", example: "agg-vllm",
			want: "attempting to grant RBAC permissions not currently held",
		},
		{
			name:     "Queues",
			reason:   "A kind that may not be read is waited for in vain.",
			resource: "queues", example: "agg-vllm", restart: true,
			want: notRead,
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s.removeRule(t, tc.resource)
			if tc.restart {
				s.restartCrossplane(t)
			}
			g := example(t, tc.example)
			g.SetName("no-" + strings.ToLower(tc.name))
			if tc.lws {
				g = withoutGrove([]manifest{{graph: g}})[0].graph
			}
			s.apply(t, g)
			ref := controlplane.RefOf(g)
			var said string
			s.within(t, 3*soon, tc.reason, func() error {
				object, err := s.Client.Get(s.ctx, ref)
				if err != nil {
					return err
				}
				status, message := controlplane.Condition(object, "Synced")
				said = message
				if status != "False" {
					return fmt.Errorf("Synced is %q: %s", status, message)
				}
				return nil
			})
			t.Logf("without %s: Synced=False: %s", tc.resource, said)
			// What Crossplane has not read before it cannot begin to watch.
			if !strings.Contains(said, tc.want) && !strings.Contains(said, notRead) {
				t.Errorf("\n%s\nwant Synced=False with %q, got: %s", tc.reason, tc.want, said)
			}

			if err := s.ApplyFile(s.ctx, "package/rbac.yaml"); err != nil {
				t.Fatal(err)
			}
			s.within(t, 3*soon, "it recovers", s.is(ref, "Synced", "True"))
			s.remove(t, g)
		})
	}
}

// removeRule takes a resource out of the role.
func (s *suite) removeRule(t *testing.T, resource string) {
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
		if strings.Contains(fmt.Sprint(object.Object["rules"]), resource+"]") || strings.Contains(fmt.Sprint(object.Object["rules"]), resource+" ") {
			return fmt.Errorf("it still has %s", resource)
		}
		return nil
	})
}

func (s *suite) restartCrossplane(t *testing.T, flags ...string) {
	t.Helper()
	s.Crossplane().Stop()
	if err := s.StartCrossplane(s.ctx, flags...); err != nil {
		t.Fatalf("cannot start Crossplane again: %v", err)
	}
}
