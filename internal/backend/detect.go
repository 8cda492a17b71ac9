package backend

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Detect returns the framework of a component: the framework whose module the command runs, otherwise the declared one. If both are known,
// they must be equal. Only workers have a framework.
func (t *Texts) Detect(declared v1alpha1.BackendFramework, componentType string, command, args []string) (v1alpha1.BackendFramework, error) {
	if !isWorker(componentType) {
		return "", nil
	}
	found := t.frameworksIn(slices.Concat(command, args))
	switch {
	case len(found) == 0 || slices.Contains(found, declared):
		return declared, nil
	case declared != "":
		return "", message.Error("the command runs %s, but backendFramework is %q; change one of the two", moduleNames(found), declared)
	case len(found) > 1:
		return "", message.Error("the command runs more than one backend framework (%s); set backendFramework to the framework that the {{component}} should be configured for", moduleNames(found))
	default:
		return found[0], nil
	}
}

func isWorker(componentType string) bool {
	switch componentType {
	case v1alpha1.ComponentWorker, v1alpha1.ComponentPrefill, v1alpha1.ComponentDecode:
		return true
	default:
		return false
	}
}

// frameworksIn returns the frameworks that a command line runs, sorted.
func (t *Texts) frameworksIn(argv []string) []v1alpha1.BackendFramework {
	text := slices.Clone(argv)
	if script := scriptIn(argv); script >= 0 {
		text[script] = t.withoutComments(argv[script])
	}
	var found []v1alpha1.BackendFramework
	for _, run := range t.moduleRuns(strings.Join(text, " ")) {
		found = append(found, run.framework)
	}
	// The tokens are checked one by one as well, because an argument between python3 and -m can contain a character that ends a command in
	// a script.
	for _, name := range engine.Frameworks() {
		if f := v1alpha1.BackendFramework(name); runsModule(argv, f) {
			found = append(found, f)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func moduleNames(frameworks []v1alpha1.BackendFramework) string {
	names := make([]string, 0, len(frameworks))
	for _, f := range frameworks {
		names = append(names, engine.Module(f))
	}
	return strings.Join(names, " and ")
}

var moduleFlag = regexp.MustCompile(`^-[A-Za-z]*m$`)

// runsModule reports whether the tokens of argv run the module of the framework with python.
func runsModule(argv []string, f v1alpha1.BackendFramework) bool {
	first := slices.IndexFunc(argv, isPython)
	if first < 0 {
		return false
	}
	module := engine.Module(f)
	for i := first + 1; i < len(argv); i++ {
		if argv[i] == "-m"+module {
			return true
		}
		if moduleFlag.MatchString(argv[i]) && i+1 < len(argv) && strings.HasPrefix(argv[i+1], module) {
			return true
		}
	}
	return false
}

// OtherModule is the module of Dynamo that a command line runs if it runs no engine, such as dynamo.mocker. It is empty if there is none.
// Such a program is one process, and exits if it gets a flag of an engine that it does not know.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/components/src/dynamo/mocker/args.py
func (t *Texts) OtherModule(c *corev1.Container) string {
	argv := slices.Concat(c.Command, c.Args)
	if len(t.frameworksIn(argv)) > 0 {
		return ""
	}
	if modules := t.Modules(argv); len(modules) > 0 {
		return modules[0]
	}
	return ""
}

// Modules of Dynamo that a command line runs, in their order.
func (t *Texts) Modules(argv []string) []string {
	if script := scriptIn(argv); script >= 0 {
		argv = slices.Clone(argv)
		argv[script] = t.withoutComments(argv[script])
	}
	line := strings.Join(argv, " ")
	var modules []string
	for _, module := range findModules(line, anyModule) {
		modules = append(modules, strings.TrimRight(line[module.begin:module.end], "."))
	}
	return modules
}

// moduleRun is a place in a script where python runs the module of a framework.
type moduleRun struct {
	framework v1alpha1.BackendFramework
	// end is the offset after the module's name, including its closing quote.
	end int
}

// afterModule is what can follow the name of a module. Any other character, or a quote that opens there, is part of the name, so it is
// a different module.
const afterModule = " \t\r\n\\\"'`;|&()<>{}"

// readModuleRuns returns all places. Quotes are ignored, because an inner shell runs a quoted command.
func (s *script) readModuleRuns() []moduleRun {
	if !s.hasRuns {
		s.runs, s.hasRuns = s.findModuleRuns(), true
	}
	return slices.Clone(s.runs)
}

func (s *script) findModuleRuns() []moduleRun {
	var runs []moduleRun
	for _, name := range findModules(s.text, engineModule) {
		end := name.end
		if end < len(s.text) && !strings.ContainsRune(afterModule, rune(s.text[end])) || !strings.HasPrefix(s.text[end:], name.quote) {
			continue
		}
		end += len(name.quote)
		if end < len(s.text) && isQuote(s.text[end]) && s.scan().opening[end] {
			continue
		}
		framework, _ := frameworkOf(s.text[name.begin:])
		runs = append(runs, moduleRun{framework: framework, end: end})
	}
	return runs
}

// uncomment replaces comments with blanks, so that offsets do not change.
func (s *script) uncomment() string {
	if !strings.Contains(s.text, "#") {
		return s.text
	}
	if !s.isUncommented {
		bytes := []byte(s.text)
		for i, r := range s.scan().readings {
			if r == inComment {
				bytes[i] = ' '
			}
		}
		s.uncommented, s.isUncommented = string(bytes), true
	}
	return s.uncommented
}
