package guardrails

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// suffixes are checked in the component: together with each of the projects of its pods and of the graph, they are names of queues.
func (s *component) suffixes() {
	if !s.limited(guardrail.Queues) {
		return
	}
	queues := s.rail(guardrail.Queues)
	projects := s.valuesOf(guardrail.Projects())
	for _, suffix := range s.valuesOf(guardrail.Suffixes()) {
		for _, project := range projects {
			queue := guardrail.Suffixed(textOf(project), textOf(suffix))
			said := fmt.Sprint(suffix.Path, " ", queue)
			if queues.allows(queue) || s.suffixed[said] {
				continue
			}
			s.suffixed[said] = true
			reason := message.Format("with %s %s it stands for queue %s, and %s", project.Path, textOf(project), queue, queues)
			s.violation(suffix.Path, textOf(suffix), reason, queues.remedy(), slices.Contains(s.liveSuffixed(), queue))
		}
	}
}

// valuesOf places, in the graph and in the component.
func (s *component) valuesOf(places []guardrail.Place) []guardrail.Value {
	var all []guardrail.Value
	graph, spec := s.graphObjects()
	own := s.written()
	for _, place := range places {
		if path, ok := place.InComponent(); ok {
			all = append(all, path.Values(s.path, own)...)
			continue
		}
		all = append(all, valuesInGraph(place, graph, spec)...)
	}
	return all
}

// liveSuffixed are the queues that live pods of the component name by a project and a suffix.
func (s *component) liveSuffixed() []string {
	var queues []string
	for _, pod := range s.livePods() {
		for _, project := range guardrail.Projects() {
			for _, suffix := range guardrail.Suffixes() {
				for _, p := range project.Pod.Values(nil, pod) {
					for _, n := range suffix.Pod.Values(nil, pod) {
						queues = append(queues, guardrail.Suffixed(textOf(p), textOf(n)))
					}
				}
			}
		}
	}
	return queues
}

func textOf(value guardrail.Value) string {
	text, _ := value.Value.(string)
	return strings.TrimSpace(text)
}
