package main

import (
	"context"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/adopt"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// adoptCommand moves graphs from the Dynamo operator.
type adoptCommand struct {
	Check adoptCheckCommand `cmd:"" help:"Show what each graph of the operator would take over, what stays, and what cannot be taken over."`
	Write adoptWriteCommand `cmd:"" default:"withargs" help:"Write the manifests with the annotation for an adoption, and a script with steps for a person."`
}

// adoptSource is what both commands read.
type adoptSource struct {
	Files []string `help:"Files or folders with objects that kubectl get -o yaml has printed, or - for standard input, in place of the cluster." name:"filename" placeholder:"PATH" short:"f"`

	kubectlFlags

	Namespace   string `help:"The namespace of the graphs. Without this flag: all."                        placeholder:"NAME" short:"n"`
	Composition string `help:"A YAML file with the Composition, in place of the Composition of this project." placeholder:"PATH"`
}

type adoptCheckCommand struct {
	adoptSource

	Paths []string `arg:"" help:"Files or folders with objects, as with --filename." name:"path" optional:""`

	Output string `default:"text" enum:"text,json,yaml" help:"The format of the report: text, json or yaml." short:"o"`
}

type adoptWriteCommand struct {
	adoptSource

	Directory string `default:"adoption" help:"The directory to write graphs.yaml and steps.sh to." placeholder:"PATH" short:"d"`
}

// Run the command.
func (c *adoptCheckCommand) Run(ctx context.Context, std streams) error {
	c.Files = append(c.Files, c.Paths...)
	report, err := c.check(ctx, std)
	if err != nil {
		return err
	}
	if err := report.Write(std.out, c.Output); err != nil {
		return err
	}
	return report.Refused()
}

// Run the command. What can be adopted is written even if something cannot.
func (c *adoptWriteCommand) Run(ctx context.Context, std streams) error {
	report, err := c.check(ctx, std)
	if err != nil {
		return err
	}
	manifests, err := report.Manifests()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Directory, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the directory")
	}
	graphs, steps := filepath.Join(c.Directory, "graphs.yaml"), filepath.Join(c.Directory, "steps.sh")
	for path, data := range map[string][]byte{graphs: manifests, steps: []byte(report.Steps())} {
		if err := output.WriteFile(path, data, 0o600); err != nil {
			return errors.Wrap(err, "cannot write what to do")
		}
	}
	std.err.Printf("%s and %s are written; read each command in steps.sh before you run it\n", graphs, steps)
	return report.Refused()
}

// read the objects in the files. Without files: in the cluster of the kubeconfig.
func (c *adoptSource) read(ctx context.Context, std streams) ([]unstructured.Unstructured, error) {
	if len(c.Files) == 0 {
		return adopt.InCluster(c.live(ctx))
	}
	return adopt.InFiles(c.Files, std.in)
}

func (c *adoptSource) check(ctx context.Context, std streams) (*adopt.Report, error) {
	objects, err := c.read(ctx, std)
	if err != nil {
		return nil, err
	}
	if c.Files != nil && !adopt.HasGraphs(objects, c.Namespace) {
		return nil, usageError{errors.Errorf("no graph of the Dynamo operator%s is in the files, which have %s; pass DynamoGraphDeployments as kubectl get -o yaml prints them, "+
			"with the objects that the operator has made for them", in(c.Namespace), output.Count(len(objects), "object"))}
	}
	composition := adopt.Composition()
	fns := functions.All(logging.NewNopLogger())
	if c.Composition != "" {
		if composition, err = render.Composition(c.Composition); err != nil {
			return nil, errors.Wrapf(err, "cannot load Composition from %q", c.Composition)
		}
	}
	runners, err := render.Runners(composition.Spec.Pipeline, fns)
	if err != nil {
		return nil, err
	}
	checker := adopt.Checker{Composition: composition, Functions: runners}
	return checker.Check(ctx, objects, c.Namespace)
}

// in a namespace, in words. An empty text stands for any namespace.
func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}
