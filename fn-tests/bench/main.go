// Bench measures the functions as Crossplane calls them: the chain of processes, one for each step, beside a chain that only
// copies and beside the one function that does it all, in one run, because machines drift. It prints tables.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// streams of the process.
type streams struct{ out, err io.Writer }

// run the benchmark.
func run(ctx context.Context, args []string, std streams) error {
	o, err := parseOptions(args, std.err)
	if err != nil {
		return err
	}
	// What Crossplane itself spends is not what is measured, and it shares the processors with the functions.
	debug.SetGCPercent(400)

	b, err := newBench(ctx, o, std)
	if err != nil {
		return err
	}
	defer b.clean() //nolint:errcheck // A folder for temporary files is no reason to fail.
	b.printMachine()
	switch {
	case len(o.graphs) > 0:
		return b.crowds(ctx)
	case o.pressure:
		return errors.Join(b.underPressure(ctx), b.besideHostile(ctx), b.besideStrangers(ctx))
	default:
		return b.compare(ctx)
	}
}

// compare the chain with its floor and with the fused function, then measure single processes.
func (b *bench) compare(ctx context.Context) error {
	workloads, err := b.workloads(ctx)
	if err != nil {
		return err
	}
	results, err := b.measureAll(ctx, workloads, b.effort.runs)
	if err != nil {
		return err
	}
	b.printChains(results)
	b.printSteps(results)
	b.printLoops(results)
	b.printTemplates(results)

	smaller, err := b.between()
	if err != nil {
		return err
	}
	more, err := b.measureAll(ctx, smaller, max(leastRuns, b.effort.runs/2))
	if err != nil {
		return err
	}
	b.printObjects(append(more, results...))

	nodes, err := b.nodes()
	if err != nil {
		return err
	}
	onNodes, err := b.measureAll(ctx, nodes, max(leastRuns, b.effort.runs/2))
	if err != nil {
		return err
	}
	b.printNodes(onNodes)

	median := results[indexOf(workloads, median)]
	if err := b.processes(ctx, median); err != nil {
		return err
	}
	b.printRatios(median)
	return nil
}
