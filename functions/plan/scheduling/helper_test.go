package scheduling_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// gangsOfKubernetes is the API group of the gangs of Kubernetes, if it is looked up.
const gangsOfKubernetes = "apiservice-scheduling v1beta1.scheduling.k8s.io"

// scheduled is who schedules the pods of a graph, in which queue, and what its user is told.
type scheduled struct {
	Said []plantest.Said
	// Asked are the queues that are looked up, and the API group of the gangs of Kubernetes.
	Asked []string
	// Queue is the reason of condition QueueAvailable.
	Queue string
	// By is who schedules the pods.
	By graphplan.Gang
	// Soon says that Crossplane runs the pipeline again within a minute.
	Soon bool
}

func decided(of *whole.Outcome) scheduled {
	out := scheduled{
		Said: of.Said, Asked: of.Asked("apiservice-scheduling", "apiservice-scheduling-v1", "kai-queue", "volcano-queue"), Queue: of.Condition(condition.TypeQueueAvailable).GetReason(),
		Soon: of.Response.GetMeta().GetTtl().AsDuration() == step.PendingTTL,
	}
	switch p := of.Plan; {
	case p == nil:
	case p.Grove != nil:
		out.By = onGrove(p.Grove.SchedulerName, p.Grove.Queue)
	default:
		out.By = p.LWS.Gang
	}
	return out
}

// onGrove pods have a scheduler, and a queue unless it is empty.
func onGrove(scheduler, queue string) graphplan.Gang {
	return graphplan.Gang{SchedulerName: scheduler, Queue: queue}
}

func compare(t *testing.T, cases map[string]whole.Row[scheduled]) {
	t.Helper()
	whole.Table(t, cases, decided, condition.TypeQueueAvailable)
}
