package controlplane

import (
	"testing"
	"time"
)

// report is the time that a test needs after its deadline to say what it was waiting for, and to stop its control plane.
const report = time.Minute

// Deadline of a test that may take some time, and that `go test -timeout` must not end before the test has stopped its control plane.
func Deadline(t testing.TB, limit time.Duration) time.Time {
	t.Helper()
	end := time.Now().Add(limit)
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return end
	}
	if timeout, set := limited.Deadline(); set && timeout.Add(-report).Before(end) {
		return timeout.Add(-report)
	}
	return end
}
