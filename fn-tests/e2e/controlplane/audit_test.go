package controlplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAudit(t *testing.T) {
	log := `{"verb":"patch","requestURI":"/api/v1/namespaces/inference/services/a?fieldManager=x&force=true","objectRef":{"resource":"services","namespace":"inference","name":"a"},"responseStatus":{"code":201}}
{"verb":"patch","requestURI":"/api/v1/namespaces/inference/services/a","objectRef":{"resource":"services","namespace":"inference","name":"a"},"responseStatus":{"code":200}}
{"verb":"update","requestURI":"/apis/nvidia.com/v1beta1/x","objectRef":{"resource":"dynamographdeployments","subresource":"status","namespace":"inference","name":"a"},"responseStatus":{"code":409}}
{"verb":"upd`
	want := []Write{
		{Verb: "apply", Resource: "services", Namespace: "inference", Name: "a", Status: 201},
		{Verb: "patch", Resource: "services", Namespace: "inference", Name: "a", Status: 200},
		{Verb: "update", Resource: "dynamographdeployments/status", Namespace: "inference", Name: "a", Status: 409},
	}
	got, err := parseAudit([]byte(log))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("want each line that is whole, and what Crossplane forces as an apply: -want, +got:\n%s\n%v", diff, err)
	}
	if _, err := parseAudit([]byte("{]\n")); err == nil {
		t.Error("want an error for a line that is not JSON")
	}
}
