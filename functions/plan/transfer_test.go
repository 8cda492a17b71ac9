package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// transferring is a graph of a worker with a policy for the transfer of KV caches.
func transferring(policy v1alpha1.KVTransferPolicy) *v1alpha1.DynamoGraphDeployment {
	return plantest.Graph(plantest.Worker, withTransfer(policy))
}

func withTransfer(policy v1alpha1.KVTransferPolicy) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Experimental = &v1alpha1.Experimental{KVTransferPolicy: &policy}
	}
}

// byLabel is a policy about the domain rack, which a node label has.
func byLabel(key string) v1alpha1.KVTransferPolicy {
	return v1alpha1.KVTransferPolicy{LabelKey: key, Domain: "rack"}
}

// byTopology is a policy about a domain of my-topology.
func byTopology(domain string) v1alpha1.KVTransferPolicy {
	return v1alpha1.KVTransferPolicy{ClusterTopologyName: "my-topology", Domain: domain}
}

// transferPods are the pods of a worker with a policy for a topology, and with its labels of two levels.
func transferPods() corev1.PodTemplateSpec {
	file := func(domain, label string) corev1.DownwardAPIVolumeFile {
		return corev1.DownwardAPIVolumeFile{Path: domain, FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['" + label + "']"}}
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"nvidia.com/topology-cluster-topology-name": "my-topology"}},
		Spec: corev1.PodSpec{
			SchedulerName: graphplan.KAIScheduler,
			Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{
				{Name: "DYN_KV_TRANSFER_DOMAIN", Value: "rack"},
				{Name: "DYN_KV_TRANSFER_ENFORCEMENT", Value: "required"},
				{Name: "DYN_TOPOLOGY_ENABLED", Value: "true"},
				{Name: "DYN_TOPOLOGY_MOUNT_PATH", Value: "/etc/dynamo/topology"},
			}}},
			Volumes: []corev1.Volume{{Name: "topology-labels", VolumeSource: corev1.VolumeSource{
				DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{file("zone", "old-zone"), file("rack", "old-rack")}},
			}}},
		},
	}
}

// runningTransfer is a PodCliqueSet with a frontend and with transferPods.
func runningTransfer() plantest.RequestOption {
	pods := transferPods()
	return plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI), plantest.Clique("worker", func(c *grovev1alpha1.Clique) {
		plantest.OnKAI(c)
		c.Annotations, c.Spec.PodSpec = pods.Annotations, pods.Spec
	})))
}

// TestTransferLabels shows in which labels workers look for their domain, and when they look in vain.
func TestTransferLabels(t *testing.T) {
	type result struct {
		Labels   []graphplan.TopologyLabel
		Accepted string
	}
	const (
		rack     = "example.org/rack"
		policy   = "spec.experimental.kvTransferPolicy"
		uncopied = policy + ": workers find their domain in label example.org/rack of their pods, which a pod only has if something copies it from its node, and exit after 30 seconds without it: " +
			"Kubernetes itself only copies topology.kubernetes.io/region and topology.kubernetes.io/zone, since version 1.35; " +
			"let the platform copy the label when pods are scheduled, and add it to topology.podLabels in the input of step plan"
		available = "is not a domain of ClusterTopologyBinding my-topology; available domains: rack, zone"
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
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   result
	}{
		"Zone": {
			reason: "Kubernetes copies the zone of a node to its pods.",
			req:    plantest.Request(transferring(byLabel("topology.kubernetes.io/zone")), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}}},
		},
		"ZoneUncopied": {
			reason: "In a cluster where nothing copies labels, not even the zone is known.",
			req:    plantest.Request(transferring(byLabel("topology.kubernetes.io/zone")), plantest.WithGroups(), copying(rack)),
			want: result{
				Labels:   []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}},
				Accepted: strings.Replace(uncopied, rack, "topology.kubernetes.io/zone", 1),
			},
		},
		"Uncopied": {
			reason: "Kubernetes does not copy other labels.",
			req:    plantest.Request(transferring(byLabel(rack)), plantest.WithGroups()),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}, Accepted: uncopied},
		},
		"Copied": {
			reason: "A platform that copies a label says so.",
			req:    plantest.Request(transferring(byLabel(rack)), plantest.WithGroups(), copying(rack)),
			want:   result{Labels: []graphplan.TopologyLabel{{Domain: "rack", Key: rack}}},
		},
		"Topology": {
			reason: "All levels of a topology are files, although pods only have some of their labels.",
			req:    onGrove(transferring(byTopology("zone")), object),
			want:   result{Labels: levels},
		},
		"TopologyUncopied": {
			reason: "The label of the domain of the policy is the one that workers need.",
			req:    onGrove(transferring(byTopology("rack")), object),
			want:   result{Labels: levels, Accepted: uncopied},
		},
		"UnknownDomain": {
			reason: "The topology must have the domain.",
			req:    onGrove(transferring(byTopology("host")), object),
			want:   result{Accepted: policy + `.domain: Invalid value: "host": ` + available},
		},
		"NoTopology": {
			reason: "The topology must exist.",
			req:    onGrove(transferring(byTopology("rack")), plantest.WithoutObject("kv-transfer-topology")),
			want: result{
				Accepted: policy + `.clusterTopologyName: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`,
			},
		},
		"BadTopology": {
			reason: "A topology that cannot be read is named.",
			req:    onGrove(transferring(byTopology("rack")), plantest.WithObject("kv-transfer-topology", map[string]any{"spec": "none"})),
			want: result{
				Accepted: policy + ".clusterTopologyName: Internal error: cannot read an object: spec: Invalid value: must be an object, not a string",
			},
		},
		"OffGrove": {
			reason: "Only Grove has topologies.",
			req:    plantest.Request(transferring(byTopology("rack")), plantest.WithGroups()),
			want: result{
				Accepted: policy + ".clusterTopologyName: Forbidden: requires Grove, but the graph runs on Deployment; use labelKey with the node label of the domain",
			},
		},
		"LiveTopology": {
			reason: "The pods of a live graph find the labels that the topology has now, when its user changes it.",
			req:    onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, withTransfer(byTopology("rack"))), object, runningTransfer(), copying(rack)),
			want:   result{Labels: levels},
		},
		"LiveWithoutTopology": {
			reason: "A live graph keeps its labels when its topology is removed.",
			req: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, withTransfer(byTopology("rack"))), plantest.WithoutObject("kv-transfer-topology"), runningTransfer(),
				copying("old-rack")),
			want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"LiveWithoutLevel": {
			reason: "A live graph keeps its labels when the level is removed.",
			req: onGrove(plantest.Graph(plantest.Frontend, plantest.Worker, withTransfer(byTopology("rack"))), plantest.WithObject("kv-transfer-topology", plantest.TopologyOf("zone=new-zone")), runningTransfer(),
				copying("old-rack")),
			want: result{Labels: []graphplan.TopologyLabel{{Domain: "zone", Key: "old-zone"}, {Domain: "rack", Key: "old-rack"}}},
		},
		"OldImage": {
			reason: "Workers before Dynamo 1.2 do not read the policy.",
			req:    plantest.Request(plantest.Graph(plantest.Worker, plantest.Changed("Worker", older), withTransfer(byLabel("topology.kubernetes.io/zone"))), plantest.WithGroups()),
			want: result{
				Labels:   []graphplan.TopologyLabel{{Domain: "rack", Key: "topology.kubernetes.io/zone"}},
				Accepted: policy + ": has no effect on Worker, because workers support it since Dynamo 1.2.0; use a newer image",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := run(t, tc.req)
			var got result
			for _, c := range rsp.GetConditions() {
				if c.GetType() == "Accepted" {
					got.Accepted = c.GetMessage()
				}
			}
			if rsp.GetContext() != nil {
				got.Labels = planIn(t, rsp).TopologyLabels
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTransferUnchanged shows that workers of two policies never run side by side.
func TestTransferUnchanged(t *testing.T) {
	const refused = "spec.experimental.kvTransferPolicy: Forbidden: cannot be changed after creation: undo the change, or delete and recreate the graph"
	with := plantest.Deployment("llama-worker", transferPods())
	without := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}})
	changed := func(change func(*v1alpha1.KVTransferPolicy)) *v1alpha1.DynamoGraphDeployment {
		policy := byTopology("rack")
		change(&policy)
		return transferring(policy)
	}
	cases := map[string]struct {
		reason string
		live   any
		xr     *v1alpha1.DynamoGraphDeployment
		want   []string
	}{
		"Unchanged":    {reason: "A graph that did not change is fine.", live: with, xr: transferring(byTopology("rack"))},
		"Defaulted":    {reason: "The default enforcement may be written.", live: with, xr: changed(func(p *v1alpha1.KVTransferPolicy) { p.Enforcement = "required" })},
		"None":         {reason: "A graph without a policy is fine.", live: without, xr: plantest.Graph(plantest.Worker)},
		"Added":        {reason: "A policy cannot be added.", live: without, xr: transferring(byTopology("rack")), want: []string{refused}},
		"Removed":      {reason: "A policy cannot be removed.", live: with, xr: plantest.Graph(plantest.Worker), want: []string{refused}},
		"Domain":       {reason: "Its domain cannot change.", live: with, xr: transferring(byTopology("zone")), want: []string{refused}},
		"Source":       {reason: "Its label cannot change.", live: with, xr: transferring(byLabel("a")), want: []string{refused}},
		"Enforcement":  {reason: "Its enforcement cannot change.", live: with, xr: changed(func(p *v1alpha1.KVTransferPolicy) { p.Enforcement, p.PreferredWeight = "preferred", new(0.5) }), want: []string{refused}},
		"OtherService": {reason: "A frontend has no policy.", live: without, xr: plantest.Graph(plantest.Service("Worker", plantest.ServiceOf("frontend")), withTransfer(byTopology("rack")))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(tc.xr, plantest.WithObserved("deployment-worker", tc.live)))
			var got []string
			changed := immutable.Check(f)
			for _, m := range changed.Refused(subject.ImmutableChange) {
				got = append(got, m.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
