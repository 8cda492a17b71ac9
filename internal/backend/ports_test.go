package backend

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// TestPortFor shows where a port is read: in flags and variables, in all spellings, and that what is not in the graph is not known.
func TestPortFor(t *testing.T) {
	secret := corev1.EnvVar{Name: "P", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k"}}}
	script := func(text string) corev1.Container {
		return corev1.Container{Command: []string{"/bin/bash", "-c"}, Args: []string{text}}
	}
	cases := map[string]struct {
		reason    string
		purpose   Purpose
		container corev1.Container
		want      Port
		none      bool
	}{
		"None":        {reason: "Nothing says it.", purpose: HTTP, container: script("exec python3 -m dynamo.frontend --http-host ::"), none: true},
		"Flag":        {reason: "A flag has its value after it.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port", "8080"}}, want: Port{Purpose: HTTP, Number: 8080, Place: "--http-port"}},
		"Last":        {reason: "The last flag counts, however it is spelled.", purpose: DataParallel, container: script("x --data-parallel-rpc-port=1 --data_parallel_rpc_port 2 -dpp 3"), want: Port{Purpose: DataParallel, Number: 3, Place: "-dpp"}},
		"Cut":         {reason: "A flag may be cut where no other one begins alike.", purpose: Rendezvous, container: script("x --master-po 29600 --master-addr a --master 1"), want: Port{Purpose: Rendezvous, Number: 29600, Place: "--master-po"}},
		"Address":     {reason: "The port is the end of an address, whose host need not be known.", purpose: Rendezvous, container: script(`x --dist-init-addr "$HOST:29600"`), want: Port{Purpose: Rendezvous, Number: 29600, Place: "--dist-init-addr"}},
		"PortOfHost":  {reason: "The port of an address may be a variable.", purpose: Rendezvous, container: corev1.Container{Args: []string{"--dist-init-addr", "$(HOST):$(P)"}, Env: []corev1.EnvVar{{Name: "P", Value: "29600"}}}, want: Port{Purpose: Rendezvous, Number: 29600, Place: "--dist-init-addr"}},
		"Subshell":    {reason: "A parenthesis ends a value.", purpose: Rendezvous, container: script("(exec x --master-port 29600)"), want: Port{Purpose: Rendezvous, Number: 29600, Place: "--master-port"}},
		"Substring":   {reason: "A colon within an expansion is not before a port.", purpose: Rendezvous, container: script(`x --dist-init-addr "${HOST:29600}"`), want: Port{Purpose: Rendezvous, Place: "--dist-init-addr"}},
		"KnownHost":   {reason: "The port is known if the address is.", purpose: Rendezvous, container: script("x --nccl-init-addr=host:29600"), want: Port{Purpose: Rendezvous, Number: 29600, Place: "--nccl-init-addr"}},
		"Cut off":     {reason: "A flag without a value says nothing.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port"}}, none: true},
		"Variable":    {reason: "The last variable of a name counts.", purpose: System, container: corev1.Container{Env: []corev1.EnvVar{{Name: "DYN_SYSTEM_PORT", Value: "1"}, {Name: "DYN_SYSTEM_PORT", Value: "8181"}}}, want: Port{Purpose: System, Number: 8181, Place: "variable DYN_SYSTEM_PORT"}},
		"FlagFirst":   {reason: "A flag overrides a variable.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port=8080"}, Env: []corev1.EnvVar{{Name: "DYN_HTTP_PORT", Value: "1"}}}, want: Port{Purpose: HTTP, Number: 8080, Place: "--http-port"}},
		"Assigned":    {reason: "A script sets a variable.", purpose: HTTP, container: script("export DYN_HTTP_PORT=$((8000 + 80))\npython3 -m dynamo.frontend"), want: Port{Purpose: HTTP, Place: "variable DYN_HTTP_PORT"}},
		"Exported":    {reason: "A script sets a variable to a number.", purpose: HTTP, container: script("DYN_HTTP_PORT=8080 python3 -m dynamo.frontend"), want: Port{Purpose: HTTP, Number: 8080, Place: "variable DYN_HTTP_PORT"}},
		"Otherwise":   {reason: "A shell takes what a variable is otherwise.", purpose: HTTP, container: script("x --http-port ${P:-8080}"), want: Port{Purpose: HTTP, Number: 8080, Place: "--http-port"}},
		"Kubelet":     {reason: "The kubelet expands a variable of the container.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port=$(P)"}, Env: []corev1.EnvVar{{Name: "P", Value: "8080"}}}, want: Port{Purpose: HTTP, Number: 8080, Place: "--http-port"}},
		"Secret":      {reason: "A value in a Secret is not known, whatever it is otherwise.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port=${P:-8080}"}, Env: []corev1.EnvVar{secret}}, want: Port{Purpose: HTTP, Place: "--http-port"}},
		"FromSecret":  {reason: "A variable may come from a Secret.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port=${P:-8080}"}, EnvFrom: []corev1.EnvFromSource{{}}}, want: Port{Purpose: HTTP, Place: "--http-port"}},
		"File":        {reason: "The content of a file is not known.", purpose: HTTP, container: script("x --http-port $(cat /etc/port)"), want: Port{Purpose: HTTP, Place: "--http-port"}},
		"NoPort":      {reason: "A text that is no port is said to be none.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port", "70000"}}, want: Port{Purpose: HTTP, Place: "--http-port", IsText: true}},
		"Circle":      {reason: "Variables that refer to each other have no value.", purpose: HTTP, container: corev1.Container{Args: []string{"--http-port", "$A"}, Env: []corev1.EnvVar{{Name: "A", Value: "$B"}, {Name: "B", Value: "$A"}}}, want: Port{Purpose: HTTP, Place: "--http-port"}},
		"PassedOn":    {reason: "Flags after the parameters of a script come last.", purpose: Rendezvous, container: corev1.Container{Command: []string{"sh", "-c"}, Args: []string{`exec "$@" --master-port 29500`, "sh", "x", "--master-port=29600"}}, want: Port{Purpose: Rendezvous, Number: 29500, Place: "--master-port"}},
		"Ray":         {reason: "Only the flag of the head is its port.", purpose: Ray, container: script("ray start --head \\\n --port=\"6380\" --block & exec python3 -m x --port 1"), want: Port{Purpose: Ray, Number: 6380, Place: "--port"}},
		"RayNode":     {reason: "A node joins at the port of its head.", purpose: Ray, container: script("ray start --address=h:6379 --port 1; x --head"), none: true},
		"PickerOfOld": {reason: "Flags of early pickers have one dash.", purpose: Picks, container: corev1.Container{Args: []string{"-grpc-port", "9102"}}, want: Port{Purpose: Picks, Number: 9102, Place: "-grpc-port"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, given := (&Texts{}).PortFor(tc.purpose, &tc.container)
			if given == tc.none {
				t.Errorf("%s\nPortFor(...): want it given: %t, got %+v", tc.reason, !tc.none, got)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(Port{})); diff != "" {
				t.Errorf("%s\nPortFor(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzPortFor shows that no value stops the functions, and that a port that is known is one.
func FuzzPortFor(f *testing.F) {
	for _, seed := range []string{"8080", "$P", "${P:-1}", "$((1+2))", "`x`", "${!P*}", "$(P)", "${P@Q}", "<(x)", "$'\\x'", strings.Repeat("$P", 100)} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, value, variable string) {
		c := &corev1.Container{Command: []string{"sh", "-c"}, Args: []string{"P=" + value + "\nexec x --http-port " + value}, Env: []corev1.EnvVar{{Name: "P", Value: variable}}}
		if port, _ := (&Texts{}).PortFor(HTTP, c); port.Number < 0 || port.Number > 0xffff {
			t.Errorf("%d is no port", port.Number)
		}
	})
}

// TestRegisters shows which nodes get requests.
func TestRegisters(t *testing.T) {
	cases := map[string]struct {
		reason    string
		framework string
		role      Role
		line      string
		want      bool
	}{
		"Leader":     {reason: "The first node is a worker of Dynamo.", framework: "vllm", role: RoleLeader, line: "python3 -m dynamo.vllm --nnodes 2 --node-rank 0", want: true},
		"Headless":   {reason: "The others only compute.", framework: "vllm", role: RoleWorker, line: "python3 -m dynamo.vllm --nnodes 2 --node-rank 1 --headless"},
		"Hybrid":     {reason: "Each node has engines that get requests.", framework: "vllm", role: RoleWorker, line: "python3 -m dynamo.vllm --data-parallel-hybrid-lb --data-parallel-start-rank 8", want: true},
		"External":   {reason: "Each rank gets requests.", framework: "vllm", role: RoleWorker, line: "python3 -m dynamo.vllm -dpe --node-rank 1 --nnodes 2", want: true},
		"Ray":        {reason: "Ray runs ranks of the first node.", framework: "vllm", role: RoleWorker, line: "ray start --address=a:6379 --block"},
		"SGLang":     {reason: "Only the first node has a tokenizer.", framework: "sglang", role: RoleWorker, line: "python3 -m dynamo.sglang --nnodes 2 --node-rank 1"},
		"Attention":  {reason: "With data-parallel attention too.", framework: "sglang", role: RoleWorker, line: "python3 -m dynamo.sglang --enable-dp-attention --dp 16 --nnodes 2 --node-rank 1"},
		"TRTLLM":     {reason: "The other nodes wait for ranks.", framework: "trtllm", role: RoleWorker, line: "/usr/sbin/sshd -D"},
		"Mocker":     {reason: "A program that does not span nodes runs on each.", role: RoleWorker, line: "python3 -m dynamo.mocker", want: true},
		"Own":        {reason: "Nothing says what a program of the user does.", role: RoleWorker, line: "serve"},
		"Weights":    {reason: "A weight server is no worker.", framework: "vllm", role: RoleWeights, line: "python3 -m dynamo.vllm"},
		"OneOfNodes": {reason: "Engines that do not know of each other are workers of their own.", framework: "vllm", role: RoleWorker, line: "python3 -m dynamo.vllm -tp 4", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &corev1.Container{Command: strings.Fields(tc.line)}
			if got := (&Texts{}).Registers(c, v1alpha1.BackendFramework(tc.framework), tc.role); got != tc.want {
				t.Errorf("%s\nRegisters(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
