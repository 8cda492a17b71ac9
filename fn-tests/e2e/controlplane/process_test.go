package controlplane

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// helperEnv makes the test binary play a part: a server with a child, or a test run that has started one.
const (
	helperEnv     = "CONFIGURATION_DYNAMO_E2E_HELPER"
	helperLogsEnv = "CONFIGURATION_DYNAMO_E2E_HELPER_LOGS"
)

func TestMain(m *testing.M) {
	switch part, port, _ := strings.Cut(os.Getenv(helperEnv), ":"); part {
	case "server":
		serve(port)
	case "run":
		runHelper(port)
	default:
		os.Exit(m.Run())
	}
}

// serve a port, and have a child that inherits it and outlives SIGTERM.
func serve(port string) {
	signal.Ignore(syscall.SIGTERM)
	number, err := strconv.Atoi(port)
	if err != nil {
		os.Exit(1)
	}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(host), Port: number})
	if err != nil {
		os.Exit(1)
	}
	file, err := listener.File()
	if err != nil {
		os.Exit(1)
	}
	child := exec.Command("sleep", "600")
	child.ExtraFiles = []*os.File{file}
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	select {}
}

// runHelper is a run of tests that has started a server, and waits for its end.
func runHelper(port string) {
	if _, err := start(server(port), os.Getenv(helperLogsEnv)); err != nil {
		os.Exit(1)
	}
	select {}
}

func server(port string) program {
	return program{name: "server", path: os.Args[0], env: []string{helperEnv + "=server:" + port}}
}

func takePort(t *testing.T) int {
	t.Helper()
	reserved, err := newPorts().reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reserved.held.Close() })
	return reserved.port
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := Deadline(t, time.Hour); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestStop(t *testing.T) {
	port := takePort(t)
	process, err := start(server(strconv.Itoa(port)), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wait(t, "the server listens", func() bool { return !isFree(port) })
	process.Kill()
	if !process.Ended() {
		t.Error("want the process ended")
	}
	wait(t, "the port is free: the child is ended as well", func() bool { return isFree(port) })
	// A second time there is nothing left to do.
	process.Stop()
}

func TestKilledRunLeavesNothing(t *testing.T) {
	for name, signal := range map[string]os.Signal{"SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			port := takePort(t)
			run := exec.Command(os.Args[0]) //nolint:gosec // It runs itself.
			run.Env = append(os.Environ(), helperEnv+"=run:"+strconv.Itoa(port), helperLogsEnv+"="+t.TempDir())
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			wait(t, "the server listens", func() bool { return !isFree(port) })
			if err := run.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = run.Wait()
			wait(t, "the server has ended with the run that started it", func() bool { return !serverRuns(t, port) })
			endChildren(t, port)
		})
	}
}

// endChildren of a server whose end was not ours to see. No program of a control plane has any.
func endChildren(t *testing.T, port int) {
	t.Helper()
	for _, process := range processesOf(t, port) {
		_ = syscall.Kill(process.PID, syscall.SIGKILL)
	}
	wait(t, "the port is free", func() bool { return isFree(port) })
}

// serverRuns reports whether the server of a port runs.
func serverRuns(t *testing.T, port int) bool {
	t.Helper()
	return slices.ContainsFunc(processesOf(t, port), func(p procfs.Proc) bool {
		name, err := p.Comm()
		return err == nil && name != "sleep"
	})
}

// processesOf a port: the server that was told to serve it, and its child.
func processesOf(t *testing.T, port int) []procfs.Proc {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(p procfs.Proc) bool {
		environment, err := p.Environ()
		return err != nil || !slices.Contains(environment, helperEnv+"=server:"+strconv.Itoa(port))
	})
}
