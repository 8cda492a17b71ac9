package conformance

import (
	"fmt"
	"strings"
)

const preamble = `# Differences from the Dynamo operator

<!-- Generated from fn-tests/conformance/accept.tsv by make generate. Do not edit. -->

A DynamoGraphDeployment that was written for the NVIDIA Dynamo operator is applied here unchanged. What it becomes is what the
operator makes of it, field for field, except for what this page lists: a test renders some two hundred public manifests,
compares every field with the objects that the operator creates, and fails on a difference that is not here.

The number after an entry says how many fields differ for that reason in all these manifests together, on Grove, or without it
where those are more. An entry without a number is a difference that none of them shows.
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
