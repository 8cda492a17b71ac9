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
	"sync"
	"syscall"
	"testing"
)

// Binary of dgd, which is built when it is first needed.
type Binary struct {
	// binary is the path of the program, and renderer that of the program that workers run.
	binary, renderer func() (string, error)
	// idle workers.
	idle chan *worker

	remembered remembered
}

// shared by all tests of a package, because it takes half a second to find out whether a program is up to date.
var shared = sync.OnceValue(func() *Binary { //nolint:gochecknoglobals // A process has one set, whichever test needs it first.
	const workers = 64
	return &Binary{
		binary:   sync.OnceValues(func() (string, error) { return build("dgd", "build") }),
		renderer: sync.OnceValues(func() (string, error) { return build("dgd.test", "test", "-c", "-vet=off") }),
		idle:     make(chan *worker, workers),
	}
})

// New returns the binary of this process of tests.
func New(t testing.TB) *Binary {
	t.Helper()
	return shared()
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
func sources() []string {
	return []string{"apis", "cmd", "compositions", "examples", "functions", "internal", "package", "tool"}
}

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

// build the program dgd or its tests, with arguments of go. All packages of fn-tests share it, so that it is linked once for each test
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
	command := exec.Command("go", append(args, "-o", path, "./cmd/dgd")...) //nolint:gosec,noctx // The arguments are our own, and all tests share the result.
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
