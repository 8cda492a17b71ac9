package main

import (
	"context"
	"fmt"
	"time"
)

// perObject measures graphs of more and more objects of the same kinds, and prints what one object costs.
func (b *bench) perObject(ctx context.Context) error {
	sizes := []struct {
		services int
		replicas int64
	}{{4, 1}, {13, 1}, {25, 1}, {25, 3}, {25, 10}, {25, 20}}
	runs := max(1, b.options.runs/2)
	if b.options.quick {
		sizes = sizes[:3]
	}
	var workloads []workload
	for _, size := range sizes {
		graph, err := leaderWorkerSets(size.services, size.replicas)
		if err != nil {
			return err
		}
		workloads = append(workloads, workload{fmt.Sprintf("%d x %d", size.services, size.replicas), graph})
	}
	results, err := b.measureAll(ctx, workloads, runs)
	if err != nil {
		return err
	}
	rows := [][]string{{"services x LWS", "objects", "chain ms", "us per object", "more us per more object", "chain/echo", "fused us per object", "more us per more object"}}
	for i, r := range results {
		row := []string{
			r.workload.name, fmt.Sprint(r.objects), milliseconds(r.chain.wall()), microseconds(per(r.chain.wall(), r.objects)), "",
			ratio(r.chain.over(&r.echo)), microseconds(per(r.fused.wall(), r.objects)), "",
		}
		if i > 0 {
			before := results[i-1]
			more := r.objects - before.objects
			row[4] = microseconds(per(r.chain.wall()-before.chain.wall(), more))
			row[7] = microseconds(per(r.fused.wall()-before.fused.wall(), more))
		}
		rows = append(rows, row)
	}
	b.table(fmt.Sprintf("Cost of one composed object, median of %d runs", runs), rows)
	return nil
}

func per(d time.Duration, objects int) time.Duration { return d / time.Duration(max(1, objects)) }
