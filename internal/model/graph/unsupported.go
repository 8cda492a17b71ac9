package graph

import (
	"fmt"
	"reflect"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// reasonOf a field that an object of a type does not have, although somebody else knows it. Empty if nobody does.
func reasonOf(parent reflect.Type, name string) string {
	if parent != reflect.TypeFor[v1beta1.Component]() && parent != reflect.TypeFor[v1alpha1.Service]() {
		return ""
	}
	for _, f := range UnsupportedFields() {
		if f.Name == name {
			return fmt.Sprintf("is not supported: %s; %s", f.Reason, f.Remedy)
		}
	}
	return ""
}
