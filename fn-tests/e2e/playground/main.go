// Command playground runs a cluster to try graphs in, on this machine and without containers: a real API server, Crossplane with the functions
// of this repository, the controllers and the scheduler of Kubernetes, and LeaderWorkerSet. Nodes are simulated, so no container runs: pods become
// ready after some seconds. Grove's operator is simulated, too.
//
// It builds what is missing, applies a graph, follows it until it is ready, and runs until it is interrupted. `make playground` starts it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

func main() {
	if err := play(); err != nil {
		fmt.Fprintf(os.Stderr, "playground: error: %v\n", err)
		os.Exit(1)
	}
}

// play until the playground is interrupted, which is no error.
func play() error {
	graph := flag.String("graph", "examples/disagg-vllm.yaml", "the graph to apply; empty for none")
	kubeconfig := flag.String("kubeconfig", filepath.Join("_output", "playground.kubeconfig"), "where to write how kubectl reaches the cluster")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, *graph, *kubeconfig); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// run the playground until it is interrupted.
func run(ctx context.Context, graph, kubeconfig string) error {
	root, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("cannot find the repository: %w", err)
	}
	built, err := build(ctx, root)
	if err != nil {
		return err
	}
	sayf("starting the cluster")
	cluster, err := start(ctx, root, built)
	defer cluster.end(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if err := cluster.writeKubeconfig(kubeconfig); err != nil {
		return err
	}
	if graph != "" {
		if err := cluster.follow(ctx, graph); err != nil {
			return err
		}
	}
	invite(built, kubeconfig)
	<-ctx.Done()
	sayf("stopping")
	return nil
}

// sayf says what happens.
func sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stdout, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// built is where the programs and packages are.
type built struct{ kubectl, program, packages string }

// build the programs of the cluster, the command line and the packages, which takes long only the first time.
func build(ctx context.Context, root string) (built, error) {
	b := built{program: filepath.Join(root, "_output", "playground", "bin", "kubectl-dgd"), packages: filepath.Join(root, "_output", "playground", "packages")}
	var err error
	if b.kubectl, err = tools(ctx, root); err != nil {
		return b, err
	}
	sayf("the functions, their packages and the command line")
	if _, err := command(ctx, root, "hack/package.sh", "-l", b.packages); err != nil {
		return b, err
	}
	// As the functions are built, so that what both have is compiled once.
	_, err = command(ctx, root, "hack/binary.sh", "cmd/dgd", b.program, runtime.GOOS, runtime.GOARCH)
	return b, err
}

// tools builds the programs of the cluster, and returns where kubectl is. The linker uses one processor, so other programs are built beside those
// of Kubernetes, which have most of their packages in common and are built one after the other.
func tools(ctx context.Context, root string) (kubectl string, err error) {
	names := controlplane.Tools()
	sayf("%d programs, which take minutes each the first time", len(names))
	var lanes [2][]string
	for _, name := range names {
		lane := 0
		if strings.HasPrefix(name, "kube") {
			lane = 1
		}
		lanes[lane] = append(lanes[lane], name)
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, lane := range lanes {
		all.Go(func() error {
			for _, name := range lane {
				begin := time.Now()
				path, err := command(ctx, root, "hack/tool.sh", name)
				if err != nil {
					return err
				}
				sayf("  %s after %s", name, time.Since(begin).Round(time.Second))
				if name == "kubectl" {
					kubectl = path
				}
			}
			return nil
		})
	}
	err = all.Wait()
	return kubectl, err
}

// command runs a program and returns what it prints. What it says of its progress is shown.
func command(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // It is a program of the repository, or Go.
	c.Dir, c.Stderr = folder, os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("cannot run %s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// invite says what can be done with the cluster.
func invite(b built, kubeconfig string) {
	_, _ = fmt.Fprintf(os.Stdout, `
The cluster runs until you press Ctrl-C here. In another terminal:

  export KUBECONFIG=$PWD/%s PATH=%s:%s:$PATH
  kubectl get dgd,pods -n inference
  kubectl dgd why NAME -n inference

docs/tutorial.md leads through the first graph.

`, kubeconfig, filepath.Dir(b.kubectl), filepath.Dir(b.program))
}
