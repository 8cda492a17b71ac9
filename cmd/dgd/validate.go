package main

import (
	"context"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// validateCommand checks graphs.
type validateCommand struct {
	previewFlags

	Output  string      `default:"text"                                                                                     enum:"text,json,sarif" help:"The format of the report: text, json or sarif." short:"o"`
	Strict  bool        `help:"End with exit status 3 if there are warnings and no errors."`
	Ignore  []rule.Code `help:"Codes of warnings to leave out, such as DGD240. Can be repeated. Errors cannot be left out."                                                                           placeholder:"CODE"`
	Explain rule.Code   `help:"Print what a code means, with an example and the remedy."                                                                                                                 placeholder:"CODE"`
}

// Help with examples.
func (*validateCommand) Help() string {
	return `Each message has a position, and the code of a rule, which --explain explains.

Examples:

  # A folder, on a cluster with LeaderWorkerSets and Volcano.
  {program} validate deploy/ --cluster=lws-volcano

  # All environments of a folder with kustomizations, which are built.
  {program} validate -R graphs/ --output=sarif > validate.sarif

  # A chart has to be rendered first.
  helm template chart/ --values=production.yaml | {program} validate -

  {program} validate --input=platform/input.yaml --cluster=live --strict --ignore=DGD222 deploy/
  {program} validate --explain=DGD101
`
}

// Run the command.
func (c *validateCommand) Run(ctx context.Context, std streams) error {
	if c.Explain != "" {
		return explainCode(std, c.Explain)
	}
	for i, code := range c.Ignore {
		known, ok := rule.Of(code)
		if !ok {
			return usageError{errors.Errorf("--ignore=%s is not the code of a rule; see %s", code, compatibility.Page("codes.md"))}
		}
		c.Ignore[i] = known.Code
	}
	files, err := c.read(std)
	if err != nil {
		return err
	}
	previewer, err := c.previewer(ctx)
	if err != nil {
		return err
	}
	checker := check.Checker{Previewer: previewer}
	report, err := checker.Check(ctx, files)
	if err != nil {
		return usageError{err}
	}
	report.Without(c.Ignore)
	if err := report.Write(std.out, c.Output); err != nil {
		return err
	}
	std.err.Printf("%s\n", report.Summary())
	note(std, files)
	switch {
	case report.Count(check.Error) > 0:
		return exitError(exitRefused)
	case c.Strict && report.Count(check.Warning) > 0:
		return exitError(exitWarnings)
	default:
		return nil
	}
}

// explainCode prints what the code of a rule means.
func explainCode(std streams, code rule.Code) error {
	r, ok := rule.Of(code)
	if !ok {
		return usageError{errors.Errorf("%s is not the code of a rule; see %s", code, compatibility.Page("codes.md"))}
	}
	std.out.Printf("%s\n%s%s", output.Folded(string(r.Code)+" ("+r.Name+"): "+r.Title, "", ""), output.Folded(r.Wrong, "", ""), output.Folded(r.Remedy, "", ""))
	for _, sample := range r.Samples {
		for _, side := range []struct{ name, text string }{{"Wrong", sample.Wrong}, {"Right", sample.Right}} {
			std.out.Printf("\n%s:\n\n  %s\n", side.name, strings.ReplaceAll(side.text, "\n", "\n  "))
		}
	}
	return std.out.Err() //nolint:wrapcheck // It says what cannot be written.
}
