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
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// Parallelism contains the sizes with which an engine is started. Each is at least 1.
type Parallelism struct {
	// Tensor and Pipeline are the parallel sizes of one copy of the model.
	Tensor, Pipeline int64
	// Data is the number of copies. The attention data parallelism of SGLang does not create copies.
	Data int64
}

// WorldSize is the number of GPUs of one copy of the model.
func (p Parallelism) WorldSize() int64 { return p.Tensor * p.Pipeline }

// GPUs is the number of GPUs of all copies.
func (p Parallelism) GPUs() int64 { return p.WorldSize() * p.Data }

// ParseParallelism reads the sizes from a command line or a script, in every spelling that the framework accepts. References to variables
// are replaced with their values in env. Sizes that cannot be read count as 1.
func (t *Texts) ParseParallelism(f v1alpha1.BackendFramework, command, args []string, env ...corev1.EnvVar) Parallelism {
	return t.readShape(f, &corev1.Container{Command: command, Args: args, Env: env}).parallelism
}

// maxSize keeps the product of three sizes within int64. It is far above the sizes of any engine.
const maxSize = 1 << 20

// shape describes the processes of the engine, according to its command line.
type shape struct {
	parallelism Parallelism
	// external is the flag by which each data-parallel engine gets its requests from outside. It may be empty.
	external string
	// sized is true if a flag sets the tensor or the pipeline parallel size.
	sized bool
	// elastic is true if vLLM changes the data-parallel size at run time, and onRay if it runs data-parallel engines on Ray.
	elastic, onRay bool
	// unread is the first flag of a size whose value is not a number. It may be empty. The value is not stored, because it could be a
	// misplaced secret.
	unread string
}

func (t *Texts) readShape(f v1alpha1.BackendFramework, c *corev1.Container) shape {
	given := t.readFlags(f, c)
	r := shape{
		external: given.external, elastic: given.elastic, onRay: given.dataBackend.value == "ray",
		sized: given.tensor.name != "" || given.pipeline.name != "",
	}
	r.parallelism = Parallelism{
		Tensor:   r.size(given.tensor, c),
		Pipeline: r.size(given.pipeline, c),
		Data:     r.size(given.data, c),
	}
	if given.attention {
		r.parallelism.Data = 1
	}
	return r
}

// size that a flag sets. 1 if it is missing.
func (r *shape) size(given givenFlag, c *corev1.Container) int64 {
	if given.name == "" {
		return 1
	}
	value := strings.Trim(expandReference(strings.Trim(given.value, ` "'`), c), ` "')`)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > maxSize {
		r.unread = cmp.Or(r.unread, given.name)
		return 1
	}
	return n
}

// givenFlag is a flag as the user has written it, and its value. Both are empty if the flag is missing.
type givenFlag struct{ name, value string }

// givenFlags are the flags of a command line that determine the processes of the engine.
type givenFlags struct {
	tensor, pipeline, data, dataBackend givenFlag
	// attention is true if only the attention is data-parallel.
	attention bool
	// elastic is true if the data-parallel size changes at run time.
	elastic bool
	// external is the flag by which each data-parallel engine is a worker of its own. It may be empty.
	external string
}

// readFlags of a command line. The last one of several equal flags counts, as in argparse.
func (t *Texts) readFlags(f v1alpha1.BackendFramework, c *corev1.Container) *givenFlags {
	all, flags := &givenFlags{}, engine.Of(f).Sizes
	var open *givenFlag // The next word is its value.
	for word := range t.commandWords(c) {
		if open != nil {
			open.value = word
		}
		name, value, ok := splitFlag(word)
		all.attention = all.attention || name != "" && name == flags.Attention
		all.elastic = all.elastic || name == elasticFlag
		written, _, _ := strings.Cut(word, "=")
		if all.external == "" && isExternal(name) {
			all.external = written
		}
		if open = all.flag(flags, name); open == nil {
			continue
		}
		*open = givenFlag{name: written, value: value}
		if ok {
			open = nil
		}
	}
	return all
}

// flag with a name. nil if it does not determine processes.
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
	case name == "data-parallel-backend", name == "dpb":
		return &g.dataBackend
	default:
		return nil
	}
}

// commandWords are the tokens of a command line and the words of its script, with its parameters where it passes them on.
func (t *Texts) commandWords(c *corev1.Container) iter.Seq[string] {
	return t.wordsOf(slices.Concat(c.Command, c.Args))
}

// passedWords are those that reach a program: without the arguments after a script that does not read them.
func (t *Texts) passedWords(c *corev1.Container) iter.Seq[string] {
	argv := slices.Concat(c.Command, c.Args)
	if script, unread := UnreadArguments(argv); len(unread) > 0 {
		argv = argv[:script+1]
	}
	return t.wordsOf(argv)
}

func (t *Texts) wordsOf(argv []string) iter.Seq[string] {
	script := scriptIn(argv)
	if script < 0 {
		return slices.Values(argv)
	}
	words := t.words(argv[script])
	parts := [...][]string{argv[:script], words, nil, argv[script+1:]}
	if i := slices.Index(words, "$@"); i >= 0 {
		parts = [...][]string{argv[:script], words[:i], argv[min(script+2, len(argv)):], words[i+1:]}
	}
	// A script may be long, and each port and flag is looked for in it, so its words are not copied.
	return func(yield func(string) bool) {
		for _, part := range parts {
			for _, word := range part {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// splitFlag splits a word such as --name=value. ok is true if the word contains the value. The name of other words is empty.
func splitFlag(word string) (name, value string, ok bool) {
	if !strings.HasPrefix(word, "-") {
		return "", "", false
	}
	name, value, ok = strings.Cut(word, "=")
	return strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-"), value, ok
}

// reference to a variable: $(VAR), ${VAR} or $VAR. Only the end of a subshell may follow it.
var reference = regexp.MustCompile(`^\$(?:\(([^()$]+)\)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))\)*$`)

// maxReference is the length of the longest reference that is looked up. Names of variables are much shorter.
const maxReference = 256

// expandReference replaces a value that is a reference to a variable of a container with the value of the variable. References within other text
// are not expanded: they are never numbers, and expanding many of them would multiply the size of the input.
func expandReference(value string, c *corev1.Container) string {
	if len(value) > maxReference || !strings.HasPrefix(value, "$") {
		return value
	}
	match := reference.FindStringSubmatch(value)
	if match == nil {
		return value
	}
	if own := variableIn(c.Env, cmp.Or(match[1:]...)); own != nil {
		return own.Value
	}
	return value
}
