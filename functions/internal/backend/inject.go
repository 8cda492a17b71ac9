package backend

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// flag is a flag that a backend adds to the engine's command line.
type flag struct {
	name string
	// value is empty for a switch.
	value Expression
}

func (f flag) isSwitch() bool { return f.value.Shell == "" }

// invocation is how a container starts its engine, and where flags for the engine go.
type invocation struct {
	framework v1alpha1.BackendFramework
	argv      []string
	// commandTokens is how many tokens of argv are the container's command; the others are its args.
	commandTokens int
	// script is the index of the shell script in argv that runs the engine, -1 when argv itself is the engine's.
	script int
	// found is false when there is no place for flags.
	found bool
}

// readInvocation finds out how a container starts the engine of a framework.
func readInvocation(f v1alpha1.BackendFramework, c *corev1.Container) invocation {
	in := invocation{framework: f, argv: slices.Concat(c.Command, c.Args), commandTokens: len(c.Command), script: -1}
	script := scriptIn(in.argv)
	if script < 0 {
		in.found = runsModule(in.argv, f) || (len(in.argv) > 0 && isPython(in.argv[0]))
		return in
	}
	if len(in.engineRuns(in.argv[script])) > 0 {
		in.script, in.found = script, true
		return in
	}
	// A script that runs its own parameters, as in sh -c 'exec "$@"' sh python3 -m ...
	in.found = runsModule(in.argv[script+1:], f) && strings.Contains(in.argv[script], "$@")
	return in
}

// engineRuns are the places in a script that run this framework's module.
func (in invocation) engineRuns(script string) []moduleRun {
	return slices.DeleteFunc(moduleRuns(withoutComments(script)), func(r moduleRun) bool { return r.framework != in.framework })
}

// inject adds flags to the engine's command line. They reach the engine also where only a shell can compute them.
func (in invocation) inject(c *corev1.Container, flags []flag) {
	switch {
	case in.script >= 0:
		in.assign(c, in.withFlagsInScript(flags))
	case needShell(flags):
		in.assignShell(c, "sh", "exec", "exec", flags)
	default:
		in.assign(c, slices.Concat(in.argv, tokens(flags)))
	}
}

// assign gives the container another command line of at least as many tokens.
func (in invocation) assign(c *corev1.Container, argv []string) {
	c.Command = slices.Clone(argv[:in.commandTokens])
	c.Args = slices.Clone(argv[in.commandTokens:])
}

// assignShell gives the container a shell that runs the engine's argv with flags after it. Where all tokens are plain or
// need no more than double quotes it is one readable line after prefix; else, after exactPrefix, the tokens are the
// script's positional parameters, so that no shell reads them and the kubelet expands them exactly as it does without us.
func (in invocation) assignShell(c *corev1.Container, shell, prefix, exactPrefix string, flags []flag) {
	engine, quoted := joinQuoted(in.argv)
	if quoted {
		in.assignScript(c, shell, joinNonEmpty(prefix, engine, text(flags)))
		return
	}
	in.assignScript(c, shell, joinNonEmpty(exactPrefix, `"$@"`, text(flags)), slices.Concat([]string{"sh"}, in.argv)...)
}

// assignScript gives the container `<shell> -c <script> <parameters>`. Without a command the image's entry point stays in
// front: it may set up what the engine needs.
func (in invocation) assignScript(c *corev1.Container, shell, script string, parameters ...string) {
	command := []string{shell, "-c"}
	args := slices.Concat([]string{script}, parameters)
	if in.commandTokens == 0 {
		c.Command, c.Args = nil, slices.Concat(command, args)
		return
	}
	c.Command, c.Args = command, args
}

// withFlagsInScript is argv with flags after the module's name in every command of the script that runs the engine:
// before the user's own flags, so that these win, and before whatever ends the command.
func (in invocation) withFlagsInScript(flags []flag) []string {
	script := in.argv[in.script]
	at := position{script: script, readings: scan(script), inReference: insideReferences(script)}
	var b strings.Builder
	from := 0
	for _, run := range in.engineRuns(script) {
		b.WriteString(script[from:run.end])
		b.WriteString(" ")
		b.WriteString(at.text(flags, run.end))
		from = run.end
	}
	b.WriteString(script[from:])
	argv := slices.Clone(in.argv)
	argv[in.script] = b.String()
	return argv
}

// notInjected is the warning for a command line without a place for flags.
func (in invocation) notInjected(what string) string {
	return fmt.Sprintf("the command does not run python -m dynamo.%s, so %s is not added and the nodes do not form one engine; "+
		"run the module from command or from the script of sh -c, or pass the flags yourself", in.framework, what)
}

func needShell(flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool { return !f.isSwitch() && f.value.Argument == "" })
}

// tokens are flags as elements of args.
func tokens(flags []flag) []string {
	var all []string
	for _, f := range flags {
		all = append(all, f.name)
		if !f.isSwitch() {
			all = append(all, f.value.Argument)
		}
	}
	return all
}

// text is flags as part of a script.
func text(flags []flag) string {
	return join(flags, Expression.text)
}

// position knows what stands around an offset in a script.
type position struct {
	script      string
	readings    []reading
	inReference []bool
}

// text is flags as part of the script at this offset. Between single quotes no shell expands anything, so that what needs
// one is put outside of them.
func (p position) text(flags []flag, offset int) string {
	write := Expression.text
	if p.inReference[offset] {
		write = func(e Expression) string { return e.Shell }
	}
	if offset >= len(p.script) || p.readings[offset] != inSingleQuotes || p.readings[offset-1] != inSingleQuotes {
		return join(flags, write)
	}
	return join(flags, func(e Expression) string {
		if s := write(e); s != e.Argument {
			return `'"` + s + `"'`
		}
		return e.Argument
	})
}

func join(flags []flag, write func(Expression) string) string {
	all := make([]string, 0, 2*len(flags))
	for _, f := range flags {
		all = append(all, f.name)
		if !f.isSwitch() {
			all = append(all, write(f.value))
		}
	}
	return strings.Join(all, " ")
}

func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
