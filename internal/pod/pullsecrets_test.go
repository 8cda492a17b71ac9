package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPullSecrets(t *testing.T) {
	platform := []graphplan.RegistrySecret{
		{Registry: "nvcr.io", SecretName: "nvcr"},
		{Registry: "docker.io", SecretName: "hub"},
		{Registry: "registry.example.org:5000", SecretName: "own"},
		{Registry: "nvcr.io", SecretName: "another"},
	}
	cases := map[string]struct {
		reason  string
		secrets []graphplan.RegistrySecret
		spec    string
		want    string
	}{
		"None": {
			reason: "Without secrets of the platform the user's stay as they are.",
			spec:   `{"extraPodSpec":{"imagePullSecrets":[{"name":"b"},{"name":"a"}],"mainContainer":{"image":"nvcr.io/nvidia/runtime:1"}}}`,
			want:   `[{"name":"b"},{"name":"a"}]`,
		},
		"BehindUsers": {
			reason: "The user's secrets come first, and none is duplicated.", secrets: platform,
			spec: `{"extraPodSpec":{"imagePullSecrets":[{"name":"z"},{"name":"nvcr"}],"mainContainer":{"image":"nvcr.io/nvidia/runtime:1"}}}`,
			want: `[{"name":"z"},{"name":"nvcr"},{"name":"another"}]`,
		},
		"NoHost": {
			reason: "An image without a host is of docker.io.", secrets: platform,
			spec: `{"extraPodSpec":{"mainContainer":{"image":"busybox"}}}`,
			want: `[{"name":"hub"}]`,
		},
		"EveryContainer": {
			reason: "The images of all containers count, that of the sidecar too.", secrets: platform,
			spec: `{"frontendSidecar":{"image":"registry.example.org:5000/frontend@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
				"extraPodSpec":{"initContainers":[{"name":"i","image":"docker.io/library/busybox"}],"mainContainer":{"image":"ghcr.io/a/b"}}}`,
			want: `[{"name":"hub"},{"name":"own"}]`,
		},
		"NoImageName": {
			reason: "What is no name of an image is of no registry.", secrets: platform,
			spec: `{"extraPodSpec":{"mainContainer":{"image":"NVCR.io/${IMAGE}"}}}`,
			want: `null`,
		},
		"SwitchedOff": {
			reason: "A service may do without the secrets of the platform.", secrets: platform,
			spec: `{"annotations":{"nvidia.com/disable-image-pull-secret-discovery":"true"},"extraPodSpec":{"mainContainer":{"image":"busybox"}}}`,
			want: `null`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponent(t, tc.spec), graphplan.Component{Discovery: graphplan.Kubernetes})
			b.Plan.ImagePullSecrets = tc.secrets
			got := b.Build("S", backend.RoleMain, nil).Spec.ImagePullSecrets
			if diff := cmp.Diff(parse(t, tc.want), tree(t, got)); diff != "" {
				t.Errorf("%s\nimagePullSecrets: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
