// Bench measures the functions as Crossplane calls them: the chain of processes, one for each step, beside a chain that only
// copies and beside the one function that does it all, in one run, because machines drift. It prints tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
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

// options of the command line.
type options struct {
	quick bool
	// pressure is all that is measured.
	pressure bool
	// graphs that are created at once on a real control plane, with packages of a folder, and how long they are watched at rest.
	// With any they are all that is measured.
	graphs   []int
	packages string
	rest     time.Duration
	// runs of each chain in turn, how long each takes about, and how long all of one workload may take.
	runs         int
	slot, budget time.Duration
	// starts of a function from cold.
	starts int
	// calls of one process after which its memory is looked at again, and of the fused function at once.
	calls, concurrent int
}

func parseOptions(args []string, usage io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.BoolVar(&o.quick, "quick", false, "take half a minute: fewer workloads, runs and calls, and so figures that vary more")
	flags.BoolVar(&o.pressure, "pressure", false, "measure only the memory of functions that many call at once with the largest graph")
	graphs := flags.String("graphs", "", "measure only so many graphs at once on a real control plane, such as \"1 100\"")
	flags.StringVar(&o.packages, "packages", "", "folder of the packages for -graphs, which hack/package.sh has written")
	flags.DurationVar(&o.rest, "rest", 0, "how long the most of -graphs are measured at rest; 0 leaves it out")
	flags.IntVar(&o.runs, "runs", 20, "interleaved runs of each chain, of which the median counts")
	flags.DurationVar(&o.slot, "slot", 150*time.Millisecond, "how long a run takes about: as many passes of the chain as fit, at least one")
	flags.DurationVar(&o.budget, "budget", 20*time.Second, "stop the runs of a workload after this time, but not before the third")
	flags.IntVar(&o.starts, "starts", 9, "starts from cold, of which the median counts")
	flags.IntVar(&o.calls, "calls", 10000, "calls of one process after which its memory is looked at again")
	flags.IntVar(&o.concurrent, "concurrent", 100, "calls of the fused function at once")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.graphs, err = parseCounts(*graphs); err != nil {
		return o, err
	}
	if o.quick {
		o.runs, o.slot, o.starts, o.calls = min(o.runs, 5), min(o.slot, 50*time.Millisecond), min(o.starts, 3), min(o.calls, 1000)
	}
	if min(o.runs, o.starts, o.calls, o.concurrent) < 1 {
		return o, fmt.Errorf("cannot measure nothing: -runs %d, -starts %d, -calls %d, -concurrent %d", o.runs, o.starts, o.calls, o.concurrent)
	}
	return o, nil
}

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
	if len(o.graphs) > 0 {
		return b.crowds(ctx)
	}
	if o.pressure {
		return b.underPressure(ctx)
	}

	workloads, err := b.workloads(ctx)
	if err != nil {
		return err
	}
	results, err := b.measureAll(ctx, workloads, pace{runs: o.runs, slot: o.slot, budget: o.budget})
	if err != nil {
		return err
	}
	b.printChains(results)
	b.printSteps(results)
	b.printLoops(results)

	smaller, err := b.between()
	if err != nil {
		return err
	}
	more, err := b.measureAll(ctx, smaller, pace{runs: max(leastRuns, o.runs/2), slot: o.slot, budget: o.budget})
	if err != nil {
		return err
	}
	b.printObjects(append(more, results...))
	median := results[indexOf(workloads, median)]
	if err := b.processes(ctx, median); err != nil {
		return err
	}
	b.printRatios(median)
	return nil
}
