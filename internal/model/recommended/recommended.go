// Package recommended contains the flags of Crossplane that docs/install.md recommends, and derives.
package recommended

import "fmt"

// Flags of Crossplane: the tokens of each graph in its circuit breaker, how many are added per second, how long the breaker stays open, and how many
// graphs are reconciled at a time.
const (
	Burst, RefillRate = 600, 5
	Cooldown          = "1m"
	Reconciles        = 10
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
