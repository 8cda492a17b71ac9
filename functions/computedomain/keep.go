package computedomain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/computedomainv1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// keeper decides which observed domains stay although no desired workload uses them. They go in three runs of the pipeline:
// first the workload, then the Usage, then the domain. Crossplane deletes what is no longer desired in random order, and
// stops at the first deletion that is refused; pods whose domain went before them would never end.
//
// What Crossplane has begun to delete it no longer observes, so the keeper asks for it by name until it is gone.
type keeper struct {
	graph        *graph.Graph
	req          *fnv1.RunFunctionRequest
	rsp          *fnv1.RunFunctionResponse
	requirements *require.Requirements

	// protected are the names of the domains that an observed Usage protects.
	protected map[string]bool

	// pending says that something is on its way out.
	pending bool
}

// keep what must stay, and report whether something is still to go.
func (k *keeper) keep() (pending bool, err error) {
	k.protected = map[string]bool{}
	for _, key := range k.observed(names.IsUsage, protectionv1beta1.Group, kindUsage) {
		if err := k.keepUsage(key); err != nil {
			return false, err
		}
	}
	for _, key := range k.observed(names.IsComputeDomain, "resource.nvidia.com", computedomainv1beta1.Kind) {
		if err := k.keepDomain(key); err != nil {
			return false, err
		}
	}
	return k.pending, nil
}

// observed keys of one kind of object, sorted.
func (k *keeper) observed(isOurs func(key string) bool, group, kind string) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(k.req.GetObserved().GetResources())) {
		fields := k.req.GetObserved().GetResources()[key].GetResource().GetFields()
		if isOurs(key) && strings.HasPrefix(fields["apiVersion"].GetStringValue(), group+"/") && fields["kind"].GetStringValue() == kind {
			keys = append(keys, key)
		}
	}
	return keys
}

func (k *keeper) isDesired(key string) bool {
	_, ok := k.rsp.GetDesired().GetResources()[key]
	return ok
}

// keepUsage of a domain until the workload is gone that uses it.
func (k *keeper) keepUsage(key string) error {
	usage := &protectionv1beta1.Usage{}
	if err := require.Into(k.req.GetObserved().GetResources()[key].GetResource(), usage); err != nil {
		return errors.Wrapf(err, "cannot tell what %s protects", key)
	}
	p := protection{key: resource.Name(key), name: usage.GetName()}
	if ref := usage.Spec.Of.ResourceRef; ref != nil {
		p.domain = ref.Name
	}
	if by := usage.Spec.By; by != nil && by.ResourceRef != nil {
		p.by = workload{apiVersion: by.APIVersion, kind: by.Kind, name: by.ResourceRef.Name}
	}
	k.protected[p.domain] = true
	switch {
	case k.isDesired(key):
		return nil
	case k.wants(p.by):
	case k.exists(p.by):
		k.pending = true
	default:
		k.pending = true
		return nil
	}
	return desired.Set(k.rsp, p.key, p.object(k.graph))
}

// keepDomain until nothing uses it. The domain of the whole graph goes only with the graph.
func (k *keeper) keepDomain(key string) error {
	if k.isDesired(key) {
		return nil
	}
	d := graphDomain(k.graph)
	if key != string(names.KeyComputeDomain) {
		service, i, ok := names.ReplicaOfComputeDomain(key)
		if !ok {
			return nil
		}
		d = replicaDomain(k.graph, cmp.Or(k.spelling(key), service), i)
		if !k.wants(setOf(d)) && !k.awaits(d) {
			return nil
		}
	}
	return desired.Set(k.rsp, d.key, d.object(k.graph))
}

// setOf a domain of one replica is its LeaderWorkerSet.
func setOf(d domain) workload {
	return workload{lwsv1.GroupVersion.String(), kindLeaderWorkerSet, d.name}
}

// awaits reports whether a domain has to wait until its LeaderWorkerSet and its Usage are gone.
func (k *keeper) awaits(d domain) bool {
	used, protected := k.exists(setOf(d)), k.lookUp(workload{protectionv1beta1.SchemeGroupVersion.String(), kindUsage, d.name})
	if !used && !protected && !k.protected[d.name] {
		return false
	}
	k.pending = true
	return true
}

// spelling of the service that an observed domain is for; empty when it does not say.
func (k *keeper) spelling(key string) string {
	labels := k.req.GetObserved().GetResources()[key].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["labels"]
	return labels.GetStructValue().GetFields()[metadata.LabelComponent].GetStringValue()
}

// wants reports whether a workload is desired.
func (k *keeper) wants(w workload) bool { return contains(k.rsp.GetDesired(), w) }

// exists reports whether a workload may still be there, with pods on their way out. One that has not been looked for may.
// Only kinds are asked for that the chain composes: Crossplane fails when it is asked for one that is not installed.
func (k *keeper) exists(w workload) bool {
	switch w {
	case workload{grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet, w.name},
		workload{lwsv1.GroupVersion.String(), kindLeaderWorkerSet, w.name},
		workload{appsv1.SchemeGroupVersion.String(), kindDeployment, w.name}:
		return k.lookUp(w) || contains(k.req.GetObserved(), w)
	default:
		return false
	}
}

// lookUp whether an object may be in the cluster.
func (k *keeper) lookUp(w workload) bool {
	object, resolved := k.requirements.Get(require.Object{
		Name: strings.ToLower(w.kind) + "-" + w.name, APIVersion: w.apiVersion, Kind: w.kind, ObjectName: w.name, Namespace: k.graph.Namespace,
	})
	return !resolved || object != nil
}

// contains reports whether a state has a workload, under whichever key.
func contains(state *fnv1.State, w workload) bool {
	for _, r := range state.GetResources() {
		if is(r.GetResource(), w) {
			return true
		}
	}
	return false
}

func is(object *structpb.Struct, w workload) bool {
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return w.name != "" && isOf(object, w) == nil && name == w.name
}
