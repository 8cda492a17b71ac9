//go:build race

package budget_test

// underRace says that the race detector is on: sync.Pool then forgets a part of what it is given, so that regular expressions
// allocate their machines again and again, and what is allocated says nothing about a call.
const underRace = true
