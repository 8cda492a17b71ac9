//go:build !race

package budget_test

// underRace says that the race detector is on; see race_test.go.
const underRace = false
