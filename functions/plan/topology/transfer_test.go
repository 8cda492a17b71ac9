package topology_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// runningTransfer is a PodCliqueSet with a frontend and with transferPods.
func runningTransfer() plantest.RequestOption {
	pods := plantest.TransferPods()
	return plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI), plantest.Clique("worker", func(c *grovev1alpha1.Clique) {
		plantest.OnKAI(c)
		c.Annotations, c.Spec.PodSpec = pods.Annotations, pods.Spec
	})))
}

// TestTransferLabels shows in which labels workers look for their domain, and when they look in vain.
func TestTransferLabels(t *testing.T) {
	type result struct {
		Labels []graphplan.TopologyLabel
		Said   []plantest.Said
	}
	type transferCase struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   result
	}
	const (
		rack   = "example.org/rack"
		policy = "spec.experimental.kvTransferPolicy"
	)
	onGrove := func(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true)}, more...)...)
	}
	copying := func(keys ...string) plantest.RequestOption {
		return plantest.WithInput(inputv1alpha1.Policy{Topology: inputv1alpha1.Topology{PodLabels: keys}})
	}
	object := plantest.WithObject("kv-transfer-topology", plantest.TopologyOf("zone=topology.kubernetes.io/zone", "rack="+rack))
	levels := []graphplan.TopologyLabel{{Domain: "zone", Key: "topology.kubernetes.io/zone"}, {Domain: "rack", Key: rack}}
	older := func(s *v1alpha1.Service) { s.RuntimeVersionOverride = "1.1.0" }
	whole.Table(t, map[string]transferCase{
		"Zone": {
			reason: "Kubernetes copies the zone of a node to its pods.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}},
		},
		"Region": {
			reason: "Kubernetes copies the region, too.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/region")), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/region"}}},
		},
		"NoneCopied": {
			reason: "A platform where nothing copies labels sets an empty list, which differs from none.",
			req: plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups(),
				plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","topology":{"podLabels":[]}}`)),
			want: result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"ZoneUncopied": {
			reason: "In a cluster where nothing copies labels, not even the zone is known.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups(), copying(rack)),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"Uncopied": {
			reason: "Kubernetes does not copy other labels.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByLabel(rack)), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"Copied": {
			reason: "A platform that copies a label says so.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByLabel(rack)), plantest.WithGroups(), copying(rack)),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}},
		},
		"Topology": {
			reason: "All levels of a topology are files, although pods only have some of their labels.",
			req:    onGrove(plantest.Transferring(plantest.TransferByTopology("zone")), object),
			want:   result{Labels: levels},
		},
		"TopologyUncopied": {
			reason: "The label of the domain of the policy is the one that workers need.",
			req:    onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), object),
			want:   result{Labels: levels, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"UnknownDomain": {
			reason: "The topology must have the domain.",
			req:    onGrove(plantest.Transferring(plantest.TransferByTopology("host")), object),
			want:   result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".domain")},
		},
		"NoTopology": {
			reason: "The topology must exist.",
			req:    onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithoutObject("kv-transfer-topology")),
			want:   result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"BadTopology": {
			reason: "A topology that cannot be read is named.",
			req:    onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithObject("kv-transfer-topology", map[string]any{"spec": "none"})),
			want:   result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"OffGrove": {
			reason: "Only Grove has topologies.",
			req:    plantest.Request(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithGroups()),
			want:   result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"LiveTopology": {
			reason: "The pods of a live graph find the labels that the topology has now, when its user changes it.",
			req:    onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), object, runningTransfer(), copying(rack)),
			want:   result{Labels: levels},
		},
		"LiveWithoutTopology": {
			reason: "A live graph keeps its labels when its topology is removed.",
			req: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), plantest.WithoutObject("kv-transfer-topology"), runningTransfer(),
				copying("old-rack")),
			want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"LiveWithoutLevel": {
			reason: "A live graph keeps its labels when the level is removed.",
			req: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), plantest.WithObject("kv-transfer-topology", plantest.TopologyOf("zone=new-zone")), runningTransfer(),
				copying("old-rack")),
			want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"OldImage": {
			reason: "Workers before Dynamo 1.2 do not read the policy.",
			req:    plantest.Request(plantest.Graph(plantest.Worker, plantest.Changed("Worker", older), plantest.WithTransfer(plantest.TransferByLabel("topology.kubernetes.io/zone"))), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
	}, func(tc transferCase) whole.Row[result] {
		return whole.Row[result]{Reason: tc.reason, Request: tc.req, Want: tc.want}
	}, func(of *whole.Outcome) result {
		r := result{Said: of.Said}
		if of.Plan != nil {
			r.Labels = of.Plan.TopologyLabels
		}
		return r
	})
}
