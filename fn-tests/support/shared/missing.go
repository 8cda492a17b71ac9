package shared

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// SkippedEnv names the file to which a line is added for each test that is skipped. It is read only by tests that are skipped, so that the
// others stay in Go's cache.
const SkippedEnv = "CONFIGURATION_DYNAMO_SKIPPED"

// Skipf skips a test because something that it needs is missing, and records the number of cases that are not run. The last lines of
// make test list them.
func Skipf(t testing.TB, cases int, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	if path := os.Getenv(SkippedEnv); path != "" {
		if err := add(path, fmt.Sprintf("%d\t%s %s needs %s\n", cases, testedFolder(), t.Name(), what)); err != nil {
			t.Fatal(err)
		}
	}
	t.Skipf("%d cases are not run: needs %s", cases, what)
}

// add a line to a file, to which other tests may be adding theirs.
func add(path, line string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // The tests write where they are told to.
	if err != nil {
		return fmt.Errorf("cannot record what is skipped: %w", err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

// testedFolder is the folder of the package that is tested, from the root of the repository. The tests of a package run in its own folder.
func testedFolder() string {
	_, file, _, _ := runtime.Caller(0)
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	path, err := filepath.Rel(filepath.Join(filepath.Dir(file), "..", "..", ".."), here)
	if err != nil {
		return here
	}
	return path
}
