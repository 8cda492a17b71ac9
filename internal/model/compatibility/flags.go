package compatibility

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
