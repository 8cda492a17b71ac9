// Package page reads the blocks of the pages that users read, so that tests can hold them to what they say.
package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Pages with scripts that belong together.
const (
	// Install is about installation. Its scripts are run from the first to the last.
	Install = "docs/install.md"
	// Readme is the first page. Its scripts install, too.
	Readme = "README.md"
	// Upgrading compares versions in a clone.
	Upgrading = "docs/upgrading.md"
	// Tutorial leads through the first graph. Its commands for a cluster are run from the first to the last.
	Tutorial = "docs/tutorial.md"
	// BreakIt breaks graphs and repairs them. Its commands are run like those of Tutorial.
	BreakIt = "docs/break-it.md"
)

// Languages of blocks, the word after the fence.
const (
	// Bash is a script for a cluster with the packages, or, on the page on installation, for one without.
	Bash = "bash"
	// Console is commands for a clone, each after a $, with what they print.
	Console = "console"
	// YAML is a part of a graph, of the input of step plan, or of the packages' runtime.
	YAML = "yaml"
	// Text is what something prints.
	Text = "text"
	// Mermaid is a picture, which a forge draws.
	Mermaid = "mermaid"
)

// Where a script is run: the second word after the fence.
const (
	// Everywhere is no word: on clusters of both flavours.
	Everywhere = ""
	// Namespaced and Claims are the flavours.
	Namespaced = "namespaced"
	Claims     = "claims"
	// Clone is a clone of the repository, without a cluster. Only page Upgrading has such scripts.
	Clone = "clone"
	// Cluster is that of the playground. Only pages Tutorial and BreakIt have such commands, and they are of a console.
	Cluster = "cluster"
)

// notRun begins the line before a block that no test runs. Its reason follows.
const notRun = "<!-- Not run: "

// A Block of a page.
type Block struct {
	// Page is its path in the repository, and Line that of its fence.
	Page string
	Line int
	// Language and Where are the words after its fence.
	Language, Where string
	// NotRun is why no test runs it, empty for one that is run.
	NotRun string
	// Text of the block, without its fences and indentation.
	Text string
}

func (b Block) String() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// All blocks of all pages.
func All() ([]Block, error) {
	pages, err := filepath.Glob(filepath.Join(harness.Root(), "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	first := []string{filepath.Join(harness.Root(), Readme), filepath.Join(harness.Root(), "CONTRIBUTING.md")}
	var blocks []Block
	for _, path := range append(first, pages...) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(harness.Root(), path)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, Read(filepath.ToSlash(name), string(text))...)
	}
	return blocks, nil
}

// Read the blocks of a page.
func Read(name, text string) []Block {
	var blocks []Block
	var open *Block
	indent, reason := "", ""
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		trimmed := strings.TrimSpace(line)
		fence, isFence := strings.CutPrefix(trimmed, "```")
		switch {
		case isFence && open == nil:
			indent, _, _ = strings.Cut(line, "`")
			language, where, _ := strings.Cut(fence, " ")
			open = &Block{Page: name, Line: n, Language: language, Where: strings.TrimSpace(where), NotRun: reason}
		case isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent) + "\n"
		}
		reason = ""
		if rest, ok := strings.CutPrefix(trimmed, notRun); ok && open == nil {
			reason = strings.TrimSuffix(rest, " -->")
		}
	}
	return blocks
}
