package why

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// events by the UIDs of the objects that they are about, the latest one first.
type events map[types.UID][]corev1.Event

func eventsOf(objects []unstructured.Unstructured) events {
	all := events{}
	for i := range objects {
		event := corev1.Event{}
		if err := preview.Decode(&objects[i], &event); err != nil || event.InvolvedObject.UID == "" {
			continue
		}
		all[event.InvolvedObject.UID] = append(all[event.InvolvedObject.UID], event)
	}
	for _, about := range all {
		slices.SortStableFunc(about, func(a, b corev1.Event) int {
			return cmp.Or(strings.Compare(lastSeen(&b), lastSeen(&a)), strings.Compare(a.Message, b.Message))
		})
	}
	return all
}

// lastSeen is when an event last happened, as text that sorts by time. Controllers write it into different fields.
func lastSeen(e *corev1.Event) string {
	last := e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	if e.CreationTimestamp.After(last) {
		last = e.CreationTimestamp.Time
	}
	return last.UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// last event about an object with one of some reasons. ok is false if there is none.
func (e events) last(uid types.UID, reasons ...string) (event corev1.Event, ok bool) {
	for _, event := range e[uid] {
		if slices.Contains(reasons, event.Reason) {
			return event, true
		}
	}
	return corev1.Event{}, false
}

// failure is the last event with which the controller of an object says that it cannot do its work. Empty if there is none.
func (e events) failure(uid types.UID) string {
	for _, event := range e[uid] {
		// FailedCreate of Kubernetes and LWS, PodCreationFailed and the like of Grove.
		if strings.Contains(event.Reason, "Fail") || strings.Contains(event.Reason, "Err") {
			return event.Message
		}
	}
	return ""
}
