//go:build !race

package plan_test

// underRace says that the race detector is on; see race_test.go.
const underRace = false
