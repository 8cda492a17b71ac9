// Package why finds out why a graph is not ready: from the conditions of the graph down to the pods that are not ready, and the one most
// likely cause.
package why

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Reader reads a cluster.
type Reader interface {
	// Get the objects that a query selects. Those that do not exist are left out. The error is a *preview.ForbiddenError if the user may
	// not read them.
	Get(q preview.Query) ([]unstructured.Unstructured, error)

	// Log is the end of the log of a container: of the one that runs, or of the one before it.
	Log(namespace, pod, container string, previous bool, lines int) (string, error)
}

// Facts about a graph, as the cluster tells them.
type Facts struct {
	Graph *unstructured.Unstructured

	// Objects that are composed for the graph, and everything that their controllers have made of them, down to the pods. Objects that
	// contain secrets are never read.
	Objects []unstructured.Unstructured

	// Scalers are the adapters of the graph, and the autoscalers in its namespace.
	Scalers []unstructured.Unstructured

	// Events in the namespace of the graph that say that something is wrong.
	Events []unstructured.Unstructured

	// Absent are the objects that the graph refers to and that do not exist.
	Absent []preview.Reference

	// Idle are the functions without a ready pod. They are only looked up if Crossplane has not looked at the latest change of the graph.
	Idle []string

	// Forbidden is what the user may not read.
	Forbidden []preview.ForbiddenError
}

// ErrNotFound says that there is no such graph.
var ErrNotFound = errors.New("not found")

// Kinds that are read. Nothing else that is composed for a graph tells why pods do not run.
const (
	kindDeployment      = "Deployment"
	kindReplicaSet      = "ReplicaSet"
	kindStatefulSet     = "StatefulSet"
	kindLeaderWorkerSet = "LeaderWorkerSet"
	kindPodGroup        = "PodGroup"
	kindPodGang         = "PodGang"
	kindPod             = "Pod"
	kindClaim           = "PersistentVolumeClaim"
	kindAutoscaler      = "HorizontalPodAutoscaler"

	apps           = "apps/v1"
	volcanoVersion = "scheduling.volcano.sh/v1beta1"

	// apiVersion in which graphs are read. Conditions and status are the same in both.
	apiVersion = v1beta1.Group + "/" + v1beta1.Version
)

// collector of facts.
type collector struct {
	reader Reader
	facts  *Facts

	namespace, name string
}

// Collect the facts about a graph. What the user may not read is left out, and said.
func Collect(reader Reader, namespace, name string) (*Facts, error) {
	c := &collector{reader: reader, facts: &Facts{}, namespace: namespace, name: name}
	graphs, err := reader.Get(preview.Query{APIVersion: apiVersion, Kind: v1alpha1.Kind, Namespace: namespace, Names: []string{name}})
	if err != nil {
		return nil, err
	}
	if len(graphs) == 0 {
		return nil, ErrNotFound
	}
	c.facts.Graph = &graphs[0]
	for _, collect := range []func() error{
		c.composed, c.onGrove, c.onDeployments, c.onLeaderWorkerSets, c.pods, c.onKueue, c.scalers, c.aroundPods, c.events, c.functions,
	} {
		if err := collect(); err != nil {
			return nil, err
		}
	}
	return c.facts, nil
}

// get objects, none if the user may not read them.
func (c *collector) get(q preview.Query) ([]unstructured.Unstructured, error) {
	objects, err := c.reader.Get(q)
	if forbidden, ok := preview.IsForbidden(err); ok {
		if !slices.Contains(c.facts.Forbidden, *forbidden) {
			c.facts.Forbidden = append(c.facts.Forbidden, *forbidden)
		}
		return nil, nil
	}
	return objects, err
}

// add what a query selects to the facts, without what is already there.
func (c *collector) add(q preview.Query) error {
	objects, err := c.get(q)
	for i := range objects {
		if !slices.ContainsFunc(c.facts.Objects, func(o unstructured.Unstructured) bool { return sameObject(&o, &objects[i]) }) {
			c.facts.Objects = append(c.facts.Objects, objects[i])
		}
	}
	return err
}

func sameObject(a, b *unstructured.Unstructured) bool {
	return a.GetKind() == b.GetKind() && a.GetName() == b.GetName() && a.GetAPIVersion() == b.GetAPIVersion()
}

// composite resource of the graph, which is the graph itself unless it is a claim. nil if the user may not read it, as most users of claims,
// or if there is none.
func (c *collector) composite() (*unstructured.Unstructured, error) {
	name, _, _ := unstructured.NestedString(c.facts.Graph.Object, "spec", "resourceRef", "name")
	if name == "" {
		return c.facts.Graph, nil
	}
	found, err := c.get(preview.Query{APIVersion: apiVersion, Kind: v1alpha1.CompositeKind, Names: []string{name}})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// composed objects whose status tells something: those that the composite resource refers to, otherwise those with the labels of the claim.
func (c *collector) composed() error {
	composite, err := c.composite()
	if err != nil {
		return err
	}
	if composite == nil {
		labels := "crossplane.io/claim-name=" + c.name + ",crossplane.io/claim-namespace=" + c.namespace
		for _, kind := range kinds.Composed() {
			if kind.Readiness != kinds.OwnStatus {
				continue
			}
			if err := c.add(preview.Query{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: c.namespace, Labels: labels}); err != nil {
				return err
			}
		}
		return c.add(preview.Query{APIVersion: schedulingv1beta1.Stable, Kind: kindPodGroup, Namespace: c.namespace, Labels: labels})
	}
	byKind := map[preview.Reference][]string{}
	for _, ref := range preview.References(composite) {
		if kinds.Of(ref.APIVersion, ref.Kind).Readiness == kinds.OwnStatus {
			sought := preview.Reference{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace}
			byKind[sought] = append(byKind[sought], ref.Name)
		}
	}
	for _, sought := range sortedReferences(byKind) {
		if err := c.addComposed(composite, sought, byKind[sought]); err != nil {
			return err
		}
	}
	return nil
}

// addComposed adds the objects of a kind that a composite resource refers to.
func (c *collector) addComposed(composite *unstructured.Unstructured, kind preview.Reference, names []string) error {
	slices.Sort(names)
	denied := len(c.facts.Forbidden)
	objects, err := c.get(preview.Query{APIVersion: kind.APIVersion, Kind: kind.Kind, Namespace: kind.Namespace, Names: names})
	if err != nil || len(c.facts.Forbidden) > denied {
		return err
	}
	found := map[string]bool{}
	for i := range objects {
		owner := controllerOf(&objects[i])
		if owner == "" || composite.GetUID() == "" || owner == composite.GetUID() {
			found[objects[i].GetName()] = true
			c.facts.Objects = append(c.facts.Objects, objects[i])
		}
	}
	for _, name := range names {
		if !found[name] {
			kind.Name = name
			c.facts.Absent = append(c.facts.Absent, kind)
		}
	}
	return nil
}

// named are the names of the objects of a kind so far.
func (c *collector) named(kind string) []string {
	var names []string
	for i := range c.facts.Objects {
		if o := &c.facts.Objects[i]; o.GetKind() == kind {
			names = append(names, o.GetName())
		}
	}
	slices.Sort(names)
	return names
}

// onGrove adds what Grove has made of the PodCliqueSet: its children and the gangs of its pods.
func (c *collector) onGrove() error {
	for _, set := range c.named(grovev1alpha1.KindPodCliqueSet) {
		for _, query := range []preview.Query{
			{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueScalingGroup},
			{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodClique},
			{APIVersion: "scheduler.grove.io/v1alpha1", Kind: kindPodGang},
		} {
			query.Namespace, query.Labels = c.namespace, metadata.LabelPartOf+"="+set
			if err := c.add(query); err != nil {
				return err
			}
		}
	}
	return nil
}

// onDeployments adds the ReplicaSets of Deployments, which have the labels of their pods.
func (c *collector) onDeployments() error {
	if len(c.named(kindDeployment)) == 0 {
		return nil
	}
	return c.add(preview.Query{APIVersion: apps, Kind: kindReplicaSet, Namespace: c.namespace, Labels: c.labels()})
}

// onLeaderWorkerSets adds the StatefulSets that LWS has made of LeaderWorkerSets.
func (c *collector) onLeaderWorkerSets() error {
	sets := c.named(kindLeaderWorkerSet)
	if len(sets) == 0 {
		return nil
	}
	labels := "leaderworkerset.sigs.k8s.io/name in (" + strings.Join(sets, ",") + ")"
	return c.add(preview.Query{APIVersion: apps, Kind: kindStatefulSet, Namespace: c.namespace, Labels: labels})
}

// labels of the pods of the graph.
func (c *collector) labels() string {
	return metadata.LabelGraphName + "=" + metadata.LabelValue(c.name)
}

// pods of the graph, without those that only have their state stored: the graph does not wait for them.
func (c *collector) pods() error {
	return c.add(preview.Query{APIVersion: "v1", Kind: kindPod, Namespace: c.namespace, Labels: c.labels() + ",!" + snapshotv1alpha1.LabelJob})
}

// aroundPods adds what pods that do not run yet wait for: the gangs of KAI, which its pod grouper names on the pods, and claims for volumes
// that are not composed for the graph.
func (c *collector) aroundPods() error {
	var groups, claims []string
	for i := range c.facts.Objects {
		pod, ok := podOf(&c.facts.Objects[i])
		if !ok || pod.isRunning() {
			continue
		}
		groups = append(groups, pod.Annotations[annotationGroup])
		claims = append(claims, pod.claims()...)
	}
	known := c.named(kindClaim)
	for _, search := range []struct {
		query preview.Query
		names []string
	}{
		{query: preview.Query{APIVersion: "scheduling.run.ai/v2alpha2", Kind: kindPodGroup}, names: groups},
		{query: preview.Query{APIVersion: "v1", Kind: kindClaim}, names: slices.DeleteFunc(claims, func(name string) bool { return slices.Contains(known, name) })},
	} {
		slices.Sort(search.names)
		search.query.Names = slices.DeleteFunc(slices.Compact(search.names), func(name string) bool { return name == "" })
		search.query.Namespace = c.namespace
		if len(search.query.Names) == 0 {
			continue
		}
		if err := c.add(search.query); err != nil {
			return err
		}
	}
	return nil
}

// isOfVolcano reports whether an object is a gang of Volcano.
func isOfVolcano(o unstructured.Unstructured) bool {
	return o.GetKind() == kindPodGroup && o.GetAPIVersion() == volcanoVersion
}

// events of type Warning, and those of groups that LWS creates anew, and of gangs for which Volcano has no room, which are not.
func (c *collector) events() error {
	selectors := []string{"type=Warning"}
	if len(c.named(kindLeaderWorkerSet)) > 0 {
		selectors = append(selectors, "type=Normal,reason=RecreateGroup")
	}
	if slices.ContainsFunc(c.facts.Objects, isOfVolcano) {
		selectors = append(selectors, "type=Normal,reason="+reasonNoRoom)
	}
	for _, fields := range selectors {
		events, err := c.get(preview.Query{APIVersion: "v1", Kind: "Event", Namespace: c.namespace, Fields: fields})
		if err != nil {
			return err
		}
		c.facts.Events = append(c.facts.Events, events...)
	}
	return nil
}
