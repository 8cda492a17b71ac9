package validate

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// TransferPath is the path of the policy for the transfer of KV caches.
func TransferPath() *field.Path { return specPath().Child("experimental", "kvTransferPolicy") }

// transfer checks the policy for the transfer of KV caches as the schema of the API and the webhooks of the Dynamo operator of August 2026
// do, as far as possible without the topology that it names.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L553
func (v *validator) transfer() {
	policy, path := pod.TransferPolicy(v.graph), TransferPath()
	if policy == nil {
		return
	}
	switch {
	case policy.LabelKey == "" && policy.ClusterTopologyName == "":
		v.required(path, "exactly one of labelKey and clusterTopologyName is required; specify labelKey, such as %s", corev1.LabelTopologyZone)
	case policy.LabelKey != "" && policy.ClusterTopologyName != "":
		v.forbidden(path, "exactly one of labelKey and clusterTopologyName is required; remove one of the two")
	}
	if policy.LabelKey != "" {
		v.malformed(path.Child("labelKey"), policy.LabelKey, validation.IsQualifiedName(policy.LabelKey))
	}
	v.add(CheckTransferTopology(v.graph)...)
	if policy.Domain == "" {
		v.required(path.Child("domain"), "specify the topology level that workers have to share, such as zone")
	} else {
		v.domain(path.Child("domain"), policy.Domain)
	}
	v.transferEnforcement(path, policy)
}

// CheckTransferTopology refuses a name that no topology can have. Looking up such an object would fail the request.
func CheckTransferTopology(g *graph.Graph) message.List {
	policy := pod.TransferPolicy(g)
	if policy == nil {
		return nil
	}
	return ObjectName(TransferPath().Child("clusterTopologyName"), policy.ClusterTopologyName)
}

func (v *validator) transferEnforcement(path *field.Path, policy *v1alpha1.KVTransferPolicy) {
	if policy.Enforcement != "" {
		v.oneOf(path.Child("enforcement"), string(policy.Enforcement), string(v1alpha1.KVTransferPreferred), string(v1alpha1.KVTransferRequired))
	}
	weight, preferred := policy.PreferredWeight, policy.Enforcement == v1alpha1.KVTransferPreferred
	switch fieldPath := path.Child("preferredWeight"); {
	case weight == nil && preferred:
		v.required(fieldPath, "specify how strongly workers of the same domain are preferred, from 0 to 1")
	case weight == nil:
	case !preferred:
		v.forbidden(fieldPath, "may not be set when enforcement is required; remove it, or set enforcement to preferred")
	case *weight < 0 || *weight > 1:
		v.invalid(fieldPath, *weight, "must be between 0 and 1")
	}
}

// transfer warns of a policy that nothing follows, and of variables of the user that it overrides.
func (w *warnings) transfer(g *graph.Graph) {
	if pod.TransferPolicy(g) == nil {
		return
	}
	var workers bool
	for _, s := range g.ComponentsByName() {
		if !s.IsWorker() {
			continue
		}
		workers = true
		path := graph.ComponentsPath().Key(s.Name)
		w.transferEnv(graph.MainPath(path, "env"), s.WrittenMain().Env)
		w.transferEnv(path.Child("envs"), s.Envs)
	}
	w.transferEnv(specPath().Child("env"), g.Spec.Env)
	if !workers {
		w.add(TransferPath(), "has no effect, because no {{component}} of the graph is a worker")
	}
}

func (w *warnings) transferEnv(path *field.Path, env []corev1.EnvVar) {
	for i, e := range env {
		if pod.IsTransferEnv(e.Name) {
			w.add(path.Index(i), "%s has no effect on workers, because spec.experimental.kvTransferPolicy determines it; remove it", e.Name)
		}
	}
}
