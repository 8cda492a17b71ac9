package observed

import (
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// DeploymentProgress is the progress of a Deployment. Its pods, which are most of the object, are not decoded.
type DeploymentProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`
		Paused   bool   `json:"paused,omitempty"`
	} `json:"spec,omitzero"`
	Status appsv1.DeploymentStatus `json:"status,omitzero"`
}

// ProgressOfDeployment decodes a Deployment.
func ProgressOfDeployment(object *structpb.Struct) (*DeploymentProgress, error) {
	d := &DeploymentProgress{}
	return d, require.Into(object, d)
}

// LeaderWorkerSetProgress is the progress of a LeaderWorkerSet. Its pods, which are most of the object, are not decoded.
type LeaderWorkerSetProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`
	} `json:"spec,omitzero"`
	Status lwsv1.LeaderWorkerSetStatus `json:"status,omitzero"`
}

// ProgressOfLeaderWorkerSet decodes a LeaderWorkerSet.
func ProgressOfLeaderWorkerSet(object *structpb.Struct) (*LeaderWorkerSetProgress, error) {
	set := &LeaderWorkerSetProgress{}
	return set, require.Into(object, set)
}

// AvailableSince is the last transition of condition Available of a LeaderWorkerSet whose status does not contain a generation, as before LWS
// v0.9. Right after a change, such a status still describes the earlier pods. LWS sets the condition to False while it replaces pods, so a
// later transition shows that the status describes the new pods. Empty if the status contains a generation.
func AvailableSince(object *structpb.Struct) string {
	status := tree.At(object, "status").GetFields()
	if _, ok := status["observedGeneration"]; ok {
		return ""
	}
	for _, value := range status["conditions"].GetListValue().GetValues() {
		if c := value.GetStructValue(); tree.Text(c, "type") == string(lwsv1.LeaderWorkerSetAvailable) {
			return tree.Text(c, "lastTransitionTime")
		}
	}
	return ""
}

// PodCliqueSetProgress is the progress of a PodCliqueSet. Its cliques, which are most of the object, are not decoded.
type PodCliqueSetProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec,omitzero"`
	Status grovev1alpha1.PodCliqueSetStatus `json:"status,omitzero"`
}

// ProgressOfPodCliqueSet decodes a PodCliqueSet.
func ProgressOfPodCliqueSet(object *structpb.Struct) (*PodCliqueSetProgress, error) {
	set := &PodCliqueSetProgress{}
	return set, require.Into(object, set)
}
