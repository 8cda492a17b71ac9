package harness

import "testing"

// Sampled reports whether a test tries case i of many that differ from each other in values only: all of them, or with -short, which is what
// `make test` runs, every nth.
func Sampled(i, n int) bool { return !testing.Short() || i%n == 0 }
