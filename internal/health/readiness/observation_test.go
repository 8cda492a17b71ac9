package readiness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

const (
	frontendUp = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1},
		"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]}}`
	frontendDown   = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1}}`
	frontendFailed = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1,
		"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`
	component = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend"}}`
	set       = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","generation":1},"spec":{"replicas":1},
		"status":{"observedGeneration":1,"availableReplicas":1}}`
	setStarting = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","generation":1},"spec":{"replicas":1},"status":{"observedGeneration":1}}`
)

// child of the PodCliqueSet with this many of two replicas.
func child(ready int32) workload.Children {
	return func(string, string) (graphplan.Child, bool) {
		return graphplan.Child{
			Kind: "PodClique", Name: "llama-0-frontend", Generation: 1, ObservedGeneration: new(int64(1)), SpecReplicas: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: ready,
		}, true
	}
}

func TestObserve(t *testing.T) {
	toDeployment := corev1.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "llama-frontend"}
	toComponent := corev1.ObjectReference{APIVersion: "v1", Kind: "Service", Name: "llama-frontend"}
	toSet := corev1.ObjectReference{APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueSet", Name: "llama"}
	// graph with a status in which a kind of object runs its Frontend, and with references.
	graph := func(kind, object string, refs ...corev1.ObjectReference) any {
		type fields = map[string]any
		return fields{
			"spec":   fields{"crossplane": fields{"resourceRefs": refs}},
			"status": fields{"services": fields{"Frontend": fields{"componentKind": kind, "componentNames": []string{object}}}},
		}
	}
	onDeployments := func(refs ...corev1.ObjectReference) any { return graph("Deployment", "llama-frontend", refs...) }
	onGrove := func(refs ...corev1.ObjectReference) any { return graph("PodClique", "llama-0-frontend", refs...) }
	cases := map[string]struct {
		reason    string
		composite any
		observed  map[string]string
		children  workload.Children
		// state is empty where readiness cannot be told.
		state   string
		message string
		// because is the reason of the condition unless none is told apart.
		because string
	}{
		"New": {
			reason:    "A graph that nothing runs yet is neither ready nor not.",
			composite: `{}`,
		},
		"Ready": {
			reason:    "A graph of which everything does its work is ready.",
			composite: onDeployments(toDeployment, toComponent),
			observed:  map[string]string{"deployment-frontend": frontendUp, "service-frontend": component},
			state:     "successful",
		},
		"PodsDied": {
			reason:    "A graph whose pods have died is not ready, and says which service is affected.",
			composite: onDeployments(toDeployment, toComponent),
			observed:  map[string]string{"deployment-frontend": frontendDown, "service-frontend": component},
			state:     "pending", message: "Frontend: Deployment llama-frontend: 0 of 1 replicas are available",
		},
		"Failed": {
			reason:    "A graph that will not get ready by itself has failed.",
			composite: onDeployments(toDeployment),
			observed:  map[string]string{"deployment-frontend": frontendFailed},
			state:     "failed", message: "Frontend: Deployment llama-frontend: its progress deadline was exceeded, 0 of 1 replicas are available",
		},
		"Gone": {
			reason:    "What is referred to and not observed is not ready.",
			composite: onDeployments(toDeployment, toComponent),
			observed:  map[string]string{"deployment-frontend": frontendUp},
			state:     "pending", message: "Service llama-frontend: does not exist",
		},
		"WorkloadGone": {
			reason:    "A workload that runs a service and is not observed is not ready.",
			composite: onDeployments(toDeployment, toComponent),
			observed:  map[string]string{"service-frontend": component},
			state:     "pending", message: "Frontend: Deployment llama-frontend: does not exist",
		},
		"ReferencesLost": {
			reason:    "What runs a graph that has lost its references may well be there.",
			composite: onDeployments(toComponent),
			observed:  map[string]string{"service-frontend": component},
		},
		"Grove": {
			reason:    "The services on Grove are judged by what Grove has made of them.",
			composite: onGrove(toSet),
			observed:  map[string]string{"podcliqueset": set}, children: child(2),
			state: "successful",
		},
		"GrovePodsDied": {
			reason:    "Grove may hold a set for available whose pods have died.",
			composite: onGrove(toSet),
			observed:  map[string]string{"podcliqueset": set}, children: child(1),
			state: "pending", message: "llama: Frontend: scheduled but ready=1/2 (PodClique llama-0-frontend)", because: "pods_not_ready",
		},
		"GroveUnknown": {
			reason:    "Without what Grove has made, the word of a PodCliqueSet that all is well is not enough.",
			composite: onGrove(toSet),
			observed:  map[string]string{"podcliqueset": set},
		},
		"GroveUnavailable": {
			reason:    "The word of a PodCliqueSet that something is missing is enough.",
			composite: onGrove(toSet),
			observed:  map[string]string{"podcliqueset": setStarting},
			state:     "pending", message: "PodCliqueSet llama: 0 of 1 replicas are available",
		},
		"GroveGone": {
			reason:    "A PodCliqueSet whose API is gone is not observed, and not ready.",
			composite: onGrove(toSet),
			state:     "pending", message: "PodCliqueSet llama: does not exist",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{
				Composite: &fnv1.Resource{Resource: steptest.Struct(tc.composite)}, Resources: map[string]*fnv1.Resource{},
			}}
			for key, text := range tc.observed {
				req.Observed.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(text)}
			}
			o := Observe(req, tc.children)
			if o == nil {
				if tc.state != "" {
					t.Fatalf("%s\nObserve(...): want state %s, got nothing", tc.reason, tc.state)
				}
				return
			}
			want := condition.Observed{Type: "ServicesReady", Status: "False", Reason: "some_resources_are_not_ready", Message: "Resources not ready: " + tc.message}
			if tc.because != "" {
				want.Reason = tc.because
			}
			if tc.state == "successful" {
				want.Status, want.Reason, want.Message = "True", "all_resources_are_ready", "All resources are ready"
			}
			if diff := cmp.Diff(want, o.Condition(req)); diff != "" || string(o.State()) != tc.state {
				t.Errorf("%s\nObserve(...): want state %q, got %q; condition: -want, +got:\n%s", tc.reason, tc.state, o.State(), diff)
			}
		})
	}
}

func TestLacks(t *testing.T) {
	req := &fnv1.RunFunctionRequest{}
	var nothing *Observation
	want := condition.Observed{
		Type: "ServicesReady", Status: "False", Reason: "selected_workload_provider_unavailable", Message: "Resources not ready: API group grove.io: is not served by the cluster",
	}
	if diff := cmp.Diff(want, nothing.Lacks("grove.io").Condition(req)); diff != "" {
		t.Errorf("A graph whose orchestrator is gone is not ready, also when nothing of it is observed: -want, +got:\n%s", diff)
	}
}
