package api

func groveMistakes() []mistake {
	return []mistake{
		{edit{"spec.services[Decode].extraPodSpec.containers[0].ports", "[{name: http, containerPort: 8001}]"}, `spec.services[Decode].extraPodSpec.containers[0].ports[0].name: Invalid value: "http": is the name of a port of container sidecar-frontend, which is added to the pods of this service; rename it`},
		{edit{"spec.services[Frontend].replicas", "0"}, "Invalid value: 0: may not be 0 on Grove, which sets it to 1 when it admits the PodCliqueSet"},
		{edit{"spec.services[Frontend].extraPodSpec.schedulerName", "volcano"}, "spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, but kai-scheduler is used by Decode, Picker, Planner, Shared"},
		{edit{"spec.services[Planner].extraPodSpec.nodeName", "node-1"}, "Forbidden: not supported on Grove; use nodeSelector or affinity instead"},
		{edit{"spec.services[Planner].extraPodSpec.topologySpreadConstraints", "[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]"}, "Forbidden: not supported on Grove; use topologyConstraint or affinity instead"},
		{edit{"spec.services[new-decode]", "{extraPodSpec: {mainContainer: {image: x}}}"}, `Invalid value: "new-decode": Grove would mistake clique new-decode for clique decode of service Decode, because the first name ends with the second name; rename one of the two services`},
		{edit{"spec.services[Frontend].topologyConstraint.packDomain", "region"}, `Invalid value: "region": is not a domain of ClusterTopologyBinding my-cluster-topology; available domains: block, host, rack, zone`},
		{edit{"spec.topologyConstraint.topologyProfile", "other"}, `Invalid value: "other": there is no ClusterTopologyBinding of this name; create it, or specify an existing ClusterTopologyBinding`},
		{edit{"spec.topologyConstraint.packDomain", "region"}, `Invalid value: "region": is not a domain of ClusterTopologyBinding my-cluster-topology; available domains: block, host, rack, zone`},
		{edit{"metadata.name", "llama.v2"}, `Invalid value: "llama.v2": must begin with a letter and contain no dots on Grove, because its headless Service is named llama.v2-0; rename the graph`},
		{edit{"metadata.annotations[nvidia.com/kai-scheduler-queue]", "other"}, `Invalid value: "other": this KAI Queue does not exist; create it`},
		{edit{"metadata.annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": multi-node NVLink is disabled in this cluster; remove the annotation`},
		{edit{"spec.services[Frontend].annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": multi-node NVLink is disabled in this cluster; remove the annotation`},
	}
}

func lwsMistakes() []mistake {
	return []mistake{
		{edit{"metadata.name", "a-graph-with-a-name-of-forty-eight-characters-xyz"}, `spec.services[Worker]: Invalid value: "Worker": its LeaderWorkerSet would be named a-graph-with-a-name-of-forty-eight-characters-xyz-worker-1`},
		{edit{"metadata.annotations[scheduling.volcano.sh/queue-name]", "other"}, `Invalid value: "other": this Volcano Queue does not exist; create it`},
		{edit{"spec.services[worker-0]", "{extraPodSpec: {mainContainer: {image: x}}}"}, `Invalid value: "worker-0": its Service would have the name of the headless Service of replica 0 of service worker; rename one of the two services`},
		{edit{"spec.services[frontend]", "{extraPodSpec: {mainContainer: {image: x}}}"}, `Invalid value: "frontend": differs from service Frontend only in case, but names of objects are lower case; rename one of the two services`},
		{edit{"spec.services[Worker].replicas", "90000"}, "spec.services: Invalid value: the objects of the graph take up (size), but Crossplane accepts at most (size) from a function"},
		{edit{"spec.services[Worker].topologyConstraint.packDomain", "region"}, `Invalid value: "region": is not a domain of profile my-cluster-topology of the platform; available domains: block, host, rack, zone`},
		{edit{"spec.services[Frontend].extraPodMetadata.annotations[nvidia.com/deployment-rolling-update-max-surge]", "x"}, `Invalid value: "x": must be a number such as 1 or a percentage such as 25%`},
		{edit{"spec.services[Frontend].extraPodMetadata.annotations[nvidia.com/deployment-strategy]", "BlueGreen"}, `Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`},
		{edit{"spec.services[Frontend].annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": multi-node NVLink is disabled in this cluster; remove the annotation`},
	}
}

func deploymentMistakes() []mistake {
	return []mistake{
		{edit{"spec.services[Worker].multinode", "{nodeCount: 2}"}, "services Worker span several nodes, but no orchestrator that can run them is installed; install Grove (API group grove.io)"},
		{edit{"spec.services[Planner].annotations", `{nvidia.com/deployment-rolling-update-max-surge: "0", nvidia.com/deployment-rolling-update-max-unavailable: "0"}`}, `spec.services[Planner].annotations[nvidia.com/deployment-rolling-update-max-unavailable]: Invalid value: "0"`},
		{edit{"spec.services[Frontend].annotations[nvidia.com/deployment-rolling-update-max-unavailable]", `"101%"`}, `Invalid value: "101%": must be at most 100%`},
		{edit{"spec.services[Frontend].annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": multi-node NVLink is disabled in this cluster; remove the annotation`},
	}
}

func nvlinkMistakes() []mistake {
	return []mistake{
		{edit{"metadata.annotations[grove.io/mnnvl-group]", "My_Group"}, `Invalid value: "My_Group": a lowercase RFC 1123 label`},
		{edit{"spec.services[Worker].annotations[grove.io/mnnvl-group]", "My_Group"}, `Invalid value: "My_Group": a lowercase RFC 1123 label`},
		{edit{"spec.services[Shared].annotations", "{grove.io/auto-mnnvl: enabled, grove.io/mnnvl-group: none}"}, `spec.services[Shared].annotations[grove.io/auto-mnnvl]: Invalid value: "enabled"`},
		{edit{"spec.services[Decode].annotations", "{grove.io/auto-mnnvl: disabled, grove.io/mnnvl-group: a}"}, `spec.services[Decode].annotations[grove.io/mnnvl-group]: Invalid value: "a": conflicts with spec.services[Decode].annotations[grove.io/auto-mnnvl]`},
		{edit{"spec.services[Planner].extraPodMetadata.annotations[grove.io/mnnvl-group]", "a"}, `Invalid value: "a": is ignored in pod annotations; set it in the annotations of the service`},
	}
}

func driverMistakes() []mistake {
	return []mistake{
		{edit{"spec.services[Worker].annotations[grove.io/auto-mnnvl]", ""}, "multi-node NVLink is enabled (mnnvl.mode Auto in the input of step plan) for services Worker, but API group resource.nvidia.com is not served"},
		{edit{"spec.services[Worker].annotations[grove.io/mnnvl-group]", "a"}, `Invalid value: "a": requests an NVLink domain from Grove, but the domains of this graph are composed by step computedomain (mnnvl.mode Auto in the input of step plan)`},
	}
}

func liveOnGroveMistakes() []mistake {
	return []mistake{
		{edit{"metadata.annotations[nvidia.com/enable-grove]", `"false"`}, `annotation nvidia.com/enable-grove: "false" requests an orchestrator other than Grove, which runs the graph`},
		{edit{"metadata.annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": cannot be changed after creation; the graph was created without an NVLink domain: undo the change`},
		{edit{"metadata.annotations[nvidia.com/topology-preferred-domain]", "rack"}, `Invalid value: "rack": cannot be changed after creation; it was "": undo the change, or delete and recreate the graph`},
		{edit{"spec.topologyConstraint.topologyProfile", "other"}, `Invalid value: "other": cannot be changed after creation; it was "my-cluster-topology": undo the change, or delete and recreate the graph`},
		{edit{"spec.topologyConstraint.packDomain", "block"}, `Invalid value: "block": cannot be changed after creation; it was "zone": undo the change, or delete and recreate the graph`},
		{edit{"spec.services[New]", "{extraPodSpec: {mainContainer: {image: x}}}"}, "Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph"},
		{edit{"spec.services[Planner]", ""}, "spec.services: Forbidden: services cannot be removed after creation; restore planner, or delete and recreate the graph"},
		{edit{"spec.services[Frontend].multinode", "{nodeCount: 2}"}, "Forbidden: a service cannot change between single-node and multinode after creation: undo the change, or delete and recreate the graph"},
		{edit{"spec.services[Frontend].topologyConstraint.packDomain", "rack"}, `Invalid value: "rack": cannot be changed after creation; it was "": undo the change, or delete and recreate the graph`},
		{edit{"spec.services[Shared].resources.limits.gpu", "4"}, "spec.services[Shared].gpuMemoryService: Forbidden: shared GPUs cannot be changed while the GPU memory service is enabled; they were 2 of class gpu.nvidia.com"},
		{edit{"spec.services[Worker].minAvailable", "2"}, "Invalid value: 2: cannot be changed after creation; it was 1: undo the change, or delete and recreate the graph"},
		{edit{"spec.services[Worker].multinode.nodeCount", "3"}, "Invalid value: 3: cannot be changed after creation; it was 2: undo the change, or delete and recreate the graph"},
		{edit{"spec.services[Worker].topologyConstraint.packDomain", "host"}, `Invalid value: "host": cannot be changed after creation; it was "rack": undo the change, or delete and recreate the graph`},
	}
}

func liveOnLWSMistakes() []mistake {
	return []mistake{
		{edit{"metadata.annotations[nvidia.com/enable-grove]", `"true"`}, `annotation nvidia.com/enable-grove: "true" requests an orchestrator other than LeaderWorkerSet, which runs the graph`},
		{edit{"spec.topologyConstraint.topologyProfile", "other"}, `Invalid value: "other": cannot be changed after creation; it was "my-cluster-topology": undo the change, or delete and recreate the graph`},
		{edit{"spec.services[Planner]", ""}, "spec.services: Forbidden: services cannot be removed after creation; restore planner, or delete and recreate the graph"},
		{edit{"spec.services[Frontend].multinode", "{nodeCount: 2}"}, "Forbidden: a service cannot change between single-node and multinode after creation: undo the change, or delete and recreate the graph"},
		{edit{"spec.services[Shared].resources.limits.gpu", "4"}, "spec.services[Shared].gpuMemoryService: Forbidden: shared GPUs cannot be changed while the GPU memory service is enabled; they were 2 of class gpu.nvidia.com"},
		{edit{"spec.services[Worker].multinode", ""}, "Forbidden: a service cannot change between single-node and multinode after creation: undo the change, or delete and recreate the graph"},
		{edit{"spec.services[Worker].topologyConstraint.packDomain", "host"}, `Invalid value: "host": cannot be changed after creation; it was "rack": undo the change, or delete and recreate the graph`},
		{edit{"spec.services[Worker].annotations[grove.io/auto-mnnvl]", "enabled"}, `Invalid value: "enabled": cannot be changed after creation; the graph was created without an NVLink domain: undo the change`},
	}
}
