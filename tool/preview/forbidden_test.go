package preview

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForbidden(t *testing.T) {
	const from = `cannot read the cluster with kubectl get: Error from server (Forbidden): `
	cases := map[string]struct {
		reason string
		err    error
		want   *ForbiddenError
		text   string
	}{
		"Namespace": {
			reason: "A permission in a namespace is named with its verb, resource and namespace.",
			err:    errors.New(from + `pods is forbidden: User "system:serviceaccount:a:b" cannot list resource "pods" in API group "" in the namespace "inference"`),
			want:   &ForbiddenError{Verb: "list", Resource: "pods", Namespace: "inference"}, text: "list pods in namespace inference",
		},
		"Group": {
			reason: "A resource has a group.",
			err:    errors.New(from + `deployments.apps "llama" is forbidden: User "u" cannot get resource "deployments" in API group "apps" in the namespace "inference": RBAC: not found`),
			want:   &ForbiddenError{Verb: "get", Resource: "deployments.apps", Namespace: "inference"}, text: "get deployments.apps in namespace inference",
		},
		"Cluster": {
			reason: "Some resources are in no namespace.",
			err:    errors.New(from + `xdynamographdeployments.nvidia.com "a" is forbidden: User "u" cannot get resource "xdynamographdeployments" in API group "nvidia.com" at the cluster scope`),
			want:   &ForbiddenError{Verb: "get", Resource: "xdynamographdeployments.nvidia.com"}, text: "get xdynamographdeployments.nvidia.com in the whole cluster",
		},
		"Other": {reason: "Other errors stay as they are.", err: errors.New("connection refused")},
		"None":  {reason: "No error stays none."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := IsForbidden(permitted(tc.err))
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != (tc.want != nil) {
				t.Errorf("%s\nIsForbidden(...): -want, +got:\n%s", tc.reason, diff)
			}
			if ok && got.Error() != tc.text {
				t.Errorf("want %q, got %q", tc.text, got.Error())
			}
			if !ok && !errors.Is(permitted(tc.err), tc.err) {
				t.Errorf("%s\nwant %v, got %v", tc.reason, tc.err, permitted(tc.err))
			}
		})
	}
}

// TestLiveReads checks how kubectl is asked for what commands look up by themselves.
func TestLiveReads(t *testing.T) {
	kubectl := &fakeKubectl{answers: map[string]string{
		"Pod.v1.":                `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}]}`,
		"Event.v1.":              `error: events is forbidden: User "u" cannot list resource "events" in API group "" in the namespace "ns"`,
		"jsonpath={..namespace}": "team-a\n",
		"-- pod":                 "line\n",
	}}
	live := &Live{Context: "prod", Run: kubectl.run}
	if pods, err := live.Get(Query{APIVersion: "v1", Kind: "Pod", Namespace: "ns", Labels: "a=b"}); err != nil || len(pods) != 1 {
		t.Errorf("want a pod, got %v, %v", pods, err)
	}
	if _, err := live.Get(Query{APIVersion: "v1", Kind: "Event", Namespace: "ns", Fields: "type=Warning"}); err == nil || err.Error() != "list events in namespace ns" {
		t.Errorf("want a missing permission, got %v", err)
	}
	if _, err := live.Get(Query{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "ns", Names: []string{"a", "b"}, ManagedFields: true}); err != nil {
		t.Error(err)
	}
	if namespace, err := live.Namespace(); err != nil || namespace != "team-a" {
		t.Errorf("want the namespace of the context, got %q, %v", namespace, err)
	}
	lost := &Live{Run: func(...string) ([]byte, error) { return nil, errors.New("current-context must exist") }}
	if _, err := lost.Namespace(); err == nil || !strings.Contains(err.Error(), "pass --context, or --kubeconfig: current-context") {
		t.Errorf("want a remedy where no context is chosen, got %v", err)
	}
	if log, err := live.Log("ns", "pod", "main", true, 20); err != nil || log != "line\n" {
		t.Errorf("want a log, got %q, %v", log, err)
	}
	want := []string{
		"--context=prod get --output=json --ignore-not-found --namespace=ns --selector=a=b -- Pod.v1.",
		"--context=prod get --output=json --ignore-not-found --namespace=ns --field-selector=type=Warning -- Event.v1.",
		"--context=prod get --show-managed-fields --output=json --ignore-not-found --namespace=ns -- Deployment.v1.apps a b",
		"--context=prod config view --minify --output=jsonpath={..namespace}",
		"--context=prod logs --namespace=ns --container=main --previous=true --tail=20 -- pod",
	}
	if diff := cmp.Diff(want, kubectl.asked); diff != "" {
		t.Errorf("kubectl: -want, +got:\n%s", diff)
	}
}
