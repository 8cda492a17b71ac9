package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// retry is how often a run that waits for another looks whether it has ended.
const retry = 250 * time.Millisecond

// lockPath is the file that the only run with control planes on this machine holds: two would take processor time from each other.
func lockPath() string { return filepath.Join(os.TempDir(), "configuration-dynamo-e2e.lock") }

// lockMachine waits until no other run on this machine has a control plane. The lock is freed by closing the file, and so also
// when this process dies. No program that it starts inherits the file.
func lockMachine(ctx context.Context, logf func(format string, args ...any)) (*os.File, error) {
	file, err := os.OpenFile(lockPath(), os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock of this machine: %w", err)
	}
	begin := time.Now()
	for waited := false; ; waited = true {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			if waited {
				logf("the other run ended after %s", time.Since(begin).Round(time.Second))
			}
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("cannot lock %s: %w", file.Name(), err), file.Close())
		}
		if !waited {
			logf("another run has control planes on this machine and holds %s: waiting for its end", file.Name())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("interrupted while another run holds %s: %w", file.Name(), context.Cause(ctx)), file.Close())
		case <-time.After(retry):
		}
	}
}
