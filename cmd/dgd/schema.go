package main

import (
	"github.com/dynamo-crossplane/configuration-dynamo/tool/jsonschema"
)

// schemaCommand prints the JSON Schema of graphs.
type schemaCommand struct {
	Version string `arg:"" default:"v1beta1" enum:"v1alpha1,v1beta1" help:"The version of graphs: v1alpha1 or v1beta1. Without this argument, v1beta1." optional:""`
}

// Help with examples.
func (*schemaCommand) Help() string {
	return `Editors with a YAML language server complete and check a manifest with this comment:

  # yaml-language-server: $schema=./dynamographdeployment-v1beta1.json

Examples:

  {program} schema > dynamographdeployment-v1beta1.json
  {program} schema v1alpha1 > dynamographdeployment-v1alpha1.json
`
}

// Run the command.
func (c *schemaCommand) Run(std streams) error {
	text, err := jsonschema.Of(c.Version)
	if err != nil {
		return err
	}
	return std.print(text)
}
