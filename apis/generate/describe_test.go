package main

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

func TestDescribe(t *testing.T) {
	cases := map[string]struct {
		reason string
		of     reflect.Type
		schema extv1.JSONSchemaProps
		want   extv1.JSONSchemaProps
	}{
		"Own": {
			reason: "Descriptions of own fields are kept, with one line for each paragraph.",
			of:     reflect.TypeFor[v1alpha1.Restart](),
			schema: object("Restart asks\nfor a restart.\n\nReally.", "id", extv1.JSONSchemaProps{Description: "ID\nof it."}),
			want:   object("Restart asks for a restart.\n\nReally.", "id", extv1.JSONSchemaProps{Description: "ID of it."}),
		},
		"FieldOfForeignType": {
			reason: "The description of an own field of a Kubernetes type is kept, and those of the type are removed.",
			of:     reflect.TypeFor[v1alpha1.Service](),
			schema: object("", "livenessProbe", object("Our probe.", "exec", object("Theirs.", "command", list("Theirs.", extv1.JSONSchemaProps{Description: "Theirs."})))),
			want:   object("", "livenessProbe", object("Our probe.", "exec", object("", "command", list("", extv1.JSONSchemaProps{})))),
		},
		"ListOfForeignType": {
			reason: "The description of an own list is kept, and those of its items of a Kubernetes type are removed.",
			of:     reflect.TypeFor[v1alpha1.Service](),
			schema: object("", "envs", list("Our list.", object("Theirs.", "name", extv1.JSONSchemaProps{Description: "Theirs."}))),
			want:   object("", "envs", list("Our list.", object("", "name", extv1.JSONSchemaProps{}))),
		},
		"InlinedForeignType": {
			reason: "Descriptions of fields of an embedded type are removed.",
			of:     reflect.TypeFor[v1alpha1.ExtraPodSpec](),
			schema: object("Ours.", "nodeSelector", mapOf("Theirs.", extv1.JSONSchemaProps{Description: "Theirs."})),
			want:   object("Ours.", "nodeSelector", mapOf("", extv1.JSONSchemaProps{})),
		},
		"FieldOfOtherVersion": {
			reason: "Descriptions of fields that both versions have are kept in both.",
			of:     reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec](),
			schema: object("", "restart", object("A restart.", "id", extv1.JSONSchemaProps{Description: "ID\nof it."})),
			want:   object("", "restart", object("A restart.", "id", extv1.JSONSchemaProps{Description: "ID of it."})),
		},
		"MapOfOwnType": {
			reason: "Descriptions of the values of a map are kept if their type is an own one.",
			of:     reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](),
			schema: object("", "services", mapOf("Services.", object("A service.", "replicas", extv1.JSONSchemaProps{Description: "Replicas\nof it."}))),
			want:   object("", "services", mapOf("Services.", object("A service.", "replicas", extv1.JSONSchemaProps{Description: "Replicas of it."}))),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			describe(&tc.schema, tc.of)
			if diff := cmp.Diff(tc.want, tc.schema); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}

func object(description, name string, property extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	return extv1.JSONSchemaProps{Description: description, Properties: map[string]extv1.JSONSchemaProps{name: property}}
}

func list(description string, item extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	return extv1.JSONSchemaProps{Description: description, Items: &extv1.JSONSchemaPropsOrArray{Schema: &item}}
}

func mapOf(description string, value extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	return extv1.JSONSchemaProps{Description: description, AdditionalProperties: &extv1.JSONSchemaPropsOrBool{Schema: &value}}
}
