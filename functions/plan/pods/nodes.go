package pods

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// nodesWarning is about the nodes of a replica that no engine connects. Empty means that an engine or the program of the user connects them.
func nodesWarning(g *graph.Graph, p *graphplan.Plan, name string) message.Text {
	service := g.Component(name)
	if !service.IsMultinode() {
		return message.Text{}
	}
	main := service.Main()
	if module := g.CommandLines.OtherModule(&main); module != "" {
		return message.Format("%s does not span nodes, so each node runs it separately; remove multinode, and set replicas to the number of pods", module)
	}
	if p.Services[name].Framework != "" || service.HasRoleTemplates() {
		return message.Text{}
	}
	texts := slices.Concat(main.Command, main.Args)
	for _, env := range slices.Concat(g.Spec.Env, main.Env) {
		texts = append(texts, env.Value)
	}
	own, other := variablesOf(p.Orchestrator)
	mentions := func(prefix string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, prefix) })
	}
	switch {
	case mentions(own):
		return message.Text{}
	case mentions(other):
		return message.Text{} // This has a warning of its own.
	default:
		return message.Format("the backend of this {{component}} is not known, so all nodes run the same command; set {{type}}: worker and backendFramework, or let the command connect the nodes")
	}
}

// variablesOf an orchestrator begin with own. Those of the other one begin with other.
func variablesOf(o graphplan.Orchestrator) (own, other string) {
	const grove, leaderWorkerSet = "GROVE_", "LWS_"
	if o == graphplan.Grove {
		return grove, leaderWorkerSet
	}
	return leaderWorkerSet, grove
}
