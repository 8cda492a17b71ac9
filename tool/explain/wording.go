package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Words that the tree and the pictures have in common.

// size of a component: replicas, nodes and GPUs.
func (c *Component) size() string {
	parts := []string{output.Count(c.Replicas, "replica")}
	if c.Nodes > 1 {
		parts = append(parts, output.Count(c.Nodes, "node"))
	}
	if c.GPUs > 0 {
		parts = append(parts, output.Count(c.GPUs, "GPU"))
	}
	return strings.Join(parts, " x ")
}

// total pods and GPUs.
func total(pods int32, gpus int64) string {
	text := output.Count(pods, "pod")
	if gpus > 0 {
		text += ", " + output.Count(gpus, "GPU")
	}
	return text
}

// runs is what the pods of a component are: its type, engine, and the release of Dynamo.
func (c *Component) runs() string {
	var parts []string
	for _, part := range []string{c.Type, c.Engine, c.Executor} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if c.Dynamo != "" {
		parts = append(parts, "Dynamo "+c.Dynamo)
	}
	return strings.Join(parts, ", ")
}

// String says what is packed into which domain.
func (p *Place) String() string {
	what := map[string]string{eachGraph: "all pods of the gang", eachReplica: "each replica", eachComponent: "all pods of the component"}[p.Each]
	switch {
	case p.Required != "" && p.Preferred != "":
		return fmt.Sprintf("%s in one %s, and in one %s if possible", what, p.Required, p.Preferred)
	case p.Required != "":
		return fmt.Sprintf("%s in one %s", what, p.Required)
	default:
		return fmt.Sprintf("%s in one %s if possible", what, p.Preferred)
	}
}

// String says which replicas are scheduled together.
func (g *Gang) String() string {
	var members []string
	for _, m := range g.Members {
		members = append(members, fmt.Sprintf("%d %s", m.Replicas, m.Component))
	}
	switch {
	case g.Count > 1:
		return fmt.Sprintf("%d x %s (%s each)", g.Count, members[0], output.Count(g.Pods, "pod"))
	default:
		return fmt.Sprintf("%s (%s)", strings.Join(members, " + "), output.Count(g.Pods, "pod"))
	}
}

// String says who decides the number of replicas.
func (s *Scaling) String() string {
	var text string
	switch s.By {
	case byAutoscaler:
		return fmt.Sprintf("%s, from %d to %d (%s)", s.Object, s.Least, s.Most, s.Field)
	case byAdapter:
		text = s.Object + " (" + s.Field + ")"
	default:
		text = s.Field
	}
	if s.Planner != "" {
		text += ", which " + s.Planner + " changes"
	}
	if s.Written != nil {
		text += fmt.Sprintf("; the graph says %d", *s.Written)
	}
	if s.Keeps != "" {
		text += "; what else scales " + s.Keeps + " is kept"
	}
	if s.Reverts != "" {
		text += "; what else scales " + s.Reverts + " is reverted"
	}
	return text
}

// address of an entry: its ports.
func (e *Entry) address() string {
	ports := make([]string, 0, len(e.Ports))
	for _, port := range e.Ports {
		ports = append(ports, ":"+strconv.Itoa(int(port)))
	}
	return strings.Join(ports, " ")
}
