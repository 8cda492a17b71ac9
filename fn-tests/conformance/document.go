package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/unsupported"
)

const preamble = `# Differences from the Dynamo operator

<!-- Generated from fn-tests/conformance/accept*.tsv by make generate. Do not edit. -->

Manifests for the NVIDIA Dynamo operator are applied unchanged, and result in the same objects as with the operator, except for the
differences on this page. A test renders about two hundred public manifests, compares every field with the objects that the operator
creates, and fails if a difference is not listed here.

The objects are compared with those of two releases of the operator: 1.1 of April 2026, and 1.5 of August 2026. After each entry are the
releases that differ in this way, each with the number of fields in all these manifests that differ for that reason, on Grove, or without
Grove if there are more. If a release has no number, the manifests do not show the difference.
`

// page is what a page about several releases of the operator shows: each section and each difference once.
type page struct {
	sections []*section
}

type section struct {
	title, intro string
	entries      []*entry
}

type entry struct {
	title, text string
	// releases that differ in this way, with the number of fields.
	releases []string
}

// Document is the page for users about the accepted differences from releases of the operator.
func Document(releases []Release) (string, error) {
	var p page
	for _, release := range releases {
		accepted, err := release.Accepted()
		if err != nil {
			return "", err
		}
		for _, s := range accepted.Sections {
			target := p.section(s)
			for _, row := range s.Rows {
				target.add(release.Name, row)
			}
		}
	}
	return p.String() + unsupportedFields(), nil
}

// unsupportedFields is the section about fields that others know and that do not exist here.
func unsupportedFields() string {
	var out strings.Builder
	out.WriteString(`
## Fields that do not exist

Manifests for other versions of the operator may have these fields of components. A graph with one is refused, and the message names the reason
and what to do instead: in previews, and in condition ` + "`Accepted`" + ` for graphs that reach it. The API server does not know the fields either.
` + "`kubectl`" + ` refuses them as unknown, and a client that does not ask for strict validation gets a warning and has them dropped. Value ` + "`lpx`" + ` of
` + "`type`" + ` is refused by both.

| field | known to | why it does not exist | what to do instead |
|---|---|---|---|
`)
	for _, f := range unsupported.Fields() {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", f.Name, f.KnownTo, f.Reason, f.Remedy)
	}
	return out.String()
}

func (p *page) section(s Section) *section {
	i := slices.IndexFunc(p.sections, func(other *section) bool { return other.title == s.Title })
	if i < 0 {
		i = len(p.sections)
		p.sections = append(p.sections, &section{title: s.Title, intro: strings.Join(s.Intro, "\n")})
	}
	return p.sections[i]
}

// add a row of a release. Rows with the same reason are one entry.
func (s *section) add(release string, row *Row) {
	i := slices.IndexFunc(s.entries, func(other *entry) bool { return other.title == row.Title && other.text == row.Text })
	if i < 0 {
		i = len(s.entries)
		s.entries = append(s.entries, &entry{title: row.Title, text: row.Text})
	}
	if row.Max > 0 {
		release += ": " + strconv.Itoa(row.Max)
	}
	s.entries[i].releases = append(s.entries[i].releases, release)
}

func (p *page) String() string {
	var out strings.Builder
	out.WriteString(preamble)
	for _, section := range p.sections {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", section.title, section.intro)
		for _, e := range section.entries {
			fmt.Fprintf(&out, "- **%s.** %s (%s)\n", e.title, e.text, strings.Join(e.releases, ", "))
		}
	}
	return out.String()
}
