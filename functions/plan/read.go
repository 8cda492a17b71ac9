package plan

import (
	"maps"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/adoption"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/recovery"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// inputs are what the user and the platform have written.
type inputs struct {
	// graph that its user wrote, and what of it could not be decoded.
	graph    *graph.Graph
	decoding message.List

	policy  policy
	answers require.Answers
}

// read the inputs of the step. A verdict ends the step.
func read(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) (*inputs, *Verdict) {
	if errs := budget.Decodable(req.GetObserved().GetComposite().GetResource()); len(errs) > 0 {
		return nil, refuseSize(req, rsp, errs)
	}
	g, errs := graph.Decode(req)
	in, invalid := input.Read(req.GetInput(), g.Namespace)
	if len(invalid) > 0 {
		return nil, refuseInput(req, rsp, invalid)
	}
	return &inputs{graph: g, decoding: errs, policy: policyOf(req, g, in), answers: require.AnswersIn(req)}, nil
}

// see what a request observes of the graph.
func (in *inputs) see(req *fnv1.RunFunctionRequest, r *require.Requirements) (*subject.Seen, error) {
	state, err := observed.Of(req)
	if err != nil {
		return nil, err
	}
	return subject.See(in.graph, in.policy.input, state, in.answers, r), nil
}

// gather the facts about the graph when all of its objects are observed.
func (in *inputs) gather(seen *subject.Seen, own *owned, r *require.Requirements) (*subject.Facts, error) {
	if len(own.lost)+len(own.adopted) == 0 {
		return subject.Gather(seen, in.policy.sources, r), nil
	}
	whole, err := in.see(own.request, r)
	if err != nil {
		return nil, err
	}
	return subject.Gather(whole, in.policy.sources, r), nil
}

// owned are the objects of a graph that Crossplane does not observe, and why the graph cannot have others that it asks for.
type owned struct {
	subject.Outcome

	// lost objects. nil if none are looked for.
	lost lost.Objects

	// adopted workloads of the Dynamo operator.
	adopted lost.Objects

	// request in which these objects are observed.
	request *fnv1.RunFunctionRequest
}

// ownedBy the graph in a request. This is complete when all requirements are resolved.
func ownedBy(req *fnv1.RunFunctionRequest, seen *subject.Seen) *owned {
	adopted, outcome := adoption.Find(req, seen)
	found, recovering := recovery.Find(req, seen)
	outcome.Add(recovering)
	own := &owned{Outcome: outcome, lost: found, adopted: adopted}
	own.request = own.objects().Observe(req)
	return own
}

// objects that are lost or adopted.
func (o *owned) objects() lost.Objects {
	all := lost.Objects{}
	maps.Copy(all, o.adopted)
	maps.Copy(all, o.lost)
	return all
}
