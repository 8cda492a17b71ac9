package backend

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// spreads are the ways in which flags are added to the commands of three nodes with four GPUs each.
var spreads = map[string]struct {
	settings Settings
	sizes    []string
}{
	"vLLM mp":           {settings: Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorMP}, sizes: []string{"-tp", "12"}},
	"vLLM Ray":          {settings: Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorRay}, sizes: []string{"-tp", "12"}},
	"vLLM hybrid":       {settings: Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorMP}, sizes: []string{"-dp", "12"}},
	"vLLM external":     {settings: Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorMP}, sizes: []string{"-tp", "4", "-dp", "3", "-dpe"}},
	"SGLang":            {settings: Settings{Framework: v1alpha1.BackendSGLang}, sizes: []string{"--tp", "12"}},
	"TensorRT-LLM":      {settings: Settings{Framework: v1alpha1.BackendTRTLLM}, sizes: []string{"--tensor-parallel-size", "12"}},
	"vLLM pipeline":     {settings: Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorMP}, sizes: []string{"-tp", "4", "-pp", "3"}},
	"SGLang data ranks": {settings: Settings{Framework: v1alpha1.BackendSGLang}, sizes: []string{"--tp", "12", "--dp", "12", "--enable-dp-attention"}},
}

// nodesOf a replica are its containers as they will run, by their role, and all warnings about them.
func nodesOf(own *corev1.Container, s Settings, hosts Hosts) (map[Role]*corev1.Container, []string) {
	nodes, warnings := map[Role]*corev1.Container{}, map[string]bool{}
	s.NodeCount, s.GPULimit, s.Hosts = 3, 4, hosts
	for _, role := range []Role{RoleLeader, RoleWorker} {
		nodes[role], s.Role = own.DeepCopy(), role
		for _, w := range ConfigureContainer(nodes[role], s) {
			warnings[w.In(nil)] = true
		}
	}
	return nodes, slices.Sorted(maps.Keys(warnings))
}

// addedFlags are the flags with values that a container gets after its module, as its command line shows.
func addedFlags(c *corev1.Container, module string) map[string]string {
	line := strings.Join(slices.Concat(c.Command, c.Args), " ")
	_, rest, _ := strings.Cut(line, module+" ")
	before, _, _ := strings.Cut(rest, "--last-added")
	added, name := map[string]string{}, ""
	for word := range strings.FieldsSeq(before) {
		if strings.HasPrefix(word, "--") {
			name = word
			continue
		}
		added[name] = strings.TrimSpace(added[name] + " " + word)
	}
	return added
}

// A flag of the user in a script, which comes after an added flag of the same name, is reported if its value breaks the nodes. Where added flags
// come last, or the nodes give the value themselves, nothing is.
func TestContradictions(t *testing.T) {
	// The first may not run on all nodes, and of the others it is not known which words are those of the engine.
	unjudged := []string{"loop and condition", "script within single quotes", "variable within single quotes"}
	reported := map[string]bool{}
	for name, spread := range spreads {
		module := "dynamo." + string(spread.settings.Framework)
		for orchestrator, hosts := range orchestrators {
			base := append(slices.Clone(spread.sizes), "--last")
			plain, warnings := nodesOf(&corev1.Container{Command: []string{"sh", "-c"}, Args: []string{"python3 -m " + module + " --last-added " + strings.Join(base, " ")}}, spread.settings, hosts)
			if len(warnings) > 0 {
				t.Fatalf("%s: want no warning without a flag of the user, got %q", name, warnings)
			}
			leader, worker := addedFlags(plain[RoleLeader], module), addedFlags(plain[RoleWorker], module)
			for flag, value := range leader {
				perNode := worker[flag] != "" && worker[flag] != value
				isPort, added := strings.HasSuffix(flag, "-port"), flag != "--data-parallel-rpc-port" // It is not added if the user sets it.
				values := map[string]bool{"7": !isPort, value: perNode, "$RANK": false, "${OF_NODE:-0}": false, "$(VARIABLE)": false, "host:5000": added}
				if strings.Contains(value, "$") {
					delete(values, value)
				}
				for given, isReported := range values {
					user := append(slices.Clone(base), flag, given)
					for styleName, style := range commandStyles {
						want := isReported
						if slices.Contains(unjudged, styleName) {
							want = false
						}
						command, args := style.build(module, user)
						_, warnings := nodesOf(&corev1.Container{Command: command, Args: args}, spread.settings, hosts)
						warnings = slices.DeleteFunc(warnings, func(w string) bool { return !strings.HasPrefix(w, "the script sets "+flag) })
						if got := len(warnings); got > 1 || (got == 1) != (want && style.inScript) {
							t.Errorf("%s on %s: a user who writes %s %s with %s gets %q", name, orchestrator, flag, given, styleName, warnings)
						}
						reported[flag] = reported[flag] || len(warnings) == 1
					}
				}
			}
		}
	}
	want := []string{
		"--data-parallel-address", "--data-parallel-rank", "--data-parallel-size-local", "--data-parallel-start-rank", "--dist-init-addr",
		"--distributed-executor-backend", "--master-addr", "--master-port", "--nnodes", "--node-rank",
	}
	maps.DeleteFunc(reported, func(_ string, is bool) bool { return !is })
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(reported))); diff != "" {
		t.Errorf("flags that are added and reported: -want, +got:\n%s", diff)
	}
}

func TestContradictionsInScripts(t *testing.T) {
	const differs = "the script sets --nnodes 1 after --nnodes 3, which is added for the nodes of the replica, and the last one counts, so the nodes may not form one engine; remove --nnodes from the script"
	const rank = "the script sets %[1]s on all nodes, after the --node-rank that is added for each node, and the last one counts, so the nodes do not form one engine; remove %[2]s from the script"
	cases := map[string]struct {
		reason, script string
		parameters     []string
		want           []string
	}{
		"Differs":     {reason: "The last flag counts.", script: "exec python3 -m dynamo.sglang --tp 12 --nnodes 3 --nnodes=1", want: []string{differs}},
		"Repaired":    {reason: "The last flag counts, whatever is before it.", script: "exec python3 -m dynamo.sglang --tp 12 --nnodes 1 --nnodes 3"},
		"Rank":        {reason: "A rank in a script is that of all nodes.", script: "set -e; if true; then ls; fi\npython3 -m dynamo.sglang \\\n --tp 12 \\\n --node_rank 0", want: []string{message.Format(rank, "--node_rank 0", "--node_rank").In(nil)}},
		"Secret":      {reason: "A text that is no number is not repeated.", script: "python3 -m dynamo.sglang --tp 12 --node-rank hunter2", want: []string{message.Format(rank, "--node-rank", "--node-rank").In(nil)}},
		"Inner":       {reason: "An inner shell runs a command.", script: `nice bash -c "python3 -m dynamo.sglang --tp 12 --nnodes 1"`, want: []string{differs}},
		"AfterInner":  {reason: "What follows an inner shell is not a part of its command.", script: `bash -c 'python3 -m dynamo.sglang --tp 12' sh --nnodes 1`},
		"Subshell":    {reason: "A parenthesis ends a value.", script: "(python3 -m dynamo.sglang --tp 12 --nnodes 1)", want: []string{differs}},
		"Parameters":  {reason: "Parameters of the script may be those of the engine.", script: `python3 -m dynamo.sglang --tp 12 "$@"`, parameters: []string{"sh", "--nnodes", "1"}, want: []string{differs}},
		"NotPassed":   {reason: "Other parameters reach no program.", script: `python3 -m dynamo.sglang --tp 12`, parameters: []string{"sh", "--nnodes", "1"}},
		"Comment":     {reason: "A comment is none.", script: "python3 -m dynamo.sglang --tp 12 # --nnodes 1"},
		"Before":      {reason: "Flags of another program are those of that program.", script: "torchrun --nnodes 1 check.py && python3 -m dynamo.sglang --tp 12; torchrun --nnodes 1 check.py"},
		"Twice":       {reason: "A script may run the engine of each node by itself.", script: "if [ $LWS_WORKER_INDEX = 0 ]; then python3 -m dynamo.sglang --tp 12 --node-rank 0; else python3 -m dynamo.sglang --tp 12 --node-rank 1; fi"},
		"Branch":      {reason: "A script may run something else on other nodes.", script: "if [ $LWS_WORKER_INDEX = 0 ]; then python3 -m dynamo.sglang --tp 12 --node-rank 0; else ./join; fi"},
		"Case":        {reason: "A case is a branch.", script: "case $LWS_WORKER_INDEX in 0) python3 -m dynamo.sglang --tp 12 --node-rank 0;; *) ./join;; esac"},
		"Left":        {reason: "Other nodes may have left the script before.", script: "if [ $LWS_WORKER_INDEX != 0 ]; then exec ./join; fi; python3 -m dynamo.sglang --tp 12 --node-rank 0"},
		"Guard":       {reason: "A condition may be before the command.", script: "[ $LWS_WORKER_INDEX = 0 ] && exec python3 -m dynamo.sglang --tp 12 --node-rank 0; ./join"},
		"Consecutive": {reason: "A command that must succeed before is no such condition.", script: "cd /work && python3 -m dynamo.sglang --tp 12 --nnodes 1", want: []string{differs}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := &corev1.Container{Command: []string{"bash", "-c"}, Args: append([]string{tc.script}, tc.parameters...)}
			_, got := nodesOf(own, Settings{Framework: v1alpha1.BackendSGLang}, LWSHosts{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want warnings, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A user who moves the port on which nodes meet moves it for all that know of it, in every form of the command.
func TestMovedRendezvous(t *testing.T) {
	for name, moved := range map[string][]string{
		"vLLM mp":           {"--master-port", "30000"},
		"vLLM pipeline":     {"--master-po=30000"},
		"SGLang":            {"--dist-init-addr", "x:30000"},
		"SGLang data ranks": {"--nccl-init-addr=$(LWS_LEADER_ADDRESS):30000"},
	} {
		spread := spreads[name]
		for orchestrator, hosts := range orchestrators {
			for styleName, style := range commandStyles {
				command, args := style.build("dynamo."+string(spread.settings.Framework), slices.Concat(moved, spread.sizes))
				own := &corev1.Container{Command: command, Args: args}
				nodes, warnings := nodesOf(own, spread.settings, hosts)
				if !style.inScript && len(warnings) > 0 {
					t.Errorf("%s on %s with %s: want no warning, got %q", name, orchestrator, styleName, warnings)
				}
				for role, c := range nodes {
					texts := &Texts{}
					if got, _ := texts.PortFor(Rendezvous, c); got.Number != 30000 {
						t.Errorf("%s on %s with %s: the %s listens on port %d: %q", name, orchestrator, styleName, role, got.Number, slices.Concat(c.Command, c.Args))
					}
					if !style.inScript && strings.Contains(strings.Join(slices.Concat(c.Command, c.Args), " "), masterPort) {
						t.Errorf("%s on %s with %s: the %s is told another port too: %q", name, orchestrator, styleName, role, slices.Concat(c.Command, c.Args))
					}
				}
				s := spread.settings
				s.Role, s.NodeCount, s.GPULimit, s.Hosts = RoleWorker, 3, 4, hosts
				for _, c := range []*corev1.Container{own, nodes[RoleWorker]} {
					if got := leaderPort(s, c); s.Executor == ExecutorMP && got != "30000" {
						t.Errorf("%s on %s with %s: a worker waits for port %q", name, orchestrator, styleName, got)
					}
				}
			}
		}
	}
}

func TestUnknownRendezvous(t *testing.T) {
	own := &corev1.Container{Command: []string{"python3", "-m", "dynamo.sglang", "--tp", "12", "--dist-init-addr", "$(ADDRESS)"}}
	nodes, warnings := nodesOf(own, Settings{Framework: v1alpha1.BackendSGLang}, LWSHosts{})
	want := []string{"the port in the value of --dist-init-addr is not in the graph, so the nodes meet on port 29500; write the port as a number"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("-want warnings, +got:\n%s", diff)
	}
	if got, _ := new(Texts).PortFor(Rendezvous, nodes[RoleWorker]); got.Number != 29500 {
		t.Errorf("want port 29500, got %d", got.Number)
	}
}

// With external load balancing, each process is exactly one data-parallel engine, whichever flag and form of the command says so.
func TestExternalLoadBalancing(t *testing.T) {
	sizes := map[string]struct {
		sizes []string
		want  string
	}{
		"one on each node":       {sizes: []string{"-tp", "4", "-dp", "3"}},
		"most of each node":      {sizes: []string{"-tp", "3", "-dp", "3"}},
		"several on each node":   {sizes: []string{"-dp", "12"}, want: "room for 4 engines of 1 GPUs"},
		"two on each node":       {sizes: []string{"-tp", "2", "-dp", "6"}, want: "room for 2 engines of 2 GPUs"},
		"one on half of a node":  {sizes: []string{"-tp", "2", "-dp", "3"}, want: "room for 2 engines of 2 GPUs"},
		"more than there's room": {sizes: []string{"-tp", "4", "-dp", "6"}, want: "do not fill"},
	}
	for name, tc := range sizes {
		for _, flag := range []string{"--data-parallel-external-lb", "--data_parallel_external_lb", "-dpe", "--data-parallel-rank=$R", "--data-parallel-rank=$(R)", "-dpn=$(R)"} {
			for styleName, style := range commandStyles {
				written, _, ranked := strings.Cut(flag, "=")
				command, args := style.build("dynamo.vllm", slices.Concat([]string{flag}, tc.sizes))
				_, warnings := nodesOf(&corev1.Container{Command: command, Args: args}, Settings{Framework: v1alpha1.BackendVLLM, Executor: ExecutorMP}, LWSHosts{})
				want := tc.want
				if ranked && style.inScript {
					want = "" // The script may start the other ranks of the node.
				}
				switch {
				case want == "" && len(warnings) == 0:
				case want != "" && len(warnings) == 1 && strings.Contains(warnings[0], want) && (want == "do not fill" || strings.Contains(warnings[0], "--data-parallel-hybrid-lb in place of "+written)):
				default:
					t.Errorf("%s, %s with %s: want %q, got %q", name, flag, styleName, want, warnings)
				}
			}
		}
	}
}
