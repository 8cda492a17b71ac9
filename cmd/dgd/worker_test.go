package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// TestMain renders graphs in place of testing, if the tests in fn-tests have started this process for that.
func TestMain(m *testing.M) {
	working, err := harness.Work(func(args []string, stdout, stderr io.Writer) int {
		return run(context.Background(), args, streams{in: strings.NewReader(""), out: output.To(stdout), err: output.To(stderr), program: program})
	})
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case !working:
		os.Exit(m.Run())
	}
}
