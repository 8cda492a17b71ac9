package preview

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAllowed checks how kubectl is asked who may do what: the user for themselves, and a ServiceAccount with its groups.
func TestAllowed(t *testing.T) {
	accesses := []Access{
		{Verb: "get", Resource: "pods", Subresource: "log", Namespace: "inference"},
		{Verb: "patch", Group: "grove.io", Resource: "podcliquesets", Subject: Subject{Namespace: "crossplane-system", Name: "crossplane"}},
	}
	const sent = `{"apiVersion":"v1","items":[` +
		`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"resourceAttributes":` +
		`{"namespace":"inference","verb":"get","version":"*","resource":"pods","subresource":"log"}},"status":{"allowed":false}},` +
		`{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"resourceAttributes":` +
		`{"verb":"patch","group":"grove.io","version":"*","resource":"podcliquesets"},"user":"system:serviceaccount:crossplane-system:crossplane",` +
		`"groups":["system:serviceaccounts","system:serviceaccounts:crossplane-system","system:authenticated"]},"status":{"allowed":false}}],"kind":"List"}`
	const (
		forbidden = `Error from server (Forbidden): error when creating "STDIN": subjectaccessreviews.authorization.k8s.io is forbidden: ` +
			`User "viewer" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope`
		yes, no = `{"kind": "SelfSubjectAccessReview", "status": {"allowed": true}}`, `{"kind": "SubjectAccessReview", "status": {"allowed": false}}`
	)
	cases := map[string]struct {
		reason string
		out    string
		fails  string
		want   []bool
		err    string
	}{
		"Answered":  {reason: "Reviews are printed one after the other.", out: yes + "\n" + no + "\n", want: []bool{true, false}},
		"Fewer":     {reason: "An answer that is missing is not taken for another one.", out: yes, err: "kubectl prints 1 of 2 reviews"},
		"NotJSON":   {reason: "What is no review is an error.", out: "text", err: "cannot parse what kubectl prints about reviews"},
		"Forbidden": {reason: "Not everybody may ask for others.", fails: forbidden, err: "create subjectaccessreviews.authorization.k8s.io in the whole cluster"},
		"Lost":      {reason: "Other errors stay as they are.", fails: "connection refused", err: "connection refused"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := &Live{Context: "prod", Send: func(manifests []byte, args ...string) ([]byte, error) {
				if diff := cmp.Diff("--context=prod create --filename=- --validate=false --output=json", strings.Join(args, " ")); diff != "" {
					t.Errorf("kubectl: -want, +got:\n%s", diff)
				}
				if diff := cmp.Diff(sent, string(manifests)); diff != "" {
					t.Errorf("manifests: -want, +got:\n%s", diff)
				}
				if tc.fails != "" {
					return nil, errors.New(tc.fails)
				}
				return []byte(tc.out), nil
			}}
			got, err := live.Allowed(accesses)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Fatalf("%s\nwant error %q, got %v", tc.reason, tc.err, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nAllowed(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if got, err := (&Live{}).Allowed(nil); got != nil || err != nil {
		t.Errorf("want no question without an access, got %v, %v", got, err)
	}
}

// TestDiscovery checks what is read of the cluster itself.
func TestDiscovery(t *testing.T) {
	const grove = "get --raw=/apis/grove.io/v1alpha1"
	cases := map[string]struct {
		reason  string
		answers map[string]string
		version string
		groups  []string
		kinds   []string
		fails   bool
	}{
		"Answered": {
			reason: "The version, the groups and the kinds of a version are those of the server.",
			answers: map[string]string{
				"version --output=json": `{"clientVersion": {"gitVersion": "v1.32.0"}, "serverVersion": {"gitVersion": "v1.34.1"}}`,
				"get --raw=/apis":       `{"kind": "APIGroupList", "groups": [{"name": "apps"}, {"name": "grove.io"}]}`,
				grove:                   `{"kind": "APIResourceList", "resources": [{"kind": "PodClique"}, {"kind": "PodCliqueSet"}]}`,
			},
			version: "v1.34.1", groups: []string{"apps", "grove.io"}, kinds: []string{"PodClique", "PodCliqueSet"},
		},
		"NoServer": {
			reason:  "The version of the client is not taken for that of the server.",
			answers: map[string]string{"version --output=json": `{"clientVersion": {"gitVersion": "v1.32.0"}}`, "get --raw=/apis": "text", grove: "text"},
			fails:   true,
		},
		"Lost": {
			reason:  "A cluster that cannot be reached is an error.",
			answers: map[string]string{"": "error: connection refused"},
			fails:   true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := &Live{Run: (&fakeKubectl{answers: tc.answers}).run}
			version, versionErr := live.ServerVersion()
			groups, groupsErr := live.Groups()
			kinds, kindsErr := live.Kinds("grove.io/v1alpha1")
			for _, err := range []error{versionErr, groupsErr, kindsErr} {
				if tc.fails != (err != nil) {
					t.Errorf("%s\nwant an error: %t, got %v", tc.reason, tc.fails, err)
				}
			}
			if diff := cmp.Diff([]any{tc.version, tc.groups, tc.kinds}, []any{version, groups, kinds}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
