// Package recommended contains the flags of Crossplane that docs/install.md recommends, and derives.
package recommended

import "fmt"

const (
	// Burst of the circuit breaker: the tokens of each graph.
	Burst = 600
	// RefillRate is how many tokens are added per second.
	RefillRate = 5
	// Cooldown is how long the breaker stays open.
	Cooldown = "1m"
	// Reconciles is how many graphs are reconciled at a time.
	Reconciles = 10
)

// Crossplane is the flags as arguments.
func Crossplane() []string {
	return []string{
		fmt.Sprintf("--circuit-breaker-burst=%d", Burst),
		fmt.Sprintf("--circuit-breaker-refill-rate=%d", RefillRate),
		"--circuit-breaker-cooldown=" + Cooldown,
		fmt.Sprintf("--max-concurrent-reconciles=%d", Reconciles),
	}
}
