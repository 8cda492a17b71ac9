package main

import "slices"

// number is a time, a size or a ratio.
type number interface{ ~int64 | ~float64 }

// medianNumber of values; the mean of the two in the middle where there is an even number of them. Zero of none.
func medianNumber[T number](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// ratios of values that were measured side by side.
func ratios[T number](values, others []T) []float64 {
	out := make([]float64, 0, len(values))
	for i := range min(len(values), len(others)) {
		out = append(out, float64(values[i])/float64(others[i]))
	}
	return out
}
