package controlplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestVolumeFor(t *testing.T) {
	const (
		claim   = `{metadata: {namespace: inference, name: models, uid: "1"`
		asked   = `, annotations: {volume.kubernetes.io/storage-provisioner: volumes.example.org}}`
		spec    = `, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, storageClassName: standard, volumeMode: Filesystem`
		nothing = ""
	)
	cases := map[string]struct {
		reason string
		claim  string
		want   string
	}{
		"Asked": {reason: "A claim whose class has the provisioner gets a volume.", claim: claim + asked + spec + "}}", want: "pvc-1"},
		"Other": {reason: "A claim of another class waits, as without its provisioner.", claim: claim + "}" + spec + "}}", want: nothing},
		"Bound": {reason: "A claim that is bound needs no volume.", claim: claim + asked + spec + ", volumeName: pvc-1}}", want: nothing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tc.claim), &o.Object); err != nil {
				t.Fatal(err)
			}
			got := nothing
			if volume := volumeFor(o); volume != nil {
				got = volume.GetName()
				of, _, _ := unstructured.NestedString(volume.Object, "spec", "claimRef", "uid")
				if diff := cmp.Diff("1", of); diff != "" {
					t.Errorf("The volume is for the claim alone.\nuid: -want, +got:\n%s", diff)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nvolumeFor(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
