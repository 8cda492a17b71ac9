package controlplane

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperEnv makes the test binary play a part: a server with a child, or a test run that has started one.
const helperEnv = "CONFIGURATION_DYNAMO_E2E_HELPER"

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
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	file, err := listener.(*net.TCPListener).File()
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
	logs, err := os.MkdirTemp("", "process-test")
	if err != nil {
		os.Exit(1)
	}
	defer os.RemoveAll(logs)
	if _, err := start(server(port), logs); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("started")
	select {}
}

func server(port string) program {
	return program{name: "server", path: os.Args[0], env: []string{helperEnv + "=server:" + port}}
}

func takePort(t *testing.T) int {
	t.Helper()
	port, err := newPorts().take()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
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
	port := takePort(t)
	run := exec.Command(os.Args[0])
	run.Env = append(os.Environ(), helperEnv+"=run:"+strconv.Itoa(port))
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("the run did not start: %q, %v", line, err)
	}
	wait(t, "the server listens", func() bool { return !isFree(port) })
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	wait(t, "the server has ended with the run that started it", func() bool { return !serverRuns(port) })
	// Only its child is left, which no program of a control plane has.
	_ = exec.Command("true").Run()
}

// serverRuns reports whether a process has been told to serve the port.
func serverRuns(port int) bool {
	want := helperEnv + "=server:" + strconv.Itoa(port)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, entry := range entries {
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ")
		if err == nil && strings.Contains(string(environment), want) {
			command, err := os.ReadFile("/proc/" + entry.Name() + "/comm")
			if err == nil && !strings.HasPrefix(string(command), "sleep") {
				return true
			}
		}
	}
	return false
}
