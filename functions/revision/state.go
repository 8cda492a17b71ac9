package revision

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// state of a graph: its components by the names of the components.
type state map[string]*component

// settle what each component runs.
func settle(call *step.Call, components []running, h history, release string) state {
	s := state{}
	for i := range components {
		component := &components[i]
		if c := settleComponent(call, component, h, release); c != nil {
			s[component.name] = c
		}
	}
	return s
}

// settleComponent decides what a component runs: what it runs already, unless the user has changed it. nil if it has no workload and never had
// one in this form.
func settleComponent(call *step.Call, s *running, h history, release string) *component {
	if runs := awaitEPPConfig(call, s, h); runs != nil {
		return runs
	}
	if pinned := h.componentOf(s); pinned != nil {
		return pinned
	}
	if len(s.workloads) == 0 {
		return nil
	}
	rendered := s.build(release)
	if taken := s.recover(call, h, rendered); taken != nil {
		return taken
	}
	return rendered
}

// build the component from what the steps before this one have built.
func (s *running) build(release string) *component {
	c := &component{written: s.written, generation: s.generation, release: release, pods: s.workloads[0].pods}
	for _, w := range s.workloads[1:] {
		if !tree.Equal(w.pods, c.pods) {
			if c.replicas == nil {
				c.replicas = map[string]*structpb.Struct{}
			}
			c.replicas[number(w.replica)] = w.pods
		}
	}
	return c
}

// recover the component from the live workloads, where their revision is lost, or where they were adopted. nil when there is nothing to
// recover, or when the user has changed the component since: then what is rendered is what they ask for.
func (s *running) recover(call *step.Call, h history, rendered *component) *component {
	var live *structpb.Struct
	lost := false
	for _, w := range s.workloads {
		if w.observed == nil {
			continue
		}
		if h.knows(w) {
			// It waits for its turn in a rollout, or the user has just changed it.
			continue
		}
		pods := s.live(w)
		if pods == nil {
			continue
		}
		pods = s.forReplica(pods, w.replica, 0)
		// Where some replicas have taken a new template already, the others are about to.
		if live == nil || tree.Equal(pods, rendered.pods) {
			live, lost = pods, tree.Text(w.observed, metadata.AnnotationRevision, "metadata", "annotations") != ""
		}
	}
	status := statusOf(call.Request, s.name)
	if live == nil || s.edited(call.Request, status) {
		return nil
	}
	if lost {
		warnLost(call, s.name)
	}
	return &component{written: s.written, generation: s.generation, release: status.release, pods: live}
}

// warnLost says that what a component runs was recorded in a revision that does not exist any more.
func warnLost(call *step.Call, component string) {
	response.Warning(call.Response, condition.ReasonRevisionLost,
		fmt.Sprintf("the ControllerRevision with the pod templates of component %s does not exist: the pod templates of the live workload are recorded again, and no pods are restarted", component))
}

// reported is what the status says of the pods of a component, and the name of their revision.
type reported struct {
	name, release string
	written       graphplan.Written
}

func statusOf(req *fnv1.RunFunctionRequest, component string) reported {
	status := tree.At(req.GetObserved().GetComposite().GetResource(), "status")
	revision := tree.At(status, graph.KeyIn(status), component, "revision")
	return reported{name: tree.Text(revision, "name"), written: graphplan.Written(tree.Text(revision, "written")), release: tree.Text(revision, "release")}
}

// edited reports whether the user has changed what reaches the pods of the component since the status was written.
func (s *running) edited(req *fnv1.RunFunctionRequest, status reported) bool {
	if status.written != "" {
		return !status.written.Same(s.written)
	}
	composite := req.GetObserved().GetComposite().GetResource()
	generation := tree.At(composite, "metadata").GetFields()["generation"]
	seen := tree.At(composite, "status").GetFields()["observedGeneration"]
	return generation != nil && seen != nil && generation.GetNumberValue() != seen.GetNumberValue()
}
