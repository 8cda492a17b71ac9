// Package doctor checks a cluster before and after graphs are installed in it: the versions of what they run on, what else would handle
// them, and what they need.
package doctor

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Report of what was checked.
type Report struct {
	// Installed says that graphs are installed. Before that, what install.yaml brings is not missed.
	Installed bool `json:"installed"`

	Findings []Finding `json:"findings"`
}

// A State in which a check ends.
type State string

// The states of checks.
const (
	// OK is what needs no attention.
	OK State = "ok"
	// Warning is what keeps some graphs from running, or from running well.
	Warning State = "warning"
	// Problem is what has to be repaired.
	Problem State = "problem"
	// Skipped is what could not be checked, or what does not matter here.
	Skipped State = "skipped"
)

// A Finding of a check.
type Finding struct {
	// Check is what was checked, such as kai-queue.
	Check string `json:"check"`

	State State `json:"state"`

	// Message is what was found, in a sentence.
	Message string `json:"message"`

	// Remedy is what to do. Empty if there is nothing to do.
	Remedy string `json:"remedy,omitempty"`

	// Forbidden is what the user may not do, if the check was skipped for that reason.
	Forbidden *preview.ForbiddenError `json:"forbidden,omitempty"`
}

// A check is a row in the table of checks.
type check struct {
	name string

	// needs are the sources without which the check cannot be done.
	needs []Source

	// installed says that the check is about what install.yaml brings.
	installed bool

	finding func(*Facts) Finding
}

// checks in the order in which they are shown: what comes first explains what comes after it.
func checks() []check {
	all := make([]check, 0, len(products()))
	for _, p := range products() {
		all = append(all, check{name: p.check, finding: p.finding})
	}
	return append(all,
		check{name: "orchestrator", finding: orchestrator},
		check{name: "resource-claims", finding: resourceClaims},
		check{name: "circuit-breaker", needs: []Source{Deployments}, finding: circuitBreaker},
		check{name: "concurrency", needs: []Source{Deployments}, finding: concurrency},
		check{name: "realtime-compositions", needs: []Source{Deployments}, finding: realtime},
		check{name: "grove-topology", needs: []Source{Deployments, ConfigMaps}, finding: groveTopology},
		check{name: "dynamo-operator", needs: []Source{Deployments}, finding: operator},
		check{name: "webhooks", needs: []Source{Webhooks}, finding: webhooks},
		check{name: "worker-metadata", finding: workerMetadata},
		check{name: "kai-queue", needs: []Source{Compositions, Policy, Queues}, finding: queue},
		check{name: "kai-staleness", needs: []Source{Deployments, Compositions, Policy}, finding: staleness},
		check{name: "kai-pod-grouper", needs: []Source{Deployments, Definitions, GrouperAccess}, finding: podGrouper},
		check{name: "graph-definition", needs: []Source{Definitions, CustomResources}, finding: graphDefinition},
		check{name: "scaling-adapter", needs: []Source{CustomResources}, finding: scalingAdapter},
		check{name: "configuration", needs: []Source{Configurations}, installed: true, finding: configuration},
		check{name: "functions", needs: []Source{Functions, Compositions}, installed: true, finding: functions},
		check{name: "runtime-configuration", needs: []Source{Functions, RuntimeConfigs}, installed: true, finding: runtimeConfiguration},
		check{name: "function-replicas", needs: []Source{Deployments}, installed: true, finding: functionReplicas},
		check{name: "policy", needs: []Source{Compositions, Policy}, installed: true, finding: policy},
		check{name: "crossplane-permissions", needs: []Source{Deployments, CrossplaneAccess}, installed: true, finding: crossplanePermissions},
		check{name: "your-permissions", needs: []Source{OwnAccess}, finding: yourPermissions},
	)
}

// Examine the facts about a cluster.
func Examine(f *Facts) *Report {
	r := &Report{Installed: f.installed()}
	for _, c := range checks() {
		finding := c.examine(f)
		finding.Check = c.name
		// Users of the program have no clone with the pages.
		finding.Remedy = strings.ReplaceAll(finding.Remedy, "docs/", compatibility.Page(""))
		r.Findings = append(r.Findings, finding)
	}
	return r
}

// examine the facts in one respect.
func (c *check) examine(f *Facts) Finding {
	if c.installed && !f.installed() {
		return f.notInstalled()
	}
	if unread, is := f.unread("", c.needs...); is {
		return unread
	}
	return c.finding(f)
}

// unread is the finding that the user may not read one of these sources, if that is so. What is known without them comes first.
func (f *Facts) unread(known string, sources ...Source) (Finding, bool) {
	for _, source := range sources {
		if forbidden, is := f.Forbidden[source]; is {
			return Finding{State: Skipped, Message: known + "You may not " + forbidden.Error() + ".", Forbidden: &forbidden}, true
		}
	}
	return Finding{}, false
}

// Has reports whether a check ended in a state.
func (r *Report) Has(state State) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.State == state })
}

func ok(message string) Finding { return Finding{State: OK, Message: message} }

func skipped(message string) Finding { return Finding{State: Skipped, Message: message} }

func warning(message, remedy string) Finding {
	return Finding{State: Warning, Message: message, Remedy: remedy}
}

func problem(message, remedy string) Finding {
	return Finding{State: Problem, Message: message, Remedy: remedy}
}
