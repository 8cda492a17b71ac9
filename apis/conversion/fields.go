package conversion

// A Renaming is a field that both versions have under other names or in other places. Its paths are steps of keys. A step that begins with @ is the
// item of a list that has this name.
type Renaming struct{ Alpha, Beta []string }

// Renamings of fields of a graph.
func Renamings() []Renaming {
	return []Renaming{
		{[]string{"spec", "services"}, []string{"spec", "components"}},
		{[]string{"spec", "envs"}, []string{"spec", "env"}},
		{[]string{"spec", "topologyConstraint", "topologyProfile"}, []string{"spec", "topologyConstraint", "clusterTopologyName"}},
	}
}

// RenamingsInComponents are those below a service, and below a component. Of two whose paths begin alike, the longer one is first.
func RenamingsInComponents() []Renaming {
	return []Renaming{
		{[]string{"componentType"}, []string{"type"}},
		{[]string{"sharedMemory", "size"}, []string{"sharedMemorySize"}},
		{[]string{"gpuMemoryService"}, []string{"experimental", "gpuMemoryService"}},
		{[]string{"failover"}, []string{"experimental", "failover"}},
		{[]string{"checkpoint"}, []string{"experimental", "checkpoint"}},
		{[]string{"extraPodMetadata"}, []string{"podTemplate", "metadata"}},
		{[]string{"extraPodSpec", "mainContainer"}, []string{"podTemplate", "spec", "containers", "@main"}},
		{[]string{"extraPodSpec"}, []string{"podTemplate", "spec"}},
	}
}
