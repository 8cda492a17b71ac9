package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// commands warns of command lines that do not run what they seem to. An engine beside its runtime has no default command, so that it may be that
// of its image.
func (w *warnings) commands(path *field.Path, s *graph.Component, beside bool) {
	if s.RunsEntryPoint() && !beside {
		w.entryPoint(graph.MainPath(path, "args"), s.Main().Args[0])
	}
	for _, c := range containersOf(path, s) {
		line := commandLine{path: c.path, command: c.Command, args: c.Args}
		switch {
		case c.main && beside:
		case c.main && s.NamesNoProgram():
			// Whatever the module is, its flags are arguments of their own.
			line.command = []string{"python3", "-m", "dynamo"}
		case c.main:
			line.command = s.Command()
			line.isDefault = len(s.Main().Command) == 0
		}
		if len(line.command) > 0 {
			w.commandLine(line)
		}
	}
}

// sidecarCommand warns of a frontend sidecar whose args begin with a program.
func (w *warnings) sidecarCommand(path *field.Path, s *graph.Component) {
	sidecar, i := pod.FrontendSidecar(s)
	switch {
	case sidecar == nil || sidecar.Command != nil || !backend.BeginsWithOtherProgram(sidecar.Args):
	case s.Sidecar != nil:
		w.add(path.Child("frontendSidecar", "args"), "begin with the program %s, so the entry point of the image runs them; write only the flags of dynamo.frontend to run it with every image", sidecar.Args[0])
	default:
		w.entryPoint(s.BesidePath(i).Child("args"), sidecar.Args[0])
	}
}

// entryPoint warns of args that begin with a program and have no command.
func (w *warnings) entryPoint(args *field.Path, program string) {
	w.add(args, "begin with the program %s, and there is no command, so the entry point of the image runs them; to run them with every image, move the program and its arguments to command",
		program)
}

// commandLine of a container.
type commandLine struct {
	path          *field.Path
	command, args []string

	// isDefault says that the user has set no command.
	isDefault bool
}

// argPath is the path of an argument.
func (l commandLine) argPath(i int) *field.Path {
	if i < len(l.command) {
		return l.path.Child("command").Index(i)
	}
	return l.path.Child("args").Index(i - len(l.command))
}

// commandLine warns of arguments that do not reach the program. An argument may be a secret, so that none is shown.
func (w *warnings) commandLine(l commandLine) {
	argv := slices.Concat(l.command, l.args)
	if script, unread := backend.UnreadArguments(argv); len(unread) > 0 {
		remedy := "remove the shell from command"
		if l.isDefault {
			remedy = "set command, because without it, args are a script for /bin/sh -c"
		}
		w.add(l.argPath(script), "is all that the shell runs: the arguments after it (%d) are parameters of this script, which does not use them; write the whole command as one string, or %s",
			len(unread), remedy)
	}
	if i := backend.UnsplitArgument(argv); i >= 0 {
		w.add(l.argPath(i), "is a single argument although it contains blanks, because no shell splits it; write each word as an item of its own")
	}
}
