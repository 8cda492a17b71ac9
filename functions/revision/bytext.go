package revision

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Builds before v0.2.0 found what is numbered in pods by its text. Where a user had written the name of a replica, that text was renumbered
// too. Nothing is written in this way any more, but the revisions and the live pods of such graphs are what they are.

// renumberByText is renumber as earlier builds did it.
func (n *numbering) renumberByText(pods *structpb.Struct, from, to int32) *structpb.Struct {
	name, after := n.name(from), n.name(to)
	return tree.MapTexts(pods, func(key, text string) string {
		switch {
		case key == metadata.LabelInstance && text == number(from):
			return number(to)
		case text == name:
			return after
		default:
			return text
		}
	})
}

// readByPlace turns the pods of single replicas, as an earlier build has stored them, into what this one would store. A replica whose pods
// only differ because a text of the user was renumbered has the pods of all others.
func (s *service) readByPlace(c *component) {
	if !c.byText || s.numbering == nil {
		return
	}
	for _, w := range s.workloads {
		stored, ok := c.replicas[number(w.replica)]
		switch {
		case !ok || w.replica == 0:
		case tree.Equal(stored, s.numbering.renumberByText(s.forReplica(c.pods, 0, w.replica), w.replica, 0)):
			delete(c.replicas, number(w.replica))
		default:
			c.replicas[number(w.replica)] = s.forReplica(s.numbering.renumberByText(stored, 0, w.replica), w.replica, 0)
		}
	}
}

// rewritten pods are those that a live replica has from an earlier build, because it renumbered a text of the user in the pods of the
// revision. They stay until the user changes the service: the pods that run are worth more than the text. nil if the replica has none.
func (s *service) rewritten(w workload, pods *structpb.Struct) *structpb.Struct {
	if s.numbering == nil || w.replica == 0 || w.observed == nil {
		return nil
	}
	byText := s.numbering.renumberByText(pods, 0, w.replica)
	if tree.Equal(byText, s.forReplica(pods, 0, w.replica)) || !tree.Equal(byText, s.live(w)) {
		return nil
	}
	return byText
}
