package e2e

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// newImageOnFewer gives a component on Grove a new image and fewer replicas in one edit. If the pods that Grove has just replaced were scaled
// in, its rolling update would wait for them forever.
func (s *suite) newImageOnFewer(t *T) {
	t.Helper()
	const before, after, image = 4, 1, "registry.example.org/runtime:fewer"
	g := s.run(t, "disagg-vllm", "fewer", func(g *unstructured.Unstructured) { editOf(editReplicas, "", before).change(g) })
	ref := controlplane.RefOf(g)
	editOf(editImage, "fewer", 0).change(g)
	editOf(editReplicas, "", after).change(g)
	s.apply(t, g)
	s.eventually(t, fmt.Sprintf("the pods have the image, and %d is left", after), func() error {
		pods := podsOfComponent(s.podsOf(t, ref), editedComponent)
		if len(pods) != after {
			return fmt.Errorf("%d pods are there", len(pods))
		}
		return errors.Join(contains(&pods[0], image), s.is(ref, "Synced", "True", "Ready", "True", "ServicesReady", "True")())
	})
	set, err := s.Client.Get(s.ctx, controlplane.Ref{APIVersion: grove, Kind: "PodCliqueSet", Namespace: ref.Namespace, Name: ref.Name})
	if err != nil {
		t.Fatal(err)
	}
	if ended, _, _ := unstructured.NestedString(set.Object, "status", "updateProgress", "updateEndedAt"); ended == "" {
		t.Errorf("want the rolling update to have ended, got %v", set.Object["status"])
	}
	s.remove(t, g)
}

// podsOfComponent of some pods.
func podsOfComponent(pods []unstructured.Unstructured, component string) []unstructured.Unstructured {
	var all []unstructured.Unstructured
	for _, pod := range pods {
		if pod.GetLabels()[componentLabel] == component {
			all = append(all, pod)
		}
	}
	return all
}
