package backend

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// call is one program that a container started: its name and its arguments.
type call []string

// recordedPrograms are the programs of an engine's image. Each records how it was called. Those that run another program run it as the real
// ones do.
var recordedPrograms = map[string]string{
	"python3":              "",
	"ray":                  "",
	"getent":               "",
	"ssh-keygen":           "",
	"sshd":                 "",
	"image-entry-point":    `exec "$@"`,
	"trtllm-llmapi-launch": `exec "$@"`,
	// The command that mpirun starts begins with bash.
	"mpirun": `while [ $# -gt 0 ] && [ "$1" != bash ]; do shift; done; [ $# -eq 0 ] || exec "$@"`,
}

const endOfCall = "\x1e"

// image is a root folder for containers: the recorded programs, a home and a key pair.
type image struct {
	programs, home, keys, record string
}

func newImage(t *testing.T) image {
	t.Helper()
	return newImageWith(t, newPrograms(t))
}

// newPrograms writes the recorded programs. Parallel tests share them, because a program cannot be started ("text file busy") while a process
// that another test has just forked still has it open for writing.
func newPrograms(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, then := range recordedPrograms {
		script := "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '" + endOfCall + "' >> \"$RECORD\"\n" + then + "\n"
		writeFile(t, filepath.Join(dir, name), script, 0o755)
	}
	return dir
}

func newImageWith(t *testing.T, programs string) image {
	t.Helper()
	dir := t.TempDir()
	m := image{
		programs: programs,
		home:     filepath.Join(dir, "home"),
		keys:     filepath.Join(dir, "keys"),
		record:   filepath.Join(dir, "record"),
	}
	for _, d := range []string{m.home, m.keys} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A login shell of bash reads /etc/profile, which sets PATH.
	writeFile(t, filepath.Join(m.home, ".bash_profile"), "PATH="+m.programs+":$PATH\n", 0o644)
	writeFile(t, filepath.Join(m.keys, SSHPrivateKey), "private", 0o644)
	writeFile(t, filepath.Join(m.keys, SSHPublicKey), "public", 0o644)
	return m
}

func writeFile(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// run starts a container and returns the calls of its programs.
func (m image) run(t *testing.T, c *corev1.Container, injected map[string]string) []call {
	t.Helper()
	if stderr, err := m.start(t, c, injected); err != nil {
		t.Fatalf("cannot run %q: %v\n%s", slices.Concat(c.Command, c.Args), err, stderr)
	}
	return m.calls(t)
}

// start a container as the kubelet does, with the variables that the orchestrator injects.
func (m image) start(t *testing.T, c *corev1.Container, injected map[string]string) (stderr string, err error) {
	t.Helper()
	env := map[string]string{}
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}
	maps.Copy(env, injected)
	argv := slices.Concat(expandAll(c.Command, env), expandAll(c.Args, env))
	if len(c.Command) == 0 {
		argv = slices.Insert(argv, 0, "image-entry-point")
	}
	for i := range argv {
		argv[i] = strings.NewReplacer(SSHKeyPath+"/", m.keys+"/", "/usr/sbin/sshd", filepath.Join(m.programs, "sshd")).Replace(argv[i])
	}
	if own := filepath.Join(m.programs, argv[0]); fileExists(own) {
		argv[0] = own
	}

	if err := os.Remove(m.record); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = []string{"PATH=" + m.programs + ":/usr/bin:/bin", "HOME=" + m.home, "RECORD=" + m.record}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var output bytes.Buffer
	cmd.Stderr = &output
	err = cmd.Run()
	return output.String(), err
}

func (m image) calls(t *testing.T) []call {
	t.Helper()
	record, err := os.ReadFile(m.record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []call
	current := call{}
	for token := range strings.SplitSeq(strings.TrimSuffix(string(record), "\x00"), "\x00") {
		if token == endOfCall {
			all = append(all, current)
			current = call{}
			continue
		}
		current = append(current, token)
	}
	return all
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// callsOf are the calls of one program.
func callsOf(all []call, program string) []call {
	return slices.DeleteFunc(slices.Clone(all), func(c call) bool { return c[0] != program })
}

// quote is a token for a POSIX shell.
func quote(token string) string { return "'" + strings.ReplaceAll(token, "'", `'\''`) + "'" }

func quoteAll(tokens []string) string {
	all := make([]string, 0, len(tokens))
	for _, t := range tokens {
		all = append(all, quote(t))
	}
	return strings.Join(all, " ")
}

// commandStyle is a way to write the command of an engine.
type commandStyle struct {
	build func(module string, args []string) (command, arguments []string)
	// inScript is true if flags follow the name of the module. Otherwise they are at the end.
	inScript bool
}

var commandStyles = map[string]commandStyle{
	"python in command": {build: func(module string, args []string) ([]string, []string) {
		return []string{"python3", "-m", module}, args
	}},
	"all in command": {build: func(module string, args []string) ([]string, []string) {
		return slices.Concat([]string{"python3", "-m", module}, args), nil
	}},
	"all in args": {build: func(module string, args []string) ([]string, []string) {
		return nil, slices.Concat([]string{"python3", "-m", module}, args)
	}},
	"after another program": {build: func(module string, args []string) ([]string, []string) {
		return []string{"/usr/bin/env", "X=y", "python3", "-u", "-m", module}, args
	}},
	"script that runs its parameters": {build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c", `X=y; exec "$@"`, "sh"}, slices.Concat([]string{"python3", "-m", module}, args)
	}},
	"script in args": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"python3 -m " + module + " " + quoteAll(args)}
	}},
	"option and script in args": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh"}, []string{"-ec", "exec python3 -m " + module + " " + quoteAll(args)}
	}},
	"login shell": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"bash", "-lc"}, []string{"exec python3 -m " + module + " " + quoteAll(args)}
	}},
	"options with values": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/bash", "--norc", "-euo", "pipefail", "-c", "python3 -m " + module + " " + quoteAll(args), "name", "first"}, nil
	}},
	"pipe and list": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"bash", "-c"}, []string{"ulimit -n 64 && echo 'a b' > /dev/null; python3 -m " + module + " " + quoteAll(args) + " 2>&1 | cat; true && :"}
	}},
	"comments and continued lines": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"# the operator's probe; python3 -m " + module + "\nexec python3 \\\n  -m " + module + " \\\n  " + strings.Join(strings.Split(quoteAll(args), "' '"), "' \\\n  '") + "\n"}
	}},
	"here-document": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"cat <<EOF > /dev/null\nit's a (config\nEOF\npython3 -m \"" + module + "\" " + quoteAll(args)}
	}},
	"script within single quotes": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"exec bash -c " + quote("python3 -m "+module+" "+quoteAll(args))}
	}},
	"variable within single quotes": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"set -f; SERVE='python3 -m " + module + "'; exec $SERVE " + quoteAll(args)}
	}},
	"command substitution": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"out=$(python3 -m " + module + " " + quoteAll(args) + ")"}
	}},
	"loop and condition": {inScript: true, build: func(module string, args []string) ([]string, []string) {
		return []string{"/bin/sh", "-c"}, []string{"if [ -n \"x\" ]; then\n  for i in 1 2; do\n    python3 -m " + module + " " + quoteAll(args) + "\n  done\nfi"}
	}},
}

// argumentSets are arguments of users, from simple to hostile ones.
var argumentSets = map[string][]string{
	"plain": {"--model", "Qwen/Qwen3-0.6B", "--max-model-len=4096"},
	"json":  {"--config", `{"kv_connector": "NixlConnector", "list": [1, 2]}`},
	"reference": {
		"--model", "$(MODEL)", "--unknown", "$(UNKNOWN)", "--escaped", "$$(MODEL)",
	},
	"hostile": {
		"--semicolon", "a;b", "--newline", "a\nb", "--tab", "a\tb", "--pipe", "a|b&c", "--double", `say "x"`, "--backslash", `a\b\\c`, "--dollar", "$HOME ${X}",
		"--backquote", "`id`", "--glob", "*", "--home", "~", "--redirect", "<a>b", "--bang", "!x", "--parenthesis", "(a)", "--hash", "#a", "--unicode", "é", "--empty", "", "--last",
	},
	"single quotes": {"--single", "it's", "--both", `'"`},
}

// injectedEnv are the variables of the orchestrator and of the user, by orchestrator. The pod is the last of three.
var injectedEnv = map[string]map[string]string{
	"Grove": {
		"MODEL":           `a "b" ; c`,
		"GROVE_PCSG_NAME": "graph-0-decode", "GROVE_PCSG_INDEX": "4", "GROVE_HEADLESS_SERVICE": "graph-0.ns.svc.cluster.local", "GROVE_PCLQ_POD_INDEX": "1",
	},
	"LWS": {
		"MODEL":              `a "b" ; c`,
		"LWS_LEADER_ADDRESS": "graph-decode-0-0.graph-decode-0.ns", "LWS_WORKER_INDEX": "2", "LWS_GROUP_SIZE": "3",
	},
}

var (
	orchestrators = map[string]Hosts{"Grove": GroveHosts{Component: "decode"}, "LWS": LWSHosts{}}
	leaderAddress = map[string]string{
		"Grove": "graph-0-decode-4-decode-ldr-0.graph-0.ns.svc.cluster.local",
		"LWS":   "graph-decode-0-0.graph-decode-0.ns",
	}
	allAddresses = map[string]string{
		"Grove": "graph-0-decode-4-decode-ldr-0.graph-0.ns.svc.cluster.local,graph-0-decode-4-decode-wkr-0.graph-0.ns.svc.cluster.local,graph-0-decode-4-decode-wkr-1.graph-0.ns.svc.cluster.local",
		"LWS":   "graph-decode-0-0.graph-decode-0.ns,graph-decode-0-0-1.graph-decode-0.ns,graph-decode-0-0-2.graph-decode-0.ns",
	}
)
