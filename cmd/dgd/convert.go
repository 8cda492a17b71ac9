package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/convert"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// convertCommand turns graphs from one version into the other.
type convertCommand struct {
	fileFlags

	Paths  []string `arg:"" help:"Files, folders or patterns with graphs, or - for standard input. Objects of other kinds are printed as they are." name:"path" optional:""`
	To     string   `default:"v1beta1" enum:"v1alpha1,v1beta1" help:"The version to convert to: v1alpha1 or v1beta1."`
	Strict bool     `help:"End with exit status 3 if there are warnings."`
}

// Help of the command.
func (*convertCommand) Help() string {
	return `Nothing is printed, and the exit status is 1, if a graph is not valid, or would not be in the other version: validate accepts what is
printed, apart from what depends on the cluster.`
}

// Run the command. Nothing is printed unless all files can be converted.
func (c *convertCommand) Run(ctx context.Context, std streams) error {
	paths, err := c.files()
	if err != nil {
		return usageError{err}
	}
	in, err := buffer(paths, std.in)
	if err != nil {
		return err
	}
	converter := convert.Converter{To: c.To}
	out, err := converter.Files(paths, bytes.NewReader(in))
	if err != nil {
		return err
	}
	for _, warning := range converter.Warnings {
		std.say("warning", warning)
	}
	errs, err := refused(ctx, converter.Refused, paths, in, out)
	if err != nil {
		return err
	}
	for _, text := range errs {
		std.say("error", text)
	}
	if len(errs) > 0 {
		return exitError(exitRefused)
	}
	if err := output.To(std.out).Document(out); err != nil {
		return errors.Wrap(err, "cannot print")
	}
	if c.Strict && len(converter.Warnings) > 0 {
		return exitError(exitWarnings)
	}
	return nil
}

// files that the paths name, as often as they do.
func (c *convertCommand) files() ([]string, error) {
	paths := c.paths(c.Paths)
	if len(paths) == 0 {
		return nil, errors.New("expected paths of graphs, or - for standard input")
	}
	var files []string
	for _, path := range paths {
		found, err := manifest.Reader{Recursive: c.Recursive}.Find([]string{path})
		if err != nil {
			return nil, err //nolint:wrapcheck // It names the path.
		}
		files = append(files, found...)
	}
	return files, nil
}

// buffer standard input, because it is read twice.
func buffer(paths []string, in io.Reader) ([]byte, error) {
	if !slices.Contains(paths, manifest.Stdin) {
		return nil, nil
	}
	data, err := io.ReadAll(in)
	return data, errors.Wrap(err, "cannot read standard input")
}

// refused is why the result is not valid: values that the version does not accept, mistakes that are already in the graphs, and what the
// conversion would add to them.
func refused(ctx context.Context, values []convert.Refusal, paths []string, in, out []byte) ([]string, error) {
	var texts []string
	fields := map[string]bool{}
	for _, r := range values {
		texts = append(texts, r.String())
		fields[fmt.Sprintf("%s:%d", r.File, r.Line)] = true
	}
	given, err := errorsIn(ctx, paths, in)
	if err != nil {
		return nil, err
	}
	known := map[rule.Code]bool{}
	for i := range given {
		f := &given[i]
		known[f.Code] = true
		if !f.Code.DependsOnPlatform() && !fields[fmt.Sprintf("%s:%d", f.File, f.Line)] {
			texts = append(texts, fmt.Sprintf("%s: %s [%s]", f.Position, f.Text(), f.Code))
		}
	}
	if len(texts) > 0 {
		return texts, nil
	}
	result, err := errorsIn(ctx, []string{manifest.Stdin}, out)
	if err != nil {
		return nil, err
	}
	for i := range result {
		if f := &result[i]; !known[f.Code] {
			texts = append(texts, fmt.Sprintf("%s: the result of the conversion would not be valid: graph %s: %s [%s]", strings.Join(paths, ", "), f.Graph, f.Text(), f.Code))
		}
	}
	return texts, nil
}

// errorsIn are the errors of the graphs of files, on a cluster that supports everything.
func errorsIn(ctx context.Context, paths []string, in []byte) ([]check.Finding, error) {
	files, err := manifest.Reader{In: bytes.NewReader(in)}.Read(paths)
	if err != nil {
		return nil, usageError{err}
	}
	previewer, err := (&platformFlags{Cluster: fullCluster}).previewer(ctx)
	if err != nil {
		return nil, err
	}
	checker := check.Checker{Previewer: previewer}
	report, err := checker.Check(ctx, files)
	if err != nil {
		return nil, usageError{err}
	}
	return slices.DeleteFunc(report.Findings, func(f check.Finding) bool { return f.Severity != check.Error }), nil
}
