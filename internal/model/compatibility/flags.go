package compatibility

import "fmt"

const (
	// BreakerBurst of the circuit breaker: the tokens of each graph.
	BreakerBurst = 600
	// BreakerRefillRate is how many tokens are added per second.
	BreakerRefillRate = 5
	// BreakerCooldown is how long the breaker stays open.
	BreakerCooldown = "1m"
	// MaxReconciles is how many graphs are reconciled at a time.
	MaxReconciles = 10
)

// CrossplaneFlags is the flags as arguments.
func CrossplaneFlags() []string {
	return []string{
		fmt.Sprintf("--circuit-breaker-burst=%d", BreakerBurst),
		fmt.Sprintf("--circuit-breaker-refill-rate=%d", BreakerRefillRate),
		"--circuit-breaker-cooldown=" + BreakerCooldown,
		fmt.Sprintf("--max-concurrent-reconciles=%d", MaxReconciles),
	}
}
