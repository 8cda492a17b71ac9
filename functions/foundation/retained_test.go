package foundation

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// cliques of an observed PodCliqueSet at rest, in which a clique has this pod.
func cliques(pod corev1.PodSpec) *grovev1alpha1.PodCliqueSet {
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{Name: "llama", Namespace: "inference", Generation: 1},
		Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{
			Cliques: []grovev1alpha1.Clique{{Name: "worker", Spec: grovev1alpha1.CliqueSpec{PodSpec: pod}}},
		}},
		Status: grovev1alpha1.PodCliqueSetStatus{ObservedGeneration: new(int64(1))},
	}
}

// TestRetained shows which objects are kept although the graph no longer requests them.
func TestRetained(t *testing.T) {
	const account = "llama-k8s-service-discovery"
	const script = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"llama-wait-leader-script","namespace":"inference"},"data":{"a":"b"}}`
	const ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-worker","namespace":"inference"}}`
	mounting := corev1.PodSpec{Volumes: []corev1.Volume{{Name: "script", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: "llama-wait-leader-script"},
	}}}}}
	role := account + "-role"
	binding := func(subjects ...string) *rbacv1.RoleBinding {
		return bindingOf(account+"-binding", account, role, subjects...)
	}
	withUser := binding("llama-planner")
	withUser.Subjects = append(withUser.Subjects, rbacv1.Subject{Kind: "User", Name: "somebody"})
	discovery := run(t, steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "S")))).GetDesired()
	discoveryWith := func(subjects ...string) *fnv1.State {
		all := steptest.State(nil)
		maps.Copy(all.GetResources(), discovery.GetResources())
		all.Resources["discovery-rolebinding"] = steptest.State(map[string]any{"": binding(subjects...)}).GetResources()[""]
		return all
	}

	cases := map[string]struct {
		reason    string
		discovery string
		observed  map[string]any
		want      *fnv1.State
	}{
		"Script": {
			reason: "A script that pods mount stays as it is.", discovery: "etcd",
			observed: map[string]any{"podcliqueset": cliques(mounting), "configmap-wait-for-leader": script},
			want:     steptest.State(map[string]any{"configmap-wait-for-leader": script}),
		},
		"UnusedScript": {
			reason: "A script that no pod mounts goes.", discovery: "etcd",
			observed: map[string]any{"podcliqueset": cliques(corev1.PodSpec{}), "configmap-wait-for-leader": script},
		},
		"Ingress": {
			reason: "An Ingress lets clients in and is not what pods need, so it goes at once.", discovery: "etcd",
			observed: map[string]any{"podcliqueset": cliques(mounting), "ingress-worker": ingress},
		},
		"Subject": {
			reason: "A binding keeps a subject until the last pod that runs as it is replaced.", discovery: "kubernetes",
			observed: map[string]any{
				"podcliqueset":          cliques(corev1.PodSpec{ServiceAccountName: "llama-planner"}),
				"discovery-rolebinding": binding(account, "llama-planner", "llama-epp"),
			},
			want: discoveryWith(account, "llama-planner"),
		},
		"UnusedSubject": {
			reason: "A binding drops a subject that no pod runs as, and what others have put there.", discovery: "kubernetes",
			observed: map[string]any{
				"podcliqueset":          cliques(corev1.PodSpec{}),
				"discovery-rolebinding": withUser,
			},
			want: discoveryWith(account),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Components(tc.discovery, "S")))
			req.Observed.Resources = steptest.State(tc.observed).GetResources()
			want := steptest.Answer(req, tc.want)
			if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnreadableBinding(t *testing.T) {
	req := steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "S")))
	req.Observed.Resources = steptest.State(map[string]any{"discovery-rolebinding": `{"kind":"RoleBinding","metadata":{"name":"b"},"subjects":"x"}`}).GetResources()
	want := steptest.Refused(req, "cannot compose the foundation: cannot read the subjects of composed resource discovery-rolebinding: cannot read RoleBinding b: "+
		"subjects: Invalid value: must be a list, not a string")
	if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}
