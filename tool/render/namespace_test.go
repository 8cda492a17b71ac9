package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestEnterNamespace(t *testing.T) {
	cases := map[string]struct {
		reason string
		own    string
		claim  map[string]any
		flag   string
		want   string
		err    string
	}{
		"Default":     {reason: "A manifest without a namespace is created in the default namespace, as by kubectl.", want: "default"},
		"Flag":        {reason: "The flag gives a namespace to a manifest without one.", flag: "inference", want: "inference"},
		"Own":         {reason: "The namespace of a manifest stays.", own: "inference", want: "inference"},
		"Same":        {reason: "A flag that says the same is no conflict.", own: "inference", flag: "inference", want: "inference"},
		"Other":       {reason: "A flag that says otherwise is refused with both namespaces.", own: "inference", flag: "staging", want: "inference", err: `metadata.namespace: Invalid value: "inference": does not match --namespace=staging; pass --namespace=inference, or omit the flag`},
		"Claimed":     {reason: "The composite resource of a claim stays cluster-scoped.", claim: map[string]any{"name": "llama", "namespace": "inference"}},
		"ClaimedSame": {reason: "The composite resource of a claim stays cluster-scoped with a flag that names the namespace of the claim.", claim: map[string]any{"name": "llama", "namespace": "inference"}, flag: "inference"},
		"ClaimedOther": {
			reason: "A flag that names another namespace than that of the claim is refused.",
			claim:  map[string]any{"name": "llama", "namespace": "inference"}, flag: "staging",
			err: `spec.claimRef.namespace: Invalid value: "inference": does not match --namespace=staging; pass --namespace=inference, or omit the flag`,
		},
		"HalfClaimed": {reason: "A reference without a namespace is for the functions to refuse.", claim: map[string]any{"name": "llama"}, flag: "staging"},
		"NoNamespace": {
			reason: "A flag that is not the name of a namespace is refused.", flag: "-a",
			err: `--namespace: Invalid value: "-a": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
				"and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc')",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
			xr.SetNamespace(tc.own)
			if tc.claim != nil {
				xr.Object["spec"] = map[string]any{"claimRef": tc.claim}
			}
			got := ""
			if err := EnterNamespace(xr, tc.flag); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.err, got); diff != "" {
				t.Errorf("%s\nenterNamespace(...): -want error, +got error:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, xr.GetNamespace()); diff != "" {
				t.Errorf("%s\nenterNamespace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	t.Run("SpecIsNoObject", func(t *testing.T) {
		xr := &unstructured.Unstructured{Object: map[string]any{"spec": "text"}}
		if err := EnterNamespace(xr, ""); err != nil || xr.GetNamespace() != "default" {
			t.Errorf("A spec that is not an object is for the functions to refuse.\nenterNamespace(...): got namespace %q, error %v", xr.GetNamespace(), err)
		}
	})
}
