package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestEvents checks that the latest event about an object comes first, wherever its controller writes the time.
func TestEvents(t *testing.T) {
	var objects []unstructured.Unstructured
	for _, text := range []string{
		`{involvedObject: {uid: a}, reason: Failed, message: first, lastTimestamp: "2026-01-01T10:00:00Z"}`,
		`{involvedObject: {uid: a}, reason: Failed, message: fourth, eventTime: "2026-01-01T10:00:00.000000Z", series: {count: 2, lastObservedTime: "2026-01-01T13:00:00.000000Z"}}`,
		`{involvedObject: {uid: a}, reason: Failed, message: third, eventTime: "2026-01-01T12:00:00.000000Z"}`,
		`{involvedObject: {uid: a}, reason: Failed, message: second, metadata: {creationTimestamp: "2026-01-01T11:00:00Z"}}`,
		`{involvedObject: {uid: b}, reason: Unhealthy, message: other}`,
		`{involvedObject: {name: a}, reason: Failed, message: of nobody}`,
		`{involvedObject: [], reason: Failed, message: garbage}`,
	} {
		objects = append(objects, object(t, text))
	}
	all := eventsOf(objects)
	var got []string
	for _, event := range all["a"] {
		got = append(got, event.Message)
	}
	if diff := cmp.Diff([]string{"fourth", "third", "second", "first"}, got); diff != "" || len(all) != 2 {
		t.Errorf("events of a, out of %d objects: -want, +got:\n%s", len(all), diff)
	}
	if last, ok := all.last("a", "Other", "Failed"); !ok || last.Message != "fourth" || all.failure("a") != "fourth" {
		t.Errorf("want the last failure, got %v", last)
	}
	if _, ok := all.last("b", "Failed"); ok || all.failure("b") != "" {
		t.Error("want no failure of b")
	}
}
