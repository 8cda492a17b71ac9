package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// A Command is what a container of a component runs, after everything that is added to what the user has written.
type Command struct {
	// Roles of the pods that run it. Empty if a replica is one pod.
	Roles     []string `json:"roles,omitempty"`
	Container string   `json:"container"`

	// Words of the command and its arguments. It is empty if the pod runs what the image runs, which is in Image.
	Words []string `json:"words,omitempty"`
	Image string   `json:"image"`

	// Entrypoint says that the words are arguments to what the image runs.
	Entrypoint bool `json:"entrypointOfImage,omitempty"`
}

// ShowCommands of all containers.
func (e *Explanation) ShowCommands() {
	for i := range e.Components {
		e.Components[i].Commands = e.Components[i].commands
	}
}

// commandsOf the containers of a component. Those of several roles that are equal are one.
func commandsOf(own *podsOf) []Command {
	var all []Command
	for i := range own.templates {
		role := ""
		if len(own.roles) > 1 && i < len(own.roles) {
			role = own.roles[i].Name
		}
		for j := range own.templates[i].Spec.Containers {
			all = appendCommand(all, commandOf(&own.templates[i].Spec.Containers[j]), role)
		}
	}
	return all
}

func appendCommand(all []Command, c Command, role string) []Command {
	same := slices.IndexFunc(all, func(other Command) bool {
		return other.Container == c.Container && other.Image == c.Image && other.Entrypoint == c.Entrypoint && slices.Equal(other.Words, c.Words)
	})
	switch {
	case role == "" && same >= 0:
		return all
	case same < 0:
		all, same = append(all, c), len(all)
	}
	if role != "" {
		all[same].Roles = append(all[same].Roles, role)
	}
	return all
}

func commandOf(container *corev1.Container) Command {
	return Command{
		Container: container.Name, Image: container.Image, Words: slices.Concat(container.Command, container.Args), Entrypoint: len(container.Command) == 0,
	}
}

// Commands of all components in text, as they could be typed into a shell. Kubernetes replaces $(NAME) by a variable of the container.
func (e *Explanation) Commands() string {
	var out strings.Builder
	for i := range e.Components {
		c := &e.Components[i]
		for j := range c.Commands {
			command := &c.Commands[j]
			name := c.Name
			if len(command.Roles) > 0 {
				name += ", " + strings.Join(rolesOf(command.Roles), " and ")
			}
			fmt.Fprintf(&out, "\n%s, container %s:\n%s", name, command.Container, command.text())
		}
	}
	return out.String()
}

// rolesOf pods in words: cliques of Grove have names of their own.
func rolesOf(names []string) []string {
	var all []string
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, "-ldr"):
			name = "leader (" + name + ")"
		case strings.HasSuffix(name, "-wkr"):
			name = "worker (" + name + ")"
		}
		all = append(all, name)
	}
	return all
}

// text of the command: each flag with its value is a line, and the script of a shell is as it is written.
func (c *Command) text() string {
	words := make([]string, 0, len(c.Words)+1)
	if c.Entrypoint {
		words = append(words, "(the entrypoint of "+c.Image+")")
	}
	script, after := scriptOf(c.Words)
	for _, word := range c.Words[:len(c.Words)-len(after)] {
		if script == nil || word != *script {
			words = append(words, output.Shell(word))
		}
	}
	var out strings.Builder
	out.WriteString("  " + broken(words) + "\n")
	if script != nil {
		text := strings.TrimRight(*script, "\n")
		if !strings.Contains(text, "\n") {
			text = broken(strings.Split(text, " "))
		}
		out.WriteString("    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
	}
	for _, word := range after {
		out.WriteString("    argument of the script: " + output.Shell(word) + "\n")
	}
	return out.String()
}

// scriptOf a shell, and the words after it. nil if the command is none.
func scriptOf(words []string) (script *string, after []string) {
	for i := 1; i < len(words)-1; i++ {
		if strings.HasSuffix(words[0], "sh") && shortFlags.MatchString(words[i]) {
			return &words[i+1], words[i+2:]
		}
	}
	return nil, nil
}

// shortFlags of a shell, the last of which is followed by a script.
var shortFlags = regexp.MustCompile(`^-[a-z]*c$`)

// broken into lines before each long flag.
func broken(words []string) string {
	var out strings.Builder
	for i, word := range words {
		switch {
		case i == 0:
		case strings.HasPrefix(strings.TrimPrefix(word, "'"), "--"):
			out.WriteString(" \\\n    ")
		default:
			out.WriteString(" ")
		}
		out.WriteString(word)
	}
	return out.String()
}
