package topology

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

const requirementTransferTopology = "kv-transfer-topology"

// TransferLabels are the labels in which workers find the topology domains of their node: the label that the policy for the transfer of KV
// caches names, or those of all levels of the topology that it names. Workers publish all domains that they find, and the policy is about
// one of them.
func TransferLabels(f *subject.Facts, o graphplan.Orchestrator) ([]graphplan.TopologyLabel, subject.Outcome) {
	policy := pod.TransferPolicy(f.Graph)
	switch {
	case policy == nil:
		return nil, subject.Outcome{}
	case policy.LabelKey != "":
		return []graphplan.TopologyLabel{{Domain: policy.Domain, Key: policy.LabelKey}}, subject.Outcome{}
	case policy.ClusterTopologyName == "" || o == "" || len(validate.CheckTransferTopology(f.Graph)) > 0:
		return nil, subject.Outcome{}
	case o != graphplan.Grove:
		return nil, subject.Refused(subject.Mistake, message.Forbidden(validate.TransferPath().Child("clusterTopologyName"),
			"requires Grove, but the graph runs on %s; use labelKey with the node label of the domain", o))
	}
	return transferLevels(f, policy)
}

// transferLevels are the labels of the topology object that a policy names. A live graph keeps its labels if the object or the level of the
// policy is removed.
func transferLevels(f *subject.Facts, policy *v1alpha1.KVTransferPolicy) ([]graphplan.TopologyLabel, subject.Outcome) {
	path, name := validate.TransferPath(), policy.ClusterTopologyName
	var o subject.Outcome
	found, err := lookUp(f, &o.Requirements, requirementTransferTopology, path.Child("clusterTopologyName"), name)
	switch {
	case err != nil:
		o.Refuse(subject.Mistake, err)
	case !found.resolved:
	case found.levels != nil && found.levels.KeyOf(policy.Domain) != "":
		return labelsOf(found.levels), o
	case f.Live():
		return liveTransferLabels(f), o
	case found.levels == nil:
		o.Refuse(subject.Mistake, missingObject(path.Child("clusterTopologyName"), found.kind, name))
	default:
		o.Refuse(subject.Mistake, notADomain(path.Child("domain"), policy.Domain, found.kind+" "+name, found.levels.Domains()))
	}
	return nil, o
}

func notADomain(path *field.Path, domain, called string, domains []string) *message.Message {
	return message.Invalid(path, domain, "is not a domain of %s; available domains: %s", called, strings.Join(slices.Sorted(slices.Values(domains)), ", "))
}

func labelsOf(levels *grovev1alpha1.Topology) []graphplan.TopologyLabel {
	labels := make([]graphplan.TopologyLabel, 0, len(levels.Spec.Levels))
	for _, level := range levels.Spec.Levels {
		labels = append(labels, graphplan.TopologyLabel(level))
	}
	return labels
}

// liveTransferLabels are the labels of the pods that run.
func liveTransferLabels(f *subject.Facts) []graphplan.TopologyLabel {
	for _, component := range f.Graph.ComponentsByName() {
		live := f.Observed.Pods[names.Lower(component.Name)]
		if len(live) == 0 {
			continue
		}
		if policy, labels := pod.LiveTransfer(component, &live[0]); policy != nil {
			return labels
		}
	}
	return nil
}

// TransferWarnings are about a policy for the transfer of KV caches whose domain workers cannot find.
func TransferWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	policy := pod.TransferPolicy(f.Graph)
	if policy == nil {
		return nil
	}
	copied := f.Input.Topology.PodLabels
	if copied == nil {
		copied = []string{corev1.LabelTopologyRegion, corev1.LabelTopologyZone}
	}
	var o subject.Outcome
	for _, label := range p.TopologyLabels {
		if label.Domain != policy.Domain || slices.Contains(copied, label.Key) {
			continue
		}
		o.Warn(validate.TransferPath(), "workers find their domain in label %s of their pods, which a pod only has if something copies it from its node, and exit after 30 seconds without it: Kubernetes itself only copies topology.kubernetes.io/region and topology.kubernetes.io/zone, since version 1.35; let the platform copy the label when pods are scheduled, and add it to topology.podLabels %s", label.Key, f.Sources.In("topology.podLabels"))
	}
	if old := withoutTransfer(f, p); len(old) > 0 {
		o.Warn(validate.TransferPath(), "has no effect on %s, because workers support it since Dynamo %s; use a newer image", strings.Join(old, ", "), runtime.TransferPolicy.Since())
	}
	return o.Warnings
}

// withoutTransfer are the workers whose images are older than the policy.
func withoutTransfer(f *subject.Facts, p *graphplan.Plan) []string {
	var old []string
	for _, component := range f.Graph.ComponentsByName() {
		if component.IsWorker() && !p.Components[component.Name].RuntimeVersion.Has(runtime.TransferPolicy) {
			old = append(old, component.Name)
		}
	}
	return old
}
