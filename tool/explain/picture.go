package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// picture of a graph: boxes within boxes, and arrows to the components. All formats draw the same one.
type picture struct {
	title, subtitle string

	// boxes of the components, in surrounding boxes.
	boxes []box

	// pills lead to components or to other pills.
	pills  []pill
	arrows []arrow

	// flows between components.
	flows []flow
}

// look of a box.
type look int

const (
	lookComponent look = iota
	lookGang
	lookPlace
)

// box of a component, or around others.
type box struct {
	id    string
	look  look
	title string
	lines []string
	boxes []box

	// component in the box, if it has no boxes.
	component *Component
}

// pill is a Service or a route.
type pill struct {
	id    string
	kind  string
	lines []string

	// outside says that it leads into the cluster.
	outside bool
}

// arrow between two identifiers.
type arrow struct{ from, to string }

// flow between components. Those that send the same to the same ones share one.
type flow struct {
	what     string
	from, to []string
}

// draw an explanation.
func draw(e *Explanation) picture {
	p := picture{title: e.Namespace + "/" + e.Name, subtitle: e.summary()}
	for i := range e.Components {
		p.boxes = append(p.boxes, e.boxOf(i))
	}
	if len(e.Gangs) > 0 && e.Gangs[0].OfGraph {
		p.boxes = []box{{id: "gang", look: lookGang, title: "gang" + by(e.Gangs[0].By), boxes: p.boxes}}
	}
	if e.Topology != nil && len(p.boxes) > 0 {
		p.boxes = []box{{id: "place", look: lookPlace, title: e.Topology.domain("the gang"), boxes: p.boxes}}
	}
	for i := range e.Entries {
		entry, id := &e.Entries[i], "entry"+strconv.Itoa(i)
		lines := []string{entry.Name, entry.address()}
		if entry.Picker != "" {
			lines = append(lines, "picked by "+entry.Picker)
		}
		p.pills = append(p.pills, pill{id: id, kind: entry.Kind, lines: lines})
		for _, name := range entry.Components {
			p.arrows = append(p.arrows, arrow{id, e.id(name)})
		}
	}
	for i := range e.Routes {
		route, id := &e.Routes[i], "route"+strconv.Itoa(i)
		p.pills = append(p.pills, pill{id: id, kind: route.Kind, lines: append([]string{route.Name}, route.Hosts...), outside: true})
		for _, component := range route.Services {
			if j := slices.IndexFunc(e.Entries, func(entry Entry) bool { return entry.Kind == "Service" && entry.Name == component }); j >= 0 {
				p.arrows = append(p.arrows, arrow{id, "entry" + strconv.Itoa(j)})
			}
		}
	}
	p.flows = e.sharedFlows()
	return p
}

// sharedFlows are the flows between the boxes, the KV cache first: its way is the shorter one.
func (e *Explanation) sharedFlows() []flow {
	var all []flow
	for _, what := range []string{flowCache, flowRequests} {
		for i := range e.Flows {
			if e.Flows[i].What != what {
				continue
			}
			var to []string
			for _, name := range e.Flows[i].To {
				to = append(to, e.id(name))
			}
			from := e.id(e.Flows[i].From)
			if j := slices.IndexFunc(all, func(f flow) bool { return f.what == what && slices.Equal(f.to, to) }); j >= 0 {
				all[j].from = append(all[j].from, from)
				continue
			}
			all = append(all, flow{what: what, from: []string{from}, to: to})
		}
	}
	return all
}

// id of a component.
func (e *Explanation) id(component string) string {
	return "component" + strconv.Itoa(slices.IndexFunc(e.Components, func(c Component) bool { return c.Name == component }))
}

// boxOf a component, with what surrounds each of its replicas.
func (e *Explanation) boxOf(i int) box {
	c := &e.Components[i]
	b := box{id: "component" + strconv.Itoa(i), title: c.Name, component: c, lines: e.lines(c)}
	if c.Place != nil {
		title := c.Place.domain(map[string]string{eachReplica: "each replica", eachComponent: "the component"}[c.Place.Each])
		b = box{id: "place" + strconv.Itoa(i), look: lookPlace, title: title, boxes: []box{b}}
	}
	for _, g := range e.Gangs {
		if !e.Gangs[0].OfGraph && g.Members[0].Component == c.Name {
			b = box{id: "gang" + strconv.Itoa(i), look: lookGang, title: "each replica is a gang" + by(g.By), boxes: []box{b}}
		}
	}
	return b
}

// domain into which something is packed.
func (p *Place) domain(what string) string {
	text := "one " + p.Required + " for " + what
	switch {
	case p.Required == "":
		text = "one " + p.Preferred + " for " + what + " if possible"
	case p.Preferred != "":
		text += ", one " + p.Preferred + " if possible"
	}
	if p.Topology != "" {
		text += " (" + p.Topology + ")"
	}
	return text
}

// lines about a component.
func (e *Explanation) lines(c *Component) []string {
	lines := []string{c.size()}
	if c.TotalPods > 1 || c.TotalGPUs > 0 {
		lines[0] += " = " + total(c.TotalPods, c.TotalGPUs)
	}
	if runs := c.runs(); runs != "" {
		lines = append(lines, runs)
	}
	if own := e.ownGangs(c); own > 0 {
		lines = append(lines, fmt.Sprintf("%s in the gang; each other replica is a gang of its own", output.Count(c.Replicas-own, "replica")))
	}
	switch s := &c.Scaling; {
	case s.By == byAutoscaler:
		lines = append(lines, fmt.Sprintf("scaled by an autoscaler, from %d to %d", s.Least, s.Most))
	case s.By == byAdapter:
		lines = append(lines, strings.TrimSuffix("scaled by a scaling adapter, which "+s.Planner+" changes", ", which  changes"))
	case s.Planner != "":
		lines = append(lines, "scaled by "+s.Planner)
	}
	if c.NVLink != "" {
		lines = append(lines, "NVLink domain: "+c.NVLink)
	}
	for _, v := range c.Volumes {
		lines = append(lines, "claim "+v.Name)
	}
	if c.Checkpoint != "" {
		lines = append(lines, "checkpoint "+c.Checkpoint)
	}
	return lines
}

// ownGangs of a component on Grove: replicas that are not in the gang of the graph.
func (e *Explanation) ownGangs(c *Component) int32 {
	for _, g := range e.Gangs {
		if e.Gangs[0].OfGraph && !g.OfGraph && g.Members[0].Component == c.Name {
			return g.Count
		}
	}
	return 0
}
