package backend

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// scenario is a way in which an engine spans three nodes, and the flags with which its nodes must be started.
type scenario struct {
	settings Settings
	// sizes are arguments that follow those of the user.
	sizes []string
	// flags that a node with this role gets, for a given address of the leader.
	flags func(leader string) []string
}

var scenarios = map[string]scenario{
	"vLLM mp leader": {
		settings: Settings{Framework: v1alpha1.BackendVLLM, Role: RoleLeader, NodeCount: 3, Executor: ExecutorMP, GPULimit: 4},
		sizes:    []string{"--tensor-parallel-size", "12"},
		flags: func(leader string) []string {
			return []string{"--distributed-executor-backend", "mp", "--nnodes", "3", "--master-addr", leader, "--master-port", "29500", "--node-rank", "0"}
		},
	},
	"vLLM mp worker": {
		settings: Settings{Framework: v1alpha1.BackendVLLM, Role: RoleWorker, NodeCount: 3, Executor: ExecutorMP, GPULimit: 4},
		sizes:    []string{"-tp=6", "-pp", "2"},
		flags: func(leader string) []string {
			return []string{"--distributed-executor-backend", "mp", "--nnodes", "3", "--master-addr", leader, "--master-port", "29500", "--node-rank", "2", "--headless"}
		},
	},
	"vLLM Ray leader": {
		settings: Settings{Framework: v1alpha1.BackendVLLM, Role: RoleLeader, NodeCount: 3, Executor: ExecutorRay, GPULimit: 4},
		sizes:    []string{"--tensor-parallel-size=12"},
		flags:    func(string) []string { return []string{"--distributed-executor-backend", "ray"} },
	},
	"vLLM data parallel leader": {
		settings: Settings{Framework: v1alpha1.BackendVLLM, Role: RoleLeader, NodeCount: 3, Executor: ExecutorRay, GPULimit: 4},
		sizes:    []string{"--data-parallel-size", "12"},
		flags: func(leader string) []string {
			return []string{"--data-parallel-hybrid-lb", "--data-parallel-size-local", "4", "--data-parallel-start-rank", "0", "--data-parallel-address", leader, "--data-parallel-rpc-port", "13445"}
		},
	},
	"vLLM data parallel worker": {
		settings: Settings{Framework: v1alpha1.BackendVLLM, Role: RoleWorker, NodeCount: 3, Executor: ExecutorRay, GPULimit: 4},
		sizes:    []string{"--data-parallel-size", "12"},
		flags: func(leader string) []string {
			return []string{"--data-parallel-hybrid-lb", "--data-parallel-size-local", "4", "--data-parallel-start-rank", "8", "--data-parallel-address", leader, "--data-parallel-rpc-port", "13445"}
		},
	},
	"SGLang leader": {
		settings: Settings{Framework: v1alpha1.BackendSGLang, Role: RoleLeader, NodeCount: 3},
		sizes:    []string{"--tp", "12"},
		flags: func(leader string) []string {
			return []string{"--dist-init-addr", leader + ":29500", "--nnodes", "3", "--node-rank", "0"}
		},
	},
	"SGLang worker": {
		settings: Settings{Framework: v1alpha1.BackendSGLang, Role: RoleWorker, NodeCount: 3},
		sizes:    []string{"--tp", "12"},
		flags: func(leader string) []string {
			return []string{"--dist-init-addr", leader + ":29500", "--nnodes", "3", "--node-rank", "2"}
		},
	},
}

// For every style of command and all arguments of the user, the engine gets exactly the arguments that it gets on a single node, and the
// flags of its node.
func TestEngineArguments(t *testing.T) {
	forEachCommand(t, func(t *testing.T, m image, style commandStyle, orchestrator string, arguments []string) {
		t.Helper()
		for _, name := range slices.Sorted(maps.Keys(scenarios)) {
			sc := scenarios[name]
			user := slices.Concat(arguments, sc.sizes)
			c := containerOf(style, "dynamo."+string(sc.settings.Framework), user)
			single := callsOf(m.run(t, c.DeepCopy(), injectedEnv[orchestrator]), "python3")
			if len(single) == 0 {
				t.Fatalf("the command %q runs no python by itself", slices.Concat(c.Command, c.Args))
			}

			settings := sc.settings
			settings.Hosts = orchestrators[orchestrator]
			if warnings := ConfigureContainer(c, settings); len(warnings) > 0 {
				t.Errorf("%s: ConfigureContainer(...) warns: %q", name, warnings)
			}
			calls := m.run(t, c, injectedEnv[orchestrator])
			var want []call
			for _, s := range single {
				want = append(want, withFlags(s, sc.flags(leaderAddress[orchestrator]), style.inScript))
			}
			if diff := cmp.Diff(want, callsOf(calls, "python3")); diff != "" {
				t.Errorf("%s: the engine's arguments: -want, +got:\n%s\ncommand: %q", name, diff, slices.Concat(c.Command, c.Args))
			}
			if name == "vLLM Ray leader" {
				if diff := cmp.Diff([]call{{"ray", "start", "--head", "--port=6379"}}, callsOf(calls, "ray")); diff != "" {
					t.Errorf("%s: how ray is started: -want, +got:\n%s", name, diff)
				}
				if ray, python := indexOf(calls, "ray"), indexOf(calls, "python3"); ray > python {
					t.Errorf("%s: the engine starts before the head: %q", name, calls)
				}
			}
		}
	})
}

// A worker of Ray joins the head, regardless of the command of the user.
func TestRayWorker(t *testing.T) {
	forEachCommand(t, func(t *testing.T, m image, style commandStyle, orchestrator string, arguments []string) {
		t.Helper()
		c := containerOf(style, "dynamo.vllm", slices.Concat(arguments, []string{"-tp", "12"}))
		ConfigureContainer(c, Settings{
			Framework: v1alpha1.BackendVLLM, Role: RoleWorker, NodeCount: 3, Executor: ExecutorRay, GPULimit: 4, Hosts: orchestrators[orchestrator],
		})
		want := []call{{"ray", "start", "--address=" + leaderAddress[orchestrator] + ":6379", "--block"}}
		calls := slices.DeleteFunc(m.run(t, c, injectedEnv[orchestrator]), func(c call) bool { return c[0] == "image-entry-point" })
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("what runs: -want, +got:\n%s\ncommand: %q", diff, slices.Concat(c.Command, c.Args))
		}
	})
}

// The launcher gets the unchanged command of the user, and the engine gets the arguments that it gets on a single node.
func TestTRTLLMLeader(t *testing.T) {
	forEachCommand(t, func(t *testing.T, m image, style commandStyle, orchestrator string, arguments []string) {
		t.Helper()
		c := containerOf(style, "dynamo.trtllm", arguments)
		c.Env = []corev1.EnvVar{{Name: "ZEBRA", Value: "1"}, {Name: "ANT", Value: "2"}}
		single := m.run(t, c.DeepCopy(), injectedEnv[orchestrator])
		original := expandAll(slices.Concat(c.Command, c.Args), injectedEnv[orchestrator])

		warnings := ConfigureContainer(c, Settings{
			Framework: v1alpha1.BackendTRTLLM, Role: RoleLeader, NodeCount: 3, GPULimit: 4, Hosts: orchestrators[orchestrator],
		})
		if len(warnings) > 0 {
			t.Errorf("ConfigureContainer(...) warns: %q", warnings)
		}
		calls := m.run(t, c, injectedEnv[orchestrator])
		if diff := cmp.Diff(callsOf(single, "python3"), callsOf(calls, "python3")); diff != "" {
			t.Errorf("the engine's arguments: -want, +got:\n%s\ncommand: %q", diff, slices.Concat(c.Command, c.Args))
		}
		mpirun := callsOf(calls, "mpirun")
		if len(mpirun) != 1 {
			t.Fatalf("mpirun is called %d times, want once: %q", len(mpirun), calls)
		}
		options := mpirun[0][1:slices.Index(mpirun[0], "bash")]
		options = slices.DeleteFunc(slices.Clone(options), func(o string) bool { return o == "--allow-run-as-root" })
		want := slices.Concat(
			[]string{"--oversubscribe", "-n", "12", "-H", allAddresses[orchestrator], "--mca", "pml", "ob1"},
			[]string{"--mca", "plm_rsh_args", "-p 2222 -o StrictHostKeyChecking=no -i " + m.home + "/.ssh/id_rsa"},
			exported("ANT", "CPATH", "CUDA_VISIBLE_DEVICES", "HF_DATASETS_CACHE", "HF_ENDPOINT", "HF_HOME", "HF_TOKEN", "HOME", "HUGGING_FACE_HUB_TOKEN",
				"LD_LIBRARY_PATH", "MODEL_PATH", "NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "OMPI_MCA_orte_keep_fqdn_hostnames", "PATH",
				"PYTHONPATH", "TENSORRT_LLM_CACHE_DIR", "TOKENIZERS_PARALLELISM", "TRANSFORMERS_CACHE", "TRITON_PTXAS_PATH", "TRTLLM_USE_UCX_KVCACHE", "USER", "ZEBRA"),
		)
		if diff := cmp.Diff(call(want), options); diff != "" {
			t.Errorf("mpirun's options: -want, +got:\n%s", diff)
		}
		launch := callsOf(calls, "trtllm-llmapi-launch")
		if len(launch) != 1 {
			t.Fatalf("the launcher is called %d times, want once: %q", len(launch), calls)
		}
		if launched := []string(launch[0][1:]); !style.inScript || len(launched) == 3 {
			if diff := cmp.Diff(original, launched); diff != "" {
				t.Errorf("what the launcher runs: -want, +got:\n%s", diff)
			}
		}
		if orchestrator == "LWS" {
			want := []call{{"getent", "hosts", "graph-decode-0-0-1.graph-decode-0.ns"}, {"getent", "hosts", "graph-decode-0-0-2.graph-decode-0.ns"}}
			if diff := cmp.Diff(want, callsOf(calls, "getent")); diff != "" {
				t.Errorf("names that the leader waits for: -want, +got:\n%s", diff)
			}
		}
	})
}

func exported(names ...string) []string {
	var all []string
	for _, n := range names {
		all = append(all, "-x", n)
	}
	return all
}

// forEachCommand runs a test for each combination of a style of command, an orchestrator and a set of arguments.
func forEachCommand(t *testing.T, test func(t *testing.T, m image, style commandStyle, orchestrator string, arguments []string)) {
	t.Helper()
	programs := newPrograms(t)
	for styleName, style := range commandStyles {
		for orchestrator := range orchestrators {
			for set, arguments := range argumentSets {
				if styleName == "command substitution" && set == "reference" {
					// The kubelet treats $( of the substitution as the start of a reference. How it treats a reference inside
					// depends on the next parenthesis, which may be part of an added flag.
					continue
				}
				t.Run(styleName+"/"+orchestrator+"/"+set, func(t *testing.T) {
					t.Parallel()
					test(t, newImageWith(t, programs), style, orchestrator, arguments)
				})
			}
		}
	}
}

func indexOf(all []call, program string) int {
	return slices.IndexFunc(all, func(c call) bool { return c[0] == program })
}

func containerOf(style commandStyle, module string, arguments []string) *corev1.Container {
	command, args := style.build(module, arguments)
	return &corev1.Container{Name: "main", Image: "engine:1", Command: command, Args: args}
}

// withFlags is a command of python with flags in the place for its style.
func withFlags(c call, flags []string, afterModule bool) call {
	if !afterModule {
		return slices.Concat(c, flags)
	}
	module := slices.Index(c, "-m") + 1
	return slices.Insert(slices.Clone(c), module+1, flags...)
}
