package grove

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
}

// onKAI gives pods the KAI scheduler.
func onKAI(p *graphplan.Plan) {
	p.Grove.SchedulerName, p.Grove.Queue = graphplan.KAIScheduler, "dynamo"
}

// compose the PodCliqueSet of a graph.
func compose(t *testing.T, spec, plan string) *grovev1alpha1.PodCliqueSet {
	t.Helper()
	rsp := run(t, steptest.Request(spec, plan))
	if results := rsp.GetResults(); len(results) > 0 {
		t.Fatalf("RunFunction(...): want no results, got %v", results)
	}
	encoded, err := rsp.GetDesired().GetResources()["podcliqueset"].GetResource().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	set := &grovev1alpha1.PodCliqueSet{}
	if err := json.Unmarshal(encoded, set); err != nil {
		t.Fatal(err)
	}
	return set
}

// outline is what a clique is beside the pod that every clique has.
type outline struct {
	Name         string
	Replicas     int32
	MinAvailable int32
	StartsAfter  []string
	Role         string
	Scheduler    string
	Queue        string
	// Program is the command and the args, a blank between each.
	Program string
	// Probes of the main container, by their first letters.
	Probes         string
	InitContainers []string
	Volumes        []string
}

func outlines(set *grovev1alpha1.PodCliqueSet) []outline {
	var all []outline
	for _, clique := range set.Spec.Template.Cliques {
		main := clique.Spec.PodSpec.Containers[0]
		o := outline{
			Name: clique.Name, Replicas: clique.Spec.Replicas, MinAvailable: clique.Spec.MinAvailable, StartsAfter: clique.Spec.StartsAfter,
			Role: clique.Labels["role"], Scheduler: clique.Spec.PodSpec.SchedulerName, Queue: clique.Labels["kai.scheduler/queue"],
			Program: strings.Join(append(main.Command, main.Args...), " "),
		}
		for i, probe := range []*corev1.Probe{main.LivenessProbe, main.ReadinessProbe, main.StartupProbe} {
			if probe != nil {
				o.Probes += string("lrs"[i])
			}
		}
		for _, c := range clique.Spec.PodSpec.InitContainers {
			o.InitContainers = append(o.InitContainers, c.Name)
		}
		for _, v := range clique.Spec.PodSpec.Volumes {
			o.Volumes = append(o.Volumes, v.Name)
		}
		all = append(all, o)
	}
	return all
}
