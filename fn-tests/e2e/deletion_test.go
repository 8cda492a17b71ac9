package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// deletionOfDomains deletes graphs with NVLink domains. No domain may be deleted before its users, in whatever order Crossplane and the
// garbage collector delete objects.
func (s *suite) deletionOfDomains(t *T) {
	s.composeDomains(t, "Auto")
	t.Cleanup(func() { s.composeDomains(t, "Disabled") })
	s.operators.Work(true)
	t.Cleanup(func() { s.operators.Work(false) })

	cases := map[string]struct {
		reason   string
		example  string
		change   []func(*unstructured.Unstructured)
		workload string
	}{
		"Grove":            {reason: "The PodCliqueSet uses the domain.", example: "disagg-vllm", workload: "PodCliqueSet"},
		"LeaderWorkerSets": {reason: "Every LeaderWorkerSet of the graph uses the domain.", example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}, workload: "LeaderWorkerSet"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			t.Parallel()
			g := s.run(t, tc.example, "deleted-"+strings.ToLower(name), tc.change...)
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
			composite, err := s.composite(ref)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Client.Delete(s.ctx, ref); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			s.eventually(t, "the domains are gone", func() error {
				for _, domain := range domains {
					// The domain is read before the workloads, so it existed as long as the workloads that are found afterwards.
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
			s.gone(t, append(all, ref, controlplane.RefOf(composite))...)
			t.Logf("%d objects gone after %s", len(all), time.Since(begin).Round(100*time.Millisecond))
		})
	}
}

func (s *suite) isGone(ref controlplane.Ref) bool {
	_, err := s.Client.Get(s.ctx, ref)
	return isNotFound(err)
}

// composeDomains sets the policy of the platform in the Composition, and waits until it takes effect. The package manager must not restore
// the Composition before that.
// must not restore the Composition.
func (s *suite) composeDomains(t testing.TB, mode string) {
	t.Helper()
	s.pausePackages(t, mode == "Auto")
	s.setInput(t, mode, "mnnvl", "mode")
}

// setInput of step plan in the Composition. An empty value removes the field.
func (s *suite) setInput(t testing.TB, value string, path ...string) {
	t.Helper()
	composition := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1", Kind: "Composition", Name: "dynamographdeployment"}
	if s.ofClaims {
		composition.Name = "xdynamographdeployment"
	}
	object, err := s.Client.Get(s.ctx, composition)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, _, err := unstructured.NestedSlice(object.Object, "spec", "pipeline")
	if err != nil {
		t.Fatal(err)
	}
	plan, ok := pipeline[0].(map[string]any)
	if !ok || plan["step"] != "plan" && plan["step"] != "graph" {
		t.Fatalf("want step plan first, or step graph, got %v", pipeline[0])
	}
	path = append([]string{"input"}, path...)
	set(plan, value, path...)
	if value == "" {
		unstructured.RemoveNestedField(plan, path...)
	}
	if err := s.Client.Patch(s.ctx, composition, map[string]any{"spec": map[string]any{"pipeline": pipeline}}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the policy is in a revision", func() error {
		revisions, err := s.Client.List(s.ctx, composition.APIVersion, "CompositionRevision", "", "")
		if err != nil {
			return err
		}
		newest, last, known := "", int64(0), ""
		for i := range revisions {
			number, _, _ := unstructured.NestedInt64(revisions[i].Object, "spec", "revision")
			steps, _, _ := unstructured.NestedSlice(revisions[i].Object, "spec", "pipeline")
			if number <= last || len(steps) == 0 {
				continue
			}
			last = number
			// Crossplane sets the condition when it has observed the revision.
			known, _ = controlplane.Condition(&revisions[i], "ValidPipeline")
			if step, ok := steps[0].(map[string]any); ok {
				newest, _, _ = unstructured.NestedString(step, path...)
			}
		}
		if newest != value || known != "True" {
			return fmt.Errorf("revision %d has %q, and its condition ValidPipeline is %q", last, newest, known)
		}
		return nil
	})
}

// pausePackages prevents the package manager from restoring the objects of a Configuration, or resumes it.
func (s *suite) pausePackages(t testing.TB, pause bool) {
	t.Helper()
	revisions, err := s.Client.List(s.ctx, "pkg.crossplane.io/v1", "ConfigurationRevision", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range revisions {
		ref := controlplane.RefOf(&revisions[i])
		annotations := map[string]any{"crossplane.io/paused": strconv.FormatBool(pause)}
		if err := s.Client.Patch(s.ctx, ref, map[string]any{"metadata": map[string]any{"annotations": annotations}}); err != nil {
			t.Fatal(err)
		}
		s.eventually(t, ref.String()+" is paused, or goes on", func() error {
			revision, err := s.Client.Get(s.ctx, ref)
			if err != nil {
				return err
			}
			if _, message := controlplane.Condition(revision, "Synced"); strings.HasPrefix(message, "ReconcilePaused") != pause {
				return fmt.Errorf("Synced: %s", message)
			}
			return nil
		})
	}
}
