package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
)

func TestWarnOnGrove(t *testing.T) {
	ephemeral := func(meta metav1.ObjectMeta) corev1.VolumeSource {
		return corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{ObjectMeta: meta},
		}}
	}
	cases := map[string]struct {
		reason  string
		volumes []corev1.Volume
		want    []string
	}{
		"NoVolumes": {reason: "There is nothing to drop."},
		"OtherVolumes": {
			reason:  "Grove keeps every other volume as it is.",
			volumes: []corev1.Volume{{Name: "a"}, {Name: "b", VolumeSource: ephemeral(metav1.ObjectMeta{})}},
		},
		"MetadataOfClaim": {
			reason: "Labels and annotations of the claim get lost, which nothing else says.",
			volumes: []corev1.Volume{
				{Name: "a", VolumeSource: ephemeral(metav1.ObjectMeta{Labels: map[string]string{"a": "b"}})},
				{Name: "b", VolumeSource: ephemeral(metav1.ObjectMeta{Annotations: map[string]string{"a": "b"}})},
			},
			want: []string{
				"spec.services[S].extraPodSpec.volumes[0].ephemeral.volumeClaimTemplate.metadata: has no effect on Grove, which drops it; create the claim beside the graph and mount it through volumeMounts",
				"spec.services[S].extraPodSpec.volumes[1].ephemeral.volumeClaimTemplate.metadata: has no effect on Grove, which drops it; create the claim beside the graph and mount it through volumeMounts",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := &graph.Graph{Spec: v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
				"S": {ExtraPodSpec: &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{Volumes: tc.volumes}}},
				"T": {},
			}}}
			if diff := cmp.Diff(tc.want, warnOnGrove(g)); diff != "" {
				t.Errorf("%s\nwarnOnGrove(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
