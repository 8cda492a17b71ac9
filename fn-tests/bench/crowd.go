package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/cluster"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// crowdGraph is the graph that many are made of.
const crowdGraph = "examples/disagg-vllm.yaml"

// crowdGrove is the version of Grove that they run on.
const crowdGrove = "grove-v0.1.0-alpha.12-rc1"

// configurations that are measured, by the names of their pipelines.
func configurations() map[string]string {
	return map[string]string{"chain": "configuration-dynamo-chain", "fused": "configuration-dynamo"}
}

// An arrival is so many graphs of one Configuration, and what was measured of them.
type arrival struct {
	name   string
	graphs int
	result cluster.Result
}

// crowds measures pipelines with many graphs at once, on real control planes. Those of most graphs are measured at rest too.
func (b *bench) crowds(ctx context.Context) error {
	graph, err := readObjects(crowdGraph)
	if err != nil {
		return err
	}
	machine := controlplane.NewMachine(1)
	var all []arrival
	for i, count := range b.options.graphs {
		for _, pipeline := range b.options.pipelines {
			o := cluster.Options{
				ControlPlane: controlplane.Options{
					Machine: machine, Root: harness.Root(), CRDs: definitions.Platform(crowdGrove),
					Packages: b.options.packages, Configuration: configurations()[pipeline],
					CrossplaneFlags: b.options.crossplane, Logf: b.progressf,
				},
				Fixtures: b.cluster, Graph: graph[0], Count: count, Progressf: b.progressf,
			}
			if i == len(b.options.graphs)-1 {
				o.Rest = b.options.rest
			}
			result, err := cluster.Measure(ctx, o)
			if err != nil {
				return fmt.Errorf("%d graphs, %s: %w", count, pipeline, err)
			}
			all = append(all, arrival{name: fmt.Sprintf("%d, %s", count, pipeline), graphs: count, result: result})
		}
	}
	b.printCrowds(all)
	return nil
}

// printCrowds prints what many graphs take at once, and at rest.
func (b *bench) printCrowds(all []arrival) {
	figures := []string{
		"functions CPU s", "RSS MB", "Crossplane CPU s", "RSS MB", "API server CPU s", "reconciles", "calls", "requests", "changes", "events",
	}
	created := [][]string{append([]string{"graphs", "PodCliqueSets s", "synced s"}, figures...)}
	rested := [][]string{append([]string{"graphs"}, figures...)}
	for _, c := range all {
		created = append(created, append([]string{c.name, seconds(c.result.Workloads), seconds(c.result.Synced)}, c.work(c.result.Created)...))
		if b.options.rest > 0 && c.graphs == all[len(all)-1].graphs {
			rested = append(rested, append([]string{c.name}, c.work(c.result.Rest)...))
		}
	}
	b.table("Graphs of "+crowdGraph+" created at once on Grove, until all are synced. The last five columns are of one graph", created)
	if len(rested) > 1 {
		b.table(fmt.Sprintf("The same graphs at rest, in %s", b.options.rest), rested)
	}
}

// work that was done, the counts for one graph.
func (c arrival) work(w cluster.Work) []string {
	each := func(count int) string { return fmt.Sprintf("%.2f", float64(count)/float64(c.graphs)) }
	return []string{
		seconds(w.Functions.CPU), megabytes(w.Functions.PeakRSS), seconds(w.Crossplane.CPU), megabytes(w.Crossplane.PeakRSS),
		seconds(w.Kubernetes.CPU), each(w.Reconciles), each(w.Calls), each(w.Requests), each(w.Changes), each(w.Events),
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
