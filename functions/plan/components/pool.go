package components

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// PoolByClass decides whether the InferencePool of a graph selects workers by their class, as with the Dynamo operator of August 2026, and
// not by their type. Only then can the label of the type say for which phase of inference a worker is, by which the filters of Endpoint
// Pickers in v1beta1 tell them apart.
//
// The selector must match all running pods, of which those of older releases have no class. So a pool stays as it is, and without a pool the
// pods decide. A new graph selects by class if Dynamo does so in the releases of all its workers.
func PoolByClass(f *subject.Facts, decided map[string]graphplan.Component) bool {
	if !f.Graph.HasComponent(v1beta1.ComponentEPP) {
		return false
	}
	if pool := f.Observed.Object(names.KeyEPPInferencePool); pool != nil {
		return tree.At(pool, "spec", "selector", "matchLabels").GetFields()[metadata.LabelComponentClass] != nil
	}
	workers := false
	for _, name := range f.Graph.ComponentNames() {
		if s := f.Graph.Component(name); !s.IsWorker() {
			continue
		}
		workers = true
		if live := f.Observed.Pods[names.Lower(name)]; len(live) > 0 {
			if slices.ContainsFunc(live, withoutClass) {
				return false
			}
			continue
		}
		if !decided[name].RuntimeVersion.Has(runtime.ComponentClass) {
			return false
		}
	}
	// Without workers, those of other graphs are picked from. They have no class if their graph has no Endpoint Picker.
	return workers
}

func withoutClass(template corev1.PodTemplateSpec) bool {
	return template.Labels[metadata.LabelComponentClass] == ""
}
