// Package playground runs a cluster to try graphs in, on this machine and without containers: a real API server, Crossplane with the functions of
// this repository and the flags that docs/install.md recommends, the controllers and the scheduler of Kubernetes, and LeaderWorkerSet. Nodes are
// simulated, so no container runs: pods become ready after some seconds. Grove's operator is simulated, too.
//
// `make playground` starts it, and so does the suite that every change has to pass.
package playground

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/groveoperator"
)

// A Playground is a cluster to try graphs in.
type Playground struct {
	*controlplane.ControlPlane

	// Grove is its simulated operator.
	Grove *groveoperator.Loop
	// Entrance is the command with which a terminal reaches the cluster.
	Entrance string

	root      string
	kept      bool
	out       io.Writer
	built     built
	workloads *controlplane.Workloads
}

// Run a playground, with the arguments of its command, for as long as use takes. It builds what is missing, applies a graph, and follows it until it
// is ready. It adds to the options what it consists of. What happens is written to out.
func Run(ctx context.Context, args []string, o controlplane.Options, out io.Writer, use func(p *Playground)) error {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	graph := flags.String("graph", "", "the graph to apply; none by default")
	kubeconfig := flags.String("kubeconfig", filepath.Join("_output", "playground.kubeconfig"), "where to write how kubectl reaches the cluster")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p := &Playground{root: o.Root, out: out}
	if err := p.build(ctx); err != nil {
		return err
	}
	defer p.end(context.WithoutCancel(ctx))
	if err := p.begin(ctx, o, *kubeconfig, *graph); err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			p.Keep()
		}
		return err
	}
	p.invite()
	use(p)
	p.sayf("stopping")
	return nil
}

// begin with a graph that is ready in a cluster that can be reached.
func (p *Playground) begin(ctx context.Context, o controlplane.Options, kubeconfig, graph string) error {
	p.sayf("starting the cluster")
	if err := p.start(ctx, o); err != nil {
		return err
	}
	if err := p.open(p.path(kubeconfig)); err != nil {
		return err
	}
	if graph == "" {
		return nil
	}
	return p.follow(ctx, p.path(graph))
}

// logged is how many lines of each log are shown after a failure.
const logged = 25

// Keep the files of the cluster when it has ended, after a failure whose logs it shows.
func (p *Playground) Keep() {
	p.kept = true
	p.sayf("the last lines of the logs of the cluster:\n%s", p.Logs(logged))
}

// path of a file that is named from the root of the repository.
func (p *Playground) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.root, name)
}

// sayf says what happens.
func (p *Playground) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// invite says what can be done with the cluster.
func (p *Playground) invite() {
	_, _ = fmt.Fprintf(p.out, `
The cluster runs until you press Ctrl-C here. In another terminal:

  %s
  kubectl get dgd,pods -n %s
  kubectl dgd why NAME -n %s

docs/tutorial.md leads through the first graph.

`, p.Entrance, Namespace, Namespace)
}
