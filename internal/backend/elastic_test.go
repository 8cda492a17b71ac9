package backend

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestHidesElasticEngine(t *testing.T) {
	hosts := GroveHosts{Component: "decode"}
	leader := Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: hosts, GPULimit: 1}
	alone := Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 1}
	elastic := []string{"--data-parallel-backend", "ray", "--enable-elastic-ep"}
	cases := map[string]struct {
		reason        string
		command, args []string
		settings      Settings
		want          bool
	}{
		"EntryPoint":       {reason: "What an entry point runs is not known.", args: elastic, settings: leader, want: true},
		"EntryPointAlone":  {reason: "It is not known on one node either.", args: elastic, settings: alone, want: true},
		"Command":          {reason: "Any command can be run after Ray.", command: []string{"./start"}, args: elastic, settings: leader},
		"ModuleInArgs":     {reason: "An entry point runs the program in args.", args: append([]string{"python3", "-m", "dynamo.vllm"}, elastic...), settings: leader},
		"StartsRay":        {reason: "A script can start Ray by itself.", args: []string{"sh", "-c", "ray start --head; serve --enable-elastic-ep"}, settings: leader},
		"NotElastic":       {reason: "Ray does not have to run before other engines.", args: []string{"--data-parallel-backend", "ray"}, settings: alone},
		"NotOnRay":         {reason: "An engine of one node only grows on Ray.", args: []string{"--enable-elastic-ep"}, settings: alone},
		"LargerThanANode":  {reason: "An engine that spans the nodes is not run by Ray alone.", args: append([]string{"-tp", "2"}, elastic...), settings: leader},
		"AnotherFramework": {reason: "Only vLLM has these flags.", args: elastic, settings: Settings{Framework: "sglang", Role: RoleMain, NodeCount: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := HidesElasticEngine(&corev1.Container{Command: tc.command, Args: tc.args}, tc.settings); got != tc.want {
				t.Errorf("%s\nHidesElasticEngine(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
