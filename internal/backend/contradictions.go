package backend

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// contradictions are warnings for flags to which the script of the user gives another value. The last flag counts, and in a script that is the one
// of the user. They are the same for all nodes of a replica.
func (in invocation) contradictions(flags []flag) []message.Text {
	arguments, ok := in.engineArguments()
	if !ok {
		return nil
	}
	var warnings []message.Text
	for _, f := range flags {
		var written, value string
		for name, last := range given(arguments, f.has) {
			written, value = name, strings.Trim(last, ` "')`)
		}
		if written == "" || f.isSwitch() || !f.contradicts(value) {
			continue
		}
		set := written
		if isNumber(value) {
			set += " " + value // Any other text could be a misplaced secret.
		}
		if f.perNode {
			warnings = append(warnings, message.Format("the script sets %s on all nodes, after the %s that is added for each node, and the last one counts, so the nodes do not form one engine; remove %s from the script", set, f.name, written))
			continue
		}
		warnings = append(warnings, message.Format("the script sets %s after %s, which is added for the nodes of the replica, and the last one counts, so the nodes may not form one engine; remove %s from the script", set, scriptOf([]flag{f}), written))
	}
	return warnings
}

// has reports whether a name without dashes is that of the flag.
func (f flag) has(name string) bool {
	return slices.ContainsFunc([]string{f.name, f.also}, func(own string) bool { return own != "" && strings.TrimLeft(own, "-") == name })
}

// contradicts reports whether a value of the user is certainly another one than that of the flag.
func (f flag) contradicts(value string) bool {
	switch {
	case !isLiteral(value):
		return false
	case f.perNode:
		return true
	case isNumber(value) && isNumber(f.value.Argument) && isPort(strings.TrimLeft(f.name, "-")):
		return false // Whatever connects to the port follows it.
	default:
		return value != f.value.Argument
	}
}

func isNumber(value string) bool {
	_, err := strconv.Atoi(value)
	return err == nil
}

// isLiteral reports whether neither the kubelet nor a shell expands a value.
func isLiteral(value string) bool { return !strings.ContainsAny(value, "$`") }

// guard is a condition of the command that follows.
var guard = regexp.MustCompile(`(?:\]|\)\)|\btest [^;&|\n]*)(?:[ \t]|\\\n)*(?:&&|\|\|)[^;\n]*$`)

// isConditional reports whether what follows a text of a script may not run on all nodes: a condition is open, or ends the script.
func isConditional(before string) bool {
	open := 0
	for _, word := range strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()", r) }) {
		switch word {
		case "if", "case":
			open++
		case "fi", "esac":
			open--
		case "exec", "exit":
			if open > 0 {
				return true
			}
		}
	}
	return open > 0 || guard.MatchString(before)
}

// engineArguments are the words after the engine in the script that runs it. ok is false if there is no script, or if what it runs may not be the
// same on all nodes: it runs the engine in several places, or under a condition.
func (in invocation) engineArguments() (words iter.Seq[string], ok bool) {
	if in.script < 0 {
		return nil, false
	}
	script := in.argv[in.script]
	runs := in.engineRuns(script)
	if len(runs) != 1 || isConditional(in.texts.withoutComments(script)[:runs[0].end]) {
		return nil, false
	}
	command := &corev1.Container{Command: []string{"sh", "-c", in.restOfCommand(runs[0].end)}, Args: in.argv[in.script+1:]}
	return in.texts.passedWords(command), true
}

// restOfCommand is the simple command in the script from an offset on. If it begins within quotes, as for an inner shell, it ends with them.
func (in invocation) restOfCommand(from int) string {
	script := in.argv[in.script]
	readings := in.texts.scan(script)
	for end := from; end < len(script); end++ {
		ends := strings.IndexByte(commandEnds, script[end]) >= 0 || script[end] == '\n' && script[end-1] != '\\'
		if outside := readings[end] != readings[from]; ends && !outside || outside && readings[from] != inCode {
			return script[from:end]
		}
	}
	return script[from:]
}
