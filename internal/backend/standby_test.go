package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestShiftPorts(t *testing.T) {
	type line struct{ Command, Args []string }
	module := []string{"python3", "-m", "dynamo.vllm"}
	cases := map[string]struct {
		reason string
		given  line
		want   line
	}{
		"None": {
			reason: "The default port is written, so that it can be another one.",
			given:  line{module, []string{"--model", "m"}},
			want:   line{module, []string{"--model", "m", "--master-port", "29600"}},
		},
		"Tokens": {
			reason: "Both ports on which the first node listens are shifted, in each spelling, and other numbers are not.",
			given:  line{module, []string{"--master-port", "29500", "--data-parallel-rpc-port=13445", "--port", "29500", "--seed", "29500"}},
			want:   line{module, []string{"--master-port", "29600", "--data-parallel-rpc-port=13545", "--port", "29500", "--seed", "29500"}},
		},
		"Underscores": {
			reason: "Underscores count as dashes, as in vLLM.",
			given:  line{module, []string{"--master_port=4000", "--data_parallel_rpc_port", "5000"}},
			want:   line{module, []string{"--master_port=4100", "--data_parallel_rpc_port", "5100"}},
		},
		"AllInCommand": {
			reason: "A container without args gets them.",
			given:  line{[]string{"python3", "-m", "dynamo.vllm", "--model", "m"}, nil},
			want:   line{[]string{"python3", "-m", "dynamo.vllm", "--model", "m"}, []string{"--master-port", "29600"}},
		},
		"Script": {
			reason: "Args after a script are parameters of the script, so flags are in it.",
			given:  line{[]string{"sh", "-c"}, []string{"python3 -m dynamo.vllm --model m | tee log"}},
			want:   line{[]string{"sh", "-c"}, []string{"python3 -m dynamo.vllm --master-port 29600 --model m | tee log"}},
		},
		"PortsInScript": {
			reason: "Ports in a script are shifted where they are, also in quotes and on the next line.",
			given:  line{[]string{"sh", "-c", "exec python3 -m dynamo.vllm '--master-port' '29500' \\\n --data-parallel-rpc-port \\\n 13445 --seed 29500"}, nil},
			want:   line{[]string{"sh", "-c", "exec python3 -m dynamo.vllm '--master-port' '29600' \\\n --data-parallel-rpc-port \\\n 13545 --seed 29500"}, nil},
		},
		"Variable": {
			reason: "A port that is only known in the pod is not changed.",
			given:  line{module, []string{"--master-port", "$(PORT)"}},
			want:   line{module, []string{"--master-port", "$(PORT)"}},
		},
		"OwnProgram": {
			reason: "A program of the user gets no flags, which it may refuse.",
			given:  line{[]string{"/start.sh"}, []string{"--model", "m"}},
			want:   line{[]string{"/start.sh"}, []string{"--model", "m"}},
		},
		"FlagAtTheEnd": {
			reason: "A flag without a value is not changed.",
			given:  line{module, []string{"--master-port"}},
			want:   line{module, []string{"--master-port", "--master-port", "29600"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &corev1.Container{Command: tc.given.Command, Args: tc.given.Args}
			new(Texts).ShiftPorts(c, v1alpha1.BackendVLLM)
			if diff := cmp.Diff(tc.want, line{c.Command, c.Args}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nShiftPorts(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNoStandby(t *testing.T) {
	const (
		ray = "requires an engine without Ray, because only one of the engines of a pod can start it; set annotation " +
			"nvidia.com/vllm-distributed-executor-backend to mp, and remove what needs Ray from the command, such as --enable-elastic-ep"
		port = "requires --master-port to be a number, because both engines of a pod would listen on the same port; write the number, or remove the flag"
	)
	cases := map[string]struct {
		reason   string
		executor Executor
		nodes    int32
		args     []string
		want     string
	}{
		"OneNode":         {reason: "An engine on one node needs nothing.", nodes: 1, args: []string{"--tensor-parallel-size", "2"}},
		"Nodes":           {reason: "Processes that connect to the leader find it on a port of their own.", nodes: 2, executor: ExecutorMP, args: []string{"--tensor-parallel-size", "4"}},
		"Ray":             {reason: "The heads of two Ray clusters cannot listen on the same ports.", nodes: 2, executor: ExecutorRay, args: []string{"--tensor-parallel-size", "4"}, want: ray},
		"Elastic":         {reason: "Elastic engines run on Ray whatever the executor is.", nodes: 2, executor: ExecutorMP, args: []string{"--enable-elastic-ep"}, want: ray},
		"ElasticOnOne":    {reason: "The only node is the head of a Ray cluster too.", nodes: 1, args: []string{"--enable-elastic-ep", "--data-parallel-backend", "ray"}, want: ray},
		"Variable":        {reason: "A port that is only known in the pod cannot be shifted.", nodes: 2, executor: ExecutorMP, args: []string{"--tensor-parallel-size", "2", "--master-port=$(PORT)"}, want: port},
		"VariableOnOne":   {reason: "On one node nobody listens on the port.", nodes: 1, args: []string{"--master-port=$(PORT)"}},
		"DataParallel":    {reason: "Data-parallel engines have a port that can be shifted.", nodes: 2, executor: ExecutorRay, args: []string{"--data-parallel-size", "4"}},
		"NumberOfTheUser": {reason: "A number of the user can be shifted.", nodes: 2, executor: ExecutorMP, args: []string{"--master-port", "4000"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Settings{Framework: v1alpha1.BackendVLLM, Role: RoleMain, NodeCount: tc.nodes, Executor: tc.executor, GPULimit: 2}
			if tc.nodes > 1 {
				s.Role, s.Hosts = RoleLeader, GroveHosts{Component: "decode"}
			}
			c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.vllm"}, Args: tc.args}
			ConfigureContainer(c, s)
			if diff := cmp.Diff(tc.want, NoStandby(c, s)); diff != "" {
				t.Errorf("%s\nNoStandby(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
