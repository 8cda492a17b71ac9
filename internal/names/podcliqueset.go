package names

import (
	"fmt"
	"hash/fnv"
	"strings"
)

const (
	// ShortestSet is the length to which the name of a PodCliqueSet is cut at most.
	ShortestSet = 8

	// setSuffix is the length of what tells a name that was cut from others: a dash and four digits.
	setSuffix = 5
)

// FitPodCliqueSet is the name of the PodCliqueSet of a new graph, for which Grove has this many characters. A longer name is cut as the
// Dynamo operator does it, so that the pods of a graph have the same names here and there.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/graph.go#L1398
func FitPodCliqueSet(graph string, room int) string {
	room = max(room, ShortestSet)
	if len(graph) <= room {
		return graph
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(graph))
	// A part of a DNS subdomain cannot begin with a dash.
	beginning := strings.TrimRight(graph[:room-setSuffix], ".")
	return fmt.Sprintf("%s-%04x", beginning, sum.Sum32()&0xffff)
}
