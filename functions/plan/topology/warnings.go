package topology

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

func byAffinity() message.Text {
	return message.Format("place its pods with affinity in {{podTemplate.spec}}")
}

// Warnings are about constraints that have no effect, or hardly any.
func Warnings(f *subject.Facts, t Decision, p *graphplan.Plan) message.List {
	switch {
	case t.Plan == nil:
		return nil
	case p.Orchestrator == graphplan.Grove:
		return append(warnOfHosts(f.Graph, t.Levels), warnOfPreferredOnGrove(f, t)...)
	case len(t.Plan.Placements) == 0:
		return message.List{message.About(field.NewPath("spec", "topologyConstraint"),
			"topology constraints have no effect on %s: %s", p.Orchestrator, whyNothingPacked(f, t, p))}
	default:
		return append(warnOfHosts(f.Graph, t.Levels), warnOfUnpacked(f, t, p)...)
	}
}

// warnOfHosts names multinode components that are packed into one machine.
func warnOfHosts(g *graph.Graph, levels *grovev1alpha1.Topology) message.List {
	var warnings message.List
	for _, component := range g.ComponentsByName() {
		required := requiredOf(g, component.Name)
		if !component.IsMultinode() || !withinHost(required.domain, levels) {
			continue
		}
		instead := "a broader domain"
		if host := firstWithinHost(levels); host > 0 {
			instead += ", such as " + levels.Spec.Levels[host-1].Domain
		}
		warnings = append(warnings, message.About(required.path, "%s packs all %d nodes of a replica of %s into one machine, so its pods wait until one machine has room for all of them; specify %s", required.domain, component.Nodes(), component.Name, instead))
	}
	return warnings
}

// withinHost reports whether a domain is a single machine or part of one.
func withinHost(domain string, levels *grovev1alpha1.Topology) bool {
	switch domain {
	case "":
		return false
	case grovev1alpha1.DomainHost, grovev1alpha1.DomainNUMA:
		return true
	}
	host := levels.Host()
	return host >= 0 && levels.Spec.Levels[host].Domain == domain
}

func firstWithinHost(levels *grovev1alpha1.Topology) int {
	return slices.IndexFunc(levels.Domains(), func(domain string) bool { return withinHost(domain, levels) })
}

func warnOfPreferredOnGrove(f *subject.Facts, t Decision) message.List {
	var warnings message.List
	takes := takesPreferred(t, f.Observed.PodCliqueSet)
	for _, c := range preferredDomains(f.Graph) {
		required := requiredOf(f.Graph, c.component).domain
		switch {
		case !takes && t.Plan.Dialect != graphplan.DialectPack:
			warnings = append(warnings, message.About(c.path, "has no effect on the installed version of Grove: preferred domains require v0.1.0-alpha.10 or later"))
		case !takes:
			warnings = append(warnings, message.About(c.path, "has no effect: the graph was created with a version of Grove before v0.1.0-alpha.10; delete and recreate the graph"))
		case !useful(c.domain, required, t.Levels):
			warnings = append(warnings, broaderPreference(c, required))
		}
	}
	return warnings
}

func broaderPreference(c constraint, required string) *message.Message {
	return message.About(c.path, "%s has no effect, because it is broader than %s, which is required; prefer a narrower domain, or remove the annotation", c.domain, required)
}

// warnOfUnpacked names constraints that are not applied although others are.
func warnOfUnpacked(f *subject.Facts, t Decision, p *graphplan.Plan) message.List {
	var warnings message.List
	warn := func(path *field.Path, format string, args ...any) {
		warnings = append(warnings, message.About(path, format, args...))
	}
	if whole := packDomain(f.Graph, ""); whole.domain != "" {
		warn(whole.path, "on %s each replica of a {{component}} that spans nodes is packed separately, not the graph as a whole", p.Orchestrator)
	}
	for _, c := range constraints(f.Graph) {
		if component := f.Graph.Component(c.component); c.component != "" && !component.IsMultinode() {
			warn(c.path, "has no effect on a {{component}} of one node on %s: %s", p.Orchestrator, byAffinity())
		}
	}
	asked := placements(f.Graph)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		placed, ok := t.Plan.Placements[name]
		if !ok {
			warn(constraintOf(asked[name]).path, "has no effect on %s: %s", name, whyUnpacked(f, name, t, p.LWS.Gang))
			continue
		}
		warnings = append(warnings, warnOfPreference(asked[name], placed, t.Levels, p.LWS.Gang)...)
	}
	return warnings
}

// warnOfPreference names a preferred domain by which a packed component is not packed.
func warnOfPreference(asked placement, placed graphplan.Placement, levels *grovev1alpha1.Topology, gang graphplan.Gang) message.List {
	preferred, required := asked.preferred, asked.required.domain
	switch {
	case preferred.domain == "" || preferred.domain == placed.PreferredDomain:
		return nil
	case !useful(preferred.domain, required, levels):
		// The preference of the graph is for components that are not packed more narrowly.
		if preferred.component == "" && asked.required.component != "" {
			return nil
		}
		return message.List{broaderPreference(preferred, required)}
	case gang.Provider == graphplan.GangKubernetes:
		return message.List{message.About(preferred.path, "has no effect, because the scheduler of Kubernetes packs gangs by required domains only; remove the annotation")}
	case placed.Network != nil:
		return message.List{message.About(preferred.path, "has no effect together with %s, which is required: Volcano supports only one of the two", required)}
	default:
		return message.List{message.About(preferred.path, "has no effect on replicas that were placed without it; delete and recreate the graph")}
	}
}

func constraintOf(asked placement) constraint {
	if asked.required.domain != "" {
		return asked.required
	}
	return asked.preferred
}

// whyNothingPacked is the reason, with the remedy.
func whyNothingPacked(f *subject.Facts, t Decision, p *graphplan.Plan) message.Text {
	asked := placements(f.Graph)
	if p.Orchestrator == graphplan.Deployment || len(asked) == 0 {
		return message.Format("run the graph on Grove, or %s", byAffinity())
	}
	return whyUnpacked(f, slices.Min(slices.Collect(maps.Keys(asked))), t, p.LWS.Gang)
}

// whyUnpacked is the reason why a multinode component is not packed, with the remedy.
func whyUnpacked(f *subject.Facts, name string, t Decision, gang graphplan.Gang) message.Text {
	component := f.Graph.Component(name)
	asked := placements(f.Graph)[name]
	_, decided := f.Memory.Gangs.Placements[names.Lower(name)]
	switch {
	case gang.Provider == graphplan.GangKueue:
		return message.Format("Kueue admits its pods, and no gang scheduler packs them; %s", byAffinity())
	case !gang.Schedules(component.SchedulerName()):
		return message.Format("its pods use scheduler %s; remove schedulerName, or %s", component.SchedulerName(), byAffinity())
	case !gang.Places(f.Graph.Names(), name, component.SchedulerName()):
		return message.Format("its replicas were adopted in one LeaderWorkerSet, which has no PodGroup; scale the {{component}} to 0 and up again, or %s", byAffinity())
	case gang.Provider == graphplan.GangLWS:
		return message.Format("the LWS operator creates the PodGroups and does not support topology; let the platform set lws.gangProvider to PodGroup %s, or run the graph on Grove", f.Sources.In("lws.gangProvider"))
	case gang.Provider == graphplan.GangKubernetes && asked.required.domain == "":
		return message.Format("the scheduler of Kubernetes packs gangs by required domains only; create the graph with a required domain, or %s", byAffinity())
	case decided:
		return message.Format("its replicas already exist and were not packed; delete and recreate the graph")
	case t.Plan.Undefined:
		return message.Format("topology %[1]s is not defined; let the platform add profile %[1]s to topology.profiles %[2]s, or install Grove and create the topology",
			t.Plan.Name, f.Sources.In("topology.profiles"))
	default:
		return message.Format("topology %s has no such level; restore it, and delete and recreate the graph", t.Plan.Name)
	}
}
