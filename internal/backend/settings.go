package backend

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	shell "mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Setting of a program, by a flag or a variable.
type Setting struct {
	// Place that says it: a flag, or a variable.
	Place string

	// Value that the program gets. Known is false if a part of it is not in the graph.
	Value string
	Known bool

	// Referred says that the value is that of a variable which refers to something outside of the graph, or to the pod.
	Referred bool

	// text of the value, as it is written.
	text string
}

// SettingOf a program by a flag or by a variable, which the flag overrides. false: neither is given.
func (t *Texts) SettingOf(c *corev1.Container, variable, flag string) (Setting, bool) {
	return t.setting(c, variable, t.commandWords(c), func(name string) bool { return name == flag })
}

func (t *Texts) setting(c *corev1.Container, variable string, words iter.Seq[string], isFlag func(name string) bool) (Setting, bool) {
	found, assigned := Setting{}, t.assignments(c)
	if own := variableIn(c.Env, variable); own != nil {
		found = Setting{Place: "variable " + variable, text: own.Value}
		if found.Referred = own.ValueFrom != nil; found.Referred {
			found.text = "$" + variable
		}
	}
	if value, ok := assigned[variable]; ok {
		found = Setting{Place: "variable " + variable, text: value}
	}
	for flag, value := range given(words, isFlag) {
		if !strings.Contains(value, "(") {
			value = strings.TrimRight(value, ")") // It ends a subshell.
		}
		found = Setting{Place: flag, text: value}
	}
	found.Value, found.Known = evaluate(found.text, c, assigned)
	return found, found.Place != ""
}

// given are flags as they are written among the words of a command line, with their values.
func given(words iter.Seq[string], isFlag func(name string) bool) iter.Seq2[string, string] {
	return func(yield func(flag, value string) bool) {
		open := "" // The flag whose value is the next word.
		for word := range words {
			flag, value, joined := strings.Cut(word, "=")
			switch name, _, _ := splitFlag(word); {
			case open != "":
				flag, value, open = open, word, ""
			case name == "" || !isFlag(name):
				continue
			case !joined:
				open = flag
				continue
			}
			if !yield(flag, value) {
				return
			}
		}
	}
}

// assignment of a variable in a script.
var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// assignments of variables in the script of a container. The last one counts.
func (t *Texts) assignments(c *corev1.Container) map[string]string {
	argv := slices.Concat(c.Command, c.Args)
	script := scriptIn(argv)
	if script < 0 || !strings.Contains(argv[script], "=") {
		return nil
	}
	assigned := map[string]string{}
	for _, word := range t.words(argv[script]) {
		if match := assignment.FindStringSubmatch(word); match != nil {
			assigned[match[1]] = word[len(match[0]):]
		}
	}
	return assigned
}

// kubeletReference is a reference that the kubelet expands.
var kubeletReference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)`)

// maxEvaluated is how many texts are evaluated for a value: variables may refer to others, and each to the same ones.
const maxEvaluated = 16

// evaluate a text as the kubelet and a shell do. known is false if a part of it is not in the graph: in a Secret or a file, or the output of
// a program.
func evaluate(text string, c *corev1.Container, assigned map[string]string) (value string, known bool) {
	v := &variables{env: c.Env, refers: len(c.EnvFrom) > 0, assigned: assigned, left: maxEvaluated}
	value = v.evaluate(text)
	return value, !v.unknown
}

// variables that a shell in a container has.
type variables struct {
	env      []corev1.EnvVar
	assigned map[string]string

	// refers says that the container has more variables, in what it refers to.
	refers bool

	// left is how many texts may still be evaluated, and unknown says that a value is not in the graph.
	left    int
	unknown bool
}

func (v *variables) evaluate(text string) string {
	if !strings.ContainsAny(text, "$`") {
		return text
	}
	v.left--
	word, err := syntax.NewParser().Document(strings.NewReader(kubeletReference.ReplaceAllString(text, "${$1}")))
	if err != nil || len(text) > maxReference || v.left < 0 {
		v.unknown = true
		return ""
	}
	value, err := shell.Document(&shell.Config{Env: v, NoUnset: true}, word)
	v.unknown = v.unknown || err != nil
	return value
}

// Get a variable.
func (v *variables) Get(name string) shell.Variable {
	own := variableIn(v.env, name)
	text, assigned := v.assigned[name]
	switch {
	case assigned:
	case own != nil && own.ValueFrom == nil:
		text = own.Value
	default:
		// It may be set by what the graph refers to, otherwise by the orchestrator.
		v.unknown = v.unknown || own != nil || v.refers
		return shell.Variable{}
	}
	return shell.Variable{Set: true, Kind: shell.String, Str: v.evaluate(text)}
}

// Each variable: only those that are asked for are looked up.
func (*variables) Each(func(string, shell.Variable) bool) {}
