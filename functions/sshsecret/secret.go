package sshsecret

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

func secret(name string, g *graph.Graph, pair keyPair) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      name,
			Namespace: g.Namespace,
			Labels: map[string]string{
				metadata.LabelManagedBy: metadata.ManagedBy,
				metadata.LabelGraphName: g.Name,
			},
		},
		Type:      corev1.SecretTypeOpaque,
		Immutable: new(true),
		Data:      pair,
	}
}

// read the key pair of an existing Secret. Errors do not contain its data.
func read(object *structpb.Struct) (keyPair, error) {
	existing := &corev1.Secret{}
	if err := require.Into(object, existing); err != nil {
		return nil, errors.New("cannot read the SSH Secret: its data is not valid base64")
	}
	return existing.Data, nil
}
