package backend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
)

// Detect returns the framework of a service: the one whose module its command runs, which must be the declared one where
// both are known; else the declared one. Only workers have a framework; "" is none.
func Detect(declared v1alpha1.BackendFramework, componentType string, command, args []string) (v1alpha1.BackendFramework, error) {
	if !isWorker(componentType) {
		return "", nil
	}
	found := frameworksIn(slices.Concat(command, args))
	switch {
	case len(found) == 0 || slices.Contains(found, declared):
		return declared, nil
	case declared != "":
		return "", fmt.Errorf("the command runs %s, but backendFramework is %q; change one of the two", moduleNames(found), declared)
	case len(found) > 1:
		return "", fmt.Errorf("the command runs more than one backend framework (%s); set backendFramework to the one that the service should be configured for", moduleNames(found))
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

// frameworksIn are the frameworks that a command line runs, sorted.
func frameworksIn(argv []string) []v1alpha1.BackendFramework {
	text := slices.Clone(argv)
	if script := scriptIn(argv); script >= 0 {
		text[script] = withoutComments(argv[script])
	}
	var found []v1alpha1.BackendFramework
	for _, run := range moduleRuns(strings.Join(text, " ")) {
		found = append(found, run.framework)
	}
	// Token by token as well: an argument between python3 and -m may hold what ends a command in a script.
	for _, e := range engine.All() {
		if runsModule(argv, e.Framework) {
			found = append(found, e.Framework)
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

// runsModule reports whether argv, token by token, runs the framework's module with python.
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

// moduleRun is one place in a script where python runs the module of a framework.
type moduleRun struct {
	framework v1alpha1.BackendFramework
	// end is where the module's name ends, the quote around it included.
	end int
}

// moduleRunPattern is `python... -m dynamo.<framework>` within one simple command: none of | & ; and no line end, unless
// a backslash continues the line, stands between.
var moduleRunPattern = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.-])python[0-9.]*["']?(?:[ \t]|\\\n)` +
	`(?:(?:\\\n|[^|&;\n])*?[ \t\n])?-[A-Za-z]*m(?:[ \t]|\\\n)*(["']?)dynamo\.(` + strings.Join(engine.Frameworks(), "|") + `)[A-Za-z0-9_.]*`)

// afterModule is what may follow the module's name. Anything else belongs to the name, and it is another module; so
// does what stands between quotes that open there.
const afterModule = " \t\r\n\\\"'`;|&()<>{}"

// moduleRuns finds all of them. Quotes do not matter: a command within quotes is run by an inner shell.
func moduleRuns(script string) []moduleRun {
	var runs []moduleRun
	var opening []bool
	for _, at := range moduleRunPattern.FindAllStringSubmatchIndex(script, -1) {
		quote, end := script[at[2]:at[3]], at[1]
		if end < len(script) && !strings.ContainsRune(afterModule, rune(script[end])) || !strings.HasPrefix(script[end:], quote) {
			continue
		}
		end += len(quote)
		if end < len(script) && isQuote(script[end]) {
			if opening == nil {
				opening = openingQuotes(script)
			}
			if opening[end] {
				continue
			}
		}
		runs = append(runs, moduleRun{framework: v1alpha1.BackendFramework(script[at[4]:at[5]]), end: end})
	}
	return runs
}

// withoutComments replaces comments by blanks, so that offsets stay.
func withoutComments(script string) string {
	if !strings.Contains(script, "#") {
		return script
	}
	readings := scan(script)
	bytes := []byte(script)
	for i := range bytes {
		if readings[i] == inComment {
			bytes[i] = ' '
		}
	}
	return string(bytes)
}
