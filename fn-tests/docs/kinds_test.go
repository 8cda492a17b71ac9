package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// TestReadiness checks that docs/conditions.md says how each kind is judged, except for those of which only condition Ready counts.
func TestReadiness(t *testing.T) {
	// Objects of Grove, which the functions read.
	want := []string{"PodClique", "PodCliqueScalingGroup"}
	exists := map[string]bool{}
	for _, k := range kinds.Composed() {
		if k.Readiness != kinds.ConditionReady {
			want = append(want, k.Kind)
		}
		if k.Readiness == kinds.Exists {
			exists[k.Kind] = true
		}
	}
	_, table, _ := strings.Cut(text(t, "docs/conditions.md"), "\n| object | ready when |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for row := range strings.Lines(table) {
		cells := strings.Split(row, " | ")
		for _, code := range inBackticks.FindAllStringSubmatch(cells[0], -1) {
			got = append(got, code[1])
			if exists[code[1]] && !strings.HasPrefix(cells[1], "it exists |") {
				t.Errorf("docs/conditions.md: %s is ready when it exists, got %q", code[1], cells[1])
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("docs/conditions.md: -kinds that are judged in another way than by condition Ready, +those in the table:\n%s", diff)
	}
}

// TestTakenOver checks that docs/moving-in.md says what becomes of each kind of which there is a proof that the operator has made it.
func TestTakenOver(t *testing.T) {
	said := map[string][]string{
		"workloads": {"Deployment", "LeaderWorkerSet", "PodCliqueSet"}, "PodGroups": {"PodGroup"}, "Services": {"Service"},
		"routes": {"Ingress", "VirtualService"}, "permissions": {"Role", "RoleBinding", "ServiceAccount"}, "ConfigMaps": {"ConfigMap"},
		"InferencePool": {"InferencePool"}, "ResourceClaimTemplates of the graph": {"ResourceClaimTemplate"},
		"scaling adapters": {"DynamoGraphDeploymentScalingAdapter"}, "PersistentVolumeClaims with `create: true`": {"PersistentVolumeClaim"},
	}
	_, table, _ := strings.Cut(text(t, "docs/moving-in.md"), "\n| object | what happens to it |\n|---|---|\n")
	var got []string
	for row := range strings.Lines(table) {
		objects, becomes, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		if !strings.HasPrefix(becomes, "taken over") {
			break
		}
		for object := range strings.SplitSeq(objects, ", ") {
			got = append(got, said[object]...)
		}
	}
	slices.Sort(got)
	var want []string
	for _, k := range kinds.Composed() {
		if k.Proof != kinds.NoProof {
			want = append(want, k.Kind)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("docs/moving-in.md: -kinds with a proof in internal/kinds/kinds.go, +kinds that it says are taken over:\n%s", diff)
	}
}
