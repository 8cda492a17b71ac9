package findings

// remedies of all findings. The first one that matches is followed.
func remedies() []remedy {
	cpu := set("@.resources.requests.cpu", "2")
	const image = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.6.0"
	discovery := set("metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]", "container")
	const (
		platform  = "The platform sets its own policy, and installs what a cluster offers."
		elsewhere = "It is about what is in other objects, in files or in images."
	)
	const engine = `[{name: main, image: ` + image + `, command: [python3, -m, dynamo.vllm]}]`
	ownProbes := together(set("@main.startupProbe", `{tcpSocket: {port: 8000}}`),
		set("@main.livenessProbe", `{tcpSocket: {port: 8000}}`), set("@main.readinessProbe", `{tcpSocket: {port: 8000}}`))
	const frontend = `{componentType: frontend, extraPodSpec: {mainContainer: {image: ` + image + `}}}`
	return []remedy{
		// Fields of pods, and how pods are scheduled.
		{finding: `must be from 0 to 0777; `, edits: []edit{set(".", 0o755)}},
		{finding: `fieldPath: .*is not a field of pods .*; use (\S+), (\S+), (\S+), a label or annotation such as (\S+), (\S+), (\S+), (\S+) or (\S+)$`, edits: []edit{
			set(".", "$1"), set(".", "$2"), set(".", "$3"), set(".", "$4"), set(".", "$5"), set(".", "$6"), set(".", "$7"), set(".", "$8"),
		}},
		{finding: `resourceFieldRef.resource: .*; write the value itself$`, edits: []edit{set("^^^", `{name: GPUS, value: "1"}`)}},
		{finding: `lifecycle: .*remove it, or set restartPolicy: Always`, edits: []edit{remove("."), set("^.restartPolicy", "Always")}},
		{finding: `may not be false for a privileged container; remove one of the two$`, edits: []edit{remove("."), remove("^.privileged")}},
		{finding: `may not be set together with hostPID; remove one of the two$`, edits: []edit{remove("."), remove("^.hostPID")}},
		{finding: `specify a nameserver, or another dnsPolicy$`, edits: []edit{set(".", `[10.0.0.10]`), set("^^.dnsPolicy", "ClusterFirst")}},
		{finding: `specify a term, or remove the affinity$`, edits: []edit{set(".", `[{matchExpressions: [{key: a, operator: Exists}]}]`), remove("^^^")}},
		{finding: `specify values for operator In, or use operator Exists$`, edits: []edit{set(".", `[a]`), set("^.operator", "Exists")}},
		{finding: `may not be set with operator Exists; remove them, or use operator In$`, edits: []edit{remove("."), set("^.operator", "In")}},
		{finding: `must be one number with operator \w+, but has 2 values$`, edits: []edit{set(".", `["1"]`)}},
		{finding: `rename engine, or add container main$`, edits: []edit{set(".[0].name", "main"), set(".[1]", `{name: main, image: `+image+`, command: [python3, -m, dynamo.vllm]}`)}},
		{finding: `must not contain the main container; move it to extraPodSpec.mainContainer$`, edits: []edit{
			together(set("@main.image", image), remove("^")),
		}},
		{finding: `so the engine cannot write its compilation cache; remove readOnly$`, edits: []edit{remove("@main.volumeMounts[0].readOnly")}},
		{finding: `remove readOnly in extraPodSpec.volumes$`, edits: []edit{remove("@pod.volumes[0].persistentVolumeClaim.readOnly")}},
		{finding: `add the volume to podTemplate.spec.volumes$`, edits: []edit{set("@pod.volumes", `[{name: models, emptyDir: {}}]`)}},
		{finding: `is not a valid image name; the pods cannot start$`, edits: []edit{set(".", image)}},
		{finding: `no image is specified; the pods cannot start$`, edits: []edit{set("@pod.containers", `[{name: main, image: `+image+`}]`)}},
		{finding: `write only the flags of dynamo.frontend to run it with every image$`, edits: []edit{remove(".")}},
		{finding: `write the whole command as one string, or set command, because`, edits: []edit{
			set("@main.args", `["while sleep 1; do date; done"]`), set("@main.command", `[/opt/run]`),
		}},
		{finding: `has no effect in the metadata of pods; move it to annotations of the service$`, edits: []edit{move(".", "@annotations[nvidia.com/topology-preferred-domain]")}},

		// Names and numbers of components.
		{finding: `names of Services must have .*; rename the graph$`, edits: []edit{set("metadata.name", "second")}},
		{finding: `names of Services must have .*; shorten the name of the service or of the graph$`, edits: []edit{
			rename(".", "Prefill"), set("metadata.name", "b"),
		}},
		{finding: `Grove allows at most \d+; shorten the name of the component$`, edits: []edit{set(".name", "short")}},
		{finding: `must have at most \d+ nodes in total, .*; reduce it, or use IntraPod$`, edits: []edit{set(".", 2), set("@.experimental.gpuMemoryService.mode", "IntraPod")}},
		{finding: `requires the GPU memory service in mode IntraPod; use that mode, or remove the containers$`, edits: []edit{
			set("@.experimental.gpuMemoryService.mode", "IntraPod"), remove("."),
		}},
		{finding: `must be at least (\d) for an Endpoint Picker, without which|must be an integer of at least (\d)$`, edits: []edit{set(".", "$1$2")}},
		{finding: `set component or grove, or remove the annotation$`, edits: []edit{set(".", "component"), set(".", "grove"), remove(".")}},
		{finding: `preferredWeight: .*(?:, from 0 to 1|must be between 0 and 1)$`, edits: []edit{set(".", 1)}},
		{finding: `exactly one of labelKey and clusterTopologyName is required; specify labelKey, such as (\S+)$`, edits: []edit{set(".labelKey", "$1")}},
		{finding: `belongs to a scaling group; set it in providerOverride of the component$`, edits: []edit{together(
			set("@.providerOverride.apiVersion", "grove.io/v1alpha1"), move(".", "@.providerOverride.value.rollingUpdate"))}},
		{finding: `because all nodes of a replica are needed; set minAvailable in providerOverride of the component$`, edits: []edit{together(
			remove("."), set("@.providerOverride", `{apiVersion: grove.io/v1alpha1, value: {minAvailable: 1}}`))}},
		{finding: `gpuMemoryService: .*because it needs commands that are connected for you; remove one of the two$`, edits: []edit{
			remove("."), together(set("@.podTemplate.spec.containers", engine), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`), remove("@.roles")),
		}},

		// Ports and phases.
		{finding: `args: --http-port is no port, .*; set a port$`, edits: []edit{set(".[1]", `"8081"`)}},
		{finding: `the value of variable (\S+) is not in the graph, .*; write the port as value, or declare port http with it in ports$`, edits: []edit{
			set("@main.env", `[{name: $1, value: "8081"}]`), set("@main.ports", `[{name: http, containerPort: 8081}]`),
		}},
		{finding: `the value of variable (\S+) is not in the graph, .*; write the port as value, or set probes of your own$`, edits: []edit{
			set("@main.env", `[{name: $1, value: "8081"}]`), ownProbes,
		}},
		{finding: `to which the default probes and the Service lead; use the same number for both$`, edits: []edit{
			set(".[http].containerPort", 8081), set("@main.args[1]", `"8000"`),
		}},
		{finding: `the probe fails until the port is added$`, edits: []edit{set("@main.ports[9]", `{name: admin, containerPort: 8082}`)}},
		{finding: `add --disaggregation-mode decode$`, edits: []edit{set(".[99]", "--disaggregation-mode=decode")}},
		{finding: `add --disaggregation-mode prefill, or --is-prefill-worker with images that do not know it$`, edits: []edit{
			set(".[99]", "--disaggregation-mode=prefill"), set(".[99]", "--is-prefill-worker"),
		}},

		// What is scaled together, planned, or standing by.
		{finding: `has no number of at least 1; name each service once with its replicas in a unit, such as`, edits: []edit{replace(".", ",Frontend", ",Frontend=1")}},
		{finding: `the graph has no service "(\w+)"; correct the name, or remove it$`, edits: []edit{replace(".", "$1=", "Frontend="), replace(".", "$1=1,", "")}},
		{finding: `(\w+) is the Endpoint Picker, which has exactly 1 replica; remove it$`, edits: []edit{replace(".", "$1=1,", "")}},
		{finding: `services\[(\w+)\]\.\w+: .*as annotation (\S+) says, and cannot be scaled alone too; remove it here or there$`, edits: []edit{
			remove("."), replace("metadata.annotations[$2]", "$1=1,", ""),
		}},
		{finding: `must be (\d+), which is \d+ times its \d in annotation (\S+); change it, or the numbers in the annotation$`, edits: []edit{
			set(".", "$1"), set("metadata.annotations[$2]", "Prefill=2,Decode=3"),
		}},
		{finding: `remove the annotation, or the planner$`, edits: []edit{remove("."), remove("spec.components[Planner]")}},
		{finding: `create the planner in a graph of that namespace$`, edits: []edit{remove(".")}},
		{finding: `variable (\S+) is not in the graph, .*; set the variable to a name, or run the planner as a ServiceAccount`, edits: []edit{
			set("@main.env", `[{name: $1, value: other}]`), set("@pod.serviceAccountName", "planner"),
		}},
		{finding: `; remove scalingAdapter, and the planner scales the graph$`, edits: []edit{remove(".")}},
		{finding: `the service has annotation (\S+): pod; remove that annotation$`, edits: []edit{remove("@annotations[$1]")}},
		{finding: `is not a container of pods with failover; use one of ([\w-]+), ([\w-]+), or a metric of type Resource$`, edits: []edit{
			set(".", "$1"), set(".", "$2"), set("^^", `{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: "1"}}}`),
		}},

		// What the API itself does not have, and types of values.
		{finding: `unknown field; did you mean "(.+)"\?$`, edits: []edit{rename(".", "$1")}},
		{finding: `unknown field; use (\w+) instead$`, edits: []edit{rename(".", "$1")}},
		{finding: `unknown field; declare the claim in spec.pvcs`, edits: []edit{
			together(remove("."), set("spec.pvcs", `[{name: weights}]`), set("@.volumeMounts", `[{name: weights, mountPoint: /weights}]`)),
		}},
		{finding: `\.device: .*set its resources in the main container`, edits: []edit{together(remove("."), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`))}},
		{finding: `\.engineGroup: .*; set replicas`, edits: []edit{
			together(remove("."), set("@.replicas", 2)), together(remove("."), set("@.scalingAdapter", `{}`)),
		}},
		{finding: `run graphs with type lpx under the Dynamo operator$`, others: "Nothing in the graph starts pods on LPUs without the operator."},
		{finding: `put (it|the value) in quotes$`, edits: []edit{quote}},
		{finding: `must be a list, not a string$`, edits: []edit{set(".", `[-c, run]`)}},
		{finding: `at least one service is required$`, edits: []edit{set(".", `{Frontend: `+frontend+`}`)}},
		{finding: `set size, or remove sharedMemory to use the default`, edits: []edit{set(".", "8Gi"), remove("^")}},
		{finding: `such as 4, 500m or 16Gi$`, edits: []edit{set(".", "16Gi")}},

		// What pods need of their nodes and of each other.
		{finding: `set capabilities: \{add: \[IPC_LOCK\]\}$`, edits: []edit{set(".", `{capabilities: {add: [IPC_LOCK]}}`)}},
		{finding: `use a claim with access mode ReadWriteMany, or ReadOnlyMany`, edits: []edit{
			set("spec.pvcs[0].volumeAccessMode", "ReadWriteMany"), set("spec.pvcs[0].volumeAccessMode", "ReadOnlyMany"),
		}},
		{finding: `add a worker that decodes$`, edits: []edit{set("spec.services[Decode]", `{componentType: worker, subComponentType: decode,
			resources: {limits: {gpu: "1"}}, extraPodSpec: {mainContainer: {image: `+image+`, command: [python3, -m, dynamo.vllm], args: [--model, example/chat-8b]}}}`)}},

		// Names of objects, and references to them.
		{finding: `shorten one of the two by 5 characters$`, edits: []edit{set("metadata.namespace", "short"), remove("metadata.namespace")}},
		{finding: `services\[echo\]: .*rename one of the two services$`, edits: []edit{together(rename(".", "renamed"), remove("spec.services[renamed].modelRef"))}},
		{finding: `rename (?:the|one of the two) services?$|the name must be a DNS label`, edits: []edit{rename(".", "renamed")}},
		{finding: `shorten the names of the graph and of the service to \d+ characters together$`, edits: []edit{set("metadata.name", "short")}},
		{finding: `shorten the name of the service$`, edits: []edit{rename(".", "Prefill")}},
		{finding: `^DGD20[12] metadata.name: `, edits: []edit{set(".", "chat")}},
		{finding: `name part must consist of|prefix part must be non-empty`, edits: []edit{key}},
		{finding: `volumeMounts\[\d+\]\.mount(?:Path|Point): .*(?:is duplicated|change one of the two|choose another path|must begin with a slash|may not contain a colon|specify the path)`, edits: []edit{set(".", "/elsewhere"), remove("^")}},
		{finding: `(?:subPath: .*must be a relative path|hostPath.path: .*specify the path)`, edits: []edit{set(".", "a")}},
		{finding: `(?:pvcs|env|volumes|containers|ports|resourceClaims)\[\d+\]\.name: .*is duplicated; rename or remove one of the two$`, edits: []edit{set(".", "renamed"), remove("^")}},
		{finding: `extraClientContainers.*is duplicated; rename or remove one of the two$`, edits: []edit{
			remove("."), together(set(".", "client"), set("@pod.containers[9]", `{name: client, image: `+image+`}`)),
		}},
		{finding: `order\[1\]: .*is duplicated; rename or remove one of the two$`, edits: []edit{set(".", "Frontend"), remove(".")}},
		{finding: `topology-labels": is the name of .*rename it$`, edits: []edit{together(set(".", "renamed"), set("@main.volumeMounts[0].name", "renamed"))}},
		{finding: `is the name of .*rename it$|must contain only alpha-numeric characters|no more than 15 characters$`, edits: []edit{set(".", "renamed")}},
		{finding: `volumeMounts\[\d\]\.name: Invalid value: "with.dots".*mount other claims through extraPodSpec.volumes$`, edits: []edit{together(
			remove("^"), set("@pod.volumes[1]", `{name: dots, persistentVolumeClaim: {claimName: with.dots}}`), set("@main.volumeMounts[9]", `{name: dots, mountPath: /dots}`))}},
		{finding: `is not a volume of the pod; define it in extraPodSpec.volumes, or mount a claim`, edits: []edit{
			set("@pod.volumes[9]", `{name: absent, emptyDir: {}}`), together(remove("^"), set("@.volumeMounts[9]", `{name: absent, mountPoint: /absent}`)),
		}},
		{finding: `kai-scheduler-queue\]: .*RFC 1123|use a queue with a shorter name$`, edits: []edit{set(".", "dynamo")}},
		{finding: `a valid label must be|RFC 1123|is not a valid name of|must be a DNS label: lower-case|must consist of lower-case letters`, edits: []edit{set(".", "valid")}},
		{finding: `specify the name of the Secret, or remove the entry$`, edits: []edit{set(".", "valid"), remove("^")}},
		{finding: `specify the key of the taint, or set operator: Exists`, edits: []edit{set(".", "gpu"), together(set("^.operator", "Exists"), remove("^.value"))}},
		{finding: `specify the name of|the name of the ConfigMap is required|specify the key of|specify the object that has|name the main container`, edits: []edit{set(".", "valid")}},
		{finding: `specify the image`, edits: []edit{set(".", image)}},
		{finding: `(?:resourceFieldRef.resource|fieldPath): Required value: .*such as (.+)$`, edits: []edit{set(".", "$1")}},
		{finding: `"(\S+)": is not a claim of the pod; define it in`, edits: []edit{set("@pod.resourceClaims[9]", `{name: $1, resourceClaimName: a}`)}},

		// One of several values, or a number.
		{finding: `metrics\[0\].type: `, edits: []edit{set("^", `{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: "1"}}}`)}},
		{finding: `backendFramework: .*supported values: `, edits: []edit{set(".", "vllm")}},
		{finding: `roles\[1\].name: Unsupported value`, edits: []edit{set(".", "worker")}},
		{finding: `supported values: "(true|false)"`, edits: []edit{set(".", `"$1"`)}},
		{finding: `"intraPod": supported values: "InterPod", "IntraPod"`, edits: []edit{
			together(set(".", "IntraPod"), remove("spec.components[Alone].experimental.failover")),
		}},
		{finding: `Unsupported value: "router"`, edits: []edit{set(".", "frontend")}},
		{finding: `supported values: "([^"]+)"`, edits: []edit{set(".", "$1")}},
		{finding: `restart.strategy.order: .*(\w+) is missing$`, edits: []edit{set(".[2]", "Frontend")}},
		{finding: `is not a domain of .*available domains: (\w+)|is broader than (\w+) of`, edits: []edit{set(".", "$1$2")}},
		{finding: `^DGD240 metadata.annotations.*did you mean "(.+)"\?$`, edits: []edit{remove("."), together(remove("metadata.annotations[$1]"), rename(".", "$1"))}},
		{finding: `^DGD224 .*did you mean "(.+)"\?$`, edits: []edit{rename(".", "$1")}},
		{finding: `must be the full name of a resource, such as (\S+)$|resource of containers; did you mean "(.+)"\?$|is the name of a quota; use (\S+)$|must name the size of the pages, such as (\S+)$`, edits: []edit{
			rename(".", "$1$2$3$4"),
		}},
		{finding: `because quotas prefix it$`, edits: []edit{rename(".", "rdma/ib")}},
		{finding: `must be a multiple of the size of the pages, which is (\S+)$`, edits: []edit{set(".", "$1")}},
		{finding: `of pods as a whole, .*; move it to`, edits: []edit{together(remove("."), set("@main.resources.limits", `{nvidia.com/gpu: "4"}`))}},
		{finding: `claims as a whole; move them to`, edits: []edit{
			together(remove("."), set("@pod.resourceClaims", `[{name: gpu, resourceClaimTemplateName: gpu}]`), set("@main.resources", `{claims: [{name: gpu}]}`)),
		}},
		{finding: `requires an equal limit of (\S+); huge pages`, edits: []edit{set("@main.resources.limits[$1]", "1Gi")}},
		{finding: `did you mean "(.+)"\?$`, edits: []edit{set(".", "$1")}},
		{finding: `must be (?:between|from) (\d+) (?:and|to) \d+(?:, inclusive)?$`, edits: []edit{set(".", "$1")}},
		{finding: `must be 1 unless the probe is a readiness probe|must be 1 for an Endpoint Picker|must be at least 1 and at least minReplicas`, edits: []edit{together(set(".", 1), set("@.autoscaling.minReplicas", 1))}},
		{finding: `must be at least 2; remove multinode`, edits: []edit{set(".", 2), remove("^")}},
		{finding: `must be at most (\d+) with TensorRT-LLM`, edits: []edit{set(".", "$1")}},
		{finding: `must be (?:at (?:least|most) |equal to |less than or equal to )[\w.\[\]/ -]*(?:, )?which is (\d+\w*)`, edits: []edit{set(".", "$1")}},
		{finding: `limits.memory: .*must be at least 0$`, edits: []edit{set(".", "8Gi")}},
		{finding: `must be (?:at (?:least|most) )?(\d+)(?:, because .*)?$`, edits: []edit{set(".", "$1")}},
		{finding: `must be a whole number; devices cannot be divided|must be greater than 0$`, edits: []edit{set(".", `"1"`)}},
		{finding: `be a release of Dynamo such as ([\d.]+)`, edits: []edit{set(".", "$1")}},
		{finding: `specify an object, or remove the override$`, edits: []edit{removeOverride}},
		{finding: `; remove hostSuffix, and specify .*, such as (\S+)$`, edits: []edit{together(remove("^.hostSuffix"), set(".", "$1"))}},
		{finding: `(?:must|specify|name) .*such as ([^,;]+?)(?:, not an IP address|, or remove.*)?$`, edits: []edit{set(".", `"$1"`)}},

		// Containers, probes, variables and volumes.
		{finding: `remove it, or run the runtime in the main container$`, edits: []edit{remove("."), remove("@pod.initContainers[runtime]")}},
		{finding: `the program listens on (\d+), so the probe fails; set it to a port on which the program listens, or declare port (\d+) in ports if it listens there too$`, edits: []edit{
			set(".", "$1"), set("@main.ports[99]", `{name: declared, containerPort: $2}`),
		}},
		{finding: `args: --http-host is .*remove it$`, edits: []edit{remove("@main.args")}},
		{finding: `env: variable (\S+) is \S+, where neither the kubelet nor other pods reach the program; remove it$`, edits: []edit{remove("@main.env[$1]")}},
		{finding: `the value of variable (\S+) is not in the graph, so the default probes ask for (\S+); write the path as value, or set probes of your own$`, edits: []edit{
			set("@main.env[$1]", `{name: $1, value: $2}`), ownProbes,
		}},
		{finding: `makes the frontend refuse the default probes, .*; set probes of your own, such as tcpSocket$`, edits: []edit{ownProbes}},
		{finding: `do not use the DNS of the cluster, .*; set it to (\w+)$`, edits: []edit{set(".", "$1")}},
		{finding: `Probe: has no effect; it is replaced by`, edits: []edit{remove(".")}},
		{finding: `readinessProbe: .*must have exactly one of exec`, edits: []edit{remove(".exec")}},
		{finding: `must have exactly one of exec, httpGet, tcpSocket and sleep, but has 0$`, edits: []edit{set(".", `{exec: {command: ["true"]}}`)}},
		{finding: `set terminationGracePeriodSeconds to more than (\d+)$`, edits: []edit{set("@pod.terminationGracePeriodSeconds", "1$1")}},
		{finding: `specify the command to run$`, edits: []edit{set(".", `["true"]`)}},
		{finding: `specify one of exec, httpGet, tcpSocket and grpc, or remove the probe$`, edits: []edit{set(".tcpSocket", `{port: 8000}`), remove(".")}},
		{finding: `remove the probe, or set restartPolicy: Always`, edits: []edit{remove("."), set("^.restartPolicy", "Always")}},
		{finding: `set terminationGracePeriodSeconds to at least (\d+), shorten the hook, or set variable (\S+) to fewer seconds$`, edits: []edit{
			set(".", "$1"), set("@main.lifecycle.preStop.sleep.seconds", 10), set("@main.env", `[{name: $2, value: "10"}]`),
		}},
		{finding: `set terminationGracePeriodSeconds to at least (\d+), or set variable (\S+) to fewer seconds$`, edits: []edit{
			set(".", "$1"), set("@main.env", `[{name: $2, value: "10"}]`),
		}},
		{finding: `containerPort: containers .*let one of them listen on another port$`, edits: []edit{set(".", 9191)}},
		{finding: `ports: containers .*let one of them listen on another port$`, edits: []edit{set("@main.args", `[--http-port, "8081"]`)}},
		{finding: `where this label is .*; use another key, or remove it$`, edits: []edit{rename(".", "example.org/own"), remove(".")}},
		{finding: `is a label by which pods are selected, .*; remove it$`, edits: []edit{remove(".")}},
		{finding: `set terminationGracePeriodSeconds to at least (\d+), or lower the variable$`, edits: []edit{set(".", "$1"), set("@main.env[0].value", `"10"`)}},
		{finding: `set what follows the equals sign in value$`, edits: []edit{set(".", "NAME")}},
		{finding: `may not have both value and valueFrom; remove one`, edits: []edit{remove(".value"), remove(".valueFrom")}},
		{finding: `valueFrom: .*must have exactly one source, but has 0$`, edits: []edit{set(".", `{fieldRef: {fieldPath: metadata.name}}`)}},
		{finding: `only the last value is used; remove the others$`, edits: []edit{remove("^")}},
		{finding: `must have exactly one of secretRef and configMapRef, but has 2$`, edits: []edit{remove(".secretRef")}},
		{finding: `resourceClaims\[0\]: .*but has 2$`, edits: []edit{remove(".resourceClaimName")}},
		{finding: `resourceClaims\[2\]: .*but has 0$`, edits: []edit{set(".resourceClaimName", "card")}},
		{finding: `volumes\[\d+\]: .*must have exactly one source, but has several$`, edits: []edit{remove(".hostPath")}},
		{finding: `may not be set together with subPath; remove one of the two$`, edits: []edit{remove("."), remove("^.subPath")}},
		{finding: `tolerations\[0\].value: `, edits: []edit{remove(".")}},
		{finding: `set sharedMemory.size instead, or set sharedMemory.disabled: true to keep it$`, edits: []edit{
			together(remove("."), set("@.sharedMemory.size", "16Gi")), set("@.sharedMemory", `{disabled: true}`),
		}},
		{finding: `100m is not a whole number of bytes; .* use M or Mi for millions$`, edits: []edit{set(".", "100M"), set(".", "100Mi")}},
		{finding: `mainContainer.name: has no effect; the main container is always named main$`, edits: []edit{remove(".")}},
		{finding: `is also set as gpu; remove one of the two$`, edits: []edit{remove("."), remove("^^.gpu")}},
		{finding: `the container runs /bin/sh -c without a script and exits immediately; specify its command, or \[\]`, edits: []edit{
			set(".", `[/bin/echo]`), set(".", `[]`),
		}},
		{finding: `specify the command of the worker, or set spec.backendFramework`, edits: []edit{
			set(".", `[python3, -m, dynamo.vllm]`), set("spec.backendFramework", "vllm"), set(".", `[]`),
		}},
		{finding: `move the program and its arguments to command$`, edits: []edit{move("@main.args", "@main.command")}},
		{finding: `is all that the shell runs: .*; write the whole command as one string, or remove the shell from command$`, edits: []edit{
			set("@main.args", `["python3 -m dynamo.vllm --model m"]`), remove("@main.command"),
		}},
		{finding: `because no shell splits it; write each word`, edits: []edit{set("@main.args", `[-m, dynamo.vllm, --model, m]`)}},
		{finding: `set the environment variable of the engine in envs$`, edits: []edit{remove(".")}},

		// Claims, exposure, models and pickers.
		{finding: `pvcs\[0\].storageClass: .*is required when create`, edits: []edit{set(".", "fast")}},
		{finding: `pvcs\[0\].volumeAccessMode: .*is required when create`, edits: []edit{set(".", "ReadWriteOnce")}},
		{finding: `must be greater than 0 when create is true$`, edits: []edit{set(".", "10Gi")}},
		{finding: `have no effect on an existing claim; set create: true, or remove them$`, edits: []edit{
			together(set(".create", true), set(".size", "10Gi"), set(".storageClass", "fast"), set(".volumeAccessMode", "ReadWriteOnce")),
			together(remove(".size"), remove(".storageClass"), remove(".volumeAccessMode")),
		}},
		{finding: `has no effect without useVirtualService: true$`, edits: []edit{set("^.useVirtualService", true)}},
		{finding: `remove it, or remove useVirtualService$`, edits: []edit{remove("."), remove("^.useVirtualService")}},
		{finding: `tls: has no effect on a VirtualService|ingress: has no effect; only frontends`, edits: []edit{remove(".")}},
		{finding: `ingress.host: Required value|ingress.host: .*without a scheme, port or path$`, edits: []edit{set(".", "chat.example.org")}},
		{finding: `the platform has no default gateway$`, edits: []edit{set(".", "istio-system/public")}},
		{finding: `; install .*, or create a replacement; \S+ in the input of step plan overrides the detection$`, others: platform},
		{finding: `has no effect; specify the revision in the arguments of the engine$`, edits: []edit{together(remove("."), set("@main.args[99]", "--revision=a"))}},
		{finding: `Invalid value: "(\S+)": is not a container (?:beside the main container|in .*); add the container(?: to podTemplate.spec.containers)?, or remove the name$`, edits: []edit{
			set("@pod.containers[9]", `{name: $1, image: `+image+`}`), remove("."),
		}},
		{finding: `pod templates of roles need Dynamo 1.6.0 or later, .*; use a newer image, set runtimeVersionOverride .*, or write one`, edits: []edit{
			together(set(".[0].podTemplate.spec.containers", engine), set(".[1].podTemplate.spec.containers", engine)),
			set("@.runtimeVersionOverride", "1.6.0"), remove(".[0].podTemplate"),
		}},
		{finding: `each role needs a pod template, because another role has one; add it, or write one`, edits: []edit{
			set(".", `{spec: {containers: `+engine+`}}`), remove("^^[0].podTemplate"),
		}},
		{finding: `podTemplate\.spec\.containers: Required value: must be specified$`, edits: []edit{set(".", engine)}},
		{finding: `before Dynamo 1.6.0, which do not know of each other.*; use a newer image, or set runtimeVersionOverride`, edits: []edit{
			set("@main.image", image), set("@.runtimeVersionOverride", "1.6.0"),
		}},
		{finding: `the plugins are (\S+)$`, edits: []edit{set(".", "$1")}},
		{finding: `may not have both configMapRef and config; remove one`, edits: []edit{remove(".config"), remove(".configMapRef")}},
		{finding: `a graph can have only one Endpoint Picker, and service (\w+) is already an Endpoint Picker; remove one`, edits: []edit{remove("@")}},
		{finding: `must have configMapRef or config; add one of the two, or remove eppConfig if`, edits: []edit{
			set(".configMapRef", `{name: picker, key: config.yaml}`), set(".config", `{plugins: [{type: a}], schedulingProfiles: [{name: a, plugins: [{pluginRef: a}]}]}`),
			together(remove("."), set("@main.image", image)),
		}},
		{finding: `eppConfig: .*may only be set when|gpuMemoryService: .*may only be enabled for workers`, edits: []edit{remove(".")}},

		// Checkpoints, GPU memory and failover.
		{finding: `in the input of step plan, or remove checkpoint$`, edits: []edit{remove(".")}, others: platform},
		{finding: `; remove mode, or checkpoint$`, edits: []edit{remove("."), remove("^")}},
		{finding: `startupPolicy: .*; remove startupPolicy to start pods cold$`, edits: []edit{remove(".")}},
		{finding: `; remove the claims to join it, or, if they are for other devices, set annotation (\S+): enabled on the (?:service|component)$`, edits: []edit{
			together(remove("."), remove("@main.resources.claims"), remove("@.resources.claims")), set("@annotations[$1]", "enabled"),
		}},
		{finding: `remove checkpoint to start the pods cold$`, edits: []edit{remove(".")}},
		{finding: `checkpoint.job: .*remove one of the two$`, edits: []edit{remove("."), remove("^.checkpointRef")}},
		{finding: `services.*enable gpuMemoryService, or remove the containers$`, edits: []edit{
			set("@.gpuMemoryService", `{enabled: true, mode: intraPod}`), remove("."),
		}},
		{finding: `components.*enable gpuMemoryService, or remove the containers$`, edits: []edit{
			together(set("@.experimental.gpuMemoryService", `{mode: IntraPod}`), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`), discovery), remove("."),
		}},
		{finding: `set (?:type to one of these types|it), or remove (?:multinode|checkpoint)$`, edits: []edit{
			together(set("@.type", "worker"), set("@main.command", `[python3, -m, dynamo.vllm]`), remove("@.multinode")),
			together(set("@.type", "worker"), set("@main.command", `[python3, -m, dynamo.vllm]`), remove("@.experimental")), remove("."),
		}},
		{finding: `may not be enabled together with failover; remove one of the two$`, edits: []edit{remove("."), remove("@.experimental.failover")}},
		{finding: `may not be enabled together with mode (?:i|I)nterPod of gpuMemoryService; remove one`, edits: []edit{
			remove("."), remove("^.gpuMemoryService"),
		}},
		{finding: `set providerOverride of the component$`, edits: []edit{move(".", "@.providerOverride")}},
		{finding: `requires mode intraPod; remove it, or use mode intraPod$`, edits: []edit{remove("."), together(set("@.gpuMemoryService.mode", "intraPod"), set("@.failover.mode", "intraPod"), discovery)}},
		{finding: `requires at least one GPU$`, edits: []edit{set(".", `"1"`)}},
		{finding: `run the graph on Grove, or use IntraPod$`, edits: []edit{together(set(".", "IntraPod"), set("@.experimental.failover.mode", "IntraPod"), discovery)}, others: platform},
		{finding: `run the graph on Grove, or use intraPod$`, edits: []edit{together(set(".", "intraPod"), remove("@.failover"))}, others: platform},
		{finding: `runs sglang; use IntraPod$`, edits: []edit{set(".", "IntraPod")}},
		{finding: `set backendFramework to vllm if it runs vLLM, otherwise use IntraPod$`, edits: []edit{together(set("spec.backendFramework", "vllm"), replace("spec", "sglang", "vllm")), set(".", "IntraPod")}},
		{finding: `set backendFramework to vllm if it runs vLLM, otherwise remove failover$`, edits: []edit{together(set("spec.backendFramework", "vllm"), replace("spec", "sglang", "vllm")), remove(".")}},
		{finding: `remove failover, and set replicas to 2$`, edits: []edit{together(remove("."), set("@.replicas", 2))}},
		{finding: `set the annotation to container, or remove failover$`, edits: []edit{set(".", "container"), ofAll(remove("@.experimental.failover"))}},
		{finding: `components.*failover requires the GPU memory service with the same mode; add it, or remove failover$`, edits: []edit{
			together(set(".", `{mode: IntraPod}`), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`), discovery), remove("@.experimental.failover"),
		}},
		{finding: `services.*failover requires the GPU memory service with the same mode; add it, or remove failover$|set gpuMemoryService.enabled to true$`, edits: []edit{
			together(set("@.gpuMemoryService", `{enabled: true, mode: intraPod}`), discovery),
			remove("@.failover"),
		}},
		{finding: `failover.mode: .*must be the mode of gpuMemoryService; change one`, edits: []edit{
			together(set(".", "InterPod"), discovery), together(set("@.experimental.gpuMemoryService.mode", "IntraPod"), discovery),
		}},
		{finding: `must be 1; set replicas for more engines$`, edits: []edit{together(set(".", 1), set("@.replicas", 2))}},
		{finding: `failover: has no effect, .*; remove failover, or, on Grove, add gpuMemoryService with the same mode$`, edits: []edit{remove(".")}, others: platform},
		{finding: `see \S+/failover.md\S* for how long this takes`, others: "It says what to do once a node fails, and the graph stays as it is."},
		{finding: `remove what needs Ray from the command, such as --enable-elastic-ep$`, edits: []edit{set("metadata.annotations[nvidia.com/vllm-distributed-executor-backend]", "mp")}},

		// Autoscaling.
		{finding: `autoscaling and scalingAdapter cannot both be enabled; disable one`, edits: []edit{set(".enabled", false), set("@.scalingAdapter.enabled", false)}},
		{finding: `specify metrics, or set resources.requests.cpu$`, edits: []edit{
			set(".", `[{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: "1"}}}]`), cpu,
		}},
		{finding: `is relative to the requested cpu, .*; set resources.requests.cpu$`, edits: []edit{cpu}},
		{finding: `is required for a metric of type Pods$`, edits: []edit{set(".", `{metric: {name: waiting}, target: {type: AverageValue, averageValue: "4"}}`)}},
		{finding: `a metric of this type needs averageUtilization or averageValue$`, edits: []edit{
			together(set(".", 50), set("^.type", "Utilization")), together(set("^.averageValue", `"1"`), set("^.type", "AverageValue")),
		}},
		{finding: `a metric of this type needs averageValue or value$`, edits: []edit{
			together(set(".", `"1"`), set("^.type", "AverageValue")), together(set("^.value", `"1"`), set("^.type", "Value")),
		}},
		{finding: `may only have one of averageUtilization and averageValue$`, edits: []edit{remove("."), together(remove("^.averageUtilization"), set("^.type", "AverageValue"))}},
		{finding: `must be GROUP/VERSION or v1$`, edits: []edit{set(".", "v1"), set(".", "apps/v1")}},
		{finding: `may not contain '/'$`, edits: []edit{set(".", "valid")}},
		{finding: `remove it, or move it to a separate metric$`, edits: []edit{
			remove("."), together(set("@.autoscaling.metrics[99]", `{type: External}`), move(".", "@.autoscaling.metrics[12].external")),
		}},
		{finding: `(?:scalingAdapter|scale-together\]): has no effect: .*, or scale with replicas`, edits: []edit{remove(".")}, others: platform},
		{finding: `remove autoscaling, or remove the planner$`, edits: []edit{remove("."), remove("spec.services[Planner]")}},

		// Releases.
		{finding: `use a newer image, set runtimeVersionOverride to the release in it, or rename the container$`, edits: []edit{
			set(".image", image), set("@.runtimeVersionOverride", "1.6.0"), set(".name", "other"),
		}},
		{finding: `set restartPolicy to Always if it is the runtime, otherwise rename it$`, edits: []edit{set(".restartPolicy", "Always"), set(".name", "other")}},
		{finding: `set runtimeVersionOverride to the release in the image, or use an image whose tag is its release$`, edits: []edit{
			ofAll(set("@.runtimeVersionOverride", "1.5.0")), ofAll(set("@main.image", image)),
		}},
		{finding: `use images of (?:releases that are closer to each other|one release for all of them)$|use newer images for Decode$`, edits: []edit{
			ofAll(together(set("@main.image", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"), remove("@.frontendSidecar"), remove("@.runtimeVersionOverride"))),
		}},
		{finding: `convert the graph to nvidia.com/v1beta1 with the command convert, or set runtimeVersionOverride if the planner is older$`, edits: []edit{
			toComponents, set("@.runtimeVersionOverride", "1.2.0"),
		}},

		// Shares of GPUs, topology and transfer of caches.
		{finding: `remove it, or set annotation gpu-fraction or gpu-memory instead of limits of nvidia.com/gpu$`, edits: []edit{
			remove("."), together(set(".", `"2"`), set("^.gpu-fraction", `"0.5"`), remove("@main.resources")),
			together(set(".", `"2"`), set("^.gpu-memory", `"20000"`), remove("@main.resources")),
		}},
		{finding: `annotations\[gpu-fraction\] is set too; remove one of the two$`, edits: []edit{remove("."), remove("^.gpu-fraction")}},
		{finding: `its containers have limits of nvidia.com/gpu; remove them, or the annotation$`, edits: []edit{remove("@main.resources"), remove(".")}},
		{finding: `requires an equal limit of (\S+); devices`, edits: []edit{set("@.resources.limits.custom[$1]", `"1"`)}},
		{finding: `must be no longer than 63 characters$`, edits: []edit{set(".", "rack")}},
		{finding: `topologyProfile: .*; create it, or specify an existing \S+$`, edits: []edit{
			together(set(".", "my-cluster-topology"), set("^.packDomain", "rack"), ofAll(remove("@.topologyConstraint"))),
		}, others: elsewhere},
		{finding: `topology constraints have no effect on Deployment: run the graph on Grove, or place its pods with affinity in (\S+)$`, edits: []edit{
			together(remove("."), ofAll(set("@pod.affinity", `{}`))),
		}, others: platform},
		{finding: `has no effect together with \S+, which is required: Volcano supports only one of the two$`, edits: []edit{remove(".")}},
		{finding: `topologyProfile: .*; specify the topology that defines its level$|specify the topology that defines the levels`, edits: []edit{set(".", "my-cluster-topology")}},
		{finding: `each replica of a service that spans nodes is packed separately, not the graph as a whole$`, edits: []edit{remove(".")}},
		{finding: `topology constraints have no effect on LeaderWorkerSet: .*; create the graph with a required domain, or place`, edits: []edit{
			together(remove("metadata.annotations[nvidia.com/topology-preferred-domain]"), set(".packDomain", "rack")),
			together(remove("metadata.annotations[nvidia.com/topology-preferred-domain]"), remove(".")),
		}},
		{finding: `remove the annotation, require the domain instead, or run the graph with KAI or Volcano$`, edits: []edit{
			remove("."), together(remove("."), set("spec.topologyConstraint.packDomain", "rack")),
		}, others: platform},
		{finding: `use labelKey with the node label of the domain$`, edits: []edit{together(remove("."), set("^.labelKey", "example.org/rack"))}},
		{finding: `exactly one of labelKey and clusterTopologyName is required; remove one of the two$`, edits: []edit{
			together(set(".domain", "rack"), remove(".labelKey")), together(set(".domain", "rack"), remove(".clusterTopologyName")),
		}},
		{finding: `because workers support it since Dynamo 1.2.0; use a newer image$`, edits: []edit{ofAll(set("@main.image", image))}},
		{finding: `remove it, or set enforcement to preferred$`, edits: []edit{remove("."), set("^.enforcement", "preferred")}},
		{finding: `; let the platform (?:copy the label when pods are scheduled, and add it to|add profile)`, others: platform},
		{finding: `request whole GPUs instead, or set (\S+).schedulerName to kai-scheduler$`, edits: []edit{
			together(remove("."), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`)), set("@.$1.schedulerName", "kai-scheduler"),
		}},

		// Overrides, restarts, roles and Grove.
		{finding: `cannot be combined with topologyConstraint of the graph or of a (?:service|component); remove one of the two$`, edits: []edit{remove("."), together(remove("spec.topologyConstraint"), ofAll(remove("@.topologyConstraint")))}},
		{finding: `because it follows from the graph; only .* can be$|is not known; only \w+ and \w+ are$|no component of the graph is a worker$`, edits: []edit{remove(".")}},
		{finding: `is not a constraint of Grove|providerOverride: has no effect on (?:LeaderWorkerSet|Deployment)`, edits: []edit{removeOverride}},
		{finding: `grove-update-strategy\]: .*; set (\S+) in spec.annotations instead$`, edits: []edit{together(remove("."), set("spec.annotations[$1]", "Recreate"))}},
		{finding: `annotations\[(\S+)\]: "([^"]*)" has no effect here; move the annotation to spec.annotations, or to those of a (?:service|component)$`, edits: []edit{
			move(".", "spec.annotations[$1]"), together(remove("."), ofAll(set("@annotations[$1]", `"$2"`))),
		}},
		{finding: `annotations\[(\S+)\]: .*has no effect here; move the annotation to metadata.annotations of the graph$`, edits: []edit{move(".", "metadata.annotations[$1]")}},
		{finding: `use one of the two forms for all services$`, edits: []edit{remove("."), remove("@.providerOverride.value.spec")}},
		{finding: `specify an ID; a new ID starts a restart$`, edits: []edit{set(".", "again")}},
		{finding: `the planner does not know which GPUs a claim gets; remove one of the two$`, edits: []edit{
			remove("."), together(remove("@.annotations"), remove("@annotations"), remove("metadata.annotations"), remove("spec.annotations")),
		}},
		{finding: `must contain the "worker" role; add it, or remove roles$`, edits: []edit{set(".[1].name", "worker"), remove(".")}},
		{finding: `remove roles, or set multinode$`, edits: []edit{remove("."), set("@.multinode.nodeCount", 2)}},
		{finding: `move its providerOverride to role worker in roles$`, edits: []edit{remove(".")}},
		{finding: `is deprecated; list both roles in roles of the component, and move providerOverride to role (\w+)$`, edits: []edit{together(
			set("@.roles", `[{name: leader}, {name: worker}]`), move("@.multinode.leader.providerOverride", "@.roles[0].providerOverride"),
			move("@.multinode.worker.providerOverride", "@.roles[1].providerOverride"), remove("@.multinode.leader"), remove("@.multinode.worker"))}},
		{finding: `raise their replicas above minAvailable and maxUnavailable$`, edits: []edit{ofAll(set("@.replicas", 3))}},
		{finding: `set the same extraPodSpec.schedulerName for all services, or for none$`, edits: []edit{
			ofAll(set("@pod.schedulerName", "kai-scheduler")), ofAll(remove("@pod.schedulerName")),
		}},
		{finding: `not supported on Grove; use (?:nodeSelector|topologyConstraint) or affinity instead$`, edits: []edit{
			together(remove("."), set("^.nodeSelector", `{example.org/rack: a}`)),
			together(remove("."), set("^.affinity", `{nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}`)),
		}},
		{finding: `which refuses a scaling group without replicas; remove the service from the graph`, edits: []edit{remove("@")}, others: platform},
		{finding: `; remove the (?:service|component) from the graph while it is not needed, or, unless only Grove can run its nodes, create the graph with annotation`, edits: []edit{
			remove("@"), set("metadata.annotations[nvidia.com/enable-grove]", `"false"`),
		}},
		{finding: `has no effect on Grove, which does not support it; create the claim separately and mount it`, edits: []edit{remove("^")}},
		{finding: `priorityClassName: has no effect on \w+; set the class in`, edits: []edit{together(remove("."), ofAll(set("@pod.priorityClassName", "high")))}},
		{finding: `minAvailable: has no effect on (?:LeaderWorkerSet|Deployment)`, edits: []edit{remove(".")}},
		{finding: `in a queue of Kueue on Grove, it must be the number of replicas, .*; delete the graph, and create it with (\d+)$`, edits: []edit{set(".", "$1")}},
		{finding: `set replicas, or run the graph on Grove$`, edits: []edit{together(remove("."), set("@.replicas", 2))}, others: platform},
		{finding: `may not be 0 when .* is 0, because no pod could ever be replaced$`, edits: []edit{set(".", `"1"`)}},
		{finding: `must be at most 100%$`, edits: []edit{set(".", `"100%"`)}},
		{finding: `because a rollout adds no replica`, edits: []edit{remove(".")}},
		{finding: `only "false" prevents the graph from running on Grove$`, edits: []edit{set(".", `"false"`), remove(".")}},
		{finding: `dynamoNamespace: has no effect; `, edits: []edit{remove(".")}},

		// Workers, and how nodes form an engine.
		{finding: `set prefill_engine_num_gpu and decode_engine_num_gpu in its configuration, or request nvidia.com/gpu instead of claims$`, edits: []edit{
			set("spec.components[Planner].podTemplate.spec.containers[main].args", `[--config, '{"prefill_engine_num_gpu": 1, "decode_engine_num_gpu": 1}']`),
			together(remove("."), set("@main.resources", `{limits: {nvidia.com/gpu: "2"}}`)),
		}},
		{finding: `resources.limits: contain no GPU, .*; set the number of GPUs \(([^,]+), .+\), or a claim for them$`, edits: []edit{
			set("@main.resources.limits", `{$1: "1"}`),
			together(set("@pod.resourceClaims", `[{name: gpu, resourceClaimTemplateName: gpu}]`), set("@main.resources.claims", `[{name: gpu}]`)),
		}},
		{finding: `so its pods do not get the ports, probes and variables of .*; set it to (\w+)(?:, for which .*)?$`, edits: []edit{set(".", "$1")}},
		{finding: `add --disaggregation-mode prefill(?:, or --is-prefill-worker with images of Dynamo before 1.0.0)?$`, edits: []edit{
			set(".[99]", "--disaggregation-mode=prefill"),
			together(set(".[99]", "--is-prefill-worker"), set("^.image", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.1")),
		}},
		{finding: `set it to prefill, or change the type$`, edits: []edit{replace(".", "decode", "prefill"), set("@.type", "decode")}},
		{finding: `use --disaggregation-mode prefill instead$`, edits: []edit{replace(".", "--is-prefill-worker", "--disaggregation-mode=prefill")}},
		{finding: `remove variable DYN_NAMESPACE, or set DYN_NAMESPACE_PREFIX of the frontend$`, edits: []edit{
			remove("@main.env"), set("spec.components[Frontend].podTemplate.spec.containers[main].env", `[{name: DYN_NAMESPACE_PREFIX, value: team-a-pool}]`),
		}},
		{finding: `set annotation nvidia.com/dynamo-discovery-backend to one value for all of them$`, edits: []edit{set("spec.services[Worker].annotations[nvidia.com/dynamo-discovery-backend]", "kubernetes")}},
		{finding: `set variable DYN_REQUEST_PLANE to one value for all of them$`, edits: []edit{set("spec.services[Worker].envs[0].value", "tcp")}},
		{finding: `set infrastructure.etcdAddress in the input of step plan, or variable ETCD_ENDPOINTS$`, edits: []edit{set("@.envs[99]", `{name: ETCD_ENDPOINTS, value: "http://etcd:2379"}`)}, others: platform},
		{finding: `remove it, or mount a projected token at (\S+), or set annotation (\S+) to etcd$`, edits: []edit{
			remove("."), together(
				set("@pod.volumes[99]", `{name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}`),
				set("@main.volumeMounts[99]", `{name: token, mountPath: $1}`)),
			set("metadata.annotations[$2]", "etcd"),
		}},
		{finding: `the port in the value of (\S+) is not in the graph, .*; write the port as a number$`, edits: []edit{replace("@main.args", "$(MEETING_PORT)", "29600")}},
		{finding: `the script sets .*; remove \S+ from the script$`, edits: []edit{set("@main.args", `[python3 -m dynamo.vllm --model m --tensor-parallel-size 2]`)}},
		{finding: `; use --data-parallel-hybrid-lb in place of (\S+), or set --data-parallel-size to (\d+), and --tensor-parallel-size and --pipeline-parallel-size to use (\d+) GPUs$`, edits: []edit{
			replace("@main.args", "$1", "--data-parallel-hybrid-lb"),
			set("@main.args", `[--model, example/chat-8b, --data-parallel-size, "$2", --tensor-parallel-size, "$3", $1]`),
		}},
		{finding: `the command refers to GROVE_.*in a LeaderWorkerSet; use`, edits: []edit{set("@main.args", `[--leader, $(LWS_LEADER_ADDRESS)]`)}},
		{finding: `on Grove; use (\S+) instead of LWS_LEADER_ADDRESS(?:, (\S+ .*) on workers and 0 on the leader instead of LWS_WORKER_INDEX)?$`, edits: []edit{
			together(replace("@main", "$(LWS_LEADER_ADDRESS)", "$1"), replace("@main", "$(LWS_WORKER_INDEX)", "$2")),
		}},
		{finding: `remove multinode, and set replicas to the number of pods$`, edits: []edit{together(remove("."), set("@.replicas", 2))}},
		{finding: `set type: worker and backendFramework, or let the command connect the nodes$`, edits: []edit{
			set("spec.backendFramework", "vllm"), set("@main.command", `[/opt/engine/serve, --leader, $(LWS_LEADER_ADDRESS)]`),
		}},
		{finding: `specify the program of the elastic engine`, edits: []edit{set(".", `[python3, -m, dynamo.vllm]`)}},
		{finding: `; select by (\S+) and (\S+), which all pods have$`, edits: []edit{set(".labelSelector.matchLabels", `{$1: planes, $2: Worker}`)}},
		{finding: `takes a rank from the end of the hostname.*; use (\$\(\(GROVE_PCLQ_POD_INDEX \+ 1\)\)) on workers`, edits: []edit{replace("@main.args", "${HOSTNAME##*-}", "$1")}},
		{finding: `variable RANK is empty: .*; use the variables GROVE_\* in \S+/multinode.md`, edits: []edit{remove("@main.env")}},
		{finding: `raise --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size to use (\d+) GPUs, or remove multinode$`, edits: []edit{
			set("@main.args[99]", "--tensor-parallel-size=$1"), set("@main.args[99]", "--data-parallel-size=$1"),
			together(set("@main.args[98]", "--tensor-parallel-size=8"), set("@main.args[99]", "--pipeline-parallel-size=2")), together(remove("@.multinode"), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`)),
		}},
		{finding: `set --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size in the command too, or connect the nodes in the file$`, edits: []edit{
			replace("@main.args", "vllm --model", "vllm --tensor-parallel-size 16 --model"),
		}, others: elsewhere},
		{finding: `a replica has (\d+) GPUs, of which the engine leaves \d idle; raise the sizes, or request fewer GPUs$`, edits: []edit{
			set("@main.args[99]", "--tensor-parallel-size=$1"), set("@main.resources.limits", `{nvidia.com/gpu: "1"}`),
		}},
		{finding: `set annotation (\S+) to mp, which needs no Ray, or use an image with Ray$`, edits: []edit{set("metadata.annotations[$1]", "mp")}, others: elsewhere},
		{finding: `unless you have added Ray to the image; remove it from the command, or use an image with Ray$`, edits: []edit{
			set("@main.args", `[--model, example/experts-30b]`),
		}, others: elsewhere},
		{finding: `request (\d), or create the graph with annotation (\S+): disabled on the (?:component|service)$`, edits: []edit{
			set("@main.resources.limits", `{nvidia.com/gpu: "$1"}`), set("@annotations[$2]", "disabled"),
		}},

		// What the platform decides.
		{finding: `install Grove \(API group`, others: "Orchestrators are installed in the cluster, and not in the graph."},
		{finding: `the graph may need .*; reduce replicas, what each of them requests, or annotation (\S+)$`, edits: []edit{
			ofAll(set("@.replicas", 1)), ofAll(set("@main.resources", `{}`)), set("spec.components[Worker].podTemplate.metadata.annotations[$1]", `"0"`),
		}},
		{finding: `the graph may need .*; reduce replicas, or what each of them requests$`, edits: []edit{
			ofAll(set("@.replicas", 1)), ofAll(set("@main.resources", `{}`)),
		}},
		{finding: `allows no volumes of type hostPath; use another type$`, edits: []edit{set("^^", `{name: node, emptyDir: {}}`)}},
		{finding: `only allows queues team-\*; use one of them$`, edits: []edit{set(".", "team-a")}},
		{finding: `only allows images from (\S+); use one of them$`, edits: []edit{set(".", "$1/shell:1.5.0")}},
		{finding: `only allows hosts below (\S+); use one of them$`, edits: []edit{set(".", "chat.$1")}},
		{finding: `only allows \w+ (\S+); use one of them$`, edits: []edit{set(".", "$1")}},

		// What a message says to remove.
		{finding: `or remove the constraint$`, edits: []edit{set(".", "rack"), remove("^")}},
		{finding: `remove the annotation, or let the platform set mnnvl.mode to Grove`, edits: []edit{remove(".")}, others: platform},
		{finding: `has no meaning with strategy OnDelete, .*; remove it, or annotation (\S+)$`, edits: []edit{
			remove("."), together(remove("metadata.annotations[$1]"), ofAll(remove("@.annotations[$1]"))),
		}},
		{finding: `must equal (\d+) for .*; correct or remove it$`, edits: []edit{set(".", "$1"), remove(".")}},
		{finding: `the pods are in queue (\S+) of .*; name the queue in annotation (\S+) of the graph, or remove this field$`, edits: []edit{
			together(set("metadata.annotations[$2]", "$1"), set(".", "$1")), remove("."),
		}},
		{finding: `the pods are in queue (\S+) of .*; name the queue in annotation (\S+) of the pods, or remove this field$`, edits: []edit{
			together(ofAll(set("@annotations[$2]", "$1")), set(".", "$1")), remove("."),
		}},
		{finding: `this Volcano Queue does not exist; create it, specify another queue, or remove the annotation to use the platform's default, which is (\S+)$`, edits: []edit{
			set(".", "$1"), remove("."),
		}, others: elsewhere},
		{finding: `the pods are in queue (\S+) of Kueue, which \S+ names; name the queue there, or remove this field$`, edits: []edit{
			set(".", "$1"), remove("."),
		}},
		{finding: `the graph is in no queue of Kueue; remove it, or create the graph with label kueue.x-k8s.io/queue-name$`, edits: []edit{remove(".")}, others: platform},
		{finding: `schedules the pods, which has no queues; remove it, or set \S+.schedulerName$`, edits: []edit{remove(".")}, others: platform},
		{finding: `Kueue holds the pods of this graph; remove it, or the queue of Kueue$`, edits: []edit{remove(".")}, others: platform},
		{finding: `forceScalingGroup: .*; remove it, or run the graph on Grove$`, edits: []edit{
			together(remove("."), remove("@.providerOverride")),
		}, others: platform},
		{finding: `; let the platform install it, or remove the label$`, edits: []edit{remove(".")}, others: platform},
		{finding: `must be (\w+) here; correct or remove it$`, edits: []edit{set(".", "$1"), remove(".")}},
		{finding: `remove (?:it|them|this|the annotation)$`, edits: []edit{remove(".")}},
		{finding: `; remove it, or let the platform `, edits: []edit{remove(".")}, others: platform},
		{finding: `; remove it,? `, edits: []edit{remove(".")}},
	}
}
