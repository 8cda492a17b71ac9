package foundation

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// cliques of an observed PodCliqueSet at rest, in which a clique has this pod, JSON.
func cliques(pod string) string {
	return `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","namespace":"inference","generation":1},
		"spec":{"template":{"cliques":[{"name":"worker","spec":{"podSpec":` + pod + `}}]}},"status":{"observedGeneration":1}}`
}

// TestRetained are objects that the graph does not ask for any more.
func TestRetained(t *testing.T) {
	const account = "llama-k8s-service-discovery"
	const script = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"llama-wait-leader-script","namespace":"inference"},"data":{"a":"b"}}`
	const ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-worker","namespace":"inference"}}`
	const mounting = `{"volumes":[{"name":"script","configMap":{"name":"llama-wait-leader-script"}}],"containers":[]}`
	role := account + "-role"
	binding := func(subjects string) string { return bindingOf(account+"-binding", account, role, subjects) }
	discovery := run(t, steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "S")))).GetDesired()
	discoveryWith := func(subjects string) *fnv1.State {
		all := state(nil)
		maps.Copy(all.GetResources(), discovery.GetResources())
		all.Resources["discovery-rolebinding"] = state(map[string]string{"": binding(subjects)}).GetResources()[""]
		return all
	}

	cases := map[string]struct {
		reason    string
		discovery string
		observed  map[string]string
		want      *fnv1.State
	}{
		"Script": {
			reason: "A script that pods mount stays as it is.", discovery: "etcd",
			observed: map[string]string{"podcliqueset": cliques(mounting), "configmap-wait-for-leader": script},
			want:     state(map[string]string{"configmap-wait-for-leader": script}),
		},
		"UnusedScript": {
			reason: "A script that no pod mounts goes.", discovery: "etcd",
			observed: map[string]string{"podcliqueset": cliques(`{"containers":[]}`), "configmap-wait-for-leader": script},
		},
		"Ingress": {
			reason: "An Ingress lets clients in and is not what pods need, so it goes at once.", discovery: "etcd",
			observed: map[string]string{"podcliqueset": cliques(mounting), "ingress-worker": ingress},
		},
		"Subject": {
			reason: "A binding keeps a subject until the last pod that runs as it is replaced.", discovery: "kubernetes",
			observed: map[string]string{
				"podcliqueset":          cliques(`{"serviceAccountName":"llama-planner","containers":[]}`),
				"discovery-rolebinding": binding(subject(account) + "," + subject("llama-planner") + "," + subject("llama-epp")),
			},
			want: discoveryWith(subject(account) + "," + subject("llama-planner")),
		},
		"UnusedSubject": {
			reason: "A binding drops a subject that no pod runs as, and what others have put there.", discovery: "kubernetes",
			observed: map[string]string{
				"podcliqueset":          cliques(`{"containers":[]}`),
				"discovery-rolebinding": binding(subject("llama-planner") + `,{"kind":"User","name":"somebody"}`),
			},
			want: discoveryWith(subject(account)),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Services(tc.discovery, "S")))
			req.Observed.Resources = state(tc.observed).GetResources()
			want := steptest.Answer(req, tc.want)
			if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnreadableBinding(t *testing.T) {
	req := steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "S")))
	req.Observed.Resources = state(map[string]string{"discovery-rolebinding": `{"kind":"RoleBinding","metadata":{"name":"b"},"subjects":"x"}`}).GetResources()
	want := steptest.Refused(req, "cannot compose the foundation: cannot read the subjects of composed resource discovery-rolebinding: cannot read RoleBinding b: "+
		"subjects: Invalid value: must be a list, not a string")
	if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}
