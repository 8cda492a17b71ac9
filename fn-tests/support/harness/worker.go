package harness

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// workerVariable makes a worker of the test binary of package functions.
const workerVariable = "CONFIGURATION_DYNAMO_WORKER"

// A call of the program with arguments, as a worker reads it.
type call struct {
	Args []string
}

// An answer is what a worker writes after a call.
type answer struct {
	Status         int
	Stdout, Stderr []byte
}

// Work runs the program once for each call on standard input, until the input ends, if this process is a worker. Package functions calls it
// before its tests. It reports whether the process is one.
func Work(program func(args []string, stdout, stderr io.Writer) int) (bool, error) {
	if os.Getenv(workerVariable) == "" {
		return false, nil
	}
	calls, answers := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var c call
		if err := calls.Decode(&c); errors.Is(err, io.EOF) {
			return true, nil
		} else if err != nil {
			return true, fmt.Errorf("cannot read a call: %w", err)
		}
		var stdout, stderr bytes.Buffer
		status := program(c.Args, &stdout, &stderr)
		if err := answers.Encode(answer{Status: status, Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}); err != nil {
			return true, fmt.Errorf("cannot write an answer: %w", err)
		}
	}
}

// A worker is a process that runs the program again and again: to start one takes twice as long as to render a graph. It ends with the
// process of the tests, because its standard input does.
type worker struct {
	process *exec.Cmd
	calls   *gob.Encoder
	answers *gob.Decoder
	// stderr is what the process itself says, such as a panic.
	stderr *bytes.Buffer
}

func startWorker(path string) (*worker, error) {
	w := &worker{process: exec.Command(path), stderr: &bytes.Buffer{}} //nolint:noctx // It runs what it has built itself, for several tests.
	w.process.Dir = Root()
	w.process.Env = append(os.Environ(), workerVariable+"=1")
	w.process.Stderr = w.stderr
	stdin, err := w.process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a worker: %w", err)
	}
	stdout, err := w.process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a worker: %w", err)
	}
	if err := w.process.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a worker: %w", err)
	}
	w.calls, w.answers = gob.NewEncoder(stdin), gob.NewDecoder(stdout)
	return w, nil
}

// run the program with arguments. After an error the worker has ended.
func (w *worker) run(args []string) (*answer, error) {
	out := &answer{}
	err := w.calls.Encode(call{args})
	if err == nil {
		err = w.answers.Decode(out)
	}
	if err != nil {
		w.end()
		return nil, fmt.Errorf("the program ended before its answer (%w): %s", err, w.stderr)
	}
	return out, nil
}

func (w *worker) end() {
	_ = w.process.Process.Kill()
	_ = w.process.Wait()
}

// work has an idle worker run the program, or a new one if there is none.
func (b *Binary) work(_ context.Context, args []string) (*answer, error) {
	w, err := b.worker()
	if err != nil {
		return nil, err
	}
	out, err := w.run(args)
	if err != nil {
		return nil, err
	}
	select {
	case b.idle <- w:
	default:
		w.end()
	}
	return out, nil
}

func (b *Binary) worker() (*worker, error) {
	select {
	case w := <-b.idle:
		return w, nil
	default:
		path, err := b.renderer()
		if err != nil {
			return nil, err
		}
		return startWorker(path)
	}
}
