package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// Marks around the generated lines, of roles and of the page.
const (
	begin     = "  # From here, generated from internal/kinds/kinds.go.\n"
	end       = "  # Up to here, generated from internal/kinds/kinds.go.\n"
	pageBegin = "<!-- kinds: begin -->\n"
	pageEnd   = "<!-- kinds: end -->\n"
)

// width of a comment.
const width = 130

// writeKinds writes what follows from the table of kinds into files: the permissions of Crossplane, those of the viewers of graphs, and the page
// on tenants. What is around the generated lines stays.
func writeKinds(crossplane, viewers, page string) error {
	if err := writeBetween(crossplane, begin, ofCrossplane(), end); err != nil {
		return err
	}
	if err := writeBetween(viewers, begin, ofViewers(), end); err != nil {
		return err
	}
	return writeBetween(page, pageBegin, ofTenants(), pageEnd)
}

// ofTenants is the table of what composed kinds reach outside of their namespace. Kinds of the same name reach the same.
func ofTenants() string {
	var rows strings.Builder
	rows.WriteString("| kind | reaches outside of the namespace | limited by |\n|---|---|---|\n")
	for _, name := range kinds.ComposedNames() {
		k := kinds.Named(name)
		fmt.Fprintf(&rows, "| `%s` | %s |%s\n", name, k.Reaches, strings.TrimRight(" "+k.Limits, " ")+" |")
	}
	return rows.String()
}

// ofCrossplane are the rules for kinds that are not in its own role.
func ofCrossplane() string {
	var rules strings.Builder
	for _, k := range kinds.All() {
		if !k.Builtin {
			rules.WriteString(rule(k, k.Verbs()))
		}
	}
	return rules.String()
}

// ofViewers are the rules for kinds that role view of Kubernetes does not show.
func ofViewers() string {
	var rules strings.Builder
	for _, k := range kinds.All() {
		if k.Readers == kinds.Viewers {
			rules.WriteString(rule(k, []string{"get", "list", "watch"}))
		}
	}
	return rules.String()
}

func rule(k kinds.Kind, verbs []string) string {
	group := k.Group
	if group == "" {
		group = `""`
	}
	return fmt.Sprintf("%s  - apiGroups: [%s]\n    resources: [%s]\n    verbs: [%s]\n", comment(k.Purpose), group, k.Resource, strings.Join(verbs, ", "))
}

// comment of lines that are not too long.
func comment(text string) string {
	const mark = "  #"
	var lines strings.Builder
	line := mark
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width {
			lines.WriteString(line + "\n")
			line = mark
		}
		line += " " + word
	}
	return lines.String() + line + "\n"
}

// writeBetween writes lines into a file, between marks.
func writeBetween(path, begin, lines, end string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return errors.Errorf("cannot read what is around the generated lines: %w", err)
	}
	before, rest, found := bytes.Cut(content, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return errors.Errorf("cannot write into %s: it has no lines %q and %q", path, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	content = append(append(append(before[:len(before):len(before)], begin...), lines...), append([]byte(end), after...)...)
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // Only developers run this, on files of the repository.
		return errors.Errorf("cannot write the generated lines: %w", err)
	}
	return nil
}
