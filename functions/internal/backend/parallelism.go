package backend

import (
	"os"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// Parallelism are the sizes that an engine is started with, each at least 1.
type Parallelism struct {
	// Tensor and Pipeline parallel size of one copy of the model.
	Tensor, Pipeline int64
	// Data is the number of copies. SGLang's attention data parallelism makes none.
	Data int64
}

// WorldSize is the number of GPUs of one copy of the model.
func (p Parallelism) WorldSize() int64 { return p.Tensor * p.Pipeline }

// GPUs is the number of GPUs of all copies.
func (p Parallelism) GPUs() int64 { return p.WorldSize() * p.Data }

// ParseParallelism reads the sizes from a command line in every spelling that the framework takes, also from a script.
// A value that is a variable counts where env has its value; what cannot be read counts as 1.
func ParseParallelism(f v1alpha1.BackendFramework, command, args []string, env ...corev1.EnvVar) Parallelism {
	return readShape(f, &corev1.Container{Command: command, Args: args, Env: env}).parallelism
}

// maxSize keeps the product of three sizes within int64. No engine comes near.
const maxSize = 1 << 20

// sizeFlags are the flags of the sizes, without leading dashes and with dashes for underscores.
type sizeFlags struct{ tensor, pipeline, data []string }

// sizeFlagsOf a framework.
func sizeFlagsOf(f v1alpha1.BackendFramework) sizeFlags {
	switch f {
	case v1alpha1.BackendVLLM:
		// https://docs.vllm.ai/en/latest/configuration/engine_args.html
		return sizeFlags{
			tensor:   []string{"tensor-parallel-size", "tp"},
			pipeline: []string{"pipeline-parallel-size", "pp"},
			data:     []string{"data-parallel-size", "dp"},
		}
	case v1alpha1.BackendSGLang:
		// https://docs.sglang.ai/advanced_features/server_arguments.html; --tp, --pp and --dp are argparse's abbreviations.
		return sizeFlags{
			tensor:   []string{"tensor-parallel-size", "tp-size", "tp"},
			pipeline: []string{"pipeline-parallel-size", "pp-size", "pp"},
			data:     []string{"data-parallel-size", "dp-size", "dp"},
		}
	case v1alpha1.BackendTRTLLM:
		// TensorRT-LLM's attention data parallelism is a switch within the tensor parallel world.
		return sizeFlags{
			tensor:   []string{"tensor-parallel-size", "tp-size", "tp"},
			pipeline: []string{"pipeline-parallel-size", "pp-size", "pp"},
		}
	default:
		return sizeFlags{}
	}
}

// shape is what a command line says about the engine's processes.
type shape struct {
	parallelism Parallelism
	// dataParallelPort that the user chose for vLLM, or "".
	dataParallelPort string
	// unread are flags whose value is no number. The value itself may be a secret that is out of place.
	unread []string
}

func readShape(f v1alpha1.BackendFramework, c *corev1.Container) shape {
	r := shape{parallelism: Parallelism{Tensor: 1, Pipeline: 1, Data: 1}}
	flags := sizeFlagsOf(f)
	line := commandWords(c)
	for i, word := range line {
		name, value, ok := splitFlag(word)
		if !ok && i+1 < len(line) {
			value = line[i+1]
		}
		switch {
		case name == "":
		case slices.Contains(flags.tensor, name):
			r.read(&r.parallelism.Tensor, word, value, c.Env)
		case slices.Contains(flags.pipeline, name):
			r.read(&r.parallelism.Pipeline, word, value, c.Env)
		case slices.Contains(flags.data, name):
			r.read(&r.parallelism.Data, word, value, c.Env)
		case name == "data-parallel-rpc-port":
			r.dataParallelPort = value
		}
	}
	if f == v1alpha1.BackendSGLang && slices.ContainsFunc(line, isAttentionDataParallel) {
		r.parallelism.Data = 1
	}
	return r
}

// read a size into target; of a flag that is given twice the last one counts, as in argparse.
func (r *shape) read(target *int64, word, value string, env []corev1.EnvVar) {
	n, err := strconv.ParseInt(strings.Trim(expandVariables(value, env), ` "')`), 10, 64)
	if err != nil || n < 1 || n > maxSize {
		*target = 1
		r.unread = append(r.unread, strings.TrimSuffix(word, "="+value))
		return
	}
	*target = n
}

// commandWords are the tokens of a command line, and the words of its script.
func commandWords(c *corev1.Container) []string {
	argv := slices.Concat(c.Command, c.Args)
	script := scriptIn(argv)
	if script < 0 {
		return argv
	}
	return slices.Concat(argv[:script], words(argv[script]), argv[script+1:])
}

// splitFlag takes a word like --name=value apart. ok tells whether it holds the value; name is empty for other words.
func splitFlag(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, "=")
	if !strings.HasPrefix(name, "-") {
		return "", "", false
	}
	return strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-"), value, ok
}

func isAttentionDataParallel(word string) bool {
	name, _, _ := splitFlag(word)
	return name == "enable-dp-attention"
}

// expandVariables replaces $(VAR), $VAR and ${VAR} whose value env tells.
func expandVariables(value string, env []corev1.EnvVar) string {
	if !strings.Contains(value, "$") {
		return value
	}
	if inner, ok := strings.CutPrefix(value, "$("); ok {
		value = "${" + strings.TrimSuffix(inner, ")") + "}"
	}
	return os.Expand(value, func(name string) string {
		for _, v := range slices.Backward(env) {
			if v.Name == name {
				return v.Value
			}
		}
		return ""
	})
}
