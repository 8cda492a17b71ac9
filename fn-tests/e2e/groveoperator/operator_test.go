package groveoperator

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podOf a template, of some age.
func podOf(name, hash string, ready bool, age time.Duration, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{labelTemplateHash: hash},
		CreationTimestamp: metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(-age)),
	}}
	if ready {
		pod.Spec.NodeName = "node"
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	for _, c := range change {
		c(pod)
	}
	return pod
}

func isDeleted(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: time.Now()} }

func namesOf(pods []*corev1.Pod) []string {
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return names
}

func TestIsDone(t *testing.T) {
	cases := map[string]struct {
		reason    string
		pods      []*corev1.Pod
		completed int
		want      bool
	}{
		"Stays":    {reason: "The selected pod is to be deleted.", pods: []*corev1.Pod{podOf("old", "1", true, 0), podOf("new", "2", true, 0)}},
		"NotReady": {reason: "The new pod is not ready.", pods: []*corev1.Pod{podOf("new", "2", false, 0)}},
		"Replaced": {reason: "The new pod is ready, though the old one still ends.", pods: []*corev1.Pod{podOf("old", "1", true, 0, isDeleted), podOf("new", "2", true, 0)}, want: true},
		"Second":   {reason: "Two pods were selected, so two must be new.", pods: []*corev1.Pod{podOf("new", "2", true, 0)}, completed: 1},
		"Wedged":   {reason: "The new pod was scaled in, so nothing ever replaces the selected one.", pods: []*corev1.Pod{podOf("other", "1", true, 0)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := workOf(tc.pods, "2").isDone("old", tc.completed); got != tc.want {
				t.Errorf("%s\nisDone(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestWorkOf(t *testing.T) {
	w := workOf([]*corev1.Pod{
		podOf("new", "2", true, 0), podOf("younger", "1", true, time.Minute), podOf("older", "1", true, time.Hour),
		podOf("pending", "1", false, 0), podOf("ends", "1", true, 0, isDeleted),
	}, "2")
	if diff := cmp.Diff([]string{"older", "younger"}, namesOf(w.oldReady)); diff != "" {
		t.Errorf("The oldest pod is replaced first, and no pod that is being deleted.\noldReady: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"pending"}, namesOf(w.oldUnready)); diff != "" {
		t.Errorf("A pod that is not ready is not waited for.\noldUnready: -want, +got:\n%s", diff)
	}
}

func TestDispensableFirst(t *testing.T) {
	bound := func(pod *corev1.Pod) { pod.Spec.NodeName = "node" }
	pods := []*corev1.Pod{
		podOf("old", "1", true, time.Hour), podOf("starting", "1", false, time.Hour, bound), podOf("unbound", "1", false, time.Hour), podOf("new", "2", true, 0),
	}
	slices.SortFunc(pods, dispensableFirst)
	if diff := cmp.Diff([]string{"unbound", "starting", "new", "old"}, namesOf(pods)); diff != "" {
		t.Errorf("A scale-in deletes what serves least. Of ready pods it deletes the newest.\n-want, +got:\n%s", diff)
	}
}

func TestTemplateOf(t *testing.T) {
	set := func(image string, replicas int64) *object {
		clique := func(name string) any {
			return map[string]any{"name": name, "spec": map[string]any{"replicas": replicas, "podSpec": map[string]any{"image": image}}}
		}
		return &object{Object: map[string]any{"spec": map[string]any{"template": map[string]any{
			"cliques":                []any{clique("frontend"), clique("decode-ldr")},
			"podCliqueScalingGroups": []any{map[string]any{"name": "decode", "cliqueNames": []any{"decode-ldr"}}},
		}}}}
	}
	before, err := templateOf(set("1", 1))
	if err != nil {
		t.Fatal(err)
	}
	if before.cliques[0].inGroup || !before.cliques[1].inGroup || len(before.groups[0].cliques) != 1 {
		t.Errorf("templateOf(...): want clique decode-ldr in the group, and no other: %+v", before)
	}
	scaled, err := templateOf(set("1", 2))
	if err != nil {
		t.Fatal(err)
	}
	if scaled.hash != before.hash {
		t.Error("want the same hash for another number of replicas, which replaces no pod")
	}
	changed, err := templateOf(set("2", 1))
	if err != nil {
		t.Fatal(err)
	}
	if changed.hash == before.hash {
		t.Error("want another hash for another image")
	}
}

func TestHolds(t *testing.T) {
	cases := map[string]struct {
		reason           string
		reported, status map[string]any
		want             bool
	}{
		"Same":    {reason: "Fields that others report do not count.", reported: map[string]any{"a": int64(1), "b": int64(2)}, status: map[string]any{"a": int64(1)}, want: true},
		"Other":   {reason: "Another value is reported.", reported: map[string]any{"a": int64(1)}, status: map[string]any{"a": int64(2)}},
		"Nested":  {reason: "Fields are compared one by one.", reported: map[string]any{"p": map[string]any{"a": "x", "b": "y"}}, status: map[string]any{"p": map[string]any{"a": "x"}}, want: true},
		"List":    {reason: "Lists are compared as a whole.", reported: map[string]any{"l": []any{"x"}}, status: map[string]any{"l": []any{"x", "y"}}},
		"Removed": {reason: "A field is removed only where it is.", reported: map[string]any{}, status: map[string]any{"a": nil}, want: true},
		"Removes": {reason: "A field that is there is removed.", reported: map[string]any{"p": map[string]any{"a": "x"}}, status: map[string]any{"p": map[string]any{"a": nil}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := holds(tc.reported, tc.status); got != tc.want {
				t.Errorf("%s\nholds(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
