package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// printMachine says what the figures hold for. A load other than that of this benchmark makes them worthless.
func (b *bench) printMachine() {
	load := "unknown"
	if averages, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(averages), " ")
	}
	b.printf("Machine: %d processors, %s/%s, %s, load average before %s\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), load)
	b.printf("Each step is a process, called over gRPC with mTLS on loopback. Medians of interleaved runs of %s.\n", b.effort.slot)
}

// table of cells, the first column to the left and figures to the right.
func (b *bench) table(title string, rows [][]string) {
	b.printf("\n%s\n", title)
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i == 0 {
				fmt.Fprintf(&line, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&line, "  %*s", widths[i], cell)
			}
		}
		b.printf("  %s\n", strings.TrimRight(line.String(), " "))
	}
}

// printChains prints the chain beside its floor and beside the fused function.
func (b *bench) printChains(results []*result) {
	rows := [][]string{{
		"workload", "runs", "objects", "request kB", "response kB", "chain ms", "echo ms", "fused ms", "chain/echo", "fused/chain",
		"chain CPU ms", "echo CPU ms", "fused CPU ms",
	}}
	for _, r := range results {
		rows = append(rows, []string{
			r.workload.name, strconv.Itoa(len(r.chain.samples)), strconv.Itoa(r.objects), kilobytes(r.request), kilobytes(r.response),
			milliseconds(r.chain.wall()), milliseconds(r.echo.wall()), milliseconds(r.fused.wall()),
			ratio(r.chain.over(&r.echo)), ratio(r.fused.over(&r.chain)),
			milliseconds(r.chain.cpu()), milliseconds(r.echo.cpu()), milliseconds(r.fused.cpu()),
		})
	}
	b.table("One reconcile: one call of each step, with the largest request and response of any step", rows)
}

// printNodes prints what a graph costs by the nodes that it runs on.
func (b *bench) printNodes(results []*result) {
	rows := [][]string{{"nodes", "objects", "request kB", "response kB", "fused ms", "fused CPU ms", "fused/chain"}}
	for _, r := range results {
		rows = append(rows, []string{
			r.workload.name, strconv.Itoa(r.objects), kilobytes(r.request), kilobytes(r.response),
			milliseconds(r.fused.wall()), milliseconds(r.fused.cpu()), ratio(r.fused.over(&r.chain)),
		})
	}
	b.table("One reconcile of a graph by the nodes that it runs on", rows)
}

// printSteps prints what each step of the chain takes.
func (b *bench) printSteps(results []*result) {
	header := []string{"workload"}
	for _, step := range b.pipeline.Steps {
		header = append(header, step.Name)
	}
	rows := [][]string{header}
	for _, r := range results {
		row := []string{r.workload.name}
		for i := range b.pipeline.Steps {
			row = append(row, fmt.Sprintf("%s (%s)", milliseconds(r.chain.step(i)), milliseconds(r.echo.step(i))))
		}
		rows = append(rows, row)
	}
	b.table("Each step of the chain in ms (that of echo with the same request)", rows)
}

// printLoops prints what is added by looking up requirements.
func (b *bench) printLoops(results []*result) {
	rows := [][]string{{"workload", "calls", "ms", "over the chain above"}}
	for _, r := range results {
		rows = append(rows, []string{
			r.workload.name, strconv.Itoa(len(r.loop.chain.requests)), milliseconds(r.loop.wall()), ratio(r.loop.over(&r.chain)),
		})
	}
	b.table("The chain under Crossplane up to v2.3, which calls again until the requirements of a step are twice the same", rows)
}

// printRatios prints the lines that the output ends with.
func (b *bench) printRatios(r *result) {
	b.printf("\n%s:\nchain/echo %s\nfused/chain %s\n", r.workload.name, ratio(r.chain.over(&r.echo)), ratio(r.fused.over(&r.chain)))
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}

func microseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Microsecond))
}

func kilobytes(bytes int) string { return fmt.Sprintf("%.1f", float64(bytes)/1000) }

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

func ratio(r float64) string { return fmt.Sprintf("%.2fx", r) }
