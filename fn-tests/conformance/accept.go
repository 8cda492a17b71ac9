// Package conformance compares what the corpus renders to with what the Dynamo operator creates for it, and accounts for every
// difference.
package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Accepted differences, as accept.tsv holds them.
type Accepted struct {
	// lines of the file. Those of rows are regenerated from the rows.
	lines    []string
	Sections []Section
}

// Section of differences about one thing.
type Section struct {
	Title string
	Rows  []*Row
}

// Row is one accepted difference.
type Row struct {
	Pattern *regexp.Regexp
	// Max is how many leaves it accepts. With 0 it accepts none: the corpus does not show the difference.
	Max   int
	Title string

	line int
}

// ParseAccepted reads accept.tsv. Its comments "## TITLE" begin sections.
func ParseAccepted(file string) (*Accepted, error) {
	a := &Accepted{lines: strings.Split(file, "\n")}
	for i, line := range a.lines {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			a.Sections = append(a.Sections, Section{Title: title})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(a.Sections) == 0 {
			return nil, fmt.Errorf("line %d: a row before the first section", i+1)
		}
		section := &a.Sections[len(a.Sections)-1]
		row, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		row.line = i
		section.Rows = append(section.Rows, row)
	}
	return a, nil
}

func parseRow(line string) (*Row, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return nil, fmt.Errorf("want REGEX<TAB>MAX<TAB>reason, got %d fields", len(fields))
	}
	pattern, err := regexp.Compile(fields[0])
	if err != nil {
		return nil, fmt.Errorf("cannot use the pattern: %w", err)
	}
	most, err := strconv.Atoi(fields[1])
	if err != nil || most < 0 {
		return nil, fmt.Errorf("want a maximum, got %q", fields[1])
	}
	title, text, ok := strings.Cut(fields[2], ": ")
	if !ok || text == "" {
		return nil, fmt.Errorf("want a reason of the form \"Title: text\", got %q", fields[2])
	}
	return &Row{Pattern: pattern, Max: most, Title: title}, nil
}

// Rows of all sections.
func (a *Accepted) Rows() []*Row {
	var rows []*Row
	for _, section := range a.Sections {
		rows = append(rows, section.Rows...)
	}
	return rows
}

// Count how many of the differing leaves each row takes, and return those that none does.
func (a *Accepted) Count(leaves []string) (counts map[*Row]int, rest []string) {
	counts = map[*Row]int{}
	rows := a.Rows()
next:
	for _, leaf := range leaves {
		for _, row := range rows {
			if row.Max > 0 && row.Pattern.MatchString(leaf) {
				counts[row]++
				continue next
			}
		}
		rest = append(rest, leaf)
	}
	return counts, rest
}

// WithMax returns the file with other maxima.
func (a *Accepted) WithMax(counts map[*Row]int) string {
	lines := append([]string{}, a.lines...)
	for _, row := range a.Rows() {
		fields := strings.Split(lines[row.line], "\t")
		fields[1] = strconv.Itoa(counts[row])
		lines[row.line] = strings.Join(fields, "\t")
	}
	return strings.Join(lines, "\n")
}
