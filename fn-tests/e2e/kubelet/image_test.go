package kubelet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBacksOff follows the pulls of an image from one change to the next.
func TestBacksOff(t *testing.T) {
	var pulls []time.Duration
	waits := true
	for at := time.Duration(0); at < 15*time.Minute; {
		now, change := backsOff(at)
		if change <= 0 {
			t.Fatalf("after %s: want the next change later, got it after %s", at, change)
		}
		if now == waits {
			t.Fatalf("after %s: want the kubelet to wait and to pull by turns, got twice %t", at, now)
		}
		if waits = now; !waits {
			pulls = append(pulls, at)
		}
		at += change
	}
	want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 70 * time.Second, 150 * time.Second, 310 * time.Second, 610 * time.Second}
	if diff := cmp.Diff(want, pulls); diff != "" {
		t.Errorf("The pause doubles up to five minutes.\npulls: -want, +got:\n%s", diff)
	}
}
