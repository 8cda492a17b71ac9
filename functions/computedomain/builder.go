package computedomain

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Kinds of workloads.
const (
	kindLeaderWorkerSet = "LeaderWorkerSet"
	kindDeployment      = "Deployment"
)

// builder composes the domains of one graph, and adds claims for their channels to its desired workloads.
type builder struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	rsp   *fnv1.RunFunctionResponse
}

// use of a domain by a desired workload.
type use struct {
	// key of the workload.
	key    names.Resource
	by     workload
	domain domain
	usage  names.Resource
	// name of the Usage.
	name string
	// pods are the pods of the workload that claim a channel if they have GPUs.
	pods func(object *structpb.Struct) ([]claimant, error)
}

// compose the domains of the plan, and return them in the order of their keys.
func (b *builder) compose() ([]domain, error) {
	uses, err := b.uses()
	if err != nil {
		return nil, err
	}
	domains := map[names.Resource]domain{}
	if !b.perReplica() {
		// The domain is kept when no component is a member any more, because one may become a member again, and the domain would then be
		// created again as a different one.
		domains[names.KeyComputeDomain] = graphDomain(b.graph)
	}
	for _, u := range uses {
		if err := b.wire(u); err != nil {
			return nil, errors.Wrapf(err, "cannot add claims to the pods of desired resource %s", u.key)
		}
		domains[u.domain.key] = u.domain
		usage := protection{key: u.usage, name: u.name, domain: u.domain.name, by: u.by}
		if err := response.Set(b.rsp, usage.key, usage.object(b.graph)); err != nil {
			return nil, err
		}
	}
	all := make([]domain, 0, len(domains))
	for _, key := range slices.Sorted(maps.Keys(domains)) {
		if err := response.Set(b.rsp, key, domains[key].object(b.graph)); err != nil {
			return nil, err
		}
		all = append(all, domains[key])
	}
	return all, nil
}

// perReplica reports whether each replica has its own domain. On Grove, all replicas of a component share one pod template, and therefore one
// claim template.
func (b *builder) perReplica() bool {
	return b.plan.MNNVL.Scope == graphplan.ScopeReplica && b.plan.Orchestrator != graphplan.Grove
}

// wire the pods of one workload. The desired resource is replaced with a copy, because a response shares its resources with the request.
func (b *builder) wire(u use) error {
	workload := proto.CloneOf(b.rsp.GetDesired().GetResources()[string(u.key)])
	object := workload.GetResource()
	if err := isOf(object, u.by); err != nil {
		return err
	}
	pods, err := u.pods(object)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if err := p.claim(u.domain.name); err != nil {
			return err
		}
	}
	b.rsp.GetDesired().GetResources()[string(u.key)] = workload
	return nil
}

// isOf returns an error if the object under a key of the chain is not the workload of that key.
func isOf(object *structpb.Struct, w workload) error {
	apiVersion, kind := object.GetFields()["apiVersion"].GetStringValue(), object.GetFields()["kind"].GetStringValue()
	if apiVersion == w.apiVersion && kind == w.kind {
		return nil
	}
	return errors.Errorf("the desired resource must be a %s of %s, but is a %s of %s; check whether another step of the pipeline sets it", w.kind, w.apiVersion, kind, apiVersion)
}

// uses of domains, in the order of the components.
func (b *builder) uses() ([]use, error) {
	var all []use
	cliques := map[string]graphplan.MNNVLMember{}
	for _, name := range slices.Sorted(maps.Keys(b.plan.MNNVL.Members)) {
		member := b.plan.MNNVL.Members[name]
		component, ok := b.graph.Components[name]
		if !ok {
			return nil, errors.Errorf("cannot claim channels for component %s: the plan names the component, but the graph does not have it", name)
		}
		switch {
		case b.plan.Orchestrator == graphplan.Grove && component.IsMultinode():
			cliques[names.LeaderClique(name)], cliques[names.WorkerClique(name)] = member, member
		case b.plan.Orchestrator == graphplan.Grove:
			cliques[names.Clique(name)] = member
		case component.IsMultinode():
			sets := b.leaderWorkerSets(name, member)
			if len(sets) == 0 && component.Replicas() > 0 {
				return nil, b.missing(names.KeyLeaderWorkerSet(name, 0))
			}
			all = append(all, sets...)
		case !b.perReplica():
			all = append(all, b.deployment(name, member))
		}
	}
	if len(cliques) > 0 {
		all = append(all, b.podCliqueSet(cliques))
	}
	for _, u := range all {
		if _, ok := b.rsp.GetDesired().GetResources()[string(u.key)]; !ok {
			return nil, b.missing(u.key)
		}
	}
	return all, nil
}

// missing is the error for a workload that is not desired. Without the error, its pods would run without their domain.
func (b *builder) missing(key names.Resource) error {
	step := "lws"
	if b.plan.Orchestrator == graphplan.Grove {
		step = "grove"
	}
	return errors.Errorf("there is no desired resource %s: step %s must run before this step", key, step)
}

func (b *builder) podCliqueSet(cliques map[string]graphplan.MNNVLMember) use {
	d := graphDomain(b.graph)
	return use{
		key:    names.KeyPodCliqueSet,
		by:     workload{grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet, b.graph.Names().PodCliqueSet()},
		domain: d,
		usage:  names.KeyUsage(d.key),
		name:   d.name,
		pods:   func(object *structpb.Struct) ([]claimant, error) { return cliquePods(object, cliques) },
	}
}

func (b *builder) deployment(component string, member graphplan.MNNVLMember) use {
	return use{
		key:    names.KeyDeployment(component),
		by:     workload{appsv1.SchemeGroupVersion.String(), kindDeployment, b.graph.Names().Component(component)},
		domain: graphDomain(b.graph),
		usage:  names.KeyDeploymentUsage(component),
		name:   b.graph.Names().DeploymentUsage(component),
		pods:   func(object *structpb.Struct) ([]claimant, error) { return deploymentPods(object, member) },
	}
}

// leaderWorkerSets of a component that are desired. Each is one replica.
func (b *builder) leaderWorkerSets(component string, member graphplan.MNNVLMember) []use {
	var sets []use
	for _, key := range slices.Sorted(maps.Keys(b.rsp.GetDesired().GetResources())) {
		lower, i, ok := names.ReplicaOfLeaderWorkerSet(key)
		if !ok || lower != names.Lower(component) {
			continue
		}
		u := use{
			key:    names.Resource(key),
			by:     workload{lwsv1.GroupVersion.String(), kindLeaderWorkerSet, b.graph.Names().Replica(component, i)},
			domain: graphDomain(b.graph),
			usage:  names.KeyLeaderWorkerSetUsage(component, i),
			name:   b.graph.Names().LeaderWorkerSetUsage(component, i),
			pods:   func(object *structpb.Struct) ([]claimant, error) { return leaderWorkerSetPods(object, member) },
		}
		if b.perReplica() {
			u.domain = replicaDomain(b.graph, component, i)
			u.usage, u.name = names.KeyUsage(u.domain.key), u.domain.name
		}
		sets = append(sets, u)
	}
	return sets
}
