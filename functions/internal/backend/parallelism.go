package backend

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
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

// shape is what a command line says about the engine's processes.
type shape struct {
	parallelism Parallelism
	// dataParallelPort that the user chose for vLLM, or "".
	dataParallelPort string
	// sized says that a flag gives the tensor or the pipeline parallel size.
	sized bool
	// elastic says that vLLM changes the data-parallel size while it runs, and onRay that it runs data-parallel engines on Ray.
	elastic, onRay bool
	// unread is the first flag of a size whose value is not a number, or "". The value itself may be a misplaced secret.
	unread string
}

func readShape(f v1alpha1.BackendFramework, c *corev1.Container) shape {
	given := readFlags(f, c)
	r := shape{
		dataParallelPort: given.port.value, elastic: given.elastic, onRay: given.dataBackend.value == "ray",
		sized: given.tensor.name != "" || given.pipeline.name != "",
	}
	r.parallelism = Parallelism{
		Tensor:   r.size(given.tensor, c.Env),
		Pipeline: r.size(given.pipeline, c.Env),
		Data:     r.size(given.data, c.Env),
	}
	if given.attention {
		r.parallelism.Data = 1
	}
	return r
}

// size that a flag gives, 1 where it gives none.
func (r *shape) size(given givenFlag, env []corev1.EnvVar) int64 {
	if given.name == "" {
		return 1
	}
	value := strings.Trim(expandReference(strings.Trim(given.value, ` "'`), env), ` "')`)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > maxSize {
		r.unread = cmp.Or(r.unread, given.name)
		return 1
	}
	return n
}

// givenFlag is a flag as it is written, and its value. Neither is there when it is not given.
type givenFlag struct{ name, value string }

// givenFlags are the flags of a command line that decide about the engine's processes.
type givenFlags struct {
	tensor, pipeline, data, port, dataBackend givenFlag
	// attention says that the attention alone is data-parallel.
	attention bool
	// elastic says that the data-parallel size changes.
	elastic bool
}

// readFlags of a command line. Of a flag that is given twice the last one counts, as in argparse.
func readFlags(f v1alpha1.BackendFramework, c *corev1.Container) *givenFlags {
	all, flags := &givenFlags{}, engine.Of(f).Sizes
	var open *givenFlag // Its value is the next word.
	for word := range commandWords(c) {
		if open != nil {
			open.value = word
		}
		name, value, ok := splitFlag(word)
		all.attention = all.attention || name != "" && name == flags.Attention
		all.elastic = all.elastic || name == elasticFlag
		if open = all.flag(flags, name); open == nil {
			continue
		}
		written, _, _ := strings.Cut(word, "=")
		*open = givenFlag{name: written, value: value}
		if ok {
			open = nil
		}
	}
	return all
}

// flag of a name, nil for those that decide nothing.
func (g *givenFlags) flag(flags engine.Sizes, name string) *givenFlag {
	switch {
	case name == "":
		return nil
	case slices.Contains(flags.Tensor, name):
		return &g.tensor
	case slices.Contains(flags.Pipeline, name):
		return &g.pipeline
	case slices.Contains(flags.Data, name):
		return &g.data
	case name == "data-parallel-rpc-port":
		return &g.port
	case name == "data-parallel-backend", name == "dpb":
		return &g.dataBackend
	default:
		return nil
	}
}

// commandWords are the tokens of a command line, and the words of its script.
func commandWords(c *corev1.Container) iter.Seq[string] {
	argv := slices.Concat(c.Command, c.Args)
	script := scriptIn(argv)
	return func(yield func(string) bool) {
		for i, token := range argv {
			if i != script {
				if !yield(token) {
					return
				}
				continue
			}
			for word := range words(token) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// splitFlag takes a word like --name=value apart. ok tells whether it holds the value; name is empty for other words.
func splitFlag(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, "=")
	if !strings.HasPrefix(name, "-") {
		return "", "", false
	}
	return strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-"), value, ok
}

// reference to a variable, with nothing around it but the end of a subshell: $(VAR), ${VAR} or $VAR.
var reference = regexp.MustCompile(`^\$(?:\(([^()$]+)\)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))\)*$`)

// maxReference is the length of the longest reference that is looked up. Names of variables are much shorter.
const maxReference = 256

// expandReference is the value of the variable that a value is, where env tells it, else the value as it is. A reference
// within other text makes no number, and to expand many of them would multiply what the user wrote.
func expandReference(value string, env []corev1.EnvVar) string {
	if len(value) > maxReference || !strings.HasPrefix(value, "$") {
		return value
	}
	match := reference.FindStringSubmatch(value)
	if match == nil {
		return value
	}
	if known, ok := valueOf(cmp.Or(match[1:]...), env); ok {
		return known
	}
	return value
}
