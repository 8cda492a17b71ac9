package cluster

import (
	"context"
	"fmt"
	"time"
)

const (
	// pause within which an idle control plane takes at most idleCPU of processor time.
	pause   = 5 * time.Second
	idleCPU = pause / 10
)

// idle waits until the control plane has nothing left to do of its own start. For some seconds after CRDs and packages were installed,
// the API server takes processor time that it does not take in a cluster in use.
func (m *measurement) idle(ctx context.Context) error {
	for deadline := time.Now().Add(patience); ; {
		var before, after Work
		if err := m.readUsage(&before); err != nil {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		if err := m.readUsage(&after); err != nil {
			return err
		}
		took := after.CPU() - before.CPU()
		if took <= idleCPU {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the control plane is not idle after %s: it took %s of processor time in the last %s", patience, took, pause)
		}
		m.Progressf("waiting for the control plane to be idle: it took %s of processor time in %s", took, pause)
	}
}

// CPU time of all programs.
func (w *Work) CPU() time.Duration { return w.Functions.CPU + w.Crossplane.CPU + w.Kubernetes.CPU }
