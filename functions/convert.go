//go:build !serving

package main

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/convert"
)

// convertCommand turns graphs from one version into the other.
type convertCommand struct {
	Files  []string `arg:"" help:"Files with graphs, or - for standard input. Objects of other kinds are printed as they are." name:"file"`
	To     string   `default:"v1beta1" enum:"v1alpha1,v1beta1" help:"The version to convert to: v1alpha1 or v1beta1."`
	Strict bool     `help:"End with exit status 3 if there are warnings."`
}

// Run the command. Nothing is printed unless all files can be converted.
func (c *convertCommand) Run(std streams) error {
	converter := convert.Converter{To: c.To}
	out, err := converter.Files(c.Files, std.in)
	if err != nil {
		return err
	}
	for _, warning := range converter.Warnings {
		_, _ = fmt.Fprintf(std.err, "%s: warning: %s\n", std.name(), warning)
	}
	if err := std.print(string(out)); err != nil {
		return err
	}
	if c.Strict && len(converter.Warnings) > 0 {
		return exitError(exitWarnings)
	}
	return nil
}
