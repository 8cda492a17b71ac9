package conformance

import (
	"fmt"
	"strings"
)

const preamble = `# Differences from the Dynamo operator

<!-- Generated from fn-tests/conformance/accept.tsv by make generate. Do not edit. -->

Manifests for the NVIDIA Dynamo operator are applied unchanged, and result in the same objects as with the operator, except for the
differences on this page. A test renders about two hundred public manifests, compares every field with the objects that the operator
creates, and fails if a difference is not listed here.

The number after an entry is the number of fields in all these manifests that differ for that reason, on Grove, or without Grove if there
are more. The manifests do not show the differences that have no number.
`

// Document is the page for users about the accepted differences.
func (a *Accepted) Document() string {
	var page strings.Builder
	page.WriteString(preamble)
	for _, section := range a.Sections {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n", section.Title, strings.Join(section.Intro, "\n"))
		for _, row := range section.Rows {
			fmt.Fprintf(&page, "- **%s.** %s%s\n", row.Title, row.Text, row.shown())
		}
	}
	return page.String()
}

func (r *Row) shown() string {
	if r.Max == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d)", r.Max)
}
