package controlplane

import (
	"strings"
	"testing"
)

// TestShellUntil interrupts a script that would not end, once it has printed enough, and no sooner.
func TestShellUntil(t *testing.T) {
	c := &ControlPlane{options: Options{Root: t.TempDir()}}
	const script = "echo first; sleep 0.1; echo second; exec sleep 1000"
	out, err := c.ShellUntil(t.Context(), script, func(printed string) bool { return strings.Contains(printed, "second") })
	if err == nil || !strings.Contains(err.Error(), "signal: interrupt") {
		t.Errorf("want the script interrupted, got %v", err)
	}
	if want := "first\nsecond\n"; out != want {
		t.Errorf("want %q, got %q", want, out)
	}
}
