package backend

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"mvdan.cc/sh/v3/syntax"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// maxFuzzed is the maximum length of the tested command lines.
const maxFuzzed = 16 << 10

// FuzzConfigureContainer shows for any command that nothing panics, that the same input has the same output, and that everything that the
// user wrote is kept.
func FuzzConfigureContainer(f *testing.F) {
	seeds := 0
	for _, style := range slices.Sorted(maps.Keys(commandStyles)) {
		for _, arguments := range argumentSets {
			for _, module := range []string{"dynamo.vllm", "dynamo.sglang"} {
				seeds++
				// All seeds are tests. Where fuzzing begins with them, few are enough: every 17th has each of the two modules in turn.
				if testing.Short() && seeds%17 != 0 {
					continue
				}
				command, args := commandStyles[style].build(module, arguments)
				f.Add(strings.Join(command, "\x00"), strings.Join(args, "\x00"), "-tp\x008")
			}
		}
	}
	f.Add("sh\x00-c", "python3 -m 'dynamo.sglang' $(a <<X\n'\nX\n) `b \"c\"` # d", "--dp=4")
	f.Add("sh\x00-c", "python3 -m dynamo.vllm --data-parallel-size 12 '$(x)' \\\n -tp \"4\" && bash -c 'python3 -m dynamo.vllm'", "--data-parallel-rpc-port\x001")
	f.Fuzz(func(t *testing.T, command, args, sizes string) {
		if len(command)+len(args)+len(sizes) > maxFuzzed {
			return
		}
		base := corev1.Container{Command: tokensOf(command), Args: append(tokensOf(args), tokensOf(sizes)...)}
		for _, s := range allSettings() {
			checkConfigured(t, base, s)
		}
		for _, declared := range []v1alpha1.BackendFramework{"", v1alpha1.BackendVLLM} {
			first, errFirst := new(Texts).Detect(declared, v1alpha1.ComponentWorker, base.Command, base.Args)
			second, errSecond := new(Texts).Detect(declared, v1alpha1.ComponentWorker, base.Command, base.Args)
			if first != second || fmt.Sprint(errFirst) != fmt.Sprint(errSecond) {
				t.Errorf("two answers for one command: %q (%v) and %q (%v)", first, errFirst, second, errSecond)
			}
		}
	})
}

// The patterns say what findModules, readQuotes and readsParameters look for. They take too long for the scripts of tenants.
var (
	modulePattern = `(?:^|[^A-Za-z0-9_.-])python[0-9.]*["']?(?:[ \t]|\\\n)(?:(?:\\\n|[^|&;\n])*?[ \t\n])?-[A-Za-z]*m(?:[ \t]|\\\n)*(["']?)`

	engineModulePattern = regexp.MustCompile(modulePattern + `(dynamo\.(?:` + strings.Join(engine.Frameworks(), "|") + `)[A-Za-z0-9_.]*)`)
	anyModulePattern    = regexp.MustCompile(modulePattern + `(dynamo\.[A-Za-z0-9_.]+)`)

	// In this order: escaped characters, quoted strings, whether closed or not, and comments with the character before them.
	quotesAndComments = regexp.MustCompile(`(?s)\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|(?:^|[ \t\n;&|(])#[^\n]*`)

	parameterPattern = regexp.MustCompile(`\$\{?[#!]?[@*#1-9]|\b(?:shift|getopts|BASH_ARGV)\b|\bfor [A-Za-z_][A-Za-z0-9_]*(?:;|[ \t]*\n)[ \t]*do\b`)
)

// FuzzPatterns shows that what is read without patterns is what the patterns match.
func FuzzPatterns(f *testing.F) {
	for _, style := range commandStyles {
		command, args := style.build("dynamo.vllm", []string{"--model", "x"})
		f.Add(strings.Join(append(command, args...), " "))
	}
	for _, script := range []string{
		"python3 -m dynamo.vllm & python3 -m dynamo.sglang", "python3 -m dynamo.vllmpython -m dynamo.trtllm", "python x python -m dynamo.vllm",
		"python3 -m dynamo.vllm;python3 -m dynamo.vllm", "mypython3 -m dynamo.vllm", "pythonpython -m dynamo.vllm python3 -m x",
		"\u00e9python3 -m dynamo.vllm", "python3 -m dynamo.vllm\npython3 run \\\n -m 'dynamo.trtllm'", "python -mdynamo.vllm", "python -ummdynamo.vllm -m x",
		"python -m dynamo.vllm -m dynamo.trtllm", "python -m dynamo.vllm -m dynamo.mocker. -m dynamo.", "python -x\n-m dynamo.vllm",
		"python\\\n-m\\\n\\\n\"dynamo.sglang\"", "python' -m dynamo.vllm", "python a & -m dynamo.vllm python b\n-m dynamo.vllm",
		strings.Repeat("python ", 3) + "\npython -x python -m dynamo.vllm", "-python -m dynamo.vllm",
		`'a' "b\"c" # d 'e'`, "#f 'g\n#", "a#b \\# \\", `"a\`, `'a`, "(#a\n;#b\n&#c|#d", "\\\u00e9'\u00e9'",
		"$1", "${2}", "${#1}", "${!3}", "$#", "$!", "$!@", "${", "$0", "shift", "ashift", "shift_", "getopts a", "x-BASH_ARGV", "for a; do", "for a \t\n do",
		"for a in b; do", "for a;done", "for 1; do", "xfor a; do", "for a\ndo", "for a", "for ; do",
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > maxFuzzed {
			return
		}
		for pattern, nameEnd := range map[*regexp.Regexp]func(string) int{engineModulePattern: engineModule, anyModulePattern: anyModule} {
			if diff := cmp.Diff(modulesByPattern(pattern, script), findModules(script, nameEnd), cmp.AllowUnexported(moduleName{})); diff != "" {
				t.Errorf("findModules(%q): -with pattern %s, +got:\n%s", script, pattern, diff)
			}
		}
		want, got := newScanner(script), newScanner(script)
		readQuotesByPattern(want)
		got.readQuotes(0)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(scanner{})); diff != "" {
			t.Errorf("readQuotes(%q): -with the pattern, +got:\n%s", script, diff)
		}
		if want, got := parameterPattern.MatchString(script), readsParameters(script); want != got {
			t.Errorf("readsParameters(%q): want %t, got %t", script, want, got)
		}
	})
}

func modulesByPattern(pattern *regexp.Regexp, script string) []moduleName {
	var found []moduleName
	for _, at := range pattern.FindAllStringSubmatchIndex(script, -1) {
		found = append(found, moduleName{quote: script[at[2]:at[3]], begin: at[4], end: at[5]})
	}
	return found
}

func readQuotesByPattern(s *scanner) {
	for _, at := range quotesAndComments.FindAllStringIndex(s.script, -1) {
		switch ch := s.script[at[0]]; {
		case isQuote(ch):
			s.quote(at[0], at[1], ch)
		case ch != '\\':
			s.mark(at[0]+strings.IndexByte(s.script[at[0]:], '#'), at[1], inComment)
		}
	}
}

// FuzzScan checks that a script without the characters of quotes, comments and here-documents contains none when it is parsed.
func FuzzScan(f *testing.F) {
	for _, script := range []string{
		"", "python3 -m dynamo.vllm --model a", "echo $(date) `x` $((1 + 2)) \\\\ \\", "if true; then a & b; fi", "(a", "a && || {", "[[ a ]]", "$(($(a)))",
		"$$(A)", "case x in y) z;; esac",
		// These have such a character, and differ if it were left out.
		"a # b", "a 'b c'", `a "b c"`, "cat <<E\nb\nE\n",
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if strings.ContainsAny(script, marked) {
			return
		}
		want := newScanner(script)
		var l lexer
		file, end := l.parse(script)
		if file != nil {
			syntax.Walk(file, want.visit)
		}
		want.readQuotes(end)
		if diff := cmp.Diff(want, l.scan(script), cmp.AllowUnexported(scanner{}), cmpopts.IgnoreFields(scanner{}, "marks")); diff != "" {
			t.Errorf("scan(%q): -want, +got:\n%s", script, diff)
		}
	})
}

// FuzzEngineArguments shows that the engine gets exactly the arguments that the user wrote, followed by the flags of its node, with or
// without a shell.
func FuzzEngineArguments(f *testing.F) {
	for _, arguments := range argumentSets {
		for form := range byte(4) {
			f.Add(strings.Join(arguments, "\x00"), form)
		}
	}
	f.Fuzz(func(t *testing.T, arguments string, form byte) {
		tokens := tokensOf(arguments)
		if len(arguments) > maxFuzzed || slices.ContainsFunc(tokens, decides) {
			return
		}
		for _, s := range allSettings() {
			// A worker of Ray joins its cluster, and one of TensorRT-LLM waits for a login.
			if s.Role == RoleLeader || s.Framework == v1alpha1.BackendSGLang || s.Framework == v1alpha1.BackendVLLM && s.Executor == ExecutorMP {
				checkEngine(t, s, tokens, form)
			}
		}
	})
}

// decides reports whether an argument affects the flags of the nodes.
func decides(token string) bool {
	name, _, _ := splitFlag(token)
	flags := engine.Of(v1alpha1.BackendSGLang).Sizes
	return strings.HasPrefix(name, "data-parallel") || name == flags.Attention ||
		slices.Contains(slices.Concat(flags.Tensor, flags.Pipeline, flags.Data), name)
}

func checkEngine(t *testing.T, s Settings, tokens []string, form byte) {
	t.Helper()
	name := "Grove"
	if s.Hosts == orchestrators["LWS"] {
		name = "LWS"
	}
	for _, sizes := range [][]string{{"--tensor-parallel-size", "12"}, {"--data-parallel-size=12"}} {
		plain := formed(0, s, sizes)
		ConfigureContainer(plain, s)
		wanted, before, err := engineOf(slices.Concat(plain.Command, plain.Args), injectedEnv[name])
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		flags := wanted[3+len(sizes):]

		user := formed(form, s, slices.Concat(tokens, sizes))
		wanted = slices.Concat(expandAll(slices.Concat(user.Command, user.Args), injectedEnv[name]), flags)
		ConfigureContainer(user, s)
		started, beforeUser, err := engineOf(slices.Concat(user.Command, user.Args), injectedEnv[name])
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if !slices.Equal(wanted, started) {
			t.Errorf("%+v: the engine is started with %q, want %q", s, started, wanted)
		}
		if diff := cmp.Diff(before, beforeUser); diff != "" {
			t.Errorf("%+v: what runs before the engine depends on its arguments: %s", s, diff)
		}
	}
}

// formed is a container that runs the engine in one of the forms that do not need a shell.
func formed(form byte, s Settings, tokens []string) *corev1.Container {
	command := slices.Concat(engine.Command(s.Framework), tokens)
	switch form % 3 {
	case 0:
		return &corev1.Container{Command: command[:3], Args: command[3:]}
	case 1:
		return &corev1.Container{Command: command}
	default:
		return &corev1.Container{Command: slices.Concat([]string{"/usr/bin/env", "-i"}, command)}
	}
}

// allSettings are the settings of three nodes for each backend on each orchestrator.
func allSettings() []Settings {
	var all []Settings
	for _, name := range engine.Frameworks() {
		framework := v1alpha1.BackendFramework(name)
		for _, role := range []Role{RoleLeader, RoleWorker} {
			for _, executor := range []Executor{ExecutorRay, ExecutorMP} {
				for _, orchestrator := range []string{"Grove", "LWS"} {
					if framework == v1alpha1.BackendVLLM || executor == ExecutorRay {
						all = append(all, Settings{
							Framework: framework, Role: role, NodeCount: 3, Hosts: orchestrators[orchestrator], Executor: executor, GPULimit: 4, GPURequest: 4,
						})
					}
				}
			}
		}
	}
	return all
}

func tokensOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

func checkConfigured(t *testing.T, base corev1.Container, s Settings) {
	t.Helper()
	one, two := base.DeepCopy(), base.DeepCopy()
	warnings := ConfigureContainer(one, s)
	ConfigureContainer(two, s)
	if diff := cmp.Diff(one, two); diff != "" {
		t.Fatalf("%+v: configured twice: -first, +second:\n%s", s, diff)
	}
	if NeedsWaitScript(s, &base) != NeedsWaitScript(s, one) {
		t.Errorf("%+v: whether %q waits changes when it is configured to %q", s, slices.Concat(base.Command, base.Args), slices.Concat(one.Command, one.Args))
	}
	early, late := &corev1.PodSpec{}, &corev1.PodSpec{}
	ConfigurePod(early, &base, s)
	ConfigurePod(late, one, s)
	if diff := cmp.Diff(early, late); diff != "" {
		t.Errorf("%+v: the pod depends on when it is configured: -before the container, +after it:\n%s", s, diff)
	}
	checkNothingLost(t, s, slices.Concat(base.Command, base.Args), slices.Concat(one.Command, one.Args), textsOf(warnings))
}

func checkNothingLost(t *testing.T, s Settings, original, configured, warnings []string) {
	t.Helper()
	launched := s.Framework == v1alpha1.BackendTRTLLM
	joins := s.Role == RoleWorker && slices.ContainsFunc(configured, func(a string) bool { return strings.HasPrefix(a, "ray start --address") })
	if slices.Equal(original, configured) {
		if len(warnings) == 0 {
			t.Errorf("%+v: nothing changed in %q, and nothing is said", s, original)
		}
		return
	}
	if joins || launched && s.Role == RoleWorker {
		return
	}
	// Either each token is kept, possibly with flags inside it, or all tokens are quoted in one line.
	line, quoted := joinQuoted(original)
	for _, token := range original {
		if !slices.ContainsFunc(configured, func(c string) bool { return isWithin(token, c) }) && (!quoted || !isWithin(line, strings.Join(configured, " "))) {
			t.Errorf("%+v: %q is lost in %q", s, token, configured)
		}
	}
	script := scriptIn(original)
	if script < 0 || launched || len(original) != len(configured) {
		return
	}
	for i := range original {
		if i != script && original[i] != configured[i] {
			t.Errorf("%+v: %q beside the script has become %q", s, original[i], configured[i])
		}
	}
	// Without the flags, the script is unchanged. A user can write such flags as well.
	if before, after := insertedFlags.ReplaceAllString(original[script], ""), insertedFlags.ReplaceAllString(configured[script], ""); before != after {
		t.Errorf("%+v: the script %q has become %q", s, before, after)
	}
}

// insertedFlags are the flags that are added to scripts.
var insertedFlags = regexp.MustCompile(` (--distributed-executor-backend (ray|mp --nnodes 3 --master-addr [^ ]+ --master-port 29500 --node-rank (0|.*? --headless))` +
	`|--data-parallel-hybrid-lb --data-parallel-size-local \d+ --data-parallel-start-rank .*? --data-parallel-address ` +
	unquotedOrQuoted(`([^ ]+?\.\$\{?\(?GROVE_HEADLESS_SERVICE[)}]|\$[{(]LWS_LEADER_ADDRESS[)}])`) + `( --data-parallel-rpc-port 13445)?` +
	`|--dist-init-addr [^ ]+ --nnodes 3 --node-rank ` + unquotedOrQuoted(`(0|\$\(\(GROVE_PCLQ_POD_INDEX \+ 1\)\)|\$[{(]LWS_WORKER_INDEX[)}])`) + `)`)

// unquotedOrQuoted matches a value as it is, or in double quotes that interrupt a string in single quotes. A quote on only one side belongs to
// the user.
func unquotedOrQuoted(value string) string { return `('"` + value + `"'|` + value + `)` }

// isWithin reports whether text is what remains of whole when some of it is removed.
func isWithin(text, whole string) bool {
	for _, r := range []byte(whole) {
		if text != "" && text[0] == r {
			text = text[1:]
		}
	}
	return text == ""
}
