package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
)

func trtllmSettings(role Role, hosts Hosts) Settings {
	return Settings{Framework: "trtllm", Role: role, NodeCount: 2, Hosts: hosts, GPULimit: 4}
}

// The last line of a leader's script, in full.
func TestLaunchLine(t *testing.T) {
	const options = ` --mca pml ob1 --mca plm_rsh_args "-p 2222 -o StrictHostKeyChecking=no -i $HOME/.ssh/id_rsa"` +
		` -x CPATH -x CUDA_VISIBLE_DEVICES -x HF_DATASETS_CACHE -x HF_ENDPOINT -x HF_HOME -x HF_TOKEN -x HOME -x HUGGING_FACE_HUB_TOKEN -x LD_LIBRARY_PATH -x MODEL_PATH` +
		` -x NCCL_DEBUG -x NCCL_IB_DISABLE -x NCCL_P2P_DISABLE -x OMPI_MCA_orte_keep_fqdn_hostnames -x PATH -x PYTHONPATH -x TENSORRT_LLM_CACHE_DIR` +
		` -x TOKENIZERS_PARALLELISM -x TRANSFORMERS_CACHE -x TRITON_PTXAS_PATH -x TRTLLM_USE_UCX_KVCACHE -x USER `
	const start = `exec mpirun $([ "$(id -u)" = "0" ] && echo --allow-run-as-root) --oversubscribe `
	const lws = `-H $(LWS_LEADER_ADDRESS),$(echo "$LWS_LEADER_ADDRESS" | sed 's/\./-1\./')`
	const grove = "-H $(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-decode-ldr-0.$(GROVE_HEADLESS_SERVICE),$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-decode-wkr-0.$(GROVE_HEADLESS_SERVICE)"
	engine := []string{"python3", "-m", "dynamo.trtllm"}
	sh := []string{"/bin/sh", "-c"}
	cases := map[string]struct {
		reason    string
		container corev1.Container
		settings  func(*Settings)
		// hosts of Grove, or nil for those of LWS.
		hosts Hosts

		line       string
		parameters []string
		warnings   []string
	}{
		"Tokens": {
			reason:    "Tokens are written as one line.",
			container: corev1.Container{Command: engine, Args: []string{"--x", `{"a": 1}`}},
			hosts:     GroveHosts{Component: "decode"},
			line:      start + "-n 8 " + grove + options + `bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x "{\"a\": 1}"'`,
		},
		"PlainScript": {
			reason:    "A script that is one plain command is that line.",
			container: corev1.Container{Command: sh, Args: []string{"python3 -m dynamo.trtllm --x y"}},
			line:      start + "-n 8 " + lws + options + "bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x y'",
		},
		"Script": {
			reason:     "Any other script is run by its own shell.",
			container:  corev1.Container{Command: sh, Args: []string{"cd /x && exec python3 -m dynamo.trtllm --x 'y z'"}},
			line:       start + "-n 8 " + lws + options + `bash -c 'exec trtllm-llmapi-launch "$@"' bash "$@"`,
			parameters: []string{"sh", "/bin/sh", "-c", "cd /x && exec python3 -m dynamo.trtllm --x 'y z'"},
		},
		"LoginShell": {
			reason:     "A login shell is kept even for a plain command: its profile may matter.",
			container:  corev1.Container{Command: []string{"bash", "-lc", "python3 -m dynamo.trtllm"}},
			line:       start + "-n 8 " + lws + options + `bash -c 'exec trtllm-llmapi-launch "$@"' bash "$@"`,
			parameters: []string{"sh", "bash", "-lc", "python3 -m dynamo.trtllm"},
		},
		"References": {
			reason:     "A reference is left to the kubelet.",
			container:  corev1.Container{Command: engine, Args: []string{"--model-path", "$(MODEL)"}},
			line:       start + "-n 8 " + lws + options + `bash -c 'exec trtllm-llmapi-launch "$@"' bash "$@"`,
			parameters: []string{"sh", "python3", "-m", "dynamo.trtllm", "--model-path", "$(MODEL)"},
		},
		"OtherProgram": {
			reason:     "The launcher runs any program.",
			container:  corev1.Container{Command: []string{"/start"}, Args: []string{"a"}},
			line:       start + "-n 8 " + lws + options + `bash -c 'exec trtllm-llmapi-launch "$@"' bash "$@"`,
			parameters: []string{"sh", "/start", "a"},
		},
		"Requests": {
			reason:    "Requested GPUs count only without limited ones.",
			container: corev1.Container{Command: engine},
			settings:  func(s *Settings) { s.GPULimit, s.GPURequest = 0, 2 },
			line:      start + "-n 4 " + lws + options + "bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm'",
		},
		"NoGPUs": {
			reason:    "Without GPUs one rank is started on each node.",
			container: corev1.Container{Command: engine},
			settings:  func(s *Settings) { s.GPULimit = 0 },
			line:      start + "-n 2 " + lws + options + "bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm'",
			warnings:  []string{"the container requests no GPU, so one rank is started on each of the 2 nodes; set resources.limits[nvidia.com/gpu]"},
		},
		"GPUsInClaim": {
			reason:    "Only the cluster knows how many GPUs a claim has. A limit beside it would request others.",
			container: corev1.Container{Command: engine, Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "a"}, {Name: "b"}}}},
			settings:  func(s *Settings) { s.GPULimit = 0 },
			line:      start + "-n 2 " + lws + options + "bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm'",
			warnings: []string{"only the cluster knows how many GPUs are in claim a, b, so one rank is started on each of the 2 nodes; " +
				"set --tensor-parallel-size and --pipeline-parallel-size to use the GPUs of all nodes"},
		},
		"BeforeCompilerPaths": {
			reason:    "Before 1.4.0 the paths of compilers are not exported, because the operator did not export them.",
			container: corev1.Container{Command: engine},
			settings:  func(s *Settings) { s.RuntimeVersion = "1.3.1" },
			line: start + "-n 8 " + lws + strings.NewReplacer(" -x CPATH", "", " -x TRITON_PTXAS_PATH", "").Replace(options) +
				"bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm'",
		},
		"OddVariable": {
			reason:    "A variable whose name a shell could not take is not exported, and this is said.",
			container: corev1.Container{Command: engine, Env: []corev1.EnvVar{{Name: "a;b"}, {Name: "HF_HOME"}}},
			line:      start + "-n 8 " + lws + options + "bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm'",
			warnings:  []string{`environment variable "a;b" is not passed to the other nodes; use only letters, digits and underscores in its name`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.hosts == nil {
				tc.hosts = LWSHosts{}
			}
			s := trtllmSettings(RoleLeader, tc.hosts)
			if tc.settings != nil {
				tc.settings(&s)
			}
			got := map[string]any{"warnings": textsOf(ConfigureContainer(&tc.container, s))}
			if diff := cmp.Diff(sh, tc.container.Command); diff != "" {
				t.Errorf("command: -want, +got:\n%s", diff)
			}
			lines := strings.Split(tc.container.Args[0], "\n")
			got["line"], got["parameters"] = lines[len(lines)-1], tc.container.Args[1:]
			want := map[string]any{"line": tc.line, "parameters": tc.parameters, "warnings": tc.warnings}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// The leader finds programs of the image's virtual environment first, and so do the ranks, who get its PATH.
func TestLeaderActivatesVirtualEnvironment(t *testing.T) {
	m := newImage(t)
	environment := filepath.Join(m.home, "venv")
	if err := os.MkdirAll(filepath.Join(environment, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(environment, "bin", "mpirun"), "#!/bin/sh\nprintf '%s\\0' venv \"$PATH\" '"+endOfCall+"' >> \"$RECORD\"\n", 0o755)
	for value, want := range map[string]string{environment: "venv", filepath.Join(m.home, "none"): "mpirun", "": "mpirun"} {
		c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}, Env: []corev1.EnvVar{{Name: "VIRTUAL_ENV", Value: value}}}
		ConfigureContainer(c, trtllmSettings(RoleLeader, GroveHosts{Component: "decode"}))
		calls := m.run(t, c, injectedEnv["Grove"])
		if len(calls) == 0 || calls[0][0] != want {
			t.Errorf("VIRTUAL_ENV=%q: ran %q, want %s first", value, calls, want)
		}
		if want == "venv" && !strings.HasPrefix(calls[0][1], filepath.Join(environment, "bin")+":") {
			t.Errorf("VIRTUAL_ENV=%q: PATH is %q", value, calls[0][1])
		}
	}
}

// The files that the leader writes for ssh are private, and its umask does not apply to the engine.
func TestLeaderKeepsKeyPrivate(t *testing.T) {
	m := newImage(t)
	writeFile(t, filepath.Join(m.programs, "mpirun"), "#!/bin/sh\nprintf '%s\\0' mpirun \"$(umask)\" '"+endOfCall+"' >> \"$RECORD\"\n", 0o755)
	c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
	ConfigureContainer(c, trtllmSettings(RoleLeader, GroveHosts{Component: "decode"}))
	calls := m.run(t, c, injectedEnv["Grove"])
	if want := []call{{"mpirun", "0022"}}; !cmp.Equal(want, calls) {
		t.Errorf("what ran: %q, want %q", calls, want)
	}
	checkPrivate(t, m, "id_rsa", "id_rsa.pub", "config")
	config, err := os.ReadFile(filepath.Join(m.home, ".ssh", "config"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Host *\n  IdentityFile \"" + m.home + "/.ssh/id_rsa\"\n  StrictHostKeyChecking no\n  Port 2222\n"
	if diff := cmp.Diff(want, string(config)); diff != "" {
		t.Errorf("config: -want, +got:\n%s", diff)
	}
}

// A leader on LWS gives up when a worker's name does not resolve in time.
func TestLeaderNameTimeout(t *testing.T) {
	m := newImage(t)
	writeFile(t, filepath.Join(m.programs, "getent"), "#!/bin/sh\nexit 2\n", 0o755)
	writeFile(t, filepath.Join(m.programs, "sleep"), "#!/bin/sh\necho \"$1\" >> \"$HOME/slept\"\n", 0o755)
	// A clock that goes on 100 s with each look.
	writeFile(t, filepath.Join(m.programs, "date"), "#!/bin/sh\nt=$(cat \"$HOME/clock\" 2>/dev/null || echo 1000)\necho \"$t\"\necho $((t + 100)) > \"$HOME/clock\"\n", 0o755)
	c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
	ConfigureContainer(c, trtllmSettings(RoleLeader, LWSHosts{}))
	stderr, err := m.start(t, c, injectedEnv["LWS"])
	if err == nil || !strings.Contains(stderr, "cannot resolve graph-decode-0-0-1.graph-decode-0.ns within 300 s") {
		t.Errorf("the leader ends with %v: %s", err, stderr)
	}
	if calls := m.calls(t); len(callsOf(calls, "mpirun")) > 0 {
		t.Errorf("the leader goes on: %q", calls)
	}
	if slept, err := os.ReadFile(filepath.Join(m.home, "slept")); err != nil || string(slept) != "2\n2\n" {
		t.Errorf("slept %q, %v, want twice 2 s", slept, err)
	}
}

func TestWorkerServesSSH(t *testing.T) {
	m := newImage(t)
	c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
	ConfigureContainer(c, trtllmSettings(RoleWorker, LWSHosts{}))

	t.Run("AllAddresses", func(t *testing.T) {
		want := []call{
			{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", m.home + "/.ssh/host_keys/ssh_host_ed25519_key"},
			{"sshd", "-D", "-e", "-f", m.home + "/.ssh/sshd_config"},
		}
		if diff := cmp.Diff(want, m.run(t, c.DeepCopy(), nil)); diff != "" {
			t.Errorf("what ran: -want, +got:\n%s", diff)
		}
	})
	t.Run("OneAddress", func(t *testing.T) {
		writeFile(t, filepath.Join(m.home, ".ssh", "host_keys", "ssh_host_ed25519_key"), "key", 0o600)
		want := []call{{"sshd", "-D", "-e", "-f", m.home + "/.ssh/sshd_config", "-o", "ListenAddress=127.0.0.2"}}
		if diff := cmp.Diff(want, m.run(t, c.DeepCopy(), map[string]string{"SSHD_LISTEN_ADDRESS": "127.0.0.2"})); diff != "" {
			t.Errorf("what ran with a host key from before: -want, +got:\n%s", diff)
		}
	})

	checkPrivate(t, m, "id_rsa", "id_rsa.pub", "config", "authorized_keys", "sshd_config")
	config, err := os.ReadFile(filepath.Join(m.home, ".ssh", "sshd_config"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Port 2222",
		`HostKey "` + m.home + `/.ssh/host_keys/ssh_host_ed25519_key"`,
		`PidFile "` + m.home + `/.ssh/run/sshd.pid"`,
		`AuthorizedKeysFile "` + m.home + `/.ssh/authorized_keys"`,
		"PubkeyAuthentication yes",
		"AuthenticationMethods publickey",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PermitRootLogin prohibit-password",
		"DisableForwarding yes",
		"StrictModes no",
		"",
	}
	if diff := cmp.Diff(want, strings.Split(string(config), "\n")); diff != "" {
		t.Errorf("sshd_config: -want, +got:\n%s", diff)
	}
}

// The reference output knows the ssh set-up by the folder of the keys, and the leader's command by its first word.
func TestScriptsAreRecognised(t *testing.T) {
	for _, role := range []Role{RoleLeader, RoleWorker} {
		c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
		ConfigureContainer(c, trtllmSettings(role, LWSHosts{}))
		script := c.Args[0]
		if !strings.Contains(script, "/ssh-pk") {
			t.Errorf("%s: the script does not read /ssh-pk", role)
		}
		before, _, found := strings.Cut(script, "mpirun")
		if found != (role == RoleLeader) || (found && !strings.HasSuffix(before, "\nexec ")) {
			t.Errorf("%s: the script mentions mpirun elsewhere than where it runs it", role)
		}
	}
}

func checkPrivate(t *testing.T, m image, names ...string) {
	t.Helper()
	folder := filepath.Join(m.home, ".ssh")
	for _, name := range slices.Concat([]string{""}, names) {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf(".ssh/%s is open for others: %s", name, info.Mode())
		}
	}
}
