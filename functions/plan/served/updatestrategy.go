package served

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// requirementPodCliqueSetSchema is the name of the requirement that shows which update strategies and fields Grove serves.
const requirementPodCliqueSetSchema = "schema-podcliqueset"

// UpdateStrategy refuses a strategy that the installed Grove does not serve, before its API server does. The schema is large, so it is only
// asked for where a graph needs it. The other strategies are as old as the oldest version that is supported with strategies.
func UpdateStrategy(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	if f.Graph.Annotations[metadata.AnnotationGroveUpdateStrategy] != grovev1alpha1.UpdateCoherent || runsCoherently(f) {
		return o
	}
	schema, known := podCliqueSetSchema(f, &o.Requirements)
	if !known || slices.Contains(valuesOf(schema, "spec", "updateStrategy", "type"), grovev1alpha1.UpdateCoherent) {
		return o
	}
	o.Refuse(subject.NotSupported, message.Invalid(
		field.NewPath("metadata", "annotations").Key(metadata.AnnotationGroveUpdateStrategy), grovev1alpha1.UpdateCoherent,
		"the installed version of Grove does not serve this strategy; update Grove to %s or later, or use %s", withCoherent, grovev1alpha1.UpdateRollingRecreate,
	))
	return o
}

// withCoherent is the first version of Grove with strategy Coherent, and with limits of rolling updates.
const withCoherent = "v0.1.0-alpha.14"

// RollingUpdates refuses limits of rolling updates that the installed Grove does not serve: its API server would drop them silently.
func RollingUpdates(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	limited := slices.DeleteFunc(override.In(f.Graph), func(given override.Override) bool { return given.OfRole || given.Limits() == nil })
	if len(limited) == 0 || runsWithLimits(f) {
		return o
	}
	schema, known := podCliqueSetSchema(f, &o.Requirements)
	if !known {
		return o
	}
	template := require.Property(schema, "spec", "template")
	for _, given := range limited {
		list := map[string]string{override.TargetClique: "cliques", override.TargetGroup: "podCliqueScalingGroups"}[given.Of]
		items := require.Property(template, list).GetFields()["items"].GetStructValue()
		if require.Property(items, override.RollingUpdate) == nil {
			o.Refuse(subject.NotSupported, message.Forbidden(given.Path.Child("value", override.RollingUpdate),
				"the installed version of Grove does not serve this field; update Grove to %s or later, or remove it", withCoherent))
		}
	}
	return o
}

// runsWithLimits reports whether the graph runs with limits already. Grove adds its defaults where a graph has none.
func runsWithLimits(f *subject.Facts) bool {
	set := f.Observed.PodCliqueSet
	return set != nil &&
		(slices.ContainsFunc(set.Spec.Template.Cliques, func(c grovev1alpha1.Clique) bool { return c.RollingUpdate != nil }) ||
			slices.ContainsFunc(set.Spec.Template.ScalingGroups, func(g grovev1alpha1.ScalingGroup) bool { return g.RollingUpdate != nil }))
}

// podCliqueSetSchema is the schema of the installed Grove. Where it is not known, the newest Grove is assumed.
func podCliqueSetSchema(f *subject.Facts, r *require.Requirements) (schema *structpb.Struct, known bool) {
	schema, known, resolved := r.Schema(f.Answers, requirementPodCliqueSetSchema, grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet)
	return schema, known && resolved && len(schema.GetFields()) > 0
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
