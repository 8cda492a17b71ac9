package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// failures of the cases of a suite. They are repeated at the end of its output, since the logs of the processes separate them from
// the line that says that the test has failed, and CI systems show the end.
type failures struct {
	mutex    sync.Mutex
	watched  map[string]bool
	messages []string
}

// watch a case, once, for its end.
func (f *failures) watch(t *testing.T) {
	t.Helper()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.watched[t.Name()] {
		return
	}
	if f.watched == nil {
		f.watched = map[string]bool{}
	}
	f.watched[t.Name()] = true
	t.Cleanup(func() {
		if t.Failed() {
			f.add(t, "failed")
		}
	})
}

// errorf fails a case, and lets it go on.
func (f *failures) errorf(t *testing.T, format string, args ...any) {
	t.Helper()
	message := fmt.Sprintf(format, args...)
	f.add(t, message)
	t.Error(message)
}

// fatalf ends a case.
func (f *failures) fatalf(t *testing.T, format string, args ...any) {
	t.Helper()
	f.errorf(t, format, args...)
	t.FailNow()
}

func (f *failures) add(t *testing.T, message string) {
	t.Helper()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.messages = append(f.messages, t.Name()+": "+message)
}

// String lists them in the order in which they happened.
func (f *failures) String() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return strings.Join(f.messages, "\n")
}
