package backend

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestScriptIn(t *testing.T) {
	cases := map[string]struct {
		argv []string
		want int
	}{
		"Plain":         {[]string{"/bin/sh", "-c", "script"}, 2},
		"Login":         {[]string{"bash", "-lc", "script", "name"}, 2},
		"OptionsBehind": {[]string{"sh", "-c", "-e", "script"}, 3},
		"OptionValue":   {[]string{"bash", "--norc", "-o", "pipefail", "-O", "extglob", "-c", "script"}, 7},
		"Cluster":       {[]string{"bash", "-euxo", "pipefail", "-c", "script"}, 4},
		"Wrapped":       {[]string{"tini", "--", "bash", "-c", "script"}, 4},
		"File":          {[]string{"bash", "/run.sh", "-c", "x"}, -1},
		"NoScript":      {[]string{"/bin/sh", "-c"}, -1},
		"Python":        {[]string{"python3", "-m", "m", "sh", "-c", "x"}, -1},
		"Empty":         {nil, -1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := scriptIn(tc.argv); got != tc.want {
				t.Errorf("scriptIn(%q) = %d, want %d", tc.argv, got, tc.want)
			}
		})
	}
}

// Tokens that are written as one line are the same tokens again for every shell, also between single quotes.
func TestJoinQuoted(t *testing.T) {
	for name, tokens := range argumentSets {
		t.Run(name, func(t *testing.T) {
			for _, token := range tokens {
				line, ok := joinQuoted([]string{token})
				if !ok {
					continue
				}
				for _, script := range []string{"printf '%s' " + line, "sh -c 'printf %s " + line + "'"} {
					out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", script).Output()
					if err != nil {
						t.Fatal(err)
					}
					if string(out) != token {
						t.Errorf("%s: the shell reads %q, want %q", script, out, token)
					}
				}
			}
		})
	}
	if got, ok := joinQuoted([]string{"python3", "--x", `{"a": [1]}`}); !ok || got != `python3 --x "{\"a\": [1]}"` {
		t.Errorf("joinQuoted(...) = %s, %t", got, ok)
	}
	for _, token := range []string{"", "$(X)", "it's", "a;b", "*", "~", "a\nb", "`x`", "é", "(", "a b\n", "<a b>$"} {
		if line, ok := joinQuoted([]string{token}); ok {
			t.Errorf("joinQuoted(%q) = %s, want it to be left to positional parameters", token, line)
		}
	}
}

func TestWords(t *testing.T) {
	cases := map[string]struct {
		script string
		want   []string
	}{
		"Plain":        {"a  b\tc\nd", []string{"a", "b", "c", "d"}},
		"Quotes":       {`a'b c'd "e f" ""`, []string{"ab cd", "e f", ""}},
		"Escapes":      {`a\ b "c\"d\e" \` + "\n" + `f`, []string{"a b", `c"d\e`, "f"}},
		"Operators":    {"a|b&&c;d>e", []string{"a", "b", "c", "d", "e"}},
		"Comment":      {"a # it's b\nc#d", []string{"a", "c#d"}},
		"Expansions":   {`$(A) ${B} "$C"`, []string{"$(A)", "${B}", "$C"}},
		"Continued":    {"a \\\n  b", []string{"a", "b"}},
		"InnerCommand": {`sh -c "x -tp '8'"`, []string{"sh", "-c", "x -tp '8'", "x", "-tp", "8"}},
		"HereDocument": {"cat <<EOF\nit's\nEOF\nb 'c'", []string{"cat", "EOF", "it's", "EOF", "b", "c"}},
		"Unfinished":   {`a "b`, []string{"a", "b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, new(Texts).words(tc.script)); diff != "" {
				t.Errorf("words(%q): -want, +got:\n%s", tc.script, diff)
			}
		})
	}
}

// Each byte of a script is marked with how it is read: c code, s single quotes, d double quotes, # comment, h here-document.
func TestScan(t *testing.T) {
	cases := map[string]struct{ script, want string }{
		"Code":              {`a b`, `ccc`},
		"Quotes":            {`'a'"b"`, `sssddd`},
		"QuoteInQuotes":     {`"it's" 'a"b'`, `ddddddcsssss`},
		"Escaped":           {`\'a\"`, `ccccc`},
		"Comment":           {"a # it's\nb", "cc######cc"},
		"NotAComment":       {"a#b ${#c}", "ccccccccc"},
		"Substitution":      {`"$(a "b" 'c')"d`, `dddccdddcssscdc`},
		"Backquotes":        {"\"`a 'b'`\"", "ddccssscd"},
		"Subshell":          {`(a) "b"`, `ccccddd`},
		"UnmatchedClose":    {`a) 'b'`, `cccsss`},
		"HereDocument":      {"a <<X\nit's\nX\n'b'", "cccccchhhhhhhsss"},
		"IndentedHereDoc":   {"<<-'X'\n'\n\tX\n'b'", "ccccccchhhhhsss"},
		"TwoHereDocuments":  {"<<X <<Y\n'\nX\n'\nY\n'", "cccccccchhhhhhhhs"},
		"HereString":        {"<<<X\n'a'", "cccccsss"},
		"ShiftIsNoDocument": {"$((1<<x))\n'a'", "ccccccccccsss"},
		"OddDelimiter":      {"<<X-1 <<'Y Z'\n'\nX-1\n'\nY Z\n'b'", "cccccccccccccchhhhhhhhhhhhsss"},
		"CommentInList":     {"(a)#b's'", "ccc#####"},
		"DollarQuotes":      {`$'it\'s' $"a" 'b'`, `csssssssccdddcsss`},
		"QuotesInDefault":   {`"${x:-"a"}" 'b'`, `dddddddddddcsss`},
		"ForTheKubelet":     {`"$$(a 'b')" 'c'`, `ddddccssscdcsss`},
		"AfterAMistake":     {"<<X\n'\nX\n<a> \\' \"b'c\" # it's\n'd'", "cccchhhhcccccccdddddc######csss"},
		"NothingParsed":     {"if a 'b' # it's", "cccccsssc######"},
		"Unfinished":        {`a 'b`, `ccss`},
		"BackslashAtEnd":    {`a\`, `cc`},
	}
	letters := map[reading]byte{inCode: 'c', inSingleQuotes: 's', inDoubleQuotes: 'd', inComment: '#', inHereDocument: 'h'}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, c := range new(Texts).scan(tc.script) {
				b.WriteByte(letters[c])
			}
			if got := b.String(); got != tc.want {
				t.Errorf("scan(%q)\ngot  %s\nwant %s", tc.script, got, tc.want)
			}
		})
	}
}

// Inner words are words too, so that whatever /bin/sh makes of a line without expansions is among ours.
func TestWordsAsShell(t *testing.T) {
	for name, tokens := range argumentSets {
		t.Run(name, func(t *testing.T) {
			got := new(Texts).words("x " + quoteAll(tokens))
			for _, token := range tokens {
				if !slices.Contains(got, token) {
					t.Errorf("words(...) has no %q: %q", token, got)
				}
			}
		})
	}
}

// largeScripts are what makes a reader of scripts slow, or deep, when there is much of it. Each has about this many bytes.
func largeScripts(bytes int) map[string]*corev1.Container {
	scripts := map[string]*corev1.Container{}
	for _, part := range []string{"$(", "<<a\n", "'", `"$(`, "`", "python3 -m ", "python3 -m dynamo.vllm\n", "python3 -m dynamo.vllm $(", "\\", "# '\n", "a=\"b c\" ", "-tp "} {
		scripts[part] = &corev1.Container{
			Command: []string{"sh", "-c"},
			Args:    []string{strings.Repeat(part, bytes/len(part)) + "\npython3 -m dynamo.vllm -tp 8"},
		}
	}
	return scripts
}

func configureLarge(c *corev1.Container) {
	s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: GroveHosts{Component: "a"}, Executor: ExecutorMP, GPULimit: 4}
	_, _ = new(Texts).Detect("", "worker", c.Command, c.Args)
	ConfigureContainer(c, s)
	NeedsWaitScript(s, c)
}

// A manifest may hold much script. What reads one must not go so deep that the stack ends.
func TestLargeScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the script of a container is read by one goroutine, however long it is")
	}
	for part, c := range largeScripts(1 << 16) {
		t.Run(strconv.Quote(part), func(t *testing.T) {
			before := len(c.Args[0])
			configureLarge(c)
			if len(c.Args[0]) < before {
				t.Errorf("want no part of the script lost, got %d bytes of %d", len(c.Args[0]), before)
			}
		})
	}
}

// What the parser reads deepest, and still reads, leaves enough of the stack. One that overflows would end the process.
func TestDeepScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the script of a container is read by one goroutine, however deep it is")
	}
	for _, part := range []string{"(", "((", "$(", "{ ", "a[", "${a:-", "$((a?", "<(", "`", "if ", "while ", "[[ ! ", "((!", "((a=", "let a=", "time "} {
		opened := strings.Repeat(part, maxNesting/max(1, nesting(part)))
		filled := opened[:min(len(opened), maxParsed-2)] + strings.Repeat("! ", (maxParsed-min(len(opened), maxParsed-2))/2)
		for _, script := range []string{filled, strings.Repeat(part, 1<<20/len(part))} {
			if got := len(new(Texts).scan(script)); got != len(script) {
				t.Errorf("scan(%q...): want %d bytes, got %d", part, len(script), got)
			}
		}
	}
}

// BenchmarkLargeScripts shows bytes per second, which are about the same for scripts of any length.
func BenchmarkLargeScripts(b *testing.B) {
	for _, bytes := range []int{1 << 12, 1 << 16, 1 << 18} {
		for part, c := range largeScripts(bytes) {
			b.Run(fmt.Sprintf("%d/%q", bytes, part), func(b *testing.B) {
				b.SetBytes(int64(bytes))
				for b.Loop() {
					configureLarge(c.DeepCopy())
				}
			})
		}
	}
}
