package conversion

// sharedExperiments are the experimental features of v1beta1 that are fields of a service in v1alpha1.
func sharedExperiments() []string {
	return []string{gpuMemoryService, failover, checkpoint}
}

const (
	gpuMemoryService = "gpuMemoryService"
	failover         = "failover"
	checkpoint       = "checkpoint"
)

// experimentalOf a service has the features that are enabled, and a checkpoint even if it is disabled.
func experimentalOf(service object) any {
	experimental := object{}
	for _, feature := range []string{gpuMemoryService, failover} {
		if isEnabled(service, feature) {
			experimental[feature] = withMode(without(objectAt(service, feature), "enabled"), ShareModes())
		}
	}
	if config, ok := service[checkpoint].(object); ok {
		experimental[checkpoint] = without(config)
		if !has(config, "enabled") {
			// v1beta1 requires what is the default of v1alpha1.
			objectAt(experimental, checkpoint)["enabled"] = false
		}
	}
	if len(experimental) == 0 {
		return nil
	}
	return experimental
}

// setExperimental sets the fields of a service from the experimental features of a component.
func setExperimental(service, experimental object) {
	modes := map[string]string{}
	for alpha, beta := range ShareModes() {
		modes[beta] = alpha
	}
	for _, feature := range []string{gpuMemoryService, failover} {
		if config, ok := experimental[feature].(object); ok {
			service[feature] = withMode(without(config), modes)
			objectAt(service, feature)["enabled"] = true
		}
	}
	put(service, checkpoint, experimental[checkpoint])
}

// withMode changes the case of the mode of a feature to that of the other version.
func withMode(feature object, modes map[string]string) object {
	if mode, ok := feature["mode"].(string); ok && modes[mode] != "" {
		feature["mode"] = modes[mode]
	}
	return feature
}
