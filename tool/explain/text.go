package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// branch of a tree.
type branch struct {
	text string
	sub  []branch
}

// Text is the explanation as a tree.
func (e *Explanation) Text() string {
	root := branch{text: e.Namespace + "/" + e.Name + ": " + e.summary()}
	if !e.Refused {
		root.add(e.Orchestrator, e.Reason)
		for i := range e.Gangs {
			g, name := &e.Gangs[i], "gang"
			if i > 0 && e.Gangs[0].OfGraph {
				name = "further gangs"
			}
			root.add(name, g.String()+by(g.By))
		}
		if e.Topology != nil {
			root.add("topology", e.Topology.line())
		}
		root.add("scaled together", e.Together.String())
		if e.Generation != nil {
			root.add("generation of the workers", e.Generation.String())
		}
		if r := e.Restart; r != nil {
			root.add("restart", fmt.Sprintf("%s, %s of %s (spec.restart)", r.ID, strings.ToLower(r.Strategy), strings.Join(r.Order, ", ")))
		}
		for i := range e.Components {
			root.sub = append(root.sub, e.componentBranch(&e.Components[i]))
		}
		root.sub = append(root.sub, e.pool()...)
		root.sub = append(root.sub, e.objectsBranch())
	}
	root.sub = append(root.sub, e.findings()...)
	var out strings.Builder
	out.WriteString(root.text + "\n")
	write(&out, root.sub, "")
	return out.String()
}

func by(scheduler string) string {
	if scheduler == "" {
		return ", if the default scheduler of the cluster supports gangs"
	}
	return ", scheduled together by " + scheduler
}

// add a branch, unless there is nothing to say.
func (b *branch) add(name, text string) {
	if text != "" {
		b.sub = append(b.sub, branch{text: name + ": " + text})
	}
}

// summary of a graph in one line.
func (e *Explanation) summary() string {
	switch {
	case slices.ContainsFunc(e.Findings, isError):
		return "refused, nothing is composed"
	case e.Refused:
		return "waits, nothing is composed yet"
	}
	return e.Orchestrator + ", " + total(e.Pods, e.GPUs)
}

func (p *Place) line() string {
	topology := ""
	if p.Topology != "" {
		topology = " of " + p.Topology
	}
	return p.String() + topology + " (" + p.Field + ")"
}

// componentBranch describes a component.
func (e *Explanation) componentBranch(c *Component) branch {
	b := branch{text: c.Name + " (" + c.Field + "): " + c.size()}
	if c.TotalPods > 1 || c.TotalGPUs > 0 {
		b.text += " = " + total(c.TotalPods, c.TotalGPUs)
	}
	b.add("runs", c.runs())
	if c.Executor != "" {
		b.add("executor", c.Executor+", from "+c.ExecutorReason)
	}
	if c.Downloaded != "" {
		b.add("model", fmt.Sprintf("each of %d nodes downloads %s by itself; to share it, see %s", c.Nodes, c.Downloaded, compatibility.Page("multinode.md#the-model-on-each-node")))
	}
	b.sub = append(b.sub, c.workload())
	var ports []string
	for _, port := range c.Ports {
		ports = append(ports, fmt.Sprintf("%d for %s", port.Number, port.For))
	}
	b.add("listens", strings.Join(ports, ", "))
	if c.Scheduler != "" && c.TotalPods > 0 {
		b.add("scheduler", c.scheduling())
	}
	if c.Place != nil {
		b.add("topology", c.Place.line())
	}
	b.add("NVLink domain", c.NVLink)
	b.add("replicas", c.Scaling.String())
	for i := range e.Flows {
		if flow := &e.Flows[i]; flow.From == c.Name {
			b.sub = append(b.sub, branch{text: "sends " + flow.What + " to " + strings.Join(flow.To, ", ")})
		}
	}
	for i := range e.Entries {
		if entry := &e.Entries[i]; slices.Equal(entry.Components, []string{c.Name}) && entry.Picker == "" {
			b.sub = append(b.sub, e.entryBranch(entry))
		}
	}
	for _, v := range c.Volumes {
		b.add("claim", v.String())
	}
	switch {
	case c.Checkpoint == "":
	case c.Restores:
		b.add("checkpoint", c.Checkpoint+", from which pods are restored")
	case c.TotalPods == 0:
		b.add("checkpoint", c.Checkpoint+", not ready: pods wait for it")
	default:
		b.add("checkpoint", c.Checkpoint+", not ready: pods start cold")
	}
	return b
}

// scheduling is who schedules the pods, in which queue, and what names it.
func (c *Component) scheduling() string {
	text := c.Scheduler
	if c.Queue != "" {
		text += ", queue " + c.Queue
	}
	if c.QueueFrom != "" {
		text += ", from " + c.QueueFrom
	}
	return text
}

// workload is the object that runs the pods, and their roles.
func (c *Component) workload() branch {
	b := branch{text: "no pods"}
	if names := c.Workload.Names; len(names) > 0 {
		b.text = c.Workload.Kind + " " + names[0]
		if len(names) > 1 {
			b.text += " to " + names[len(names)-1]
		}
	}
	for _, role := range c.Roles {
		text := role.Name + ": " + output.Count(role.Pods, "pod") + " of each replica"
		if role.After != "" {
			text += ", after " + role.After
		}
		if role.Registers {
			text += ", gets requests"
		}
		b.sub = append(b.sub, branch{text: text})
	}
	return b
}

// String says where a claim is mounted, and who owns it.
func (c *Claim) String() string {
	text := c.Name
	if c.Path != "" {
		text += " at " + c.Path
	}
	if c.Composed {
		return text + ", deleted with the graph"
	}
	return text + ", which must exist"
}

// entryBranch is a Service, and the routes to it.
func (e *Explanation) entryBranch(entry *Entry) branch {
	b := branch{text: entry.Kind + " " + entry.Name + " " + entry.address()}
	for i := range e.Routes {
		if r := &e.Routes[i]; slices.Contains(r.Services, entry.Name) {
			b.sub = append(b.sub, branch{text: r.Kind + " " + r.Name + ": " + strings.Join(r.Hosts, ", ")})
		}
	}
	return b
}

// pool are the entries to several components, or to those that are picked.
func (e *Explanation) pool() []branch {
	var all []branch
	for i := range e.Entries {
		entry := &e.Entries[i]
		if len(entry.Components) == 1 && entry.Picker == "" {
			continue
		}
		b := e.entryBranch(entry)
		b.text += ": " + strings.Join(entry.Components, ", ")
		if len(entry.Components) == 0 {
			b.text += "no pods"
		}
		if entry.Picker != "" {
			b.text += ", picked by Service " + entry.Picker
		}
		all = append(all, b)
	}
	return all
}

// objectsBranch are the composed objects, and what each comes from. Those of the replicas of a component are one line.
func (e *Explanation) objectsBranch() branch {
	b := branch{text: output.Count(len(e.Objects), "object")}
	for i := 0; i < len(e.Objects); {
		o, last := e.Objects[i], i
		for last+1 < len(e.Objects) && o.isNext(e.Objects[last+1]) {
			last++
		}
		name := o.Kind + " " + o.Name
		if last > i {
			name += " to " + e.Objects[last].Name
		}
		b.add(name, o.From)
		i = last + 1
	}
	return b
}

// isNext reports whether two objects only differ in the number of the replica.
func (o *Object) isNext(other Object) bool {
	base, number := numbered(o.Name)
	otherBase, otherNumber := numbered(other.Name)
	return o.Kind == other.Kind && o.From == other.From && base == otherBase && number >= 0 && otherNumber > number
}

// findings are the errors and the warnings.
func (e *Explanation) findings() []branch {
	var all []branch
	for _, severity := range []check.Severity{check.Error, check.Warning} {
		b := branch{}
		for i := range e.Findings {
			if f := &e.Findings[i]; f.Severity == severity {
				b.sub = append(b.sub, branch{text: fmt.Sprintf("%s %s (%s)", f.Code, f.Text(), f.Position)})
			}
		}
		if len(b.sub) > 0 {
			b.text = output.Count(len(b.sub), string(severity))
			all = append(all, b)
		}
	}
	return all
}

// write branches with the lines that connect them.
func write(out *strings.Builder, branches []branch, indent string) {
	for i, b := range branches {
		corner, indented := "├─ ", "│  "
		if i == len(branches)-1 {
			corner, indented = "└─ ", "   "
		}
		below := "   "
		if len(b.sub) > 0 {
			below = "│  "
		}
		out.WriteString(output.Folded(strings.ReplaceAll(b.text, "\n", " "), indent+corner, indent+indented+below))
		write(out, b.sub, indent+indented)
	}
}
