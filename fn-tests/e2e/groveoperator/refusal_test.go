package groveoperator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/errors"
)

// refused is what the API server answers when a quota is used up. It has made a name from the prefix that Grove gives.
func refused() error {
	return kerrors.NewForbidden(corev1.Resource("pods"), "llama-0-worker-x2k4p", errors.NewAggregate([]error{
		kerrors.NewBadRequest("exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: requests.nvidia.com/gpu=1"),
	}))
}

func cliqueOf(generation int64) *object {
	clique := &object{}
	clique.SetAPIVersion(apiVersion)
	clique.SetKind(kindClique)
	clique.SetNamespace("inference")
	clique.SetName("llama-0-worker")
	clique.SetUID("uid")
	clique.SetGeneration(generation)
	return clique
}

// TestRefusal holds what is reported of a pod that cannot be created to the words of Grove v0.1.0-alpha.12-rc1.
func TestRefusal(t *testing.T) {
	const cause = `pods "llama-0-worker-x2k4p" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, ` +
		"limited: requests.nvidia.com/gpu=1"
	event := eventOf(cliqueOf(1), refused())
	got := []string{event.InvolvedObject.Kind + " " + event.InvolvedObject.Name, event.Source.Component, event.Type, event.Reason, event.Message}
	want := []string{"PodClique llama-0-worker", "podclique-controller", "Warning", "PodCreateFailed", "Error creating pod : " + cause}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("The event is about the PodClique, and the pod has no name.\neventOf(...): -want, +got:\n%s", diff)
	}
	const description = "failed to sync Pod: [Operation: Sync, Code: ERR_CREATE_POD] message: failed to create Pod:  for PodClique inference/llama-0-worker, cause: "
	if diff := cmp.Diff(description+cause, descriptionOf(cliqueOf(1), refused())); diff != "" {
		t.Errorf("The last error says what Grove was about to do.\ndescriptionOf(...): -want, +got:\n%s", diff)
	}
}

func TestRefusalsHold(t *testing.T) {
	r := newRefusals()
	for range 20 {
		r.add(cliqueOf(1), refused())
	}
	if !r.holds(cliqueOf(1)) {
		t.Error("want Grove to wait after many refusals")
	}
	if r.holds(cliqueOf(2)) {
		t.Error("want a changed clique tried at once")
	}
	r.forget(cliqueOf(1))
	if r.holds(cliqueOf(1)) {
		t.Error("want a clique that had all its pods tried at once")
	}
	r.add(cliqueOf(1), refused())
	if last := r.all["uid"]; len(last.lastErrors) != 1 {
		t.Errorf("want one error reported, got %v", last.lastErrors)
	}
}
