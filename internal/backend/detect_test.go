package backend

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestOtherModule(t *testing.T) {
	cases := map[string]struct {
		reason        string
		command, args []string
		want          string
	}{
		"Mocker":         {reason: "The mocker is no engine that spans nodes.", command: []string{"python3", "-m", "dynamo.mocker"}, args: []string{"--model-path", "m"}, want: "dynamo.mocker"},
		"Joined":         {reason: "Python reads the module from the same token too.", command: []string{"python3", "-mdynamo.mocker"}, want: "dynamo.mocker"},
		"Script":         {reason: "A script runs it too.", command: []string{"sh", "-c"}, args: []string{"cd /work && exec python3 -u -m dynamo.mocker --x"}, want: "dynamo.mocker"},
		"Comment":        {reason: "A comment runs nothing.", command: []string{"sh", "-c"}, args: []string{"# python3 -m dynamo.mocker\nexec ./serve"}},
		"Engine":         {reason: "An engine is not another module.", command: []string{"python3", "-m", "dynamo.vllm"}},
		"EngineAndOther": {reason: "What runs beside an engine does not matter.", command: []string{"sh", "-c"}, args: []string{"python3 -m dynamo.mocker & python3 -m dynamo.vllm"}},
		"Own":            {reason: "A module of the user may connect nodes by itself.", command: []string{"python3", "-m", "engine.dynamo.serve"}},
		"OwnFile":        {reason: "A program of the user may do so too.", command: []string{"python3", "serve.py", "dynamo.mocker"}},
		"Nothing":        {reason: "Without a command there is none."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := new(Texts).OtherModule(&corev1.Container{Command: tc.command, Args: tc.args}); got != tc.want {
				t.Errorf("%s\nOtherModule(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	type want struct {
		framework v1alpha1.BackendFramework
		err       string
	}
	cases := map[string]struct {
		reason        string
		declared      v1alpha1.BackendFramework
		componentType string
		command, args []string
		want          want
	}{
		"PythonInCommand": {
			reason:        "The module is found when python, -m and the module are tokens of the command.",
			componentType: "worker",
			command:       []string{"python3", "-m", "dynamo.vllm"},
			args:          []string{"--model", "m"},
			want:          want{framework: "vllm"},
		},
		"SplitOverCommandAndArgs": {
			reason:        "Command and args are one command line.",
			componentType: "prefill",
			command:       []string{"python3"},
			args:          []string{"-m", "dynamo.sglang"},
			want:          want{framework: "sglang"},
		},
		"Script": {
			reason:        "A module within a script counts.",
			componentType: "decode",
			command:       []string{"/bin/sh", "-c"},
			args:          []string{"ulimit -l unlimited && exec python3.11 -u -m dynamo.trtllm --x"},
			want:          want{framework: "trtllm"},
		},
		"ContinuedLine": {
			reason:        "A backslash at the end of a line continues the command.",
			componentType: "worker",
			command:       []string{"/bin/sh", "-c"},
			args:          []string{"exec python3 \\\n  -m \\\n  dynamo.vllm \\\n --model m"},
			want:          want{framework: "vllm"},
		},
		"SubModule": {
			reason:        "A module below the framework's is that framework.",
			componentType: "worker",
			args:          []string{"python3 -m dynamo.sglang.decode_worker"},
			want:          want{framework: "sglang"},
		},
		"CombinedFlags": {
			reason:        "A group of python's flags may end with -m, with the module as the next token.",
			componentType: "worker",
			command:       []string{"/usr/bin/python3.12", "-um", "dynamo.vllm"},
			want:          want{framework: "vllm"},
		},
		"AttachedModule": {
			reason:        "The module may be in the same token as python's flag -m.",
			componentType: "worker",
			command:       []string{"python", "-mdynamo.vllm"},
			want:          want{framework: "vllm"},
		},
		"SeparatorInToken": {
			reason:        "In a list of tokens nothing ends a command.",
			componentType: "worker",
			command:       []string{"python3", "-X", "a;b", "-m", "dynamo.vllm"},
			want:          want{framework: "vllm"},
		},
		"InnerShell": {
			reason:        "A command within quotes is run by an inner shell.",
			componentType: "worker",
			command:       []string{"bash", "-lc"},
			args:          []string{`nsys profile bash -c "python3 -m 'dynamo.vllm' --model m"`},
			want:          want{framework: "vllm"},
		},
		"Comment": {
			reason:        "A comment runs nothing, and its apostrophe opens no quotes.",
			componentType: "worker",
			command:       []string{"/bin/sh", "-c"},
			args:          []string{"# python3 -m dynamo.vllm is the operator's choice\npython3 -m dynamo.sglang"},
			want:          want{framework: "sglang"},
		},
		"SeparateCommands": {
			reason:        "The interpreter, its flag -m and the module have to belong to one command.",
			componentType: "worker",
			command:       []string{"/bin/sh", "-c"},
			args:          []string{"python3 setup.py; echo -m dynamo.vllm"},
			want:          want{framework: ""},
		},
		"Declared": {
			reason:        "Without a known module the declaration counts.",
			declared:      "vllm",
			componentType: "worker",
			command:       []string{"/start.sh"},
			want:          want{framework: "vllm"},
		},
		"None": {
			reason:        "Without a module and without a declaration there is no framework.",
			componentType: "worker",
			command:       []string{"python3", "-m", "dynamo.mocker"},
			want:          want{framework: ""},
		},
		"Empty": {
			reason:        "No command at all is no framework.",
			componentType: "worker",
			want:          want{framework: ""},
		},
		"NotAWorker": {
			reason:        "Only workers have a framework, whatever is declared or run.",
			declared:      "vllm",
			componentType: "frontend",
			command:       []string{"python3", "-m", "dynamo.sglang"},
			want:          want{framework: ""},
		},
		"Mismatch": {
			reason:        "A declaration that the command contradicts is refused with both names.",
			declared:      "vllm",
			componentType: "worker",
			command:       []string{"python3", "-m", "dynamo.sglang"},
			want:          want{err: `the command runs dynamo.sglang, but backendFramework is "vllm"; change one of the two`},
		},
		"Several": {
			reason:        "Several modules without a declaration are refused with their names.",
			componentType: "worker",
			args:          []string{"python3 -m dynamo.vllm & python3 -m dynamo.sglang"},
			want:          want{err: "the command runs more than one backend framework (dynamo.sglang and dynamo.vllm); set backendFramework to the framework that the component should be configured for"},
		},
		"SeveralAndDeclared": {
			reason:        "A declaration chooses between several modules.",
			declared:      "vllm",
			componentType: "worker",
			args:          []string{"python3 -m dynamo.vllm & python3 -m dynamo.sglang"},
			want:          want{framework: "vllm"},
		},
		"SeveralAndMismatch": {
			reason:        "A declaration of none of the modules is refused.",
			declared:      "trtllm",
			componentType: "worker",
			args:          []string{"python3 -m dynamo.vllm & python3 -m dynamo.sglang"},
			want:          want{err: `the command runs dynamo.sglang and dynamo.vllm, but backendFramework is "trtllm"; change one of the two`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := new(Texts).Detect(tc.declared, tc.componentType, tc.command, tc.args)
			var message string
			if err != nil {
				message = err.Error()
			}
			if got != tc.want.framework || message != tc.want.err {
				t.Errorf("%s\nDetect(...) = %q, %q, want %q, %q", tc.reason, got, message, tc.want.framework, tc.want.err)
			}
		})
	}
}

func TestModuleRunsEnd(t *testing.T) {
	cases := map[string]struct{ script, before string }{
		"Bare":        {"python3 -m dynamo.vllm --x", "python3 -m dynamo.vllm"},
		"AtEnd":       {"python3 -m dynamo.vllm", "python3 -m dynamo.vllm"},
		"Quoted":      {`python3 -m "dynamo.vllm" --x`, `python3 -m "dynamo.vllm"`},
		"WithinQuote": {`sh -c 'python3 -m dynamo.vllm'`, `sh -c 'python3 -m dynamo.vllm`},
		"SubModule":   {"python3 -m dynamo.vllm.main --x", "python3 -m dynamo.vllm.main"},
		"OtherFlag":   {"python3 -u -W ignore -m dynamo.vllm;", "python3 -u -W ignore -m dynamo.vllm"},
		"QuotedBin":   {`"$BIN/python3" -m dynamo.vllm)`, `"$BIN/python3" -m dynamo.vllm`},
		"InnerQuotes": {`sh -c "python3 -m 'dynamo.vllm' --x"`, `sh -c "python3 -m 'dynamo.vllm'`},
		"InnerShells": {`sh -c 'sh -c "python3 -m dynamo.vllm"'`, `sh -c 'sh -c "python3 -m dynamo.vllm`},
		"OuterQuotes": {`sh -c "sh -c 'python3 -m dynamo.vllm'"`, `sh -c "sh -c 'python3 -m dynamo.vllm`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			runs := new(Texts).moduleRuns(tc.script)
			if len(runs) != 1 || tc.script[:runs[0].end] != tc.before {
				t.Errorf("moduleRuns(%q) = %+v, want one that ends after %q", tc.script, runs, tc.before)
			}
		})
	}
	for _, script := range []string{
		"mypython3 -m dynamo.vllm", "python3 -m dynamo.vll", "python3 run-m dynamo.vllm", "python3\n-m dynamo.vllm", strings.Repeat("python3 ", 1000),
		// In these, the name of the module continues after the quote.
		`python3 -m "dynamo.vllm' '" --x`, `python3 -m dynamo.vllm' 'x`, `python3 -m 'dynamo.vllm'"x"`, `sh -c "python3 -m dynamo.vllm' 'x"`, `sh -c 'python3 -m dynamo.vllm" "x'`,
	} {
		if runs := new(Texts).moduleRuns(script); len(runs) != 0 {
			t.Errorf("moduleRuns(%q) = %+v, want none", script, runs)
		}
	}
}
