// Package harness renders manifests with the binary of the functions, as a user does, for the tests of fn-tests.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Files of the repository for renders.
const (
	Composition       = "compositions/dynamographdeployment.yaml"
	ClaimsComposition = "compositions/xdynamographdeployment.yaml"
	Functions         = "examples/functions.yaml"
	GroveKAI          = "examples/cluster/grove-kai.yaml"
	LWSVolcano        = "examples/cluster/lws-volcano.yaml"
)

// Root of the repository.
func Root() string {
	// Tests run in the directory of their package, so the root is found by the path of this file.
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Binary of the functions.
type Binary struct {
	// programs of this process of tests, each of which is built once.
	*programs
}

// programs are built when they are first needed.
type programs struct {
	// binary is the path of the program, and renderer that of the program that workers run.
	binary, renderer func() (string, error)
	// idle workers.
	idle chan *worker
}

// shared by all tests of a package, because it takes half a second to find out whether a program is up to date.
var shared = sync.OnceValue(func() *programs { //nolint:gochecknoglobals // A process has one set, whichever test needs it first.
	const workers = 64
	return &programs{
		binary:   sync.OnceValues(func() (string, error) { return build("functions", "build") }),
		renderer: sync.OnceValues(func() (string, error) { return build("functions.test", "test", "-c", "-vet=off") }),
		idle:     make(chan *worker, workers),
	}
})

// New binary.
func New(t testing.TB) *Binary {
	t.Helper()
	return &Binary{shared()}
}

// Path of the binary, which is built unless it is up to date.
func (b *Binary) Path(t testing.TB) string {
	t.Helper()
	path, err := b.binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// sources are the directories with everything that the programs are built from.
func sources() []string { return []string{"apis", "compositions", "examples", "functions", "internal"} }

// WatchSources makes `go test` run a test again after a change of the programs that the test builds. Without it, the result of the last run
// is taken from the cache, which only depends on the test binary and on what the test itself has read.
func WatchSources(t testing.TB) {
	t.Helper()
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
}

func watchSources() error {
	for _, folder := range sources() {
		if err := filepath.WalkDir(filepath.Join(Root(), folder), func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			return fmt.Errorf("cannot read the sources: %w", err)
		}
	}
	if _, err := os.Stat(filepath.Join(Root(), "go.mod")); err != nil {
		return fmt.Errorf("cannot read the sources: %w", err)
	}
	return nil
}

// build a program of package functions, with arguments of go. All packages of fn-tests share it, so that it is linked once for each test
// run.
func build(name string, args ...string) (string, error) {
	if err := watchSources(); err != nil {
		return "", err
	}
	folder := filepath.Join(Root(), ".cache", "fn-tests")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("cannot build %s: %w", name, err)
	}
	unlock, err := lock(filepath.Join(folder, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(folder, name)
	command := exec.Command("go", append(args, "-o", path, "./functions")...) //nolint:gosec,noctx // The arguments are our own, and all tests share the result.
	command.Dir = Root()
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// lock a file against other processes until the returned function is called.
func lock(path string) (unlock func(), err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil
}

// Render is a call of the render command. Paths are relative to the root of the repository, or absolute.
type Render struct {
	// XR is the manifest to render.
	XR string
	// Composition for the render. Defaults to the namespaced one.
	Composition string
	// Cluster is the file with required resources. It may be empty.
	Cluster string
	// Observed is the file with existing composed resources. It may be empty.
	Observed string
	// ChangesOnly limits Composite to the changes of the render.
	ChangesOnly bool
	// Everything adds results and the context to Composed, after the composed resources.
	Everything bool
	// Secrets adds the values of Secrets to Composed. Those of new Secrets are random.
	Secrets bool
	// Alone renders in a process that renders nothing else.
	Alone bool
}

// Output of a call.
type Output struct {
	Stdout []byte
	Stderr string
	// Err is nil if the exit status is 0.
	Err error
	// Composite is the resulting composite resource.
	Composite *unstructured.Unstructured
	// Composed are the composed resources.
	Composed []*unstructured.Unstructured
}

// Render a manifest. The test only fails if the command cannot be run, or if its output cannot be parsed.
func (b *Binary) Render(t testing.TB, r Render) Output {
	t.Helper()
	out, err := b.run(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", r.XR, err)
	}
	return out
}

func (b *Binary) run(ctx context.Context, r Render) (Output, error) {
	composition := r.Composition
	if composition == "" {
		composition = Composition
	}
	args := []string{"render", r.XR, composition, Functions}
	if !r.ChangesOnly {
		args = append(args, "--include-full-xr")
	}
	if r.Everything {
		args = append(args, "--include-function-results", "--include-context")
	}
	if r.Secrets {
		args = append(args, "--include-secret-data")
	}
	if r.Cluster != "" {
		args = append(args, "-e", r.Cluster)
	}
	if r.Observed != "" {
		args = append(args, "-o", r.Observed)
	}
	run := b.work
	if r.Alone {
		run = b.start
	}
	rendered, err := run(ctx, args)
	if err != nil {
		return Output{}, err
	}
	out := Output{Stdout: rendered.Stdout, Stderr: string(rendered.Stderr)}
	if rendered.Status != 0 {
		out.Err = fmt.Errorf("exit status %d", rendered.Status)
	}
	if strings.Contains(out.Stderr, "panic") || strings.Contains(out.Stderr, "goroutine") {
		return out, fmt.Errorf("a panic:\n%s", out.Stderr)
	}
	if out.Err == nil {
		err := out.parse()
		return out, err
	}
	return out, nil
}

// start a process of the binary.
func (b *Binary) start(ctx context.Context, args []string) (*answer, error) {
	path, err := b.binary()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // It runs what it has built itself.
	cmd.Dir = Root()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("cannot start the binary: %w", err)
	}
	return &answer{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}, nil
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

// parse the output: the composite resource, then the composed resources.
func (o *Output) parse() error {
	objects, err := Parse(o.Stdout)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return fmt.Errorf("no output; stderr: %s", o.Stderr)
	}
	o.Composite, o.Composed = objects[0], objects[1:]
	return nil
}
