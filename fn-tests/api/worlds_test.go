package api

import "slices"

func anywhere() []mistake { return slices.Concat(graphMistakes(), serviceMistakes(), podMistakes()) }

// worlds in which mistakes are made.
func worlds() map[string]world {
	const (
		everything = "examples/cluster/all.yaml"
		levels     = `,"topology":{"profiles":[{"name":"my-cluster-topology","levels":[{"domain":"zone","key":"z"},{"domain":"block","key":"b"},{"domain":"rack","key":"r"},{"domain":"host","key":"h"}]}]}`
	)
	offGrove := edit{"metadata.annotations[nvidia.com/enable-grove]", `"false"`}
	optedOut := []edit{
		{"spec.services[Decode].annotations[grove.io/auto-mnnvl]", "disabled"},
		{"spec.services[Shared].annotations[grove.io/auto-mnnvl]", "disabled"},
		{"spec.services[Worker].annotations[grove.io/auto-mnnvl]", "disabled"},
	}
	return map[string]world{
		"Grove":       {reason: "A new graph goes to Grove.", cluster: everything, own: groveMistakes(), everything: true},
		"LWS":         {reason: "A new graph goes to LeaderWorkerSets.", cluster: "examples/cluster/lws-volcano.yaml", input: levels, own: lwsMistakes()},
		"Deployments": {reason: "A new graph goes to Deployments, where nothing is installed.", cluster: "examples/cluster/none.yaml", base: []edit{{"spec.services[Worker].multinode", ""}}, own: deploymentMistakes()},
		"NVLink":      {reason: "Grove makes NVLink domains for a new graph.", cluster: everything, input: `,"mnnvl":{"mode":"Grove"}`, own: nvlinkMistakes()},
		"NoDriver":    {reason: "A platform with NVLink domains lacks their driver.", cluster: everything, input: `,"mnnvl":{"mode":"Auto","driver":"Disabled"}`, base: optedOut, own: driverMistakes()},
		"LiveOnGrove": {reason: "A graph runs on Grove.", cluster: everything, live: true, own: liveOnGroveMistakes()},
		"LiveOnLWS":   {reason: "A graph runs on LeaderWorkerSets.", cluster: everything, input: levels, live: true, base: []edit{offGrove}, own: liveOnLWSMistakes()},
	}
}
