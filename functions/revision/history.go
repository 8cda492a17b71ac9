package revision

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const (
	// historyLimit is how many revisions stay that no workload runs any more.
	historyLimit = 2
	// historyBytes bound them for large graphs: everything that is desired has to fit into one response.
	historyBytes = response.MaxSize / 8
)

// history of a graph: the observed revisions, the newest first.
type history []*revision

// readHistory from the observed composed resources.
func readHistory(observed map[string]*fnv1.Resource) history {
	var h history
	for key, r := range observed {
		if names.IsRevisionKey(key) {
			h = append(h, decode(key, r.GetResource()))
		}
	}
	slices.SortFunc(h, func(a, b *revision) int { return cmp.Or(cmp.Compare(b.number, a.number), cmp.Compare(a.key, b.key)) })
	return h
}

// restored is the history with the revision that the status names. If it is lost and others have the same pods, nothing else tells that they are
// those of what the user has written last: a restart changes what is written, and not the pods. Its name contains a hash of its data, so if the
// pods that run result in the same name, it is certain.
func (h history) restored(call *step.Call, components []running) history {
	var name string
	for i := range components {
		name = cmp.Or(name, statusOf(call.Request, components[i].name).name)
	}
	if name == "" || len(h) == 0 || slices.ContainsFunc(h, func(r *revision) bool { return r.name == name }) {
		return h
	}
	s := state{}
	for i := range components {
		running := &components[i]
		status := statusOf(call.Request, running.name)
		if status.name != name || len(running.workloads) == 0 {
			return h
		}
		first := running.workloads[0]
		live := running.live(first)
		if live == nil {
			return h
		}
		s[running.name] = &component{
			written: status.written, generation: running.generation, release: status.release, pods: running.forReplica(live, first.replica, 0),
		}
	}
	lost := newRevision(call.Graph, s, h.highest()+1)
	if lost.name != name {
		return h
	}
	for _, running := range s.names() {
		warnLost(call, running)
	}
	return append(history{lost}, h...)
}

// highest number of a revision.
func (h history) highest() int64 {
	highest := int64(0)
	for _, r := range h {
		highest = max(highest, r.number)
	}
	return highest
}

// componentOf a component as the user wrote it, in the newest revision that has it. A revision without the formats that a newer one has does not
// tell: its pods may lack an edit that only these formats see.
func (h history) componentOf(s *running) *component {
	var rendered *structpb.Struct
	if len(s.workloads) > 0 {
		rendered = s.workloads[0].pods
	}
	told := 0
	for _, r := range h {
		encoded := r.components[s.name]
		same, format := s.written.Compare(graphplan.Written(tree.Text(encoded, "written")))
		if told = max(told, format); !same || format < told || tree.Text(encoded, "generation") != s.generation {
			continue
		}
		if c, err := decodeComponent(encoded, rendered); err == nil {
			return c.completed(s.written)
		}
		// A revision that cannot be read is as good as lost.
		r.components = nil
	}
	return nil
}

// knows the pods that a workload runs.
func (h history) knows(w workload) bool { return h.running(w) != nil }

// running is the newest revision with the pods that a workload runs; nil when there is none that can be read.
func (h history) running(w workload) *revision {
	id := tree.Text(w.observed, metadata.AnnotationRevision, "metadata", "annotations")
	for _, r := range h {
		if id != "" && r.components != nil && w.id(r.components) == id {
			return r
		}
	}
	return nil
}

// current is the revision of a state: the observed one where there is one, else a new one. Its number is the highest.
func (h history) current(g *graph.Graph, s state) *revision {
	highest := h.highest()
	for i, r := range h {
		if !r.has(s) {
			continue
		}
		again := *r
		if i > 0 {
			again.number = highest + 1
		}
		return &again
	}
	return newRevision(g, s, highest+1)
}

// compose the current revision, those with pods that workloads still run, and the last ones with pods that none runs any more.
func (h history) compose(call *step.Call, components []running, current *revision) error {
	if err := current.desire(call.Response, call.Graph); err != nil {
		return err
	}
	used := h.used(components)
	left, bytes := historyLimit, 0
	for _, r := range h {
		if r.key == current.key {
			continue
		}
		if !used[r] {
			left--
			bytes += proto.Size(r.observed)
			if left < 0 || bytes > historyBytes {
				continue
			}
		}
		if err := r.keep(call); err != nil {
			return err
		}
	}
	return nil
}

// used are the revisions with the pods that workloads run. While a workload runs others, these may be in any revision that cannot be read.
func (h history) used(components []running) map[*revision]bool {
	used, unknown := map[*revision]bool{}, false
	for i := range components {
		for _, w := range components[i].workloads {
			r := h.running(w)
			used[r] = true
			unknown = unknown || r == nil && w.observed != nil
		}
	}
	for _, r := range h {
		if r.components == nil && unknown {
			used[r] = true
		}
	}
	return used
}

// keep the revision. What a newer release has written stays as that has applied it.
func (r *revision) keep(call *step.Call) error {
	if r.components != nil {
		return r.desire(call.Response, call.Graph)
	}
	retain.Retain(call, names.Resource(r.key), r.observed)
	return nil
}
