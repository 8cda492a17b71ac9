package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestParseParallelism(t *testing.T) {
	one := Parallelism{Tensor: 1, Pipeline: 1, Data: 1}
	cases := map[string]struct {
		reason        string
		framework     v1alpha1.BackendFramework
		command, args []string
		env           []corev1.EnvVar
		want          Parallelism
	}{
		"Default":       {reason: "A size that is not given is 1.", framework: "vllm", command: []string{"python3", "-m", "dynamo.vllm"}, want: one},
		"NoFramework":   {reason: "Without a framework no flag has a meaning.", args: []string{"--tensor-parallel-size", "8"}, want: one},
		"Long":          {reason: "The long flags have their value as the next token.", framework: "vllm", args: []string{"--tensor-parallel-size", "8", "--pipeline-parallel-size", "2", "--data-parallel-size", "4"}, want: Parallelism{8, 2, 4}},
		"LongEqual":     {reason: "The long flags may have their value after an equals sign.", framework: "vllm", args: []string{"--tensor-parallel-size=8", "--pipeline-parallel-size=2", "--data-parallel-size=4"}, want: Parallelism{8, 2, 4}},
		"Underscores":   {reason: "Underscores are dashes in the flags of vLLM.", framework: "vllm", args: []string{"--tensor_parallel_size", "8", "--data_parallel_size=2"}, want: Parallelism{8, 1, 2}},
		"VLLMShort":     {reason: "The short flags of vLLM have one dash.", framework: "vllm", args: []string{"-tp", "8", "-pp=2", "-dp", "3"}, want: Parallelism{8, 2, 3}},
		"VLLMOther":     {reason: "A flag that only begins alike is another one.", framework: "vllm", args: []string{"--data-parallel-size-local", "8", "--tp-size", "4"}, want: one},
		"SGLangShort":   {reason: "SGLang has shorter flags.", framework: "sglang", args: []string{"--tp-size", "8", "--pp-size=2", "--dp-size", "3"}, want: Parallelism{8, 2, 3}},
		"SGLangShorter": {reason: "A unique beginning of a flag is enough for argparse.", framework: "sglang", args: []string{"--tp", "16", "--pp=2", "--dp", "2"}, want: Parallelism{16, 2, 2}},
		"SGLangAttention": {
			reason: "Attention data parallelism shares the GPUs of the tensor parallel world.", framework: "sglang",
			args: []string{"--tp", "16", "--dp", "16", "--enable-dp-attention"}, want: Parallelism{16, 1, 1},
		},
		"TRTLLM":      {reason: "TensorRT-LLM has flags of its own, and no data parallelism.", framework: "trtllm", args: []string{"--tensor-parallel-size", "4", "--pp_size=2", "--data-parallel-size", "4"}, want: Parallelism{4, 2, 1}},
		"LastWins":    {reason: "The last value of a flag is the one that argparse keeps.", framework: "vllm", args: []string{"-tp", "8", "--tensor-parallel-size", "4"}, want: Parallelism{4, 1, 1}},
		"InCommand":   {reason: "The flags may be in command.", framework: "vllm", command: []string{"python3", "-m", "dynamo.vllm", "-tp", "8"}, want: Parallelism{8, 1, 1}},
		"Script":      {reason: "The flags may be in a script.", framework: "vllm", command: []string{"/bin/sh", "-c"}, args: []string{"# -tp 4 isn't it\nexec python3 -m dynamo.vllm \\\n  --tensor-parallel-size 8 \\\n  -dp \"2\"; true"}, want: Parallelism{8, 1, 2}},
		"InnerScript": {reason: "The flags may be in a script in a script.", framework: "vllm", command: []string{"bash", "-lc"}, args: []string{`nice bash -c "python3 -m dynamo.vllm -tp '8'"`}, want: Parallelism{8, 1, 1}},
		"Subshell":    {reason: "A parenthesis ends a value.", framework: "vllm", command: []string{"bash", "-c"}, args: []string{"(python3 -m dynamo.vllm -tp 8)"}, want: Parallelism{8, 1, 1}},
		"Variable": {
			reason: "A variable counts where the container's env has its value.", framework: "vllm", command: []string{"sh", "-c"},
			args: []string{`python3 -m dynamo.vllm -tp "${TP}" -pp $PP --data-parallel-size=$(DP)`},
			env:  []corev1.EnvVar{{Name: "TP", Value: "8"}, {Name: "PP", Value: "2"}, {Name: "DP", Value: "4"}}, want: Parallelism{8, 2, 4},
		},
		"References": {
			reason: "Text with a reference in it makes no size, and to expand many would multiply what the user wrote.", framework: "vllm",
			args: []string{"-tp", "$A$A", "-pp", "1$(A)", "-dp=${A}0"}, env: []corev1.EnvVar{{Name: "A", Value: "2"}}, want: one,
		},
		"SubshellVariable": {
			reason: "A parenthesis ends a reference, too.", framework: "vllm", command: []string{"sh", "-c"},
			args: []string{`(python3 -m dynamo.vllm -pp $(PP) -tp $TP)`},
			env:  []corev1.EnvVar{{Name: "TP", Value: "8"}, {Name: "PP", Value: "2"}}, want: Parallelism{8, 2, 1},
		},
		"VariableTwice": {
			reason: "The last value of a variable that is set twice counts.", framework: "vllm", args: []string{"-tp", "$(TP)"},
			env: []corev1.EnvVar{{Name: "TP", Value: "8"}, {Name: "TP", Value: "4"}}, want: Parallelism{4, 1, 1},
		},
		"UnknownVariable": {reason: "A value that cannot be read counts as 1.", framework: "vllm", args: []string{"-tp", "$(TP)", "-dp", "x"}, want: one},
		"NoValue":         {reason: "A flag at the end without a value counts as 1.", framework: "vllm", args: []string{"--model", "m", "-tp"}, want: one},
		"Zero":            {reason: "Sizes start at 1.", framework: "vllm", args: []string{"-tp", "0", "-dp", "-4"}, want: one},
		"Huge":            {reason: "A size that would overflow is not taken.", framework: "vllm", args: []string{"-tp", "9223372036854775807"}, want: one},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := new(Texts).ParseParallelism(tc.framework, tc.command, tc.args, tc.env...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nParseParallelism(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestParallelismGPUs(t *testing.T) {
	p := Parallelism{Tensor: maxSize, Pipeline: maxSize, Data: maxSize}
	if p.WorldSize() != 1<<40 || p.GPUs() != 1<<60 {
		t.Errorf("the largest sizes overflow: world %d, GPUs %d", p.WorldSize(), p.GPUs())
	}
}
