package plan

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// requirementPolicy is the beginning of the name of the requirement, which ends with the name of the object: the Composition may declare
// another one for the first call.
const requirementPolicy = "environmentconfig-"

// policy of the platform for a graph, and where its settings are.
type policy struct {
	input   *v1alpha1.Input
	sources input.Sources
}

// policyOf the EnvironmentConfig over an input. Until it has been looked up, it is the input itself. Every version of Crossplane that serves
// the API of graphs serves EnvironmentConfigs too, and may read them, so neither is detected.
func policyOf(req *fnv1.RunFunctionRequest, g *graph.Graph, in *v1alpha1.Input, r *require.Requirements) (policy, field.ErrorList) {
	given := policy{input: in, sources: input.SourcesOf(req.GetInput(), nil, "", g.Namespace)}
	if in.EnvironmentConfig.Mode == v1alpha1.EnvironmentConfigDisabled {
		return given, nil
	}
	name := in.EnvironmentConfig.Name
	object, _ := r.Get(require.Object{
		Name: requirementPolicy + name, APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", ObjectName: name,
	})
	data := object.GetFields()["data"]
	if tree.IsNull(data) {
		return given, nil
	}
	over, errs := input.Overlay(req.GetInput(), data, name, g.Namespace)
	if len(errs) > 0 {
		return given, errs
	}
	return policy{input: over, sources: input.SourcesOf(req.GetInput(), data, name, g.Namespace)}, nil
}

// refuseInput refuses to decide with an invalid input. A mistake in the Composition is not one of the graph.
func refuseInput(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, invalid field.ErrorList) (*fnv1.RunFunctionResponse, *Verdict) {
	v := &Verdict{Refusals: subject.Refused(subject.PolicyInvalid, message.OfErrors(invalid).Mark(rule.Input)...).Refusals}
	return fatal(rsp, req, errors.Wrap(invalid.ToAggregate(), "invalid input in the Composition")), v
}

// refusePolicy refuses a graph because of an invalid EnvironmentConfig, so that a live graph stays as it is. Only its readiness is reported.
func refusePolicy(
	rsp *fnv1.RunFunctionResponse, f *subject.Facts, req *fnv1.RunFunctionRequest, invalid field.ErrorList,
) (*fnv1.RunFunctionResponse, *Verdict) {
	findChildren(f)
	if waiting(rsp, f.Requirements) {
		return rsp, &Verdict{waiting: true}
	}
	f.Requirements.Write(rsp)
	d := &decision{Outcome: subject.Refused(subject.PolicyInvalid, message.OfErrors(invalid).Mark(rule.Input)...), words: f.Graph}
	d.report(rsp)
	return refuse(rsp, req, d), d.verdict(nil)
}
