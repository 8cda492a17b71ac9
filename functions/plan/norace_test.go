//go:build !race

package plan

// underRace says that the race detector is on; see the other file.
const underRace = false
