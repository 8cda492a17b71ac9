//go:build !race

package plan

// underRace says that the race detector is on; see race_test.go.
const underRace = false
