package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/reference"
)

// completionCommand prints a script for a shell.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help with examples.
func (*completionCommand) Help() string {
	return `Examples:

  source <({executable} completion bash)
  {executable} completion zsh > "${fpath[1]}/_{executable}"
  {executable} completion fish > ~/.config/fish/completions/{executable}.fish
`
}

// Run the command.
func (c *completionCommand) Run(std streams) error {
	return std.print(reference.Completion(c.Shell, std.executable()))
}

// completed are the words after the name of the program that are to be completed, if a shell asks for that, or kubectl for those of a plugin.
func (s streams) completed(args []string) (words []string, ok bool) {
	if len(args) > 0 && args[0] == reference.Complete {
		return args[1:], true
	}
	return args, strings.HasPrefix(s.executable(), "kubectl_complete-")
}

// complete words.
func complete(std streams, app *kong.Kong, words []string) int {
	if err := std.print(reference.Candidates(app.Model, words)); err != nil {
		return fail(std, err)
	}
	return 0
}

// manCommand writes manual pages.
type manCommand struct {
	Directory string `arg:"" help:"The folder to write to, such as ~/.local/share/man/man1."`
}

// Run the command.
func (c *manCommand) Run(app *kong.Context, std streams) error {
	if err := os.MkdirAll(c.Directory, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder")
	}
	for name, page := range reference.Man(std.name(), compatibility.Build(), app.Model) {
		if err := output.WriteFile(filepath.Join(c.Directory, name), []byte(page), 0o644); err != nil {
			return errors.Wrap(err, "cannot write a manual page")
		}
	}
	return nil
}

// referenceCommand prints the pages of docs/ about the command line.
type referenceCommand struct {
	Page string `arg:"" enum:"cli,codes" help:"The page: cli or codes."`
}

// Run the command.
func (c *referenceCommand) Run(app *kong.Context, std streams) error {
	if c.Page == "codes" {
		return std.print(check.CodesPage(rule.Rules()))
	}
	return std.print(reference.Markdown(std.name(), introduction, appendix, app.Model))
}

// introduction and appendix of the page about the command line. The appendix is about the other program: its own tests hold it to its flags.
var (
	//go:embed introduction.md.txt
	introduction string

	//go:embed appendix.md.txt
	appendix string
)
