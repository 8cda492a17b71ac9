// Dgd is the program of configuration-dynamo for people and pipelines, also as kubectl dgd: it validates, renders, compares and explains graphs
// without a cluster, and finds out why a graph in a cluster is not ready.
package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

func main() {
	spendMemory()
	// Kubernetes stops a pod with SIGTERM, a terminal with SIGINT.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: output.To(os.Stdout), err: output.To(os.Stderr), program: os.Args[0]})
	stop()
	os.Exit(code)
}

// Garbage of a process that soon ends is collected less often, which saves a quarter of the processor time of dgd validate with many files, as
// long as there is little of it.
const (
	garbagePercent = 400
	memoryLimit    = 1 << 30
)

// spendMemory to save processor time, unless the environment decides.
func spendMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// streams of the process.
type streams struct {
	in       io.Reader
	out, err *output.Writer

	// program is the path with which the program was started.
	program string
}

// executable is the name with which the program was started.
func (s streams) executable() string {
	if s.program == "" {
		return program
	}
	return strings.TrimSuffix(filepath.Base(s.program), ".exe")
}

// name of the program in its help and errors, whatever its file is called. As a plugin it is a command of kubectl, which separates words with
// dashes. https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
func (s streams) name() string {
	if plugin, ok := strings.CutPrefix(s.executable(), "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "-", " ")
	}
	return program
}

// print to standard output.
func (s streams) print(text string) error {
	_, err := io.WriteString(s.out, text)
	return errors.Wrap(err, "cannot print")
}

// say to standard error what is wrong, or a warning.
func (s streams) say(severity string, about any) {
	s.err.Printf("%s: %s: %s\n", s.name(), severity, about)
}

// fail with an error, and return the exit status that goes with it.
func fail(std streams, err error) int {
	std.say("error", err)
	var usage usageError
	var path *fs.PathError
	if errors.As(err, &usage) || errors.As(err, &path) {
		return exitUsage
	}
	return exitRefused
}
