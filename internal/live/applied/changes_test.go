package applied

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestChanges(t *testing.T) {
	cases := map[string]struct {
		reason            string
		desired, observed string
		// owned fields of the spec; empty: the object does not say who manages its fields.
		owned string
		want  bool
	}{
		"Same":          {reason: "What is observed as it is desired does not change.", desired: `{"replicas":1}`, observed: `{"replicas":1}`},
		"OtherValue":    {reason: "Another value is a change.", desired: `{"image":"b"}`, observed: `{"image":"a"}`, want: true},
		"OtherType":     {reason: "A value of another type is a change.", desired: `{"args":["a"]}`, observed: `{"args":"a"}`, want: true},
		"NewField":      {reason: "A field that is not observed is a change.", desired: `{"priority":1}`, observed: `{}`, want: true},
		"NewObject":     {reason: "A field of an object that is not observed is a change.", desired: `{"probe":{"port":1}}`, observed: `{}`, want: true},
		"LongerList":    {reason: "A longer list is another list.", desired: `{"args":["a","b"]}`, observed: `{"args":["a"]}`, want: true},
		"ShorterList":   {reason: "A shorter list is another list.", desired: `{"args":["a"]}`, observed: `{"args":["a","b"]}`, want: true},
		"OtherOrder":    {reason: "The order of arguments matters.", desired: `{"args":["a","b"]}`, observed: `{"args":["b","a"]}`, want: true},
		"NoSpec":        {reason: "An object without a spec gets one.", desired: `{"replicas":1}`, observed: `null`, want: true},
		"Defaulted":     {reason: "A field that only the API server has set is no change.", desired: `{"main":{"image":"a"}}`, observed: `{"main":{"image":"a","policy":"Always"},"replicas":1}`},
		"Null":          {reason: "A null is a field that is not set.", desired: `{"a":null,"b":null}`, observed: `{"b":1}`},
		"NullObserved":  {reason: "A null that is observed is a field that is not set.", desired: `{"a":1}`, observed: `{"a":null}`, want: true},
		"Empty":         {reason: "API servers leave out what is empty.", desired: `{"wait":0,"labels":{},"args":[],"name":"","on":false,"nested":{"labels":{}}}`, observed: `{}`},
		"EmptyNow":      {reason: "A list that becomes empty changes.", desired: `{"args":[]}`, observed: `{"args":["a"]}`, want: true},
		"EmptyNumber":   {reason: "Zero is another number than one.", desired: `{"replicas":0}`, observed: `{"replicas":1}`, want: true},
		"EmptyDefaults": {reason: "An empty object that the API server fills in is no change.", desired: `{"strategy":{}}`, observed: `{"strategy":{"type":"RollingUpdate"}}`, owned: `{"f:strategy":{}}`},
		"Quantities": {
			reason:   "A quantity is the same however the API server writes it.",
			desired:  `{"resources":{"limits":{"cpu":"1000m","gpus":"8","memory":"1024Mi","e":1000}},"emptyDir":{"sizeLimit":"0.5"}}`,
			observed: `{"resources":{"limits":{"cpu":"1","gpus":8,"memory":"1Gi","e":"1e3"}},"emptyDir":{"sizeLimit":"500m"}}`,
		},
		"OtherQuantity":  {reason: "Another quantity is a change.", desired: `{"resources":{"limits":{"cpu":"1000m"}}}`, observed: `{"resources":{"limits":{"cpu":"2"}}}`, want: true},
		"NoQuantity":     {reason: "A name beside quantities is compared as a text.", desired: `{"resources":{"claims":["a"]}}`, observed: `{"resources":{"claims":["b"]}}`, want: true},
		"NumberInText":   {reason: "A text that looks like a quantity is compared as a text.", desired: `{"args":["1.10"]}`, observed: `{"args":["1.1"]}`, want: true},
		"HugeQuantity":   {reason: "Quantities that would take all memory are compared as texts.", desired: `{"resources":{"a":"1e999999999"}}`, observed: `{"resources":{"a":"1e999999998"}}`, want: true},
		"Removed":        {reason: "A field that was applied and is no longer desired is a change.", desired: `{"nodes":{"a":"b"}}`, observed: `{"nodes":{"a":"b","c":"d"}}`, owned: `{"f:nodes":{"f:a":{},"f:c":{}}}`, want: true},
		"RemovedObject":  {reason: "An object that was applied and is no longer desired is a change.", desired: `{}`, observed: `{"nodes":{"a":"b"}}`, owned: `{"f:nodes":{"f:a":{}}}`, want: true},
		"RemovedByNull":  {reason: "A null removes a field that was applied.", desired: `{"a":null}`, observed: `{"a":1}`, owned: `{"f:a":{}}`, want: true},
		"RemovedAlready": {reason: "A field that is no longer observed cannot be removed.", desired: `{}`, observed: `{}`, owned: `{"f:a":{}}`},
		"OfOthers":       {reason: "A field of another manager is no change.", desired: `{"nodes":{"a":"b"}}`, observed: `{"nodes":{"a":"b","theirs":"d"}}`, owned: `{"f:nodes":{"f:a":{}}}`},
		"ElementOfOthers": {
			reason:  "An element of another manager is no change.",
			desired: `{"env":[{"name":"B"},{"name":"A"}]}`, observed: `{"env":[{"name":"THEIRS"},{"name":"B"},{"name":"A","value":""}]}`,
			owned: `{"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{}},"k:{\"name\":\"B\"}":{".":{},"f:name":{}}}}`,
		},
		"RemovedInElement": {
			reason:  "A field of an element that is no longer desired is a change.",
			desired: `{"env":[{"name":"A"}]}`, observed: `{"env":[{"name":"A","value":"1"}]}`,
			owned: `{"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}}}`, want: true,
		},
		"DefaultInWhole": {
			reason:  "A field that the API server has set in an object that is applied as a whole is no change.",
			desired: `{"fieldRef":{"fieldPath":"metadata.name"}}`, observed: `{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}`, owned: `{"f:fieldRef":{}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			type fields = map[string]any
			object := func(spec string, metadata fields) *structpb.Struct {
				return steptest.Struct(fields{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": json.RawMessage(spec)})
			}
			metadata := fields{}
			if tc.owned != "" {
				metadata["managedFields"] = []fields{{
					"manager": "apiextensions.crossplane.io/composed/01", "operation": "Apply", "apiVersion": "apps/v1",
					"fieldsV1": fields{"f:spec": json.RawMessage(tc.owned)},
				}}
			}
			got := Changes(object(tc.desired, fields{}), object(tc.observed, metadata))
			if got != tc.want {
				t.Errorf("%s\nChanges(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
