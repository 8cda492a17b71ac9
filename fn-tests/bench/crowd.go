package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/cluster"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// crowdGraph is the graph that many are made of.
const crowdGraph = "examples/disagg-vllm.yaml"

// crowdGrove is the version of Grove that they run on.
const crowdGrove = "grove-v0.1.0-alpha.12-rc1"

// static is the pipeline whose function only returns what the fused one returned for a graph of this name, before any was measured.
const (
	static       = "static"
	recordedName = "recorded"
)

// configurations that are measured, by the names of their pipelines.
func configurations() map[string]string {
	return map[string]string{"chain": "configuration-dynamo-chain", "fused": "configuration-dynamo", static: "configuration-dynamo"}
}

// An arrival is so many graphs of one pipeline, and what was measured of them.
type arrival struct {
	pipeline string
	graphs   int
	result   cluster.Result
}

func (c arrival) name() string { return fmt.Sprintf("%d, %s", c.graphs, c.pipeline) }

// record what the fused function returns for a new graph, as the command that returns it as well.
func (b *bench) record(ctx context.Context, graph *unstructured.Unstructured) ([]string, error) {
	graph = graph.DeepCopy()
	graph.SetName(recordedName)
	graph.SetNamespace(cluster.Namespace)
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	r, err := b.fused.Reconcile(ctx, crossplane.NewGraph(graph, b.cluster), functions)
	if err != nil {
		return nil, fmt.Errorf("cannot record a response: %w", err)
	}
	response := r.Calls[0].Response
	response.Requirements = nil
	data, err := proto.Marshal(response)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the recorded response: %w", err)
	}
	path := filepath.Join(b.folder, "response")
	if err := os.WriteFile(path, data, 0o600); err != nil { //nolint:gosec // It has made the folder itself.
		return nil, fmt.Errorf("cannot write the recorded response: %w", err)
	}
	return []string{b.static, "--response=" + path, "--name=" + recordedName}, nil
}

// crowds measures pipelines with many graphs at once, on real control planes. Those of most graphs are measured at rest too.
func (b *bench) crowds(ctx context.Context) error {
	graph, err := readObjects(crowdGraph)
	if err != nil {
		return err
	}
	recorded, err := b.record(ctx, graph[0])
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
			if pipeline == static {
				o.ControlPlane.Instead = recorded
			} else if i == len(b.options.graphs)-1 {
				// Graphs of the static function would never be ready.
				o.Rest = b.options.rest
			}
			result, err := cluster.Measure(ctx, o)
			if err != nil {
				return fmt.Errorf("%d graphs, %s: %w", count, pipeline, err)
			}
			all = append(all, arrival{pipeline: pipeline, graphs: count, result: result})
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
		created = append(created, append([]string{c.name(), seconds(c.result.Workloads), seconds(c.result.Synced)}, c.work(c.result.Created)...))
		if b.options.rest > 0 && c.pipeline != static && c.graphs == all[len(all)-1].graphs {
			rested = append(rested, append([]string{c.name()}, c.work(c.result.Rest)...))
		}
	}
	b.table("Graphs of "+crowdGraph+" created at once on Grove, until all are synced. The last five columns are of one graph", created)
	b.table("The fused function beside the static one: all processor time, and the time until all are synced", besideStatic(all))
	if len(rested) > 1 {
		b.table(fmt.Sprintf("The same graphs at rest, in %s", b.options.rest), rested)
	}
}

// besideStatic are the pairs of the fused and the static pipeline.
func besideStatic(all []arrival) [][]string {
	rows := [][]string{{"graphs", "fused CPU s", "static CPU s", "fused/static", "synced"}}
	for _, fused := range all {
		i := slices.IndexFunc(all, func(a arrival) bool { return a.pipeline == static && a.graphs == fused.graphs })
		if fused.pipeline != "fused" || i < 0 {
			continue
		}
		one, other := fused.result, all[i].result
		rows = append(rows, []string{
			strconv.Itoa(fused.graphs), seconds(one.Created.CPU()), seconds(other.Created.CPU()),
			ratio(float64(one.Created.CPU()) / float64(other.Created.CPU())), ratio(float64(one.Synced) / float64(other.Synced)),
		})
	}
	return rows
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
