package graph

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Roles may have pod templates, since Dynamo 1.6.0. The component in the graph has that of its leader then. Whoever builds or judges pods of its
// workers reads the graph of workers.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/multinode.mdx

// HasRoleTemplates reports whether roles of the component have pod templates, whose commands connect the nodes.
func (c *Component) HasRoleTemplates() bool {
	return slices.ContainsFunc(c.Roles, func(r v1alpha1.ComponentRole) bool { return r.PodTemplate != nil })
}

// takeRoles gives the component the pod template of its leader, if roles have pod templates.
func (c *Component) takeRoles() {
	if c.HasRoleTemplates() {
		*c = *c.ofRole(v1alpha1.RoleLeader)
	}
}

// ofRole is the component with the pod template of a role, or of another one if it has none, which is refused.
func (c *Component) ofRole(name string) *Component {
	own, written := *c, c.Component
	own.role = nil
	for i := range c.Roles {
		if c.Roles[i].PodTemplate != nil && (c.Roles[i].Name == name || own.role == nil) {
			own.role, written.PodTemplate = &i, c.Roles[i].PodTemplate
		}
	}
	own.describe(&written, c.index).takeTemplate(&written)
	if c.graph.Form == Services {
		// Annotations of a component have a place of their own.
		own.Annotations, own.PodTemplate.Annotations = c.Annotations, written.PodTemplate.Annotations
	}
	return &own
}

// Templates are the component with the pod template of each role, the leader first, or the component itself.
func (c *Component) Templates() []*Component {
	if !c.HasRoleTemplates() {
		return []*Component{c}
	}
	return []*Component{c, c.ofRole(v1alpha1.RoleWorker)}
}

// PerReplica is the sum of an amount of each pod of a replica.
func (c *Component) PerReplica(amount func(*Component) int64) int64 {
	templates := c.Templates()
	return amount(templates[0]) + int64(c.Nodes()-1)*amount(templates[len(templates)-1])
}

// OfWorkers is the graph as pods of workers have it. It is nil if no role has a pod template, or that it is this graph.
func (g *Graph) OfWorkers() *Graph {
	var workers *Graph
	for name, c := range g.Components {
		if !c.HasRoleTemplates() || g.ofWorkers {
			continue
		}
		if workers == nil {
			workers = g.Clone()
			workers.ofWorkers = true
		}
		own := c.ofRole(v1alpha1.RoleWorker)
		own.graph, workers.Components[name] = workers, own
	}
	return workers
}

// InRoles are the messages about pod templates of roles, in the words of this graph, without all others.
func (g *Graph) InRoles(all message.List) message.List {
	var own message.List
	for _, m := range all {
		parts := ofComponent.FindStringSubmatch(m.Field)
		if parts != nil && !m.Written && g.Component(parts[1]).role != nil && strings.HasPrefix(parts[2], podTemplate) {
			about := *m
			about.Field, about.Written = g.Field(m.Field), true
			own = append(own, &about)
		}
	}
	return own
}

// podTemplate is the field of components and roles.
const podTemplate = "podTemplate"

// inRole is a path below the component, where the pod template is that of its role.
func (c *Component) inRole(path string) string {
	if rest, ok := within(path, podTemplate); ok && c.role != nil {
		return "roles[" + strconv.Itoa(*c.role) + "]." + podTemplate + rest
	}
	return path
}

// rawRole is the role as the user wrote it; nil if roles have no pod templates.
func (c *Component) rawRole(raw *structpb.Value) *structpb.Value {
	if roles := valueAt(raw, "roles").GetListValue().GetValues(); c.role != nil && *c.role < len(roles) {
		return roles[*c.role]
	}
	return nil
}
