package conformance

import (
	_ "embed" // The text of the page is part of the package.
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

const preamble = `# Differences from the Dynamo operator

<!-- Generated from fn-tests/conformance/page.tsv by make generate. Do not edit. -->

Manifests for the NVIDIA Dynamo operator are applied unchanged, and become the same objects as with the operator, except for what is on this page. A
test compares about two hundred public manifests with releases [1.1](../fn-tests/conformance/accept.tsv) and
[1.5](../fn-tests/conformance/accept-2026-08.tsv), whose tables have each difference in full.

## Only here

[` + "`dgd render`" + `](render.md) shows what a graph becomes, without a cluster, Docker, or a program of Crossplane.
[` + "`dgd diff`" + `](pull-requests.md#what-a-change-does) shows which pods a change restarts, and why.
`

//go:embed page.tsv
var entries string

// An entry of the page for users stands for differences of the same kind.
type entry struct {
	// titles of the rows of Accepted.
	titles []string
	// cells are what the operator does, what happens here, and why and what to do, which may be empty.
	cells []string
}

// Document is the page for users about the accepted differences from releases of the operator. It is an error if it lacks one of them.
func Document(releases []Release) (string, error) {
	listed := map[string]bool{}
	var out strings.Builder
	out.WriteString(preamble)
	for line := range strings.Lines(entries) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			fmt.Fprintf(&out, "\n## %s\n\n| with the operator | here | why, and what to do |\n|---|---|---|\n", title)
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return "", err
		}
		for _, title := range e.titles {
			if listed[title] {
				return "", fmt.Errorf("%q is in two rows of the page", title)
			}
			listed[title] = true
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(e.cells, " | "))
	}
	if err := complete(listed, releases); err != nil {
		return "", err
	}
	return out.String() + unsupportedFields(), nil
}

func parseEntry(line string) (entry, error) {
	fields := strings.Split(line, "\t")
	if columns := 5; len(fields) != columns {
		return entry{}, fmt.Errorf("want TITLES and %d cells, got %q", columns-1, line)
	}
	why, remedy := fields[3], fields[4]
	return entry{titles: strings.Split(fields[0], "; "), cells: []string{fields[1], fields[2], strings.Trim(why+"; "+remedy, "; ")}}, nil
}

// complete compares the titles that the page lists with those of the releases.
func complete(listed map[string]bool, releases []Release) error {
	unknown := maps.Clone(listed)
	for _, release := range releases {
		accepted, err := release.Accepted()
		if err != nil {
			return err
		}
		for _, row := range accepted.Rows() {
			if !listed[row.Title] {
				return fmt.Errorf("%s has difference %q, which no row of page.tsv names", release.File, row.Title)
			}
			delete(unknown, row.Title)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("page.tsv names %q, which no release has", slices.Sorted(maps.Keys(unknown)))
	}
	return nil
}

// unsupportedFields is the section about fields that others know and that do not exist here.
func unsupportedFields() string {
	var out strings.Builder
	out.WriteString(`
## Fields that do not exist

Manifests for other versions of the operator may have these fields of components. Graphs with one are refused, in previews and in condition
` + "`Accepted`. `kubectl`" + ` refuses the fields as unknown; clients without strict validation get a warning, and the fields are dropped.

| field | known to | why it does not exist | what to do instead |
|---|---|---|---|
`)
	for _, f := range graph.UnsupportedFields() {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", f.Name, f.KnownTo, f.Reason, f.Remedy)
	}
	return out.String()
}
