// Package process builds the functions, runs each as a process of its own, as in a cluster, and tells what they use.
package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Build a main package as hack/package.sh builds the one of a function's image: static, and without what only debuggers read.
func Build(ctx context.Context, root, pkg, out string) error {
	arguments := []string{"build", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace", "-ldflags", "-s -w -buildid=", "-o", out, pkg}
	build := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // It builds what is ours.
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build %s: %w\n%s", pkg, err, output)
	}
	return nil
}
