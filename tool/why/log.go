package why

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// logLines are the last lines of a log that are shown.
const logLines = 20

// AddLog reads the last lines of the log of the container that crashed, or that is not ready, first of the most likely cause.
func (d *Diagnosis) AddLog(reader Reader) error {
	for _, c := range d.Causes {
		if c.pod == "" || c.Container == "" || !slices.Contains([]Code{Crash, ProbeFails, Starting, Initializing}, c.Code) {
			continue
		}
		text, err := reader.Log(d.namespace, c.pod, c.Container, c.previous, logLines)
		if forbidden, ok := preview.IsForbidden(err); ok {
			d.Forbidden = append(d.Forbidden, *forbidden)
			return nil
		}
		if err != nil {
			return err
		}
		d.Log = &Log{Pod: c.pod, Container: c.Container, Previous: c.previous, Lines: linesOf(text)}
		return nil
	}
	return nil
}

// escapes are sequences that color a terminal.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// linesOf a log, without characters that control a terminal.
func linesOf(text string) []string {
	lines := []string{}
	for line := range strings.Lines(text) {
		line = escapes.ReplaceAllString(line, "")
		lines = append(lines, strings.TrimRight(strings.Map(func(r rune) rune {
			if r != '\t' && unicode.IsControl(r) {
				return ' '
			}
			return r
		}, line), " "))
	}
	return lines
}
