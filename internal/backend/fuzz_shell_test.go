package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// commandsOf reads a line as a POSIX shell does, with positional parameters and variables, and returns the words of its
// commands. It only supports the syntax of the lines that this package writes: words, quotes, "$@", ${VAR}, &&, and $((...)), which is not
// evaluated. All other syntax that has a meaning in a shell is an error, so the test detects it.
func commandsOf(line string, parameters []string, env map[string]string) ([][]string, error) {
	r := lineReader{line: line, parameters: parameters, env: env, commands: [][]string{nil}}
	for r.line != "" {
		if err := r.step(); err != nil {
			return nil, fmt.Errorf("%w, before %q", err, r.line)
		}
	}
	r.endWord()
	return r.commands, nil
}

type lineReader struct {
	line       string
	parameters []string
	env        map[string]string

	commands [][]string
	word     strings.Builder
	open     bool
}

func (r *lineReader) step() error {
	if rest, ok := strings.CutPrefix(r.line, `"$@"`); ok && !r.open && (rest == "" || rest[0] == ' ') {
		r.line = rest
		r.add(r.parameters...)
		return nil
	}
	if rest, ok := strings.CutPrefix(r.line, "&& "); ok && !r.open {
		r.line = rest
		r.commands = append(r.commands, nil)
		return nil
	}
	switch ch := r.line[0]; ch {
	case ' ':
		r.endWord()
		r.line = r.line[1:]
	case '\'':
		text, rest, ok := strings.Cut(r.line[1:], "'")
		if !ok {
			return errors.New("a single quote without end")
		}
		r.write(text)
		r.line = rest
	case '"':
		return r.doubleQuotes()
	case '$':
		return r.expansion()
	default:
		if strings.IndexByte("|&;<>()`\\*?[]#~{}!\n\t", ch) >= 0 {
			return fmt.Errorf("%q without quotes", ch)
		}
		r.write(r.line[:1])
		r.line = r.line[1:]
	}
	return nil
}

func (r *lineReader) doubleQuotes() error {
	r.write("")
	for r.line = r.line[1:]; r.line != ""; {
		switch ch := r.line[0]; {
		case ch == '"':
			r.line = r.line[1:]
			return nil
		case ch == '$':
			if err := r.expansion(); err != nil {
				return err
			}
		case ch == '`':
			return errors.New("a backquote within double quotes")
		case ch == '\\' && len(r.line) > 1 && strings.IndexByte("$`\"\\\n", r.line[1]) >= 0:
			r.write(strings.TrimPrefix(r.line[1:2], "\n"))
			r.line = r.line[2:]
		default:
			r.write(r.line[:1])
			r.line = r.line[1:]
		}
	}
	return errors.New("a double quote without end")
}

func (r *lineReader) expansion() error {
	if arithmetic, rest, ok := cutArithmetic(r.line); ok {
		r.write(arithmetic)
		r.line = rest
		return nil
	}
	reference, ok := strings.CutPrefix(r.line, "${")
	name, rest, closed := strings.Cut(reference, "}")
	value, known := r.env[name]
	if !ok || !closed || !known || strings.ContainsAny(value, " \"'\\*?[") {
		return errors.New("an expansion")
	}
	r.write(value)
	r.line = rest
	return nil
}

// cutArithmetic splits a line after the $((...)) at its beginning.
func cutArithmetic(line string) (arithmetic, rest string, ok bool) {
	if !strings.HasPrefix(line, "$((") {
		return "", line, false
	}
	depth := 0
	for i := range len(line) {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return line[:i+1], line[i+1:], true
			}
		}
	}
	return "", line, false
}

func (r *lineReader) write(text string) {
	r.open = true
	r.word.WriteString(text)
}

func (r *lineReader) endWord() {
	if r.open {
		r.add(r.word.String())
	}
	r.word.Reset()
	r.open = false
}

func (r *lineReader) add(words ...string) {
	last := len(r.commands) - 1
	r.commands[last] = append(r.commands[last], words...)
}

// engineOf a container is the command that runs python when the container is started, after the kubelet has expanded its references, and the
// commands that ran before it.
func engineOf(argv []string, env map[string]string) (engine []string, before [][]string, err error) {
	argv = expandAll(argv, env)
	shell := slices.IndexFunc(argv, func(token string) bool { return token == "sh" || token == "/bin/sh" })
	if shell != 0 {
		return argv, nil, nil
	}
	line := argv[2]
	if at := strings.Index(line, " bash -c "); at >= 0 && strings.Contains(line[:at], "mpirun ") {
		return launchedBy(line[at+1:], argv[3:], env)
	}
	commands, err := commandsOf(line, afterFirst(argv[3:]), env)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w", line, err)
	}
	engine = commands[len(commands)-1]
	if len(engine) > 0 && engine[0] == "exec" {
		engine = engine[1:]
	}
	return engine, commands[:len(commands)-1], nil
}

// launchedBy is the command that each rank of mpirun runs.
func launchedBy(program string, arguments []string, env map[string]string) (engine []string, before [][]string, err error) {
	outer, err := commandsOf(program, afterFirst(arguments), env)
	if err != nil || len(outer) != 1 || len(outer[0]) < 3 {
		return nil, nil, fmt.Errorf("%q runs %q: %w", program, outer, err)
	}
	inner, err := commandsOf(outer[0][2], afterFirst(outer[0][3:]), env)
	if err != nil || len(inner) != 1 {
		return nil, nil, fmt.Errorf("%q runs %q: %w", outer[0][2], inner, err)
	}
	engine = inner[0]
	if engine[0] == "exec" {
		engine = engine[1:]
	}
	return engine[1:], [][]string{engine[:1]}, nil
}

// afterFirst are the positional parameters of a script. The first word after the script is its name.
func afterFirst(tokens []string) []string { return tokens[min(1, len(tokens)):] }
