package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// T is a test, or a case of it, whose failures are repeated at the end of the output of the test: the logs of the processes separate them
// from the line that says that the test has failed, and CI systems show the end.
//
// It has a deadline for everything that it and its cases wait for. Nothing else in it is limited, since a busy machine may take long for
// anything.
type T struct {
	*testing.T

	failures *failures
	deadline time.Time
	ctx      context.Context //nolint:containedctx // It takes the place of that of testing.T.
}

// patience is the time for a whole test, unless that of `go test -timeout` is shorter.
const patience = 45 * time.Minute

// repeating is a test whose failures, and those of its cases, are repeated when everything else of it has ended.
func repeating(t *testing.T) *T {
	t.Helper()
	return lasting(t, patience)
}

// lasting is repeating with another time for the whole test.
func lasting(t *testing.T, limit time.Duration) *T {
	t.Helper()
	out := wrapped(t, &failures{}, controlplane.Deadline(t, limit))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what has failed:\n%s", out.failures)
		}
	})
	return out
}

// wrapped is a test, or a case of it.
func wrapped(t *testing.T, of *failures, deadline time.Time) *T {
	t.Helper()
	ctx, cancel := context.WithDeadlineCause(t.Context(), deadline, errTooLong)
	t.Cleanup(cancel)
	return &T{T: t, failures: of, deadline: deadline, ctx: ctx}
}

var errTooLong = errors.New("the time for the whole test is over")

// Context ends with the test, and at its deadline.
func (t *T) Context() context.Context { return t.ctx }

// Run a case.
func (t *T) Run(name string, run func(t *T)) bool {
	t.Helper()
	return t.T.Run(name, func(one *testing.T) {
		one.Cleanup(func() {
			if one.Failed() && !t.failures.of(one.Name()) {
				t.failures.add(one.Name(), "failed; its message is above")
			}
		})
		run(wrapped(one, t.failures, t.deadline))
	})
}

// Error fails the test, and lets it go on.
func (t *T) Error(args ...any) {
	t.Helper()
	t.failures.add(t.Name(), strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
	t.T.Error(args...)
}

// Errorf is Error with a format.
func (t *T) Errorf(format string, args ...any) {
	t.Helper()
	t.Error(fmt.Sprintf(format, args...))
}

// Fatal ends the test.
func (t *T) Fatal(args ...any) {
	t.Helper()
	t.Error(args...)
	t.FailNow()
}

// Fatalf is Fatal with a format.
func (t *T) Fatalf(format string, args ...any) {
	t.Helper()
	t.Fatal(fmt.Sprintf(format, args...))
}

// failures of a test and of its cases.
type failures struct {
	mutex sync.Mutex
	all   []failure
}

type failure struct{ test, message string }

func (f *failures) add(test, message string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.all = append(f.all, failure{test, message})
}

// of a test or of its cases, whether there are any.
func (f *failures) of(test string) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, one := range f.all {
		if one.test == test || strings.HasPrefix(one.test, test+"/") {
			return true
		}
	}
	return false
}

// String lists them in the order in which they happened.
func (f *failures) String() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var lines []string
	for _, one := range f.all {
		lines = append(lines, one.test+": "+one.message)
	}
	return strings.Join(lines, "\n")
}
