package pods

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// nodesWarning is about the nodes of a replica that no engine connects. It is empty if an engine or the program of the user connects them.
func nodesWarning(g *graph.Graph, p *graphplan.Plan, name string) message.Text {
	component := g.Component(name)
	if !component.IsMultinode() {
		return message.Text{}
	}
	main := component.Main()
	if module := g.CommandLines.OtherModule(&main); module != "" {
		return message.Format("%s does not span nodes, so each node runs it separately; remove multinode, and set replicas to the number of pods", module)
	}
	if p.Components[name].Framework != "" || component.HasRoleTemplates() {
		return message.Text{}
	}
	texts := slices.Concat(main.Command, main.Args)
	for _, env := range slices.Concat(g.Spec.Env, main.Env) {
		texts = append(texts, env.Value)
	}
	// Variables of another orchestrator have a warning of their own.
	if slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(text, onGrove().variables) || strings.Contains(text, onLeaderWorkerSet().variables)
	}) {
		return message.Text{}
	}
	return message.Format("the backend of this {{component}} is not known, so all nodes run the same command; set {{type}}: worker and backendFramework, or let the command connect the nodes")
}
