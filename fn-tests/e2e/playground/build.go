package playground

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// built is where the programs and packages are.
type built struct{ kubectl, program, packages string }

// build the programs of the cluster, the command line and the packages, which takes long only the first time.
func (p *Playground) build(ctx context.Context) error {
	folder := filepath.Join(p.root, "_output", "playground")
	p.built = built{program: filepath.Join(folder, "bin", "kubectl-dgd"), packages: filepath.Join(folder, "packages")}
	if err := p.buildTools(ctx); err != nil {
		return err
	}
	p.sayf("the functions, their packages and the command line")
	if _, err := p.command(ctx, "hack/package.sh", "-l", p.built.packages); err != nil {
		return err
	}
	// As the functions are built, so that what both have is compiled once.
	_, err := p.command(ctx, "hack/binary.sh", "cmd/dgd", p.built.program, runtime.GOOS, runtime.GOARCH)
	return err
}

// buildTools builds the programs of the cluster. The linker uses one processor, so other programs are built beside those of Kubernetes, which have
// most of their packages in common and are built one after the other.
func (p *Playground) buildTools(ctx context.Context) error {
	names := controlplane.Tools()
	p.sayf("%d programs, which take minutes each the first time", len(names))
	var lanes [2][]string
	for _, name := range names {
		lane := 0
		if strings.HasPrefix(name, "kube") {
			lane = 1
		}
		lanes[lane] = append(lanes[lane], name)
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, lane := range lanes {
		all.Go(func() error {
			for _, name := range lane {
				begin := time.Now()
				path, err := p.command(ctx, "hack/tool.sh", name)
				if err != nil {
					return err
				}
				p.sayf("  %s after %s", name, time.Since(begin).Round(time.Second))
				if name == "kubectl" {
					p.built.kubectl = path
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// command runs a program of the repository and returns what it prints. What it says of its progress is shown.
func (p *Playground) command(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, filepath.Join(p.root, name), args...) //nolint:gosec // It is a program of the repository.
	c.Dir, c.Stderr = p.root, os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("cannot run %s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
