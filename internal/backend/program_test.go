package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestBeginsWith(t *testing.T) {
	type kinds struct{ Program, Other, Module bool }
	cases := map[string]struct {
		reason string
		args   []string
		want   kinds
	}{
		"Nothing":       {reason: "Without args there is no program."},
		"Python":        {reason: "Python with a module is a program with arguments.", args: []string{"python3", "-m", "dynamo.vllm"}, want: kinds{Program: true, Other: true}},
		"PythonByPath":  {reason: "A program can be named by its path.", args: []string{"/opt/venv/bin/python3.12", "-m", "x"}, want: kinds{Program: true, Other: true}},
		"Shell":         {reason: "A shell is a program, and its script is its argument.", args: []string{"bash", "-c", "python3 -m dynamo.vllm"}, want: kinds{Program: true, Other: true}},
		"Launcher":      {reason: "Any word can be a program.", args: []string{"numactl", "--cpunodebind=0", "python3"}, want: kinds{Program: true, Other: true}},
		"PythonFile":    {reason: "A file of Python is a program if it is executable, and an argument of python otherwise.", args: []string{"main.py", "--port", "8000"}, want: kinds{Program: true}},
		"Word":          {reason: "A shell runs a single word in the same way.", args: []string{"start"}},
		"Path":          {reason: "A shell runs a single path in the same way.", args: []string{"/workspace/start.sh"}},
		"Script":        {reason: "A text with blanks is a script.", args: []string{"python3 -m dynamo.vllm", "--model"}},
		"Builtin":       {reason: "There is no program cd.", args: []string{"cd", "/workspace", "&&", "python3"}},
		"Exec":          {reason: "There is no program exec.", args: []string{"exec", "python3", "-m", "x"}},
		"Assignment":    {reason: "Only a shell reads assignments.", args: []string{"A=b", "python3"}},
		"Reference":     {reason: "The value of a variable may be anything.", args: []string{"$(PROGRAM)", "--x"}},
		"LongFlag":      {reason: "A flag is none.", args: []string{"--model", "x"}},
		"ShortFlag":     {reason: "A short flag is none either.", args: []string{"-tp", "8"}},
		"Module":        {reason: "Flags of python with a module need python.", args: []string{"-m", "dynamo.vllm", "--model", "x"}, want: kinds{Module: true}},
		"ModuleAfter":   {reason: "Other flags of python can come before the module.", args: []string{"-u", "-m", "dynamo.vllm"}, want: kinds{Module: true}},
		"CombinedFlags": {reason: "Short flags can be combined.", args: []string{"-um", "dynamo.vllm"}, want: kinds{Module: true}},
		"OtherModule":   {reason: "Modules that are not those of Dynamo may be values of a flag of the engine.", args: []string{"-m", "other"}},
		"ModuleLater":   {reason: "An argument in between is none of python.", args: []string{"-x", "a", "-m", "dynamo.vllm"}},
		"NoModule":      {reason: "A flag without its value names no module.", args: []string{"-m"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := kinds{BeginsWithProgram(tc.args), BeginsWithOtherProgram(tc.args), BeginsWithModule(tc.args)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnreadArguments(t *testing.T) {
	cases := map[string]struct {
		reason string
		argv   []string
		unread []string
	}{
		"Program":    {reason: "A shell runs only the first word as its script.", argv: []string{"/bin/sh", "-c", "python3", "-m", "dynamo.vllm"}, unread: []string{"-m", "dynamo.vllm"}},
		"Flags":      {reason: "Flags after a script do not reach the program in it.", argv: []string{"bash", "-lc", "python3 -m dynamo.vllm", "--model", "x"}, unread: []string{"--model", "x"}},
		"One":        {reason: "A single argument is the name of the script, and lost as well.", argv: []string{"sh", "-c", "python3", "main.py"}, unread: []string{"main.py"}},
		"Name":       {reason: "The name of the script is written by custom.", argv: []string{"sh", "-c", "python3 main.py", "sh"}},
		"Dashes":     {reason: "Dashes are written in place of a name as well.", argv: []string{"sh", "-c", "python3 main.py", "--"}},
		"Nothing":    {reason: "A script alone loses nothing.", argv: []string{"sh", "-c", "python3 main.py"}},
		"NoShell":    {reason: "Without a shell nothing is lost.", argv: []string{"python3", "main.py", "sh", "-c", "a", "b"}},
		"All":        {reason: "The script passes its parameters on.", argv: []string{"sh", "-c", `exec "$@"`, "sh", "python3", "main.py"}},
		"Numbered":   {reason: "The script reads a parameter by its number.", argv: []string{"sh", "-c", "echo ${2}", "a", "b", "c"}},
		"Count":      {reason: "The script reads the number of its parameters.", argv: []string{"sh", "-c", "echo $#", "a", "b"}},
		"Shift":      {reason: "The script moves its parameters.", argv: []string{"sh", "-c", "shift; main", "a", "b"}},
		"Loop":       {reason: "A loop without a list is over the parameters.", argv: []string{"sh", "-c", "for a; do echo; done", "a", "b"}},
		"LoopOfList": {reason: "A loop over a list reads no parameters.", argv: []string{"sh", "-c", "for a in 1 2; do echo; done", "a", "b"}, unread: []string{"a", "b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			script, unread := UnreadArguments(tc.argv)
			if diff := cmp.Diff(tc.unread, unread); diff != "" || len(unread) > 0 && script != 2 {
				t.Errorf("%s\nUnreadArguments(%q): the script is argument %d, -want unread, +got:\n%s", tc.reason, tc.argv, script, diff)
			}
		})
	}
}

func TestUnsplitArgument(t *testing.T) {
	cases := map[string]struct {
		reason string
		argv   []string
		want   int
	}{
		"All":        {reason: "Python takes the text for the name of a module.", argv: []string{"python3", "-m dynamo.vllm --model x"}, want: 1},
		"Module":     {reason: "The module is all of the text.", argv: []string{"python3", "-m", "dynamo.vllm --model x"}, want: 2},
		"File":       {reason: "The file is all of the text.", argv: []string{"python3", "main.py --model x"}, want: 1},
		"Program":    {reason: "The program is all of the text.", argv: []string{"python3 -m dynamo.vllm"}, want: 0},
		"Flag":       {reason: "A flag and its value are two arguments.", argv: []string{"python3", "-m", "dynamo.vllm", "--model x"}, want: 3},
		"Later":      {reason: "A flag with its value comes after others.", argv: []string{"python3", "-m", "dynamo.vllm", "--enable-x=true", "--model x"}, want: 4},
		"Shell":      {reason: "A shell splits its script.", argv: []string{"sh", "-c", "python3 -m dynamo.vllm --model x"}, want: -1},
		"Value":      {reason: "A value may contain blanks.", argv: []string{"python3", "-m", "dynamo.vllm", "--config", `{"a": 1}`}, want: -1},
		"Joined":     {reason: "A value after an equals sign may contain blanks.", argv: []string{"python3", "-m", "dynamo.vllm", `--config={"a": 1}`}, want: -1},
		"FlagsValue": {reason: "The value of a flag may itself be flags.", argv: []string{"python3", "-m", "dynamo.vllm", "--engine-args", "--model x"}, want: -1},
		"Code":       {reason: "Code of Python is one argument.", argv: []string{"python3", "-c", "import os; print(1)"}, want: -1},
		"Trimmed":    {reason: "Blanks around an argument do not join two.", argv: []string{"python3", "-m", "dynamo.vllm", "--model", "x "}, want: -1},
		"Prompt":     {reason: "A text that is no flag may be any argument.", argv: []string{"main", "what is this"}, want: -1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := UnsplitArgument(tc.argv); got != tc.want {
				t.Errorf("%s\nUnsplitArgument(%q): want argument %d, got %d", tc.reason, tc.argv, tc.want, got)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	cases := map[string]struct {
		reason   string
		argv     []string
		want     map[string]bool
		complete bool
		value    string
	}{
		"Arguments": {reason: "Flags have values in two ways.", argv: []string{"python3", "-m", "x", "--mode", "a", "--other=b"}, want: map[string]bool{"mode": true, "other": true}, complete: true, value: "a"},
		"Script":    {reason: "A script is split into words.", argv: []string{"sh", "-c", "python3 -m x --mode=b $EXTRA"}, want: map[string]bool{"mode": true}, value: "b"},
		"Value":     {reason: "The value of a flag may be a variable.", argv: []string{"x", "--model", "$(MODEL)"}, want: map[string]bool{"model": true}, complete: true},
		"File":      {reason: "A file may contain more flags.", argv: []string{"x", "--config", "a.yaml"}, want: map[string]bool{"config": true}},
		"Spelling":  {reason: "Underscores are dashes.", argv: []string{"x", "--disaggregation_mode", "decode"}, want: map[string]bool{"disaggregation-mode": true}, complete: true},
		"Twice":     {reason: "The last value counts.", argv: []string{"x", "--mode", "a", "--mode", "c"}, want: map[string]bool{"mode": true}, complete: true, value: "c"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, complete := (*Texts)(nil).Flags(tc.argv)
			if diff := cmp.Diff(tc.want, got); diff != "" || complete != tc.complete {
				t.Errorf("%s\nFlags(%q): want complete %t, got %t, -want, +got:\n%s", tc.reason, tc.argv, tc.complete, complete, diff)
			}
			if mode, _ := (*Texts)(nil).SettingOf(&corev1.Container{Command: tc.argv}, "", "mode"); mode.Value != tc.value {
				t.Errorf("%s\nSettingOf(%q, mode): want %q, got %q", tc.reason, tc.argv, tc.value, mode.Value)
			}
		})
	}
}
