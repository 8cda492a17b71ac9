package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// chaosSeed makes edits and kills the same in every run. Their timing differs.
	chaosSeed = 20260401
	// chaosGraphs are how many graphs are edited at the same time.
	chaosGraphs = 10
	// chaosKills is the number of kills, unless CONFIGURATION_DYNAMO_KILLS specifies it.
	chaosKills = 20
	// killPause is the maximum time between two kills.
	killPause = 8 * time.Second
)

// A chaos of edits of many graphs, with Crossplane's default flags, while programs of the control plane are killed.
type chaos struct {
	*suite

	graphs []*subject
	// kills by the name of the killed program.
	kills map[string]int

	mutex sync.Mutex
	edits map[string][]time.Duration
	wrong []error
}

// chaos kills functions, Crossplane, the API server and etcd while graphs are scaled, restarted, deleted, and given new images.
func (s *suite) chaos(t *T) {
	times := chaosKills
	if text := os.Getenv("CONFIGURATION_DYNAMO_KILLS"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	c := s.newChaos(t, chaosGraphs)
	c.run(t, killPause, func() bool { times--; return times >= 0 })
	c.report(t)
}

// run the chaos until the last kill.
func (c *chaos) run(t testing.TB, pause time.Duration, more func() bool) {
	t.Helper()
	c.operators.Work(true)
	defer c.operators.Work(false)
	c.namespace(t, chaosNamespace)

	c.inParallel((*subject).create)
	ctx, stop := context.WithCancel(c.ctx)
	var editors sync.WaitGroup
	editors.Go(func() { c.edit(ctx) })
	err := c.killWhile(more, pause)
	stop()
	editors.Wait()
	if err != nil {
		t.Fatal(err)
	}
	c.inParallel((*subject).isUnchanged)
	c.inParallel((*subject).remove)
}

func (s *suite) newChaos(t testing.TB, graphs int) *chaos {
	t.Helper()
	c := &chaos{suite: s, kills: map[string]int{}, edits: map[string][]time.Duration{}}
	for i := range graphs {
		c.graphs = append(c.graphs, s.newSubject(t, i))
	}
	return c
}

// inParallel calls a function for all graphs, several at a time, and collects the errors.
func (c *chaos) inParallel(do func(*subject) error) {
	var all sync.WaitGroup
	for worker := range chaosGraphs {
		all.Go(func() {
			for i := worker; i < len(c.graphs) && c.ctx.Err() == nil; i += chaosGraphs {
				c.keep(c.graphs[i], do(c.graphs[i]))
			}
		})
	}
	all.Wait()
}

// edit several graphs at a time until the context ends. Each graph is at rest before its next edit.
func (c *chaos) edit(ctx context.Context) {
	var all sync.WaitGroup
	for worker := range chaosGraphs {
		random := rand.New(rand.NewPCG(chaosSeed, uint64(worker))) //nolint:gosec // The test is to be the same on every run.
		all.Go(func() {
			for ctx.Err() == nil {
				mine := (len(c.graphs) - worker + chaosGraphs - 1) / chaosGraphs
				c.editOne(c.graphs[worker+chaosGraphs*random.IntN(mine)], random)
			}
		})
	}
	all.Wait()
}

func (c *chaos) editOne(g *subject, random *rand.Rand) {
	begin := time.Now()
	name, err := g.edit(random)
	c.keep(g, err)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.edits[name] = append(c.edits[name], time.Since(begin))
}

func (c *chaos) keep(g *subject, err error) {
	if err == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.wrong = append(c.wrong, fmt.Errorf("%s: %w", g.graph.GetName(), err))
}

// killWhile the condition is true at the end of each pause, one program after the other.
func (c *chaos) killWhile(more func() bool, pause time.Duration) error {
	random := rand.New(rand.NewPCG(chaosSeed, 0)) //nolint:gosec // The test is to be the same on every run.
	for {
		select {
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-time.After(time.Duration(random.Int64N(int64(pause)))):
		}
		if !more() {
			return nil
		}
		if err := c.kill(c.ctx, random); err != nil {
			return err
		}
	}
}

// kill a program. A function is restarted by its runtime.
func (c *chaos) kill(ctx context.Context, random *rand.Rand) error {
	victims := []string{controlplane.Etcd, controlplane.APIServer, controlplane.Crossplane, "function", "function"}
	victim := victims[random.IntN(len(victims))]
	c.kills[victim]++
	switch victim {
	case "function":
	case controlplane.Etcd, controlplane.APIServer:
		// As if their node had failed, with all that runs there. The garbage collector alone would go on forever without what was deleted
		// and created again under the same name while it could not watch, such as the leader of a group.
		// https://github.com/kubernetes/kubernetes/pull/133565
		return errors.Join(c.Kill(ctx, victim), c.Kill(ctx, controlplane.ControllerManager))
	default:
		return c.Kill(ctx, victim)
	}
	running := c.Functions()
	names := slices.Sorted(maps.Keys(running))
	running[names[random.IntN(len(names))]].Kill()
	return nil
}

// report what was done, and the errors.
func (c *chaos) report(t testing.TB) {
	t.Helper()
	for _, victim := range slices.Sorted(maps.Keys(c.kills)) {
		t.Logf("%s: killed %d times", victim, c.kills[victim])
	}
	for _, name := range slices.Sorted(maps.Keys(c.edits)) {
		all := c.edits[name]
		sum, slowest := time.Duration(0), time.Duration(0)
		for _, d := range all {
			sum, slowest = sum+d, max(slowest, d)
		}
		t.Logf("%s: %d times, in %s on average, the slowest in %s",
			name, len(all), (sum / time.Duration(len(all))).Round(100*time.Millisecond), slowest.Round(100*time.Millisecond))
	}
	if len(c.edits) == 0 {
		t.Error("want graphs edited, got none")
	}
	for _, err := range c.wrong {
		t.Errorf("%v", err)
	}
}

// retry an operation that fails while the control plane is down, until it succeeds.
func (s *suite) retry(what string, check func() error) error {
	return s.await(what, check, s.logf)
}

// listed are the objects of a kind that belong to a graph.
func (s *suite) listed(apiVersion, kind string, graph controlplane.Ref) ([]unstructured.Unstructured, error) {
	label := "crossplane.io/composite"
	switch {
	case kind == "Pod":
		label = graphLabel
	case s.ofClaims:
		label = "crossplane.io/claim-name"
	}
	return s.Client.List(s.ctx, apiVersion, kind, graph.Namespace, label+"="+graph.Name)
}
