package served_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// decision is which of the kinds that only some clusters serve a graph gets.
type decision struct {
	// Asked are the API groups and the kinds that are looked up.
	Asked []string
	Said  []plantest.Said

	Serves []string
	TLS    *graphplan.MeshTLS

	// Adapter says that component Frontend has a scaling adapter, and Replicas is the number that it asks for.
	Adapter  bool
	Replicas *int32

	// Soon says that Crossplane runs the pipeline again within a minute.
	Soon bool
}

func decided(of *whole.Outcome) decision {
	out := decision{Said: of.Said, Soon: of.Response.GetMeta().GetTtl().AsDuration() == step.PendingTTL}
	for _, requirement := range []string{"apiservice-gateway-api", "apiservice-inference", "apiservice-istio"} {
		if len(of.Asked(requirement)) > 0 {
			out.Asked = append(out.Asked, requirement)
		}
	}
	for requirement := range of.Response.GetRequirements().GetSchemas() {
		out.Asked = append(out.Asked, requirement)
	}
	if p := of.Plan; p != nil {
		out.Serves, out.TLS = p.Serves, p.EndpointPickerTLS
		out.Adapter, out.Replicas = p.Components["Frontend"].ScalingAdapter, p.Components["Frontend"].Replicas
	}
	return out
}

func compare(t *testing.T, cases map[string]whole.Row[decision]) {
	t.Helper()
	whole.Table(t, cases, decided)
}
