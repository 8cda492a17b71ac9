package validate

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

func (v *validator) endpointPicker(path *field.Path, s *graph.Component) {
	fieldPath := path.Child("eppConfig")
	if s.Type != v1beta1.ComponentEPP {
		if s.EPPConfig != nil {
			v.forbidden(fieldPath, "may only be set when {{type}} is epp")
		}
		return
	}
	// Whether a picker needs a configuration depends on its release.
	switch {
	case s.IsNativeEPP():
	case s.EPPConfig.ConfigMapRef == nil && s.EPPConfig.Config == nil:
		v.required(fieldPath, "must have configMapRef or config; add one of the two, or remove eppConfig if the release in the image does not need it")
	case s.EPPConfig.ConfigMapRef != nil && s.EPPConfig.Config != nil:
		v.forbidden(fieldPath, "may not have both configMapRef and config; remove one of the two")
	case s.EPPConfig.ConfigMapRef != nil && s.EPPConfig.ConfigMapRef.Name == "":
		v.required(fieldPath.Child("configMapRef", "name"), "specify the name of the ConfigMap")
	}
	if s.Multinode != nil {
		v.forbidden(path.Child("multinode"), "may not be set for the Endpoint Picker, which runs on one node; remove it")
	}
	switch replicas := s.Replicas(); {
	case replicas > 1 && !s.IsNativeEPP():
		v.invalid(path.Child("replicas"), replicas, "must be 1 for an Endpoint Picker with eppConfig")
	case replicas < 1:
		v.invalid(path.Child("replicas"), replicas, "must be at least 1 for an Endpoint Picker, without which no request is routed")
	}
}

// endpointPickers refuses a second Endpoint Picker, because a graph has only one InferencePool and one ConfigMap.
func (v *validator) endpointPickers() {
	first := ""
	for _, s := range v.graph.ComponentsByName() {
		if s.Type != v1beta1.ComponentEPP {
			continue
		}
		path := graph.ComponentsPath().Key(s.Name)
		if first != "" {
			v.invalid(path.Child("type"), s.ComponentType, "a graph can have only one Endpoint Picker, and {{component}} %s is already an Endpoint Picker; remove one of the two", first)
		}
		first = cmp.Or(first, s.Name)
		if s.EPPConfig != nil && s.EPPConfig.Config != nil {
			v.pickerPlugins(path.Child("eppConfig", "config"), s.EPPConfig.Config)
		}
	}
}

// pickerPlugins checks that profiles refer to existing plugins. Otherwise the picker would not start.
func (v *validator) pickerPlugins(path *field.Path, config *v1alpha1.EndpointPickerConfig) {
	known := map[string]bool{}
	for _, plugin := range config.Plugins {
		known[cmp.Or(plugin.Name, plugin.Type)] = true
	}
	plugins := strict.Some(slices.Sorted(maps.Keys(known)))
	for i, profile := range config.SchedulingProfiles {
		for j, plugin := range profile.Plugins {
			if !known[plugin.PluginRef] {
				v.invalid(path.Child("schedulingProfiles").Index(i).Child("plugins").Index(j).Child("pluginRef"), plugin.PluginRef,
					"is not a plugin of this configuration; the plugins are %s", plugins)
			}
		}
	}
}
