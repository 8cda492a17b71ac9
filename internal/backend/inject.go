package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// flag is added by a backend to the command line of the engine.
type flag struct {
	name string
	// also is another spelling of the name. It may be empty.
	also string
	// value is empty for a switch.
	value Expression
	// perNode says that each node has another value.
	perNode bool
}

func (f flag) isSwitch() bool { return f.value.Shell == "" }

// invocation describes how a container starts its engine, and where its flags are added.
type invocation struct {
	texts     *Texts
	framework v1alpha1.BackendFramework
	argv      []string
	// commandTokens is the number of tokens of argv that are the command of the container. The others are its args.
	commandTokens int
	// script is the index in argv of the shell script that runs the engine. -1 if argv itself runs it.
	script int
	// found is false if flags cannot be added.
	found bool
}

// readInvocation determines how a container starts the engine of a framework.
func (t *Texts) readInvocation(f v1alpha1.BackendFramework, c *corev1.Container) invocation {
	in := invocation{texts: t, framework: f, argv: slices.Concat(c.Command, c.Args), commandTokens: len(c.Command), script: -1}
	script := scriptIn(in.argv)
	if script < 0 {
		in.found = runsModule(in.argv, f) || (len(in.argv) > 0 && isPython(in.argv[0]))
		return in
	}
	if len(in.engineRuns(in.argv[script])) > 0 {
		in.script, in.found = script, true
		return in
	}
	// The script runs its own parameters, such as sh -c 'exec "$@"' sh python3 -m ...
	in.found = runsModule(in.argv[script+1:], f) && strings.Contains(in.argv[script], "$@")
	return in
}

// engineRuns returns the places in a script that run the module of this framework.
func (in invocation) engineRuns(script string) []moduleRun {
	return slices.DeleteFunc(in.texts.moduleRuns(in.texts.withoutComments(script)), func(r moduleRun) bool { return r.framework != in.framework })
}

// inject adds flags to the command line of the engine, including flags that only a shell can compute.
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

// assign replaces the command line of the container with one that has at least as many tokens.
func (in invocation) assign(c *corev1.Container, argv []string) {
	c.Command = slices.Clone(argv[:in.commandTokens])
	c.Args = slices.Clone(argv[in.commandTokens:])
}

// assignShell makes the container run a shell, which runs argv of the engine with the flags at its end. If all tokens are plain, or only
// need double quotes, they are one readable line after prefix. Otherwise the tokens are positional parameters of a script that begins with
// exactPrefix: no shell reads them, and the kubelet expands them in the same way as before.
func (in invocation) assignShell(c *corev1.Container, shell, prefix, exactPrefix string, flags []flag) {
	engine, quoted := joinQuoted(in.argv)
	if quoted {
		in.assignScript(c, shell, joinNonEmpty(prefix, engine, scriptOf(flags)))
		return
	}
	in.assignScript(c, shell, joinNonEmpty(exactPrefix, `"$@"`, scriptOf(flags)), slices.Concat([]string{"sh"}, in.argv)...)
}

// assignScript makes the container run `<shell> -c <script> <parameters>`. If the container has no command, the entry point of the image
// stays in front, because the engine may need what it sets up.
func (in invocation) assignScript(c *corev1.Container, shell, script string, parameters ...string) {
	command := []string{shell, "-c"}
	args := slices.Concat([]string{script}, parameters)
	if in.commandTokens == 0 {
		c.Command, c.Args = nil, slices.Concat(command, args)
		return
	}
	c.Command, c.Args = command, args
}

// withFlagsInScript returns argv with flags after the name of the module, in each command of the script that runs the engine. They are
// before the flags of the user, which therefore take precedence, and before anything that ends the command.
func (in invocation) withFlagsInScript(flags []flag) []string {
	script := in.argv[in.script]
	quoting := position{script: script, readings: in.texts.scan(script), inReference: insideReferences(script)}
	var b strings.Builder
	from := 0
	for _, run := range in.engineRuns(script) {
		b.WriteString(script[from:run.end])
		b.WriteString(" ")
		b.WriteString(quoting.scriptAt(flags, run.end))
		from = run.end
	}
	b.WriteString(script[from:])
	argv := slices.Clone(in.argv)
	argv[in.script] = b.String()
	return argv
}

// notInjected is the warning for a command line to which flags cannot be added.
func (in invocation) notInjected(what string) message.Text {
	return message.Format("the command does not run python -m dynamo.%s, so %s is not added and the nodes do not form one engine; "+
		"run the module from command or from the script of sh -c, or pass the flags yourself", in.framework, what)
}

func needShell(flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool { return !f.isSwitch() && f.value.Argument == "" })
}

// tokens are the flags as elements of args.
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

// scriptOf flags is what they are as part of a script.
func scriptOf(flags []flag) string {
	return join(flags, Expression.inScript)
}

// position describes the context of an offset in a script.
type position struct {
	script      string
	readings    []reading
	inReference []bool
}

// scriptAt an offset is what flags are as part of the script there. A shell expands nothing between single quotes, so values that need expansion are
// written outside of them.
func (p position) scriptAt(flags []flag, offset int) string {
	write := Expression.inScript
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
