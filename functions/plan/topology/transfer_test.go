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
	whole.Table(t, map[string]whole.Row[result]{
		"Zone": {
			Reason:  "Kubernetes copies the zone of a node to its pods.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups()),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}},
		},
		"Region": {
			Reason:  "Kubernetes copies the region, too.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/region")), plantest.WithGroups()),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/region"}}},
		},
		"NoneCopied": {
			Reason: "A platform where nothing copies labels sets an empty list, which differs from none.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups(),
				plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","topology":{"podLabels":[]}}`)),
			Want: result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"ZoneUncopied": {
			Reason:  "In a cluster where nothing copies labels, not even the zone is known.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel("topology.kubernetes.io/zone")), plantest.WithGroups(), copying(rack)),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"Uncopied": {
			Reason:  "Kubernetes does not copy other labels.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel(rack)), plantest.WithGroups()),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"Copied": {
			Reason:  "A platform that copies a label says so.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByLabel(rack)), plantest.WithGroups(), copying(rack)),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}},
		},
		"Topology": {
			Reason:  "All levels of a topology are files, although pods only have some of their labels.",
			Request: onGrove(plantest.Transferring(plantest.TransferByTopology("zone")), object),
			Want:    result{Labels: levels},
		},
		"TopologyUncopied": {
			Reason:  "The label of the domain of the policy is the one that workers need.",
			Request: onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), object),
			Want:    result{Labels: levels, Said: plantest.Warned(rule.Transfer, policy)},
		},
		"UnknownDomain": {
			Reason:  "The topology must have the domain.",
			Request: onGrove(plantest.Transferring(plantest.TransferByTopology("host")), object),
			Want:    result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".domain")},
		},
		"NoTopology": {
			Reason:  "The topology must exist.",
			Request: onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithoutObject("kv-transfer-topology")),
			Want:    result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"BadTopology": {
			Reason:  "A topology that cannot be read is named.",
			Request: onGrove(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithObject("kv-transfer-topology", map[string]any{"spec": "none"})),
			Want:    result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"OffGrove": {
			Reason:  "Only Grove has topologies.",
			Request: plantest.Request(plantest.Transferring(plantest.TransferByTopology("rack")), plantest.WithGroups()),
			Want:    result{Said: plantest.Refused(subject.Mistake, rule.Transfer, policy+".clusterTopologyName")},
		},
		"LiveTopology": {
			Reason:  "The pods of a live graph find the labels that the topology has now, when its user changes it.",
			Request: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), object, runningTransfer(), copying(rack)),
			Want:    result{Labels: levels},
		},
		"LiveWithoutTopology": {
			Reason: "A live graph keeps its labels when its topology is removed.",
			Request: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), plantest.WithoutObject("kv-transfer-topology"), runningTransfer(),
				copying("old-rack")),
			Want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"LiveWithoutLevel": {
			Reason: "A live graph keeps its labels when the level is removed.",
			Request: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.WithTransfer(plantest.TransferByTopology("rack"))), plantest.WithObject("kv-transfer-topology", plantest.TopologyOf("zone=new-zone")), runningTransfer(),
				copying("old-rack")),
			Want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"OldImage": {
			Reason:  "Workers before Dynamo 1.2 do not read the policy.",
			Request: plantest.Request(plantest.Graph(plantest.Worker, plantest.Changed("Worker", older), plantest.WithTransfer(plantest.TransferByLabel("topology.kubernetes.io/zone"))), plantest.WithGroups()),
			Want:    result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}, Said: plantest.Warned(rule.Transfer, policy)},
		},
	}, func(of *whole.Outcome) result {
		r := result{Said: of.Said}
		if of.Plan != nil {
			r.Labels = of.Plan.TopologyLabels
		}
		return r
	})
}
