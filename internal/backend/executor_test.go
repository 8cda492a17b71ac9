package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestExecutorNamedBy(t *testing.T) {
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	script := func(text string) []string { return []string{"sh", "-c", text} }
	cases := map[string]struct {
		reason        string
		command, args []string
		want          Executor
		text          string
	}{
		"None":            {reason: "Most commands name no executor.", command: vllm, args: []string{"--tensor-parallel-size", "16"}},
		"NoCommand":       {reason: "A container without a command names none either."},
		"MP":              {reason: "The flag names it.", command: vllm, args: []string{"--distributed-executor-backend", "mp"}, want: ExecutorMP, text: "--distributed-executor-backend mp"},
		"Ray":             {reason: "The flag may name Ray.", command: vllm, args: []string{"--distributed-executor-backend=ray"}, want: ExecutorRay, text: "--distributed-executor-backend ray"},
		"Underscores":     {reason: "Underscores are taken for dashes.", command: vllm, args: []string{"--distributed_executor_backend", "ray"}, want: ExecutorRay, text: "--distributed-executor-backend ray"},
		"Last":            {reason: "The last of several flags counts.", command: vllm, args: []string{"--distributed-executor-backend=ray", "--distributed-executor-backend=mp"}, want: ExecutorMP, text: "--distributed-executor-backend mp"},
		"Variable":        {reason: "A reference to a variable has its value.", command: vllm, args: []string{"--distributed-executor-backend", "$(BACKEND)"}, want: ExecutorRay, text: "--distributed-executor-backend ray"},
		"Other":           {reason: "Every other executor does without Ray.", command: vllm, args: []string{"--distributed-executor-backend", "external_launcher"}, want: ExecutorMP, text: "--distributed-executor-backend"},
		"Nodes":           {reason: "Only processes of vLLM are told the number of nodes.", command: vllm, args: []string{"--nnodes", "2"}, want: ExecutorMP, text: "--nnodes"},
		"NodesShort":      {reason: "The flag has a short form.", command: vllm, args: []string{"-n", "2"}, want: ExecutorMP, text: "-n"},
		"NodeRank":        {reason: "The same goes for the rank.", command: vllm, args: []string{"--node-rank=0"}, want: ExecutorMP, text: "--node-rank"},
		"FlagBeforeNodes": {reason: "The executor counts, not what it makes of the number of nodes.", command: vllm, args: []string{"--nnodes=2", "--distributed-executor-backend=ray"}, want: ExecutorRay, text: "--distributed-executor-backend ray"},
		"Script":          {reason: "Flags in a script count.", command: script("exec python3 -m dynamo.vllm --nnodes 2"), want: ExecutorMP, text: "--nnodes"},
		"ScriptShort":     {reason: "Short flags in a script may be those of another program.", command: script("echo -n start; exec python3 -m dynamo.vllm")},
		"StartsRay":       {reason: "A script may start Ray by itself.", command: script("ray start --head && python3 -m dynamo.vllm"), want: ExecutorRay, text: "ray start"},
		"StartsBoth":      {reason: "The flag says more than what else is started.", command: script("ray start --head; python3 -m dynamo.vllm --distributed-executor-backend mp"), want: ExecutorMP, text: "--distributed-executor-backend mp"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, text := (&Texts{}).ExecutorNamedBy(&corev1.Container{Command: tc.command, Args: tc.args, Env: []corev1.EnvVar{{Name: "BACKEND", Value: "ray"}}})
			if got != tc.want || text != tc.text {
				t.Errorf("%s\nExecutorNamedBy(...): want %q from %q, got %q from %q", tc.reason, tc.want, tc.text, got, text)
			}
		})
	}
}

// TestUsesRay configures nodes, and shows what of them needs Ray.
func TestUsesRay(t *testing.T) {
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	over := Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: GroveHosts{Component: "s"}, GPULimit: 8}
	with := func(e Executor) Settings {
		s := over
		s.Executor = e
		return s
	}
	worker := with(ExecutorRay)
	worker.Role = RoleWorker
	alone := Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 8}
	cases := map[string]struct {
		reason        string
		command, args []string
		settings      Settings
		want          RayUse
	}{
		"Ray":          {reason: "The leader starts the head.", command: vllm, args: []string{"-tp", "16"}, settings: with(ExecutorRay), want: RayUse{Needed: true}},
		"Worker":       {reason: "A worker joins it.", command: vllm, args: []string{"-tp", "16"}, settings: worker, want: RayUse{Needed: true}},
		"MP":           {reason: "Processes need no Ray.", command: vllm, args: []string{"-tp", "16"}, settings: with(ExecutorMP)},
		"DataParallel": {reason: "Data-parallel engines are processes with either executor.", command: vllm, args: []string{"-dp", "16"}, settings: with(ExecutorRay)},
		"DataOnRay":    {reason: "The user may run them on Ray.", command: vllm, args: []string{"-dp", "16", "-dpb", "ray"}, settings: with(ExecutorMP), want: RayUse{Needed: true, Text: "--data-parallel-backend ray"}},
		"Elastic":      {reason: "Elastic engines only run on Ray.", command: vllm, args: []string{"--enable-elastic-ep"}, settings: with(ExecutorMP), want: RayUse{Needed: true, Text: "--enable-elastic-ep"}},
		"ElasticAlone": {reason: "On one node, they only do so if the user says it.", command: vllm, args: []string{"--enable-elastic-ep"}, settings: alone},
		"FlagAlone":    {reason: "One node may run on Ray too.", command: vllm, args: []string{"--distributed-executor-backend", "ray"}, settings: alone, want: RayUse{Needed: true, Text: "--distributed-executor-backend ray"}},
		"Script":       {reason: "A script may start it.", command: []string{"sh", "-c", "ray start --head && ./serve"}, settings: with(ExecutorRay), want: RayUse{Needed: true, Text: "ray start"}},
		"Other":        {reason: "Of other engines, nothing is known.", command: []string{"sh", "-c", "ray start --head && ./serve"}, settings: Settings{Role: RoleMain, NodeCount: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := &corev1.Container{Command: tc.command, Args: tc.args}
			configured := own.DeepCopy()
			ConfigureContainer(configured, tc.settings)
			if diff := cmp.Diff(tc.want, UsesRay(own, configured, tc.settings)); diff != "" {
				t.Errorf("%s\nUsesRay(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOwnRay shows that a command that starts Ray by itself stays as it is, on all nodes.
func TestOwnRay(t *testing.T) {
	own := &corev1.Container{Command: []string{"bash", "-c", `if [ "$LWS_WORKER_INDEX" = 0 ]; then ray start --head && python3 -m dynamo.vllm -tp 16; else ray start --address=$LWS_LEADER_ADDRESS:6379 --block; fi`}}
	for _, role := range []Role{RoleLeader, RoleWorker} {
		configured := own.DeepCopy()
		warnings := ConfigureContainer(configured, Settings{Framework: "vllm", Role: role, NodeCount: 2, Hosts: LWSHosts{}, GPULimit: 8, Executor: ExecutorRay})
		if diff := cmp.Diff(own, configured); diff != "" || len(warnings) > 0 {
			t.Errorf("%s: -own, +configured:\n%s\nwarnings: %v", role, diff, warnings)
		}
	}
}
