package main

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// printObjects prints what one object costs in graphs of more and more objects of the same kinds.
func (b *bench) printObjects(results []*result) {
	replicated := slices.DeleteFunc(slices.Clone(results), func(r *result) bool { return !r.workload.replicated })
	slices.SortFunc(replicated, func(a, b *result) int { return cmp.Compare(a.objects, b.objects) })
	rows := [][]string{{
		"workload", "objects", "chain ms", "us per object", "us per further object", "fused ms", "us per object", "us per further object",
	}}
	for i, r := range replicated {
		row := []string{r.workload.name, strconv.Itoa(r.objects)}
		for _, lane := range []func(*result) *lane{func(r *result) *lane { return &r.chain }, func(r *result) *lane { return &r.fused }} {
			further := ""
			if i > 0 {
				before := replicated[i-1]
				further = microseconds(each(lane(r).wall()-lane(before).wall(), r.objects-before.objects))
			}
			row = append(row, milliseconds(lane(r).wall()), microseconds(each(lane(r).wall(), r.objects)), further)
		}
		rows = append(rows, row)
	}
	b.table("Cost of one composed object, and of one more", rows)
}

// each of some objects.
func each(d time.Duration, objects int) time.Duration { return d / time.Duration(max(1, objects)) }
