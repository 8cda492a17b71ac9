package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// deletion removes graphs with NVLink domains: no domain may go before what uses it, whatever Crossplane and the garbage
// collector begin with.
func (s *suite) deletion(t *testing.T) {
	s.composeDomains(t, "Auto")
	defer s.composeDomains(t, "Disabled")
	s.operators.work(true)
	defer s.operators.work(false)

	cases := map[string]struct {
		reason   string
		example  string
		change   []func(*unstructured.Unstructured)
		workload string
	}{
		"Grove":            {reason: "The PodCliqueSet uses the domain.", example: "disagg-vllm", workload: "PodCliqueSet"},
		"LeaderWorkerSets": {reason: "Every set uses it.", example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}, workload: "LeaderWorkerSet"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := s.run(t, tc.example, "deleted", tc.change...)
			ref := controlplane.RefOf(g)
			var domains, workloads, all []controlplane.Ref
			for _, object := range s.composed(t, ref) {
				named := controlplane.RefOf(object)
				all = append(all, named)
				switch object.GetKind() {
				case "ComputeDomain":
					domains = append(domains, named)
				case tc.workload:
					workloads = append(workloads, named)
				}
			}
			if len(domains) == 0 || len(workloads) == 0 {
				t.Fatalf("%s\nwant domains and workloads, got %v", tc.reason, all)
			}
			if err := s.Client.Delete(s.ctx, ref); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			s.within(t, 2*soon, "the domains are gone", func() error {
				for _, domain := range domains {
					// The domain is looked at before the workloads: what is there afterwards was there all the time.
					object, err := s.Client.Get(s.ctx, domain)
					if err == nil && object.GetDeletionTimestamp() == nil {
						continue
					}
					if left := slices.DeleteFunc(slices.Clone(workloads), s.isGone); len(left) > 0 {
						t.Errorf("%s\n%s went before %v", tc.reason, domain, left)
					}
				}
				if left := slices.DeleteFunc(slices.Clone(domains), s.isGone); len(left) > 0 {
					return fmt.Errorf("%v are left", left)
				}
				return nil
			})
			s.gone(t, append(all, ref)...)
			t.Logf("%d objects gone after %s", len(all), time.Since(begin).Round(100*time.Millisecond))
		})
	}
}

func (s *suite) isGone(ref controlplane.Ref) bool {
	_, err := s.Client.Get(s.ctx, ref)
	return isNotFound(err)
}

// composeDomains sets the platform's policy in the Composition, and waits until it is in force.
func (s *suite) composeDomains(t *testing.T, mode string) {
	t.Helper()
	composition := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1", Kind: "Composition", Name: "dynamographdeployment"}
	object, err := s.Client.Get(s.ctx, composition)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, _, err := unstructured.NestedSlice(object.Object, "spec", "pipeline")
	if err != nil {
		t.Fatal(err)
	}
	plan, ok := pipeline[0].(map[string]any)
	if !ok || plan["step"] != "plan" {
		t.Fatalf("want the step plan first, got %v", pipeline[0])
	}
	set(plan, mode, "input", "mnnvl", "mode")
	if err := s.Client.Patch(s.ctx, composition, map[string]any{"spec": map[string]any{"pipeline": pipeline}}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the policy is in a revision", func() error {
		revisions, err := s.Client.List(s.ctx, composition.APIVersion, "CompositionRevision", "", "")
		if err != nil {
			return err
		}
		newest, last := "", int64(0)
		for i := range revisions {
			number, _, _ := unstructured.NestedInt64(revisions[i].Object, "spec", "revision")
			steps, _, _ := unstructured.NestedSlice(revisions[i].Object, "spec", "pipeline")
			if number <= last || len(steps) == 0 {
				continue
			}
			last = number
			if step, ok := steps[0].(map[string]any); ok {
				newest, _, _ = unstructured.NestedString(step, "input", "mnnvl", "mode")
			}
		}
		if newest != mode {
			return fmt.Errorf("revision %d has %q", last, newest)
		}
		return nil
	})
}
