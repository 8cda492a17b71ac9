package sequences

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// lossy is a cluster whose answers to some requirements are lost: they are not even empty.
type lossy struct {
	pipeline.Cluster

	lost []string
}

func (l lossy) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	answers, err := l.Cluster.Resources(selectors)
	for _, name := range l.lost {
		delete(answers, name)
	}
	return answers, err
}

func (l lossy) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	answers, err := l.Cluster.Schemas(selectors)
	for _, name := range l.lost {
		delete(answers, name)
	}
	return answers, err
}

// TestUnansweredRequirements plays the loop in which Crossplane resolves the requirements of functions, for live graphs, without the answers to
// each requirement and to each two of them, as each version of Crossplane does, and as v2.4 does when it remembers the requirements. Without an
// answer a function does not know what a graph needs, and Crossplane deletes what is not desired: so the last response desires all that is
// there, or is Fatal.
func TestUnansweredRequirements(t *testing.T) {
	t.Parallel()
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	clusters := []string{"all", "grove-kai", "lws-volcano", "none"}
	for number, e := range harness.Examples(t) {
		for i, cluster := range clusters {
			if !harness.Sampled(number+i, len(clusters)) {
				continue
			}
			for form, composition := range map[string]string{"fused": fusedOf(e.Composition), "chain": e.Composition} {
				t.Run(e.Name+"-on-"+cluster+"-"+form, func(t *testing.T) {
					p, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), composition))
					if err != nil {
						t.Fatal(err)
					}
					p.Once = true
					g := crossplane.NewGraph(harness.Read(t, e.XR)[0], harness.Read(t, "examples/cluster/"+cluster+".yaml"))
					settled, err := p.Settle(t.Context(), g, functions)
					if err != nil {
						t.Skipf("not a graph for this cluster: %v", err)
					}
					rest := graphAtRest{Reconcile: settled, world: append(slices.Clone(g.Cluster()), g.Objects()...)}
					for _, s := range p.Steps {
						s.Step.Function = functions[s.Function]
						rest.steps = append(rest.steps, s.Step)
					}
					rest.loseAnswers(t, form == "chain")
				})
			}
		}
	}
}

// A graphAtRest is one for which nothing is left to do.
type graphAtRest struct {
	*crossplane.Reconcile

	steps []pipeline.Step
	world pipeline.Objects
}

// loseAnswers to requirements of the graph. The chain takes longer, so only some pairs are tried with it.
func (g graphAtRest) loseAnswers(t *testing.T, chain bool) {
	t.Helper()
	remembering := slices.Clone(g.steps)
	var names []string
	for i, call := range g.Calls {
		required := call.Response.GetRequirements()
		remembering[i].Required = maps.Clone(g.steps[i].Required)
		if remembering[i].Required == nil {
			remembering[i].Required = map[string]*fnv1.ResourceSelector{}
		}
		maps.Copy(remembering[i].Required, required.GetResources())
		names = slices.AppendSeq(names, maps.Keys(required.GetResources()))
		names = slices.AppendSeq(names, maps.Keys(required.GetSchemas()))
	}
	slices.Sort(names)
	all := callers()
	all["v2.3"], all["v2.4 that remembers"] = crossplane.Forgetful(), all["v2.4"]
	for version, caller := range all {
		steps := g.steps
		if strings.HasSuffix(version, "that remembers") {
			steps = remembering
		}
		for i, a := range names {
			for j, b := range names[i:] {
				if j > 0 && (!harness.Sampled(i+j, 50) || chain && (i+j)%10 > 0) {
					continue
				}
				run, err := caller.Run(t.Context(), steps, g.Calls[0].Request.GetObserved(), nil, lossy{Cluster: g.world, lost: []string{a, b}})
				if err != nil {
					t.Fatalf("%s, without %s and %s: %v", version, a, b, err)
				}
				if pipeline.Fatal(run.Calls[len(run.Calls)-1].Response) != nil {
					continue
				}
				if diff := cmp.Diff(objectsIn(g.Desired()), objectsIn(run.Calls[len(run.Calls)-1].Response.GetDesired()), protocmp.Transform()); diff != "" {
					t.Errorf("%s, without %s and %s: desired objects, -with the answers, +without them:\n%s", version, a, b, diff)
				}
			}
		}
	}
}

// objectsIn a desired state, by their keys.
func objectsIn(desired *fnv1.State) map[string]any {
	all := map[string]any{}
	for key, r := range desired.GetResources() {
		all[key] = r.GetResource()
	}
	return all
}
