package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedianNumber(t *testing.T) {
	cases := map[string]struct {
		reason string
		values []float64
		want   float64
	}{
		"None": {reason: "The median of no values is zero."},
		"Odd":  {reason: "The median of an odd number of values is the one in the middle, in whatever order they are.", values: []float64{9, 1, 2}, want: 2},
		"Even": {reason: "The median of an even number of values is the mean of the two in the middle.", values: []float64{4, 1, 100, 2}, want: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := medianNumber(tc.values); got != tc.want {
				t.Errorf("%s\nmedianNumber(%v): want %v, got %v", tc.reason, tc.values, tc.want, got)
			}
		})
	}
}

func TestRatios(t *testing.T) {
	got := ratios([]int64{2, 9, 5}, []int64{1, 3})
	if diff := cmp.Diff([]float64{2, 3}, got); diff != "" {
		t.Errorf("ratios(...): pairs only: -want, +got:\n%s", diff)
	}
}
