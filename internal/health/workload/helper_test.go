package workload

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// fields of an object that its type cannot express.
type fields = map[string]any

// encoded is an observed object. It is nil if the object does not exist.
func encoded(t *testing.T, object any) *structpb.Struct {
	t.Helper()
	if object == nil {
		return nil
	}
	return steptest.Struct(object)
}

// at is a time of the day, such as 09:00.
func at(clock string) metav1.Time {
	t, err := time.Parse(time.RFC3339, "2026-01-01T"+clock+":00Z")
	if err != nil {
		panic(err)
	}
	return metav1.Time{Time: t}
}

// deleted objects are being deleted since midnight.
func deleted(meta *metav1.ObjectMeta) { meta.DeletionTimestamp = new(at("00:00")) }

// deploymentOf replicas, with generation 3. If they are nil, they have the default.
func deploymentOf(replicas *int32, status appsv1.DeploymentStatus) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Generation: 3},
		Spec:       appsv1.DeploymentSpec{Replicas: replicas},
		Status:     status,
	}
}

// progressOf a Deployment whose controller has observed generation 3.
func progressOf(replicas, updated, ready, available int32, conditions ...appsv1.DeploymentCondition) appsv1.DeploymentStatus {
	return appsv1.DeploymentStatus{
		ObservedGeneration: 3, Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: ready, AvailableReplicas: available, Conditions: conditions,
	}
}

// before is a status that was observed at generation 2.
func before(status appsv1.DeploymentStatus) appsv1.DeploymentStatus {
	status.ObservedGeneration = 2
	return status
}

func available(status corev1.ConditionStatus) appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{Type: appsv1.DeploymentAvailable, Status: status}
}

// exceeded is the condition of a Deployment that is past its deadline.
func exceeded() appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}
}

func deploymentUp() *appsv1.Deployment {
	return deploymentOf(nil, progressOf(1, 1, 1, 1, available(corev1.ConditionTrue)))
}

func deploymentStuck() *appsv1.Deployment {
	return deploymentOf(nil, progressOf(1, 1, 0, 0, exceeded()))
}

// leaderWorkerSetOf groups, with generation 3. If they are nil, they have the default.
func leaderWorkerSetOf(replicas *int32, status lwsv1.LeaderWorkerSetStatus) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Generation: 3},
		Spec:       lwsv1.LeaderWorkerSetSpec{Replicas: replicas},
		Status:     status,
	}
}

// groupsOf a LeaderWorkerSet. Its status does not contain a generation, as before LWS v0.9.
func groupsOf(replicas, updated, ready int32, conditions ...metav1.Condition) lwsv1.LeaderWorkerSetStatus {
	return lwsv1.LeaderWorkerSetStatus{Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: ready, Conditions: conditions}
}

// observing adds the observed generation to a status, as LWS does since v0.9.
func observing(generation int64, status lwsv1.LeaderWorkerSetStatus) lwsv1.LeaderWorkerSetStatus {
	status.ObservedGeneration = generation
	return status
}

func setAvailable(status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{Type: string(lwsv1.LeaderWorkerSetAvailable), Status: status}
}

func setProgressing(status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{Type: string(lwsv1.LeaderWorkerSetProgressing), Status: status}
}

func setUp() *lwsv1.LeaderWorkerSet {
	return leaderWorkerSetOf(new(int32(1)), groupsOf(1, 1, 1, setAvailable(metav1.ConditionTrue)))
}

// podCliqueSetOf one replica, with generation 3.
func podCliqueSetOf(status grovev1alpha1.PodCliqueSetStatus) *grovev1alpha1.PodCliqueSet {
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{Generation: 3},
		Spec:       grovev1alpha1.PodCliqueSetSpec{Replicas: 1},
		Status:     status,
	}
}

// observedSet is the status of a PodCliqueSet of which Grove has observed generation 3.
func observedSet(available int32, changes ...func(*grovev1alpha1.PodCliqueSetStatus)) grovev1alpha1.PodCliqueSetStatus {
	status := grovev1alpha1.PodCliqueSetStatus{ObservedGeneration: new(int64(3)), AvailableReplicas: available}
	for _, change := range changes {
		change(&status)
	}
	return status
}

// reporting adds errors of Grove to a status.
func reporting(errors ...grovev1alpha1.LastError) func(*grovev1alpha1.PodCliqueSetStatus) {
	return func(s *grovev1alpha1.PodCliqueSetStatus) { s.LastErrors = errors }
}

// updating is a rolling update in progress.
func updating(s *grovev1alpha1.PodCliqueSetStatus) {
	s.UpdateProgress = &grovev1alpha1.UpdateProgress{UpdateStartedAt: new(at("00:00"))}
}

// updatingBefore is a rolling update in progress, as versions of Grove before v0.1.0-alpha.7 report it.
func updatingBefore(s *grovev1alpha1.PodCliqueSetStatus) {
	s.RollingUpdateProgress = &grovev1alpha1.UpdateProgress{UpdateStartedAt: new(at("00:00"))}
}

// updated is a rolling update that has ended.
func updated(s *grovev1alpha1.PodCliqueSetStatus) {
	s.UpdateProgress = &grovev1alpha1.UpdateProgress{UpdateStartedAt: new(at("00:00")), UpdateEndedAt: new(at("00:01"))}
}

func cliqueSetUp() *grovev1alpha1.PodCliqueSet { return podCliqueSetOf(observedSet(1)) }

func cliqueSetStarting() *grovev1alpha1.PodCliqueSet { return podCliqueSetOf(observedSet(0)) }

func cliqueSetRolling() *grovev1alpha1.PodCliqueSet { return podCliqueSetOf(observedSet(1, updating)) }
