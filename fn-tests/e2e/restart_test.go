package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	restartAt = "nvidia.com/restartAt"
	restartID = "2026-03-01"
)

// restartInOrder restarts three services one after the other, on every orchestrator.
func (s *suite) restartInOrder(t *T) {
	t.Helper()
	cases := map[string]struct {
		reason  string
		example string
		change  []func(*unstructured.Unstructured)
	}{
		"PodCliques":    {reason: "Grove replaces the pods of the cliques whose template has the id.", example: "disagg-vllm"},
		"ScalingGroups": {reason: "A service that spans nodes is done when its scaling group is.", example: "sglang-multinode"},
		"LeaderWorkerSets": {
			reason:  "Without Grove each service has objects of its own, which are touched one after the other.",
			example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			t.Parallel()
			g := s.run(t, tc.example, "restart-"+strings.ToLower(name), tc.change...)
			ref := controlplane.RefOf(g)
			before := uids(s.composed(t, ref))
			record := s.record(t, g.GetNamespace(), apiKind{nvidia, dgd},
				apiKind{grove, "PodCliqueSet"}, apiKind{grove, "PodClique"}, apiKind{grove, "PodCliqueScalingGroup"},
				apiKind{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"}, apiKind{"apps/v1", "Deployment"})

			// This is not the alphabetical order.
			order := []string{"Prefill", "Decode", "Frontend"}
			s.operators.hold(g.GetName(), func(child string) bool {
				return slices.ContainsFunc(order, func(service string) bool {
					return strings.EqualFold(service, child) && waits(record, ref, service, service+": ")
				})
			})
			set(g.Object, map[string]any{
				"id": restartID, "strategy": map[string]any{"type": "Sequential", "order": []any{order[0], order[1], order[2]}},
			}, "spec", "restart")
			s.apply(t, g)
			s.eventually(t, "the restart is complete", func() error {
				if all := phases(record, ref); len(all) == 0 || all[len(all)-1] != "Completed" {
					return fmt.Errorf("it has been %q", all)
				}
				return s.is(ref, "Synced", "True", "Ready", "True", "ServicesReady", "True")()
			})

			want := []string{"Restarting Prefill", "Restarting Decode", "Restarting Frontend", "Completed"}
			if diff := cmp.Diff(want, phases(record, ref)); diff != "" {
				t.Errorf("%s\nstatus.restart: -want, +got:\n%s", tc.reason, diff)
			}
			var done int64
			for i, service := range order {
				r, err := restartOf(record, g.GetName(), service)
				if err != nil {
					t.Fatalf("%s\n%s: %v", tc.reason, service, err)
				}
				t.Logf("%s: touched with write %d, done with write %d", service, r.touched, r.done)
				if r.touched <= done {
					t.Errorf("%s\n%s was touched with write %d, before the service before it was done with write %d", tc.reason, service, r.touched, done)
				}
				done = r.done
				if !waitedFor(record, ref, order[:i+1], r.done) {
					t.Errorf("%s\nwant ServicesReady to name %s, or the service before it, while it restarts", tc.reason, service)
				}
			}
			if diff := cmp.Diff(before, uids(s.composed(t, ref))); diff != "" {
				t.Errorf("want everything restarted in place: -before, +after:\n%s", diff)
			}
			s.remove(t, g)
		})
	}
}

// phases of the restart in the status of a graph, in order.
func phases(r *record, graph controlplane.Ref) []string {
	var all []string
	for _, object := range r.all() {
		status, found, err := unstructured.NestedMap(object.Object, "status", "restart")
		if err != nil || !found || controlplane.RefOf(object) != graph {
			continue
		}
		names, _, _ := unstructured.NestedStringSlice(status, "inProgress")
		all = append(all, strings.TrimSpace(fmt.Sprint(status["phase"])+" "+strings.Join(names, ", ")))
	}
	return slices.Compact(all)
}

// waitedFor reports whether a graph reported that it waits for a service during the restart of that service, which is the last one. There
// is nothing to wait for if the service was ready before the status was written. The condition may still contain the previous service,
// because Crossplane writes the status of a restart before the conditions, and a service that restarts quickly is ready by then.
func waitedFor(r *record, graph controlplane.Ref, order []string, done int64) bool {
	service := order[len(order)-1]
	versions := restarting(r, graph, service)
	if len(versions) > 0 && writtenAt(versions[0]) > done {
		return true
	}
	return slices.ContainsFunc(order[max(0, len(order)-2):], func(name string) bool { return waits(r, graph, service, name+": ") })
}

// waits reports whether a graph reported, while a service was restarted, that it waits for what a message contains.
func waits(r *record, graph controlplane.Ref, service, text string) bool {
	return slices.ContainsFunc(restarting(r, graph, service), func(object *unstructured.Unstructured) bool {
		status, message := controlplane.Condition(object, "ServicesReady")
		return status == "False" && strings.Contains(message, text)
	})
}

// restarting are the versions of a graph with the restart of a service in progress.
func restarting(r *record, graph controlplane.Ref, service string) []*unstructured.Unstructured {
	return slices.DeleteFunc(r.all(), func(object *unstructured.Unstructured) bool {
		names, _, _ := unstructured.NestedStringSlice(object.Object, "status", "restart", "inProgress")
		return controlplane.RefOf(object) != graph || !slices.Equal(names, []string{service})
	})
}

// serviceRestart contains the times when a service was restarted, and when its workload reported that all its pods are new and ready.
type serviceRestart struct{ touched, done int64 }

func restartOf(r *record, graph, service string) (serviceRestart, error) {
	var out serviceRestart
	began := false
	for _, object := range r.all() {
		if out.touched == 0 && isRestarted(object, graph, service) {
			out.touched = writtenAt(object)
		}
		if out.touched == 0 || !runs(object, graph, service) {
			continue
		}
		replicas, _, _ := unstructured.NestedInt64(object.Object, "status", "replicas")
		updated, _, _ := unstructured.NestedInt64(object.Object, "status", "updatedReplicas")
		switch {
		case updated < replicas:
			began = true
		case began:
			out.done = writtenAt(object)
			return out, nil
		}
	}
	return out, errors.New("it was not restarted: " + fmt.Sprint(out))
}

// isRestarted reports whether the pod template of a service contains the restart.
func isRestarted(object *unstructured.Unstructured, graph, service string) bool {
	if object.GetKind() != "PodCliqueSet" {
		template, _, _ := unstructured.NestedMap(object.Object, "spec")
		return runs(object, graph, service) && strings.Contains(fmt.Sprint(template), restartAt+":"+restartID)
	}
	cliques, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "cliques")
	return object.GetName() == graph && slices.ContainsFunc(cliques, func(value any) bool {
		clique, _ := value.(map[string]any)
		annotations, _, _ := unstructured.NestedStringMap(clique, "annotations")
		name, _, _ := strings.Cut(fmt.Sprint(clique["name"]), "-")
		return strings.EqualFold(name, service) && annotations[restartAt] == restartID
	})
}

// runs reports whether an object is the workload of a service with one replica, or on Grove.
func runs(object *unstructured.Unstructured, graph, service string) bool {
	name := strings.ToLower(service)
	return slices.Contains([]string{graph + "-0-" + name, graph + "-" + name, graph + "-" + name + "-0"}, object.GetName())
}
