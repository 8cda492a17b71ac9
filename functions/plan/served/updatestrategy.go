package served

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// requirementPodCliqueSetSchema is the name of the requirement that shows which update strategies Grove serves.
const requirementPodCliqueSetSchema = "schema-podcliqueset"

// UpdateStrategy refuses a strategy that the installed Grove does not serve, before its API server does. The schema is large, so it is only
// asked for where a graph needs it. The other strategies are as old as the oldest version that is supported with strategies.
func UpdateStrategy(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	if f.Graph.Annotations[metadata.AnnotationGroveUpdateStrategy] != grovev1alpha1.UpdateCoherent || runsCoherently(f) {
		return o
	}
	schema, known, resolved := f.Requirements.Schema(requirementPodCliqueSetSchema, grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet)
	types := valuesOf(schema, "spec", "updateStrategy", "type")
	if !known || !resolved || len(schema.GetFields()) == 0 || slices.Contains(types, grovev1alpha1.UpdateCoherent) {
		return o
	}
	o.Refuse(subject.NotSupported, field.Invalid(
		field.NewPath("metadata", "annotations").Key(metadata.AnnotationGroveUpdateStrategy), grovev1alpha1.UpdateCoherent,
		"the installed version of Grove does not serve this strategy; update Grove to v0.1.0-alpha.14 or later, or use "+grovev1alpha1.UpdateRollingRecreate,
	))
	return o
}

// runsCoherently reports whether the graph runs with the strategy already.
func runsCoherently(f *subject.Facts) bool {
	set := f.Observed.PodCliqueSet
	return set != nil && set.Spec.UpdateStrategy != nil && set.Spec.UpdateStrategy.Type == grovev1alpha1.UpdateCoherent
}

// valuesOf a property of a schema that has an enumeration.
func valuesOf(schema *structpb.Struct, path ...string) []string {
	var values []string
	for _, value := range require.Property(schema, path...).GetFields()["enum"].GetListValue().GetValues() {
		values = append(values, value.GetStringValue())
	}
	return values
}
