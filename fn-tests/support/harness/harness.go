// Package harness renders manifests with the binary of the functions, as a user does, for the tests of fn-tests.
package harness

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Files of the repository for renders.
const (
	Composition       = "compositions/dynamographdeployment.yaml"
	ClaimsComposition = "compositions/xdynamographdeployment.yaml"
	Functions         = "examples/functions.yaml"
	GroveKAI          = "examples/cluster/grove-kai.yaml"
	LWSKubernetes     = "examples/cluster/lws-kubernetes.yaml"
	LWSVolcano        = "examples/cluster/lws-volcano.yaml"
)

// Root of the repository.
func Root() string {
	// Tests run in the directory of their package, so the root is found by the path of this file.
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) {
		// A program that is built without paths, as the playground is, runs in the root.
		return "."
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
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
	out, err := b.render(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", r.XR, err)
	}
	return out
}

// RenderAccepted renders a manifest that is to be accepted: otherwise the test fails.
func (b *Binary) RenderAccepted(t testing.TB, r Render) Output {
	t.Helper()
	out := b.Render(t, r)
	if out.Err != nil {
		t.Fatalf("%s: %v: %s", r.XR, out.Err, out.Stderr)
	}
	return out
}

// render a manifest, unless it has been rendered before.
func (b *Binary) render(ctx context.Context, r Render) (Output, error) {
	if !r.isRepeatable() {
		return b.run(ctx, r)
	}
	// What is remembered outlives the test that asks first.
	return b.remembered.recall(r, func() (Output, error) { return b.run(context.WithoutCancel(ctx), r) })
}

// composition of the render.
func (r *Render) composition() string {
	if r.Composition == "" {
		return Composition
	}
	return r.Composition
}

func (b *Binary) run(ctx context.Context, r Render) (Output, error) {
	args := []string{"render", r.XR, r.composition(), Functions}
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
