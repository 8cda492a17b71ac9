// Package recovery looks up the objects of a graph that Crossplane does not observe because the composite resource has lost its references
// to them.
package recovery

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/checkpoints"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/served"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Find the lost objects. Nothing is looked up unless the composite resource shows that references are missing. The workloads in the status
// are looked up by name, and everything else by the label that Crossplane sets, because the names of objects that the spec no longer
// requests are not known. The result is complete when all requirements are resolved.
func Find(req *fnv1.RunFunctionRequest, s *subject.Seen) (lost.Objects, subject.Outcome) {
	workloads := unreferencedWorkloads(s.Observed, s.Graph)
	if len(workloads) == 0 && !othersWroteReferences(s.Observed) || s.Graph.Name == "" || s.Graph.Namespace == "" {
		return nil, subject.Outcome{}
	}
	var o subject.Outcome
	objects := lost.Objects{}
	for _, kind := range servedKinds(s, &o.Requirements) {
		for _, w := range workloads {
			if w.Kind == kind.Kind+"."+kind.Group {
				if object, _ := o.Requirements.Get(s.Answers, named(kind, s.Graph, w.Name)); object != nil {
					objects.Add(req, object)
				}
			}
		}
		found, _ := o.Requirements.List(s.Answers, labelled(kind, s.Graph, label(s.Observed.Composite())))
		for _, object := range found {
			objects.Add(req, object)
		}
	}
	return objects, o
}

// FindSecret of a plan, if it is lost like the other objects that were found. Step sshsecret would look it up anyway. A graph without a Secret
// does not look for one, because Crossplane caches all Secrets of the cluster as soon as one is required.
func FindSecret(req *fnv1.RunFunctionRequest, f *subject.Facts, found lost.Objects, name string) (lost.Objects, subject.Outcome) {
	if found == nil || name == "" {
		return nil, subject.Outcome{}
	}
	var o subject.Outcome
	objects := lost.Objects{}
	secret := kinds.Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret")}
	if object, _ := o.Requirements.Get(f.Answers, named(secret, f.Graph, name)); object != nil {
		objects.Add(req, object)
	}
	return objects, o
}

// label on all composed objects. A composite resource that was just replaced may not have the label yet.
func label(xr *structpb.Struct) string {
	return cmp.Or(tree.Text(xr, metadata.LabelComposite, "metadata", "labels"), tree.Name(xr))
}

func named(k kinds.Kind, g *graph.Graph, name string) require.Object {
	return require.Object{
		Name: "lost-" + strings.ToLower(k.Kind) + "-" + name, APIVersion: k.GroupVersion().String(), Kind: k.Kind, ObjectName: name, Namespace: g.Namespace,
	}
}

func labelled(k kinds.Kind, g *graph.Graph, label string) require.Objects {
	return require.Objects{
		Name: "lost-" + strings.ToLower(k.Kind), APIVersion: k.GroupVersion().String(), Kind: k.Kind, Namespace: g.Namespace,
		Labels: map[string]string{metadata.LabelComposite: label},
	}
}

// servedKinds are those that may have been composed and that the cluster serves. Crossplane fails if other kinds are required.
func servedKinds(s *subject.Seen, r *require.Requirements) []kinds.Kind {
	all := slices.DeleteFunc(kinds.Composed(), func(k kinds.Kind) bool { return k.ByName || !isServed(k, s, r) })
	for i := range all {
		if all[i].Served == kinds.WithGangs {
			_, all[i].Version, _ = strings.Cut(s.Gangs(r), "/")
		}
	}
	return all
}

// isServed reports whether the cluster serves a kind, as far as it is known.
func isServed(k kinds.Kind, s *subject.Seen, r *require.Requirements) bool {
	switch k.Served {
	case kinds.Everywhere:
		return true
	case kinds.WithGrove:
		return s.Cluster.Grove
	case kinds.WithLWS:
		return s.Cluster.LWS
	case kinds.WithVolcano:
		return s.Cluster.Volcano
	case kinds.WithGangs:
		return s.Memory.Orchestrator == graphplan.LeaderWorkerSet && s.ServesGangs(r)
	case kinds.WithDomains:
		return s.ServesComputeDomains(r)
	case kinds.WithClaims:
		return s.ServesClaimTemplates(r)
	case kinds.WithAdapters:
		return served.HasScalingAdapters(s, r)
	case kinds.WithSnapshots:
		return checkpoints.ServesJobs(s, r)
	case kinds.IfInstalled:
		return slices.ContainsFunc(served.Kinds(s.Input), func(o served.Kind) bool { return o.Group == k.Group && o.Name == k.Kind && o.Served(s, r) })
	}
	return false
}
