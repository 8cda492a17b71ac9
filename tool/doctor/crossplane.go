package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// Tokens of Crossplane's circuit breaker.
const (
	defaultBurst, defaultRefill = 100, 1

	// defaultCooldown is how long the breaker stays open.
	defaultCooldown = 5 * time.Minute

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
	enough := burst >= compatibility.BreakerBurst && refill >= compatibility.BreakerRefillRate
	if cooldown := crossplane.cooldown(); enough && cooldown > duration(compatibility.BreakerCooldown, 0) {
		return warning(fmt.Sprintf("Crossplane's circuit breaker stays open for %s. While it is open, edits are applied up to 15 seconds late.", cooldown),
			fmt.Sprintf("Add --circuit-breaker-cooldown=%s to the arguments of Crossplane: see docs/install.md#circuit-breaker.", compatibility.BreakerCooldown))
	}
	if enough || burst >= defaultBurst && !f.serves(groveVersion, kindPodCliqueSet) {
		return ok(fmt.Sprintf("%s: enough for %d pods that start at once.", found, int(burst)/tokensOfPod))
	}
	return warning(
		fmt.Sprintf("%s: enough for %d pods that start at once, or for %d pods that Grove replaces at once. While the breaker is open, edits are applied up to 15 seconds late.", found, int(burst)/tokensOfPod, int(burst)/tokensOfReplaced),
		fmt.Sprintf("Add --circuit-breaker-burst=%d, --circuit-breaker-refill-rate=%d and --circuit-breaker-cooldown=%s to the arguments of Crossplane: see docs/install.md#circuit-breaker.", compatibility.BreakerBurst, compatibility.BreakerRefillRate, compatibility.BreakerCooldown),
	)
}

// cooldown of the circuit breaker.
func (d *Deployment) cooldown() time.Duration {
	value, _ := d.flag("--circuit-breaker-cooldown")
	return duration(value, defaultCooldown)
}

// duration in a text, or another one if there is none.
func duration(text string, fallback time.Duration) time.Duration {
	if parsed, err := time.ParseDuration(text); err == nil {
		return parsed
	}
	return fallback
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
	often := fmt.Sprintf("%g graphs at a time", reconciles)
	switch {
	case reconciles > 0 && reconciles < defaultReconciles:
		return ok(fmt.Sprintf("Crossplane reconciles %s.", often))
	case reconciles == 0 && f.hasOldCrossplane():
		return ok("Crossplane before v2.1.0 reconciles few graphs at a time.")
	case reconciles == 0:
		often = fmt.Sprintf("%d graphs at a time, which is its default", defaultReconciles)
	}
	return warning(
		fmt.Sprintf("Crossplane reconciles %s. Graphs that are created together wait for each other in an API server with few processors, and take more requests.", often),
		fmt.Sprintf("Add --max-concurrent-reconciles=%d to the arguments of Crossplane, or five for each processor of the API server: see docs/install.md#many-graphs-at-once.", compatibility.MaxReconciles),
	)
}

// hasOldCrossplane reports whether Crossplane is of a version before its circuit breaker.
func (f *Facts) hasOldCrossplane() bool {
	old, err := compatibility.Older(compatibility.Crossplane, f.versionOf(compatibility.Crossplane), "v2.1.0")
	return err == nil && old
}

// realtime tells whether Crossplane watches what it has composed.
func realtime(f *Facts) Finding {
	crossplane := f.crossplane()
	if crossplane == nil {
		return skipped("No Deployment of Crossplane was found.")
	}
	if value, given := crossplane.flag("--enable-realtime-compositions"); given && value == "false" {
		return warning("Crossplane does not watch the objects of graphs. It notices up to a minute late that pods are ready, or that an object has changed.",
			"Remove --enable-realtime-compositions=false from the arguments of Crossplane.")
	}
	return ok("Crossplane watches the objects of graphs.")
}

// flag of the Deployment, as --flag=value or as --flag value. A flag that is given twice has the last value.
func (d *Deployment) flag(name string) (value string, given bool) {
	for _, c := range d.containers() {
		for i, arg := range c.Args {
			if after, has := strings.CutPrefix(arg, name+"="); has {
				value, given = after, true
			} else if arg == name && i+1 < len(c.Args) {
				value, given = c.Args[i+1], true
			}
		}
	}
	return value, given
}

// number that a flag of the Deployment has.
func (d *Deployment) number(flag string, fallback float64) float64 {
	value, given := d.flag(flag)
	if number, err := strconv.ParseFloat(value, 64); given && err == nil {
		return number
	}
	return fallback
}
