package controlplane

import (
	"testing"
	"time"
)

// limitedTest is a test that `go test -timeout` ends.
type limitedTest struct {
	testing.TB

	timeout time.Time
}

func (t limitedTest) Deadline() (time.Time, bool) { return t.timeout, !t.timeout.IsZero() }

func TestDeadline(t *testing.T) {
	day := 24 * time.Hour
	start := time.Now()
	cases := map[string]struct {
		reason  string
		timeout time.Time
		limit   time.Duration
		// least and most are between what the deadline must be.
		least, most time.Time
	}{
		"WithoutTimeout": {
			reason: "Without a timeout the limit of the test counts.", limit: day,
			least: start.Add(day), most: time.Now().Add(2 * day),
		},
		"LaterTimeout": {
			reason: "A timeout that is later than the limit does not matter.", timeout: start.Add(3 * day), limit: day,
			least: start.Add(day), most: start.Add(2 * day),
		},
		"EarlierTimeout": {
			reason: "The test must end before the timeout would end its process.", timeout: start.Add(day), limit: 3 * day,
			least: start, most: start.Add(day - report),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Deadline(limitedTest{t, tc.timeout}, tc.limit); got.Before(tc.least) || got.After(tc.most) {
				t.Errorf("%s\nDeadline(...): want from %s to %s, got %s", tc.reason, tc.least, tc.most, got)
			}
		})
	}
}
