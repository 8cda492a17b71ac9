package releases

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// checkPicker compares the configuration and the replicas of an Endpoint Picker with its release. The release only contradicts the
// configuration if the graph says it: what is assumed for an image, by the platform or here, follows from the configuration instead.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/webhook/validation/shared_helpers.go
func checkPicker(f *subject.Facts, name string, version runtime.Version, source runtime.Source) subject.Outcome {
	var outcome subject.Outcome
	component := f.Graph.Component(name)
	if component.Type != v1beta1.ComponentEPP {
		return outcome
	}
	path := graph.ComponentPath(name)
	native, since := component.IsNativeEPP(), runtime.EPPNative.Since()
	refuse := func(e *message.Message) {
		outcome.Refuse(subject.Mistake, message.List{e}.Mark(rule.EndpointPicker)...)
	}
	fieldPath := path.Child("eppConfig")
	switch hasNative := version.Has(runtime.EPPNative); {
	case !source.IsOfGraph() || native == hasNative:
	case native:
		refuse(message.Required(fieldPath, "is required for Endpoint Pickers before Dynamo %s, and the image has %s; add configMapRef or config, or use an image of %s or later", since, version, since))
	case runsConfigured(f, component):
		outcome.Warn(fieldPath, "Endpoint Pickers since Dynamo %s have no configuration, and the image has %s; the Endpoint Picker stays as it runs until its image or its configuration changes: remove eppConfig then", since, version)
	default:
		refuse(message.Forbidden(fieldPath, "must be omitted for Endpoint Pickers of Dynamo %s or later, which have no configuration, and the image has %s; remove it, or use an earlier image", since, version))
	}
	if replicas := component.Replicas(); replicas > 1 && native && !version.Has(runtime.EPPReplicas) {
		refuse(message.Invalid(path.Child("replicas"), replicas,
			"must be 1 for Endpoint Pickers before Dynamo %s, which do not know of each other, and the image has %s; use a newer image, or set runtimeVersionOverride to the release in it", runtime.EPPReplicas.Since(), version))
	}
	return outcome
}

// runsConfigured reports whether pods of a picker with a configuration run in its image already.
func runsConfigured(f *subject.Facts, component *graph.Component) bool {
	image := component.Main().Image
	for _, template := range f.Observed.Pods[names.Lower(component.Name)] {
		if main := pod.MainOfPod(&template.Spec); main != nil && main.Image == image && pod.IsConfiguredEPP(&template.Spec) {
			return true
		}
	}
	return false
}
