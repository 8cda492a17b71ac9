package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/recommended"
)

// Tokens of Crossplane's circuit breaker.
const (
	defaultBurst, defaultRefill = 100, 1

	// tokensOfPod is what a pod that starts costs, and tokensOfReplaced what one costs that Grove replaces.
	tokensOfPod, tokensOfReplaced = 6, 45
)

// circuitBreaker of Crossplane, which drops the events of graphs that change often.
func circuitBreaker(f *Facts) Finding {
	crossplane := f.crossplane()
	if crossplane == nil {
		return skipped("No Deployment of Crossplane was found.")
	}
	if f.hasOldCrossplane() {
		return ok("Crossplane before v2.1.0 has no circuit breaker.")
	}
	burst := crossplane.number("--circuit-breaker-burst", defaultBurst)
	refill := crossplane.number("--circuit-breaker-refill-rate", defaultRefill)
	found := fmt.Sprintf("Crossplane's circuit breaker has %g tokens for each graph and adds %g per second", burst, refill)
	if burst >= recommended.Burst && refill >= recommended.RefillRate || burst >= defaultBurst && !f.serves(groveVersion, kindPodCliqueSet) {
		return ok(fmt.Sprintf("%s: enough for %d pods that start at once.", found, int(burst)/tokensOfPod))
	}
	return warning(
		fmt.Sprintf("%s: enough for %d pods that start at once, and for %d that Grove replaces. While it is open, edits are applied up to 15 seconds late.", found, int(burst)/tokensOfPod, int(burst)/tokensOfReplaced),
		fmt.Sprintf("Add --circuit-breaker-burst=%d, --circuit-breaker-refill-rate=%d and --circuit-breaker-cooldown=%s to the arguments of Crossplane: see docs/install.md.", recommended.Burst, recommended.RefillRate, recommended.Cooldown),
	)
}

// defaultReconciles is how many graphs Crossplane reconciles at a time. docs/performance.md compares it with what is recommended.
const defaultReconciles = 100

// concurrency of Crossplane, whose default has graphs that are created together wait for each other in the API server.
func concurrency(f *Facts) Finding {
	crossplane := f.crossplane()
	if crossplane == nil {
		return skipped("No Deployment of Crossplane was found.")
	}
	// The second flag is the name of the first one in earlier versions.
	reconciles := crossplane.number("--max-concurrent-reconciles", crossplane.number("--max-reconcile-rate", 0))
	if reconciles > 0 {
		return ok(fmt.Sprintf("Crossplane reconciles %g graphs at a time.", reconciles))
	}
	if f.hasOldCrossplane() {
		return ok("Crossplane before v2.1.0 reconciles few graphs at a time.")
	}
	return warning(
		fmt.Sprintf("Crossplane reconciles %d graphs at a time, which is its default: so many that are created together wait for each other in an API server with few processors, and take more requests.", defaultReconciles),
		fmt.Sprintf("Add --max-concurrent-reconciles=%d to the arguments of Crossplane, or five for each processor of the API server: see docs/install.md.", recommended.Reconciles),
	)
}

// hasOldCrossplane reports whether Crossplane is of a version before its circuit breaker.
func (f *Facts) hasOldCrossplane() bool {
	old, err := compatibility.Older(compatibility.Crossplane, f.versionOf(compatibility.Crossplane), "v2.1.0")
	return err == nil && old
}

// number that a flag of the Deployment has, as --flag=1 or as --flag 1.
func (d *Deployment) number(flag string, fallback float64) float64 {
	for _, c := range d.Containers {
		for i, arg := range c.Args {
			value, has := strings.CutPrefix(arg, flag+"=")
			if arg == flag && i+1 < len(c.Args) {
				value, has = c.Args[i+1], true
			}
			if number, err := strconv.ParseFloat(value, 64); has && err == nil {
				return number
			}
		}
	}
	return fallback
}
