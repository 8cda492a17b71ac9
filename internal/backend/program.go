package backend

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// A word that can be the name of a program.
var programName = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_.+/-]*$`)

// shellWords are what only a shell runs: there is no program of that name, or one that does not do what the shell does.
func shellWords() []string {
	return []string{
		".", ":", "[", "[[", "alias", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if", "local", "read", "return", "set", "shift",
		"source", "trap", "ulimit", "umask", "unset", "until", "wait", "while",
	}
}

// BeginsWithProgram reports whether args begin with a program that has arguments of its own, such as python3 -m dynamo.vllm. Flags, scripts
// and the commands of a shell are none, and neither is a single word, which a shell runs in the same way.
func BeginsWithProgram(args []string) bool {
	return len(args) > 1 && programName.MatchString(args[0]) && !slices.Contains(shellWords(), args[0])
}

// BeginsWithOtherProgram reports whether args begin with a program that python does not run as a file. Words with a folder or an extension,
// such as main.py, may be files of Python, unless they name a shell or python itself.
func BeginsWithOtherProgram(args []string) bool {
	return BeginsWithProgram(args) && (isPython(args[0]) || isShell(args[0]) || !strings.ContainsAny(args[0], "./"))
}

// BeginsWithModule reports whether args begin with flags of python that run a module of Dynamo, such as -m dynamo.vllm.
func BeginsWithModule(args []string) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "--") {
		return false
	}
	index := slices.IndexFunc(args, moduleFlag.MatchString)
	for _, flag := range args[:max(0, index)] {
		if !strings.HasPrefix(flag, "-") {
			return false
		}
	}
	return index >= 0 && index+1 < len(args) && strings.HasPrefix(args[index+1], "dynamo.")
}

// UnreadArguments are the arguments after the script of a shell, if the script reads none of them, and the index of the script. A shell
// takes them for the parameters of the script, and not for a part of it: sh -c python3 main.py starts python3 without arguments.
func UnreadArguments(argv []string) (script int, unread []string) {
	index := scriptIn(argv)
	if index < 0 || readsParameters(argv[index]) {
		return index, nil
	}
	unread = argv[index+1:]
	// The first one is $0, which is by custom the name of the shell, or a dash.
	if len(unread) == 0 || len(unread) == 1 && (isShell(unread[0]) || strings.Trim(unread[0], "-_") == "") {
		return index, nil
	}
	return index, unread
}

// unsplitFlag matches a flag and its value, or more, in one argument.
var unsplitFlag = regexp.MustCompile(`^--?[A-Za-z][A-Za-z0-9_.-]*[ \t\n]+\S`)

// UnsplitArgument is the index of the first argument of a command line without a shell that contains several arguments. Nothing splits it, so that
// the program, or the module of Python, gets it as one. -1 means that there is none.
func UnsplitArgument(argv []string) int {
	if scriptIn(argv) >= 0 {
		return -1
	}
	for i := range argv {
		if isUnsplit(argv, i) {
			return i
		}
	}
	return -1
}

// isUnsplit reports whether nothing else can be meant by an argument than several ones.
func isUnsplit(argv []string, i int) bool {
	argument := argv[i]
	if !strings.ContainsFunc(strings.TrimSpace(argument), unicode.IsSpace) {
		return false
	}
	if i == 0 {
		return true
	}
	before := argv[i-1]
	isFlag := strings.HasPrefix(argument, "-")
	return moduleFlag.MatchString(before) || isPython(before) && !isFlag || unsplitFlag.MatchString(argument) && !mayHaveValue(before)
}

// mayHaveValue reports whether the argument after a flag may be its value, which can be anything.
func mayHaveValue(flag string) bool {
	return strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=")
}

// RunsEngine reports whether the command line of a container runs the module of a framework.
func (t *Texts) RunsEngine(f v1alpha1.BackendFramework, c *corev1.Container) bool {
	return f != "" && slices.Contains(t.frameworksIn(slices.Concat(c.Command, c.Args)), f)
}

// tokens of a command line, or of the script in it.
func (t *Texts) tokens(argv []string) []string {
	if script := scriptIn(argv); script >= 0 {
		return t.words(argv[script])
	}
	return argv
}

// Flags reads the flags of a command line, or of the script in it: names without dashes at the beginning and with dashes in place of
// underscores. complete is false if there may be more of them: in a variable, or in a file.
func (t *Texts) Flags(argv []string) (names map[string]bool, complete bool) {
	names, complete = map[string]bool{}, true
	before := ""
	for _, token := range t.tokens(argv) {
		name, isFlag := strings.CutPrefix(token, "--")
		name, _, _ = strings.Cut(strings.ReplaceAll(name, "_", "-"), "=")
		switch {
		case isFlag:
			names[name] = true
			complete = complete && name != "config"
		case strings.HasPrefix(token, "$") || strings.HasPrefix(token, "@"):
			complete = complete && mayHaveValue(before)
		}
		before = token
	}
	return names, complete
}
