package plan

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
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

	// required is the look-up of the EnvironmentConfig.
	required require.Requirements

	// invalid says what is wrong with the EnvironmentConfig, which does not count then.
	invalid field.ErrorList
}

// policyOf the EnvironmentConfig over an input. Until it has been looked up, it is the input itself. Every version of Crossplane that serves
// the API of graphs serves EnvironmentConfigs too, and may read them, so neither is detected.
func policyOf(req *fnv1.RunFunctionRequest, g *graph.Graph, in *v1alpha1.Input) policy {
	given := policy{input: in, sources: input.SourcesOf(req.GetInput(), nil, "", g.Namespace)}
	if in.EnvironmentConfig.Mode == v1alpha1.EnvironmentConfigDisabled {
		return given
	}
	name := in.EnvironmentConfig.NameOrDefault()
	object, _ := given.required.Get(require.AnswersIn(req), require.Object{
		Name: requirementPolicy + name, APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", ObjectName: name,
	})
	data := object.GetFields()["data"]
	if tree.IsNull(data) {
		return given
	}
	over, errs := input.Overlay(req.GetInput(), data, name, g.Namespace)
	if len(errs) > 0 {
		given.invalid = errs
		return given
	}
	given.input, given.sources = over, input.SourcesOf(req.GetInput(), data, name, g.Namespace)
	return given
}
