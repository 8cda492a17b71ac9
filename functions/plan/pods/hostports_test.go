package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestHostPortWarnings shows which ports of replicas meet on the network of a node.
func TestHostPortWarnings(t *testing.T) {
	onHost := func(affinity *corev1.Affinity) plantest.ComponentChange {
		return func(s *v1alpha1.Service) {
			s.ExtraPodSpec.PodSpec = corev1.PodSpec{HostNetwork: true, Affinity: affinity}
		}
	}
	apart := &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{}, TopologyKey: corev1.LabelHostname,
	}}}}
	const warning = "spec.services[Frontend].extraPodSpec.hostNetwork: makes pods listen on ports of their node, and only one of 2 replicas on a node can have ports 8081: " +
		"others stay pending, or end; remove hostNetwork, or keep the pods on different nodes with podAntiAffinity"
	args := plantest.WithArgs("--http-port", "8081")
	cases := map[string]struct {
		reason  string
		changes []plantest.ComponentChange
		want    []string
	}{
		"One":      {reason: "One pod has the ports for itself.", changes: []plantest.ComponentChange{args, onHost(nil)}},
		"Pods":     {reason: "Pods on networks of their own share no ports.", changes: []plantest.ComponentChange{args, plantest.WithReplicas(2)}},
		"Replicas": {reason: "Two replicas may be on one node.", changes: []plantest.ComponentChange{args, plantest.WithReplicas(2), onHost(nil)}, want: []string{warning}},
		"Apart":    {reason: "Two replicas are on different nodes.", changes: []plantest.ComponentChange{args, plantest.WithReplicas(2), onHost(apart)}},
		"Full":     {reason: "A pod with all GPUs of a node is alone there.", changes: []plantest.ComponentChange{args, plantest.WithReplicas(2), onHost(nil), plantest.WithGPUs("8")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("Frontend", plantest.ComponentOf("frontend", "python3", "-m", "dynamo.frontend"), tc.changes...))))
			plan := &graphplan.Plan{Components: map[string]graphplan.Component{"Frontend": {}}}
			got := HostPortWarnings(f, plan, Of(f, plan)).Texts(f.Graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nHostPortWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
