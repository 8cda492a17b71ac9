package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestCertainParallelism(t *testing.T) {
	type want struct {
		Parallelism Parallelism
		OK          bool
	}
	is := func(tensor, pipeline, data int64) want {
		return want{Parallelism: Parallelism{Tensor: tensor, Pipeline: pipeline, Data: data}, OK: true}
	}
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		env       []corev1.EnvVar
		argv      []string
		want      want
	}{
		"Tokens":          {reason: "The sizes of an engine that runs by itself are read.", framework: "vllm", argv: []string{"python3", "-m", "dynamo.vllm", "--tensor-parallel-size", "8", "-dp", "2"}, want: is(8, 1, 2)},
		"Script":          {reason: "The sizes of an engine that a script runs are read.", framework: "sglang", argv: []string{"sh", "-c", "exec python3 -m dynamo.sglang --tp 4 --pp 2"}, want: is(4, 2, 1)},
		"Defaults":        {reason: "Without sizes an engine of vLLM has one GPU.", framework: "vllm", argv: []string{"python3", "-m", "dynamo.vllm"}, want: is(1, 1, 1)},
		"Variable":        {reason: "A variable of the container has a value.", framework: "vllm", env: []corev1.EnvVar{{Name: "TP", Value: "4"}}, argv: []string{"python3", "-m", "dynamo.vllm", "-tp", "$(TP)"}, want: is(4, 1, 1)},
		"OtherVariable":   {reason: "A variable that is set elsewhere may have any value.", framework: "vllm", argv: []string{"python3", "-m", "dynamo.vllm", "-tp", "$(TP)"}, want: want{Parallelism: Parallelism{Tensor: 1, Pipeline: 1, Data: 1}}},
		"Twice":           {reason: "Two engines share the GPUs.", framework: "vllm", argv: []string{"sh", "-c", "python3 -m dynamo.vllm & python3 -m dynamo.vllm"}},
		"SomeOfTheGPUs":   {reason: "A script that hands out GPUs runs more than one engine.", framework: "vllm", argv: []string{"sh", "-c", "for i in 0 1; do CUDA_VISIBLE_DEVICES=$i python3 -m dynamo.vllm & done; wait"}},
		"VisibleDevices":  {reason: "The user leaves the engine some of the GPUs.", framework: "vllm", env: []corev1.EnvVar{{Name: "CUDA_VISIBLE_DEVICES", Value: "0"}}, argv: []string{"python3", "-m", "dynamo.vllm"}},
		"VisibleToScript": {reason: "The user leaves an engine that a script runs some of the GPUs.", framework: "vllm", env: []corev1.EnvVar{{Name: "CUDA_VISIBLE_DEVICES", Value: "0"}}, argv: []string{"sh", "-c", "python3 -m dynamo.vllm"}},
		"OtherProgram":    {reason: "Nobody knows what another program does with its arguments.", framework: "vllm", argv: []string{"python3", "main.py", "--tensor-parallel-size", "8"}},
		"File":            {reason: "A file may set other sizes.", framework: "vllm", argv: []string{"python3", "-m", "dynamo.vllm", "--tensor-parallel-size=8", "--config=f"}},
		"OneOfSeveral":    {reason: "The flags are about one process of several.", framework: "vllm", argv: []string{"python3", "-m", "dynamo.vllm", "-dp", "16", "--data-parallel-size-local", "8"}},
		"TRTLLM":          {reason: "The size of a TensorRT-LLM engine is taken from its command line.", framework: "trtllm", argv: []string{"python3", "-m", "dynamo.trtllm", "--tensor-parallel-size", "8"}, want: is(8, 1, 1)},
		"TRTLLMWithout":   {reason: "Variables of the image may set the sizes of a TensorRT-LLM engine.", framework: "trtllm", argv: []string{"python3", "-m", "dynamo.trtllm"}},
		"TRTLLMWithFile":  {reason: "A file of options counts more than the command line.", framework: "trtllm", argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "8", "--extra-engine-args", "f"}},
		"Nothing":         {reason: "Without a command line nothing runs.", framework: "vllm"},
		"NoFramework":     {reason: "Without a framework there is no engine.", argv: []string{"python3", "-m", "dynamo.vllm"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, ok := new(Texts).CertainParallelism(tc.framework, &corev1.Container{Command: tc.argv, Env: tc.env})
			if diff := cmp.Diff(tc.want, want{Parallelism: p, OK: ok}); diff != "" {
				t.Errorf("%s\nCertainParallelism(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestClaimedGPUs(t *testing.T) {
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		args      []string
		nodes     int64
		noClaim   bool
		want      int64
	}{
		"Tensor":    {reason: "The ranks of an engine fill its nodes.", framework: "vllm", args: []string{"-tp", "16"}, nodes: 2, want: 8},
		"Pipeline":  {reason: "The stages of an engine are ranks, too.", framework: "trtllm", args: []string{"--tp", "4", "--pp", "3"}, nodes: 3, want: 4},
		"Data":      {reason: "Each node has whole engines.", framework: "vllm", args: []string{"-tp", "4", "-dp", "4"}, nodes: 2, want: 8},
		"DataRanks": {reason: "Each engine has several nodes.", framework: "vllm", args: []string{"-tp", "16", "-dp", "2"}, nodes: 4, want: 8},
		"Rest":      {reason: "Ranks that do not fill the nodes do not say what a node has.", framework: "vllm", args: []string{"-tp", "3"}, nodes: 2},
		"Parts":     {reason: "No engine is split so that a node has one and a half.", framework: "vllm", args: []string{"-tp", "8", "-dp", "3"}, nodes: 2},
		"OneNode":   {reason: "The engine of one node needs no number.", framework: "vllm", args: []string{"-tp", "8"}, nodes: 1},
		"NoSizes":   {reason: "One rank does not fill two nodes.", framework: "vllm", nodes: 2},
		"Unread":    {reason: "A size that is not known is no size.", framework: "vllm", args: []string{"-tp", "16", "-pp", "$PP"}, nodes: 2},
		"NoClaim":   {reason: "A pod without a claim has no GPUs.", framework: "vllm", args: []string{"-tp", "16"}, nodes: 2, noClaim: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &corev1.Container{Command: []string{"python3", "-m", "dynamo." + string(tc.framework)}, Args: tc.args}
			if !tc.noClaim {
				c.Resources.Claims = []corev1.ResourceClaim{{Name: "gpus"}}
			}
			if got := new(Texts).ClaimedGPUs(tc.framework, c, tc.nodes); got != tc.want {
				t.Errorf("%s\nClaimedGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestIdleGPUs(t *testing.T) {
	cases := map[string]struct {
		reason   string
		settings Settings
		argv     []string
		want     int64
	}{
		"None":      {reason: "The engine takes all GPUs, and leaves none.", settings: Settings{Framework: "sglang", NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.sglang", "--tp", "16"}},
		"Some":      {reason: "The engine takes half of the GPUs, and leaves the others.", settings: Settings{Framework: "sglang", NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.sglang", "--tp", "8"}, want: 8},
		"OneNode":   {reason: "The engine on one node leaves the GPUs that it does not take.", settings: Settings{Framework: "vllm", NodeCount: 1, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.vllm"}, want: 7},
		"OneOfTwo":  {reason: "An engine of one GPU may leave one.", settings: Settings{Framework: "vllm", NodeCount: 1, GPULimit: 2}, argv: []string{"python3", "-m", "dynamo.vllm"}, want: 1},
		"OnlyGPU":   {reason: "An engine takes at least one GPU.", settings: Settings{Framework: "vllm", NodeCount: 1, GPULimit: 1}, argv: []string{"python3", "-m", "dynamo.vllm"}},
		"Request":   {reason: "A request counts without a limit.", settings: Settings{Framework: "trtllm", NodeCount: 1, GPURequest: 4}, argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "2"}, want: 2},
		"World":     {reason: "An engine over some of the nodes leaves the others.", settings: Settings{Framework: "vllm", NodeCount: 4, GPULimit: 4}, argv: []string{"python3", "-m", "dynamo.vllm", "-tp", "8"}, want: 8},
		"NotJoined": {reason: "That the nodes are not one engine has a warning of its own.", settings: Settings{Framework: "vllm", NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.vllm", "-tp", "8"}},
		"NotFilled": {reason: "Data-parallel engines that do not fill the nodes have a warning of their own.", settings: Settings{Framework: "vllm", NodeCount: 4, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.vllm", "-dp", "16"}},
		"NotKnown":  {reason: "A configuration file may set other sizes than the command line.", settings: Settings{Framework: "sglang", NodeCount: 1, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.sglang", "--config", "f"}},
		"TooMany":   {reason: "An engine that takes more GPUs than there are leaves none.", settings: Settings{Framework: "sglang", NodeCount: 1, GPULimit: 1}, argv: []string{"python3", "-m", "dynamo.sglang", "--tp", "2"}},
		"NoGPUs":    {reason: "GPUs that come through a claim have no number here.", settings: Settings{Framework: "sglang", NodeCount: 1}, argv: []string{"python3", "-m", "dynamo.sglang"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IdleGPUs(&corev1.Container{Command: tc.argv}, tc.settings); got != tc.want {
				t.Errorf("%s\nIdleGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestRanks(t *testing.T) {
	cases := map[string]struct {
		reason   string
		settings Settings
		argv     []string
		want     int64
	}{
		"All":     {reason: "Each GPU has a rank.", settings: Settings{Framework: v1alpha1.BackendTRTLLM, NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "8", "--pp-size", "2"}, want: 16},
		"Sizes":   {reason: "The engine refuses more ranks than its sizes need.", settings: Settings{Framework: v1alpha1.BackendTRTLLM, NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "8"}, want: 8},
		"File":    {reason: "Sizes of a file are not read, and are taken to need all GPUs.", settings: Settings{Framework: v1alpha1.BackendTRTLLM, NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "8", "--extra-engine-args", "f"}, want: 16},
		"TooMany": {reason: "There are no more ranks than GPUs.", settings: Settings{Framework: v1alpha1.BackendTRTLLM, NodeCount: 2, GPULimit: 8}, argv: []string{"python3", "-m", "dynamo.trtllm", "--tp-size", "32"}, want: 16},
		"NoGPUs":  {reason: "Without GPUs each node has one.", settings: Settings{Framework: v1alpha1.BackendTRTLLM, NodeCount: 3}, argv: []string{"python3", "-m", "dynamo.trtllm"}, want: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Ranks(&corev1.Container{Command: tc.argv}, tc.settings); got != tc.want {
				t.Errorf("%s\nRanks(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
