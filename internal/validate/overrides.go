package validate

import (
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Keys of the limits of rolling updates.
const (
	maxUnavailable   = "maxUnavailable"
	progressDeadline = "progressDeadline"
)

// overrides checks what is written in Grove's own form. All else of a PodCliqueSet follows from the graph.
func (v *validator) overrides() {
	v.oneMinimum()
	for _, o := range override.In(v.graph) {
		v.overrideTarget(o)
		if o.IsConstraint() && override.HasTyped(v.graph) {
			v.forbidden(o.Path, "cannot be combined with topologyConstraint of the graph or of a {{component}}; remove one of the two")
		}
		value := o.Tree()
		if value == nil {
			v.forbidden(o.Path.Child("value"), "must be an object")
			continue
		}
		if o.Component != "" && !o.OfRole {
			v.scalingOverride(o, value)
		}
		if o.IsConstraint() {
			v.overrideConstraint(o, value)
		}
	}
}

func (v *validator) overrideTarget(o override.Override) {
	if o.APIVersion != grovev1alpha1.APIVersion {
		v.add(message.NotSupported(o.Path.Child("apiVersion"), o.APIVersion, []string{grovev1alpha1.APIVersion}))
	}
	if o.Target != "" && o.Target != o.Of {
		v.invalid(o.Path.Child("target"), o.Target, "must be %s here; correct or remove it", o.Of)
	}
}

// overrideConstraint checks the constraint in a value. Where there are no other fields, it consists of one.
func (v *validator) overrideConstraint(o override.Override, value *structpb.Struct) {
	path := o.Path.Child("value")
	for _, key := range append(o.Parents(), override.Constraint) {
		if o.Component == "" || o.OfRole {
			v.onlyKeys(o, path, value, key)
		}
		path = path.Child(key)
		if value = value.GetFields()[key].GetStructValue(); value == nil {
			v.required(path, "specify an object, or remove the override")
			return
		}
	}
	if err := require.Into(value, &grovev1alpha1.TopologyConstraint{}); err != nil {
		v.forbidden(path, "is not a constraint of Grove: %s", err.Error())
	}
}

// onlyKeys refuses all other fields of the graph or of a role than one, which leads to the constraint.
func (v *validator) onlyKeys(o override.Override, path *field.Path, value *structpb.Struct, allowed string) {
	for _, other := range override.Others(value, allowed) {
		switch {
		case o.OfRole && other == override.RollingUpdate:
			v.forbidden(path.Child(other), "is not supported for a clique that belongs to a scaling group; set it in providerOverride of the {{component}}")
		case o.OfRole && value.GetFields()[other].GetStructValue().GetFields()[override.MinAvailable] != nil:
			v.forbidden(path.Child(other), "cannot be overridden, because all nodes of a replica are needed; set minAvailable in providerOverride of the {{component}}")
		default:
			v.forbidden(path.Child(other), "cannot be overridden, because it follows from the graph; only %s can be", strings.Join(append(o.Parents(), override.Constraint), "."))
		}
	}
}

// scalingOverride checks all fields of the value of a component but its constraint.
func (v *validator) scalingOverride(o override.Override, value *structpb.Struct) {
	path, keys := o.Path.Child("value"), o.MinAvailableKeys()
	v.onlyScaling(o, path, value, keys[0], override.RollingUpdate, override.Constraint)
	minimum := value
	if o.Of == override.TargetClique {
		minimum = value.GetFields()[keys[0]].GetStructValue()
		v.onlyScaling(o, path.Child(keys[0]), minimum, override.MinAvailable)
		if _, written := value.GetFields()[keys[0]]; written && len(minimum.GetFields()) == 0 {
			v.required(path.Child(keys[0]), "specify an object with %s, or remove it", override.MinAvailable)
		}
	}
	if number, ok := minimum.GetFields()[override.MinAvailable]; ok {
		v.nativeMinimum(o, number)
	}
	if limits, ok := value.GetFields()[override.RollingUpdate]; ok {
		v.limits(o, path.Child(override.RollingUpdate), limits.GetStructValue())
	}
}

// onlyScaling refuses all other fields of an object than known ones.
func (v *validator) onlyScaling(o override.Override, path *field.Path, object *structpb.Struct, known ...string) {
	for _, other := range override.Others(object, known...) {
		v.forbidden(path.Child(other), "cannot be overridden, because it follows from the graph; only %s, %s and %s can be", strings.Join(o.MinAvailableKeys(), "."), override.RollingUpdate, override.Constraint)
	}
}

// nativeMinimum checks the minimum of a component in Grove's own form.
func (v *validator) nativeMinimum(o override.Override, value *structpb.Value) {
	component, path := v.graph.Component(o.Component), o.MinAvailablePath()
	switch least, ok := integer(value); {
	case !ok:
		v.invalid(path, numberOf(value), "must be an integer of at least 1")
	case least < 1:
		v.invalid(path, least, "must be at least 1")
	case component.Replicas() > 0 && least > component.Replicas():
		v.invalid(path, least, "must be at most replicas, which is %d", component.Replicas())
	}
}

// oneMinimum refuses minimums in both forms in one graph.
func (v *validator) oneMinimum() {
	native := ""
	for _, name := range v.graph.ComponentNames() {
		if component := v.graph.Component(name); native == "" && component.NativeMinAvailable() != nil {
			native = name
		}
	}
	for _, name := range v.graph.ComponentNames() {
		if v.graph.Component(name).Component.MinAvailable != nil && native != "" {
			v.forbidden(graph.ComponentsPath().Key(name).Child("minAvailable"), "cannot be combined with minAvailable in providerOverride of {{component}} %s; use one of the two forms for all {{components}}", native)
		}
	}
}

// limits checks the limits of rolling updates of a component.
// https://github.com/ai-dynamo/grove/blob/main/operator/api/core/v1alpha1/podcliqueset.go
func (v *validator) limits(o override.Override, path *field.Path, written *structpb.Struct) {
	if len(written.GetFields()) == 0 {
		v.required(path, "specify an object with %s or %s, or remove it", maxUnavailable, progressDeadline)
		return
	}
	for _, other := range override.Others(written, maxUnavailable, progressDeadline) {
		v.forbidden(path.Child(other), "is not known; only %s and %s are", maxUnavailable, progressDeadline)
	}
	if deadline, ok := written.GetFields()[progressDeadline]; ok {
		if d, err := time.ParseDuration(deadline.GetStringValue()); err != nil || d <= 0 {
			v.invalid(path.Child(progressDeadline), textOf(deadline), "must be a duration of more than 0, such as 30m")
		}
	}
	if most, ok := written.GetFields()[maxUnavailable]; ok {
		v.maxUnavailable(o, path.Child(maxUnavailable), most)
	}
	if v.options.Grove && v.updateStrategy() == grovev1alpha1.UpdateOnDelete {
		v.forbidden(path, "has no meaning with strategy %s, with which Grove replaces no pods; remove it, or annotation %s", grovev1alpha1.UpdateOnDelete, metadata.AnnotationGroveUpdateStrategy)
	}
}

// maxUnavailable checks how many replicas of a component may be replaced at a time. A coherent update replaces as many as serve together.
func (v *validator) maxUnavailable(o override.Override, path *field.Path, value *structpb.Value) {
	component := v.graph.Component(o.Component)
	switch most, ok := integer(value); {
	case !ok:
		v.invalid(path, numberOf(value), "must be an integer of at least 1")
	case most < 1:
		v.invalid(path, most, "must be at least 1")
	case v.options.Grove && v.updateStrategy() == grovev1alpha1.UpdateCoherent && most < component.MinAvailable():
		v.invalid(path, most, "must be at least minAvailable, which is %d, with strategy %s", component.MinAvailable(), grovev1alpha1.UpdateCoherent)
	case !v.options.Live && int64(most) > mostReplicas(component):
		v.invalid(path, most, "must be at most replicas, which is %d", mostReplicas(component))
	}
}

// mostReplicas of a component that its graph allows. A running component may be scaled to fewer.
func mostReplicas(s *graph.Component) int64 {
	switch _, adapted := s.Adapter(); {
	case adapted:
		return math.MaxInt64
	case s.IsAutoscaled():
		return max(int64(s.Replicas()), int64(s.Autoscaling.MaxReplicas))
	default:
		return int64(s.Replicas())
	}
}

func (v *validator) updateStrategy() string {
	return v.graph.Annotations[metadata.AnnotationGroveUpdateStrategy]
}

// numberOf a value for messages. A value of another type is not shown: what was written in the wrong place may be a secret.
func numberOf(value *structpb.Value) any {
	if n, ok := value.GetKind().(*structpb.Value_NumberValue); ok {
		return n.NumberValue
	}
	return field.OmitValueType{}
}

// textOf a value for messages, as numberOf.
func textOf(value *structpb.Value) any {
	if text, ok := value.GetKind().(*structpb.Value_StringValue); ok {
		return text.StringValue
	}
	return field.OmitValueType{}
}

// integer of a value. ok is false if it is none, or too large for a number of replicas.
func integer(value *structpb.Value) (number int32, ok bool) {
	n, ok := value.GetKind().(*structpb.Value_NumberValue)
	if !ok || n.NumberValue != math.Trunc(n.NumberValue) || math.Abs(n.NumberValue) > math.MaxInt32 {
		return 0, false
	}
	return int32(n.NumberValue), true
}
