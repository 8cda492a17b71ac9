package backend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// readEverything that is asked about the command line of a component, as often as a graph with replicas asks for it. It returns the length of the
// longest command line that it has read: that of the component, or of a role, which has more flags.
func readEverything(texts *Texts, c *corev1.Container) int {
	longest := lengthOf(c)
	for range 8 {
		for _, name := range engine.Frameworks() {
			framework := v1alpha1.BackendFramework(name)
			_, _ = texts.Detect(framework, "worker", c.Command, c.Args)
			_ = texts.OtherModule(c)
			_ = texts.ParseParallelism(framework, c.Command, c.Args, c.Env...)
			_, _ = texts.CertainParallelism(framework, c)
			_ = texts.IsElasticHead(framework, c)
			for _, role := range []Role{RoleLeader, RoleWorker} {
				s := Settings{Texts: texts, Framework: framework, Role: role, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 8}
				_, _, _ = IdleGPUs(c, s), HidesElasticEngine(c, s), NeedsWaitScript(s, c)
				configured := c.DeepCopy()
				_ = ConfigureContainer(configured, s)
				longest = max(longest, lengthOf(configured))
			}
		}
	}
	return longest
}

func lengthOf(c *corev1.Container) int {
	length := 0
	for _, token := range slices.Concat(c.Command, c.Args) {
		length += len(token) + 1
	}
	return length
}

// checkWork of reading texts: each is scanned at most three times, as it is, without comments and between the other tokens, and in each of
// these the words within words are scanned once for each level, of which there are few.
func checkWork(t *testing.T, texts *Texts, c *corev1.Container, size int) {
	t.Helper()
	const forms = 3
	if most := forms * (1 + innerCommands) * size; texts.lexer.bytes > most {
		t.Errorf("want at most %d bytes scanned for a command line of %d, got %d: %.200q", most, size, texts.lexer.bytes, c.Args)
	}
	if most := forms * (1 + maxInnerCommands); texts.lexer.texts > most {
		t.Errorf("want at most %d texts scanned for a command line of %d bytes, got %d: %.200q", most, size, texts.lexer.texts, c.Args)
	}
	// The last mark may cross the limit.
	if most := (maxMarks + 2) * texts.lexer.bytes; texts.lexer.marks > most {
		t.Errorf("want at most %d bytes marked for a command line of %d, got %d: %.200q", most, size, texts.lexer.marks, c.Args)
	}
}

// FuzzWork bounds the work for which a tenant can make the process that all tenants share: it is counted, so that it is the same on every
// machine. The parts of scripts are repeated, because work that grows faster than a script only shows in long ones.
func FuzzWork(f *testing.F) {
	for _, part := range []string{
		"", "('\" ", `"a -b" `, "'a -b' ", "python3 -m dynamo.vllm ", "python3 -m dynamo.vllm\" ", "# python3 -m dynamo.vllm\n", "$(", "<<E\n", "`", `"$(sh -c "a -b")" `,
		"--tensor-parallel-size ", `\`, "'\"'\" -x ", "if true; then ", "((", `sh -c "sh -c 'sh -c \"a -b\"'" `,
	} {
		f.Add("python3 -m dynamo.vllm --tensor-parallel-size 16 ", part, uint16(600))
	}
	f.Add(" --tensor-parallel-size 16 ", "python3 -m dynamo.vllm\" ", uint16(600))
	f.Fuzz(func(t *testing.T, first, part string, times uint16) {
		const longest = 16 << 10
		script := first + strings.Repeat(part, min(int(times), longest/max(1, len(part))))
		if len(first)+len(part) > longest {
			return
		}
		for _, c := range []*corev1.Container{
			{Command: []string{"/bin/sh", "-c"}, Args: []string{script}},
			{Command: []string{"python3", "-m", "dynamo.vllm"}, Args: []string{first, script}},
		} {
			texts := &Texts{}
			checkWork(t, texts, c, readEverything(texts, c))
		}
	})
}

// TestNesting shows that the work of reading a script does not grow with the depth of what is in it.
func TestNesting(t *testing.T) {
	const depth, length = 400, 32 << 10
	inner := strings.Repeat("a -b ", length/len("a -b "))
	for name, n := range map[string]struct{ open, end string }{
		"Substitutions": {`"$(`, `)"`},
		"Defaults":      {`"${a:-`, `}"`},
		"Bare":          {`$(`, `)`},
		"Arithmetic":    {`$((`, `))`},
	} {
		t.Run(name, func(t *testing.T) {
			script := "python3 -m dynamo.vllm " + strings.Repeat(n.open, depth) + inner + strings.Repeat(n.end, depth)
			c := &corev1.Container{Command: []string{"/bin/sh", "-c"}, Args: []string{script}}
			texts := &Texts{}
			checkWork(t, texts, c, readEverything(texts, c))
		})
	}
	const few = 10
	script := "python3 -m dynamo.vllm " + strings.Repeat(`"$(`, few) + "x --tensor-parallel-size 8" + strings.Repeat(`)"`, few)
	texts := &Texts{}
	_ = texts.words(script)
	if s := texts.read[script].scanner; s.isExhausted() || s.marks == 0 {
		t.Errorf("want a script with %d levels to be parsed, got %d marks for %d bytes", few, s.marks, len(script))
	}
}

// TestInnerCommands shows which words of a script are split in turn.
func TestInnerCommands(t *testing.T) {
	many := strings.Repeat(`echo "a -b"; `, maxInnerCommands-1)
	cases := map[string]struct {
		reason, script string
		want           int64
	}{
		"Inner":     {reason: "A command in quotes is run by an inner shell.", script: `sh -c "python3 -m dynamo.vllm --tensor-parallel-size 8"`, want: 8},
		"Innermost": {reason: "A command within such a command is too.", script: `sh -c "sh -c 'python3 -m dynamo.vllm --tensor-parallel-size 8'"`, want: 8},
		"Last":      {reason: "The last of many commands is read.", script: many + `sh -c "x --tensor-parallel-size 8"`, want: 8},
		"TooMany":   {reason: "One after more commands than any script has is not read.", script: many + `echo "a -b"; sh -c "x --tensor-parallel-size 8"`, want: 1},
		"NoFlags":   {reason: "Words without flags do not count.", script: strings.ReplaceAll(many, "-b", "b") + many + `sh -c "x --tensor-parallel-size 8"`, want: 8},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := new(Texts).ParseParallelism("vllm", []string{"sh", "-c"}, []string{tc.script}).Tensor
			if got != tc.want {
				t.Errorf("%s\nParseParallelism(...): want tensor parallel %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestTextsOnce shows that a text is read once, and that nothing of it is another without that.
func TestTextsOnce(t *testing.T) {
	c := &corev1.Container{Command: []string{"sh", "-c"}, Args: []string{`python3 -m dynamo.vllm --served-model-name "a -b" # first`}}
	texts := &Texts{}
	readEverything(texts, c)
	once := texts.lexer
	readEverything(texts, c)
	if texts.lexer.bytes != once.bytes || texts.lexer.texts != once.texts {
		t.Errorf("want nothing scanned again, got %d bytes of %d texts after %d of %d", texts.lexer.bytes, texts.lexer.texts, once.bytes, once.texts)
	}
	for range 2 {
		want, got := fmt.Sprint((*Texts)(nil).words(c.Args[0])), fmt.Sprint(texts.words(c.Args[0]))
		if got != want {
			t.Errorf("want the words %s, got %s", want, got)
		}
	}
}
