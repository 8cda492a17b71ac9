// Package kubectl runs the user's kubectl, which knows how to log in to a cluster.
package kubectl

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// An Error is what kubectl says if it fails.
type Error struct {
	// Args of kubectl.
	Args []string

	// Message that kubectl has printed, without what it logs.
	Message string

	err error
}

// Error is the message with the command.
func (e *Error) Error() string { return "kubectl " + strings.Join(e.Args, " ") + ": " + e.Message }

// Unwrap is why the command has failed.
func (e *Error) Unwrap() error { return e.err }

// Send manifests to the standard input of kubectl, and return what it prints. The error is an *Error.
func Send(ctx context.Context, manifests []byte, args ...string) ([]byte, error) {
	var out, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "kubectl", args...) //nolint:gosec // The user's own kubectl reads what this program names.
	command.Stdout, command.Stderr = &out, &stderr
	if manifests != nil {
		command.Stdin = bytes.NewReader(manifests)
	}
	if err := command.Run(); err != nil {
		message := messageOf(stderr.String())
		if message == "" {
			message = err.Error()
		}
		return nil, &Error{Args: args, Message: message, err: err}
	}
	return out.Bytes(), nil
}

// logged is what a line of a log of Kubernetes begins with, such as those that kubectl repeats for each API that it cannot discover.
// https://github.com/kubernetes/klog/blob/v2.130.1/klog.go#L43
var logged = regexp.MustCompile(`^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+\s+\d+ [^\s:\]]+:\d+\] `)

// messageOf what kubectl has printed to standard error: without its log and its warnings, unless there is nothing else, and each line once.
func messageOf(stderr string) string {
	var said, log []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		switch text := logged.ReplaceAllString(line, ""); {
		case line == "":
		case text != line, strings.HasPrefix(line, "Warning: "):
			log = append(log, text)
		case !slices.Contains(said, line):
			said = append(said, line)
		}
	}
	if len(said) == 0 && len(log) > 0 {
		return log[len(log)-1]
	}
	return strings.Join(said, "\n")
}
