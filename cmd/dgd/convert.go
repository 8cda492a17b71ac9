package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/convert"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// convertCommand turns graphs from one version into the other.
type convertCommand struct {
	fileFlags

	Paths     []string `arg:"" help:"Files, folders or patterns with graphs, or - for standard input. Objects of other kinds stay as they are." name:"path" optional:""`
	To        string   `default:"v1beta1" enum:"v1alpha1,v1beta1" help:"The version to convert to: v1alpha1 or v1beta1."`
	OutputDir string   `help:"Write the files to this folder instead of standard output. Each file keeps its place below the path in the arguments." placeholder:"PATH" xor:"output"`
	InPlace   bool     `help:"Replace each file with the converted file." xor:"output"`
	Plain     bool     `help:"Keep only values that take effect in the annotation for values without a field. A conversion back may then put some fields in other places."`
	Strict    bool     `help:"End with exit status 3 if there are warnings."`
}

// Help of the command.
func (*convertCommand) Help() string {
	return `A graph is converted if each of its fields has the form that the API describes, even if validate refuses it for another reason, such as a missing
image. The exit status is 1 if a file cannot be converted. The other files are then still written to --output-dir or --in-place. Nothing is
printed to standard output in this case, so that a pipe does not apply half of the files.

Examples:

  {program} convert graph.yaml | {program} diff graph.yaml -
  {program} convert deploy/ -R --output-dir=converted
  {program} convert deploy/ -R --in-place --plain
`
}

// A fileConverter converts files, and checks them.
type fileConverter struct {
	*convertCommand

	std     streams
	in      []byte
	checker check.Checker
	// failed and warned say that there was an error, and a warning.
	failed, warned bool
}

// Run the command.
func (c *convertCommand) Run(ctx context.Context, std streams) error {
	files, err := c.files()
	if err != nil {
		return usageError{err}
	}
	in, err := c.buffer(files, std.in)
	if err != nil {
		return err
	}
	previewer, err := (&platformFlags{Cluster: fullCluster}).previewer(ctx)
	if err != nil {
		return err
	}
	run := fileConverter{convertCommand: c, std: std, in: in, checker: check.Checker{Previewer: previewer}}
	var stream []byte
	for _, f := range files {
		out, err := run.file(ctx, f.path)
		switch {
		case err != nil:
			return err
		case out == nil:
		case f.target != "":
			if err := replaceFile(f.target, out); err != nil {
				return usageError{err}
			}
		default:
			stream = convert.Join(stream, out)
		}
	}
	switch {
	case run.failed:
		return exitError(exitRefused)
	case stream != nil:
		err = errors.Wrap(std.out.Document(stream), "cannot print")
	}
	if err == nil && c.Strict && run.warned {
		return exitError(exitWarnings)
	}
	return err
}

// A convertedFile is where a file is, and where its conversion is written to. It is printed if that is empty.
type convertedFile struct{ path, target string }

// files that the paths name, as often as they do.
func (c *convertCommand) files() ([]convertedFile, error) {
	paths := c.paths(c.Paths)
	if len(paths) == 0 {
		return nil, errors.New("expected paths of graphs, or - for standard input")
	}
	var files []convertedFile
	targets := map[string]string{}
	for _, path := range paths {
		found, err := manifest.Reader{Recursive: c.Recursive}.Find([]string{path})
		if err != nil {
			return nil, err //nolint:wrapcheck // It names the path.
		}
		for _, file := range found {
			target, err := c.target(path, file)
			if err != nil {
				return nil, err
			}
			if other, taken := targets[target]; taken && target != "" {
				return nil, errors.Errorf("%s and %s would both be written to %s; convert them one after the other", other, file, target)
			}
			targets[target] = file
			files = append(files, convertedFile{path: file, target: target})
		}
	}
	return files, nil
}

// target of a file that a path names.
func (c *convertCommand) target(path, file string) (string, error) {
	switch {
	case c.OutputDir == "" && !c.InPlace:
		return "", nil
	case file == manifest.Stdin:
		return "", errors.New("standard input has no file name: leave out --output-dir and --in-place, or name files")
	case c.InPlace:
		return file, nil
	}
	below := filepath.Base(file)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if below, err = filepath.Rel(path, file); err != nil {
			return "", errors.Wrapf(err, "cannot find the place of %s below %s", file, path)
		}
	}
	return filepath.Join(c.OutputDir, below), nil
}

// replaceFile with other content, unless it is the same. Whoever reads the file meanwhile reads the content before.
func replaceFile(path string, content []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if before, err := os.ReadFile(path); err == nil && bytes.Equal(before, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder")
	}
	// A link leads to the file that is replaced.
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".convert-*")
	if err != nil {
		return errors.Wrap(err, "cannot write beside the file")
	}
	defer os.Remove(file.Name()) //nolint:errcheck // After the renaming, there is none.
	_, err = file.Write(content)
	for _, next := range []func() error{
		func() error { return file.Chmod(mode) },
		file.Close,
		func() error { return os.Rename(file.Name(), path) },
	} {
		if err == nil {
			err = next()
		}
	}
	return errors.Wrapf(err, "cannot write %s", path)
}

// file in the other version. nil if it cannot be converted, which is said.
func (c *fileConverter) file(ctx context.Context, path string) ([]byte, error) {
	converter := convert.Converter{To: c.To, Plain: c.Plain}
	out, err := converter.File(path, bytes.NewReader(c.in))
	if err != nil {
		c.failed = true
		c.std.say("error", err)
		return nil, nil
	}
	for _, warning := range converter.Warnings {
		c.warned = true
		c.std.say("warning", warning)
	}
	errs, err := c.refused(ctx, converter.Refused, path, out)
	if err != nil {
		return nil, err
	}
	for _, text := range errs {
		c.failed = true
		c.std.say("error", text)
	}
	if len(errs) > 0 {
		return nil, nil
	}
	return append([]byte{}, out...), nil
}

// buffer standard input, because it is read twice.
func (c *convertCommand) buffer(files []convertedFile, in io.Reader) ([]byte, error) {
	if !slices.ContainsFunc(files, func(f convertedFile) bool { return f.path == manifest.Stdin }) {
		return nil, nil
	}
	content, err := manifest.Reader{In: in}.Content(manifest.Stdin)
	if err == nil && len(bytes.TrimSpace(content)) == 0 {
		err = usageError{errors.New("standard input is empty; check the command before the pipe")}
	}
	return content, err
}

// refused is why a result is not written: values that the version does not accept, what does not have the form of the API, and what the conversion
// would add to what is wrong with the graph.
func (c *fileConverter) refused(ctx context.Context, values []convert.Refusal, path string, out []byte) ([]string, error) {
	var texts []string
	fields := map[string]bool{}
	for _, r := range values {
		texts = append(texts, r.String())
		fields[fmt.Sprintf("%s:%d", r.File, r.Line)] = true
	}
	given, err := c.errorsIn(ctx, path, c.in)
	if err != nil {
		return nil, err
	}
	known := map[rule.Code]bool{}
	for i := range given {
		f := &given[i]
		known[f.Code] = true
		if f.Code.IsAboutForm() && !fields[fmt.Sprintf("%s:%d", f.File, f.Line)] {
			texts = append(texts, fmt.Sprintf("%s: %s [%s]", f.Position, f.Text(), f.Code))
		}
	}
	if len(texts) > 0 {
		return texts, nil
	}
	result, err := c.errorsIn(ctx, manifest.Stdin, out)
	if err != nil {
		return nil, err
	}
	for i := range result {
		if f := &result[i]; !known[f.Code] {
			texts = append(texts, fmt.Sprintf("%s: the result of the conversion would not be valid: graph %s: %s [%s]", path, f.Graph, f.Text(), f.Code))
		}
	}
	return texts, nil
}

// errorsIn are the errors of the graphs of a file, on a cluster that supports everything.
func (c *fileConverter) errorsIn(ctx context.Context, path string, in []byte) ([]check.Finding, error) {
	files, err := manifest.Reader{In: bytes.NewReader(in), AsIs: true}.Read([]string{path})
	if err != nil {
		return nil, usageError{err}
	}
	if len(files.Graphs()) == 0 {
		// Patches without fields of a graph stay as they are.
		files.Unbuilt = nil
	}
	report, err := c.checker.Check(ctx, files)
	if err != nil {
		return nil, usageError{err}
	}
	return slices.DeleteFunc(report.Findings, func(f check.Finding) bool { return f.Severity != check.Error }), nil
}
