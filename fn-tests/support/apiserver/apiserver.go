// Package apiserver simulates how the API server applies objects, for tests that simulate Crossplane without a cluster.
package apiserver

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Created is the creation time of every object. The current time would make the requests of each run different.
const Created = "2026-01-01T00:00:00Z"

// Server numbers the objects that it creates. Its zero value is ready to use.
type Server struct{ created int }

// Create an object with the metadata that an API server adds. An object that has a UID keeps it.
func (s *Server) Create(object *unstructured.Unstructured) {
	s.created++
	if object.GetUID() == "" {
		object.SetUID(types.UID(fmt.Sprintf("6f1c2d3e-0000-4000-8000-%012d", s.created)))
	}
	object.SetGeneration(1)
	object.SetResourceVersion(strconv.Itoa(100_000 * s.created))
	object.SetCreationTimestamp(metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
}

// Apply an object over the existing one, which may be nil, and return the result. The applied object replaces everything except the status
// and the fields that the API server itself writes. The result has no managed fields.
func (s *Server) Apply(applied, before *unstructured.Unstructured) *unstructured.Unstructured {
	object := applied.DeepCopy()
	if before == nil {
		s.Create(object)
		return object
	}
	object.SetUID(before.GetUID())
	object.SetGeneration(before.GetGeneration())
	object.SetResourceVersion(before.GetResourceVersion())
	object.SetCreationTimestamp(before.GetCreationTimestamp())
	object.SetDeletionTimestamp(before.GetDeletionTimestamp())
	if status, ok := before.Object["status"]; ok {
		object.Object["status"] = status
	}
	if !reflect.DeepEqual(object.Object["spec"], before.Object["spec"]) {
		object.SetGeneration(before.GetGeneration() + 1)
	}
	if !reflect.DeepEqual(object.Object, withoutManagers(before)) {
		object.SetResourceVersion(before.GetResourceVersion() + "1")
	}
	return object
}

// withoutManagers is the content of an object without metadata.managedFields.
func withoutManagers(object *unstructured.Unstructured) map[string]any {
	content := maps.Clone(object.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		content["metadata"] = metadata
	}
	return content
}
