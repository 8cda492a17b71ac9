package runtime

// Rule is a way in which pods differ between releases.
type Rule string

// The rules.
const (
	// CompilationCacheDefault is that engines are told the default path of their compilation cache.
	CompilationCacheDefault Rule = "CompilationCacheDefault"
	// ComponentClass is the label by which Endpoint Pickers find workers.
	ComponentClass Rule = "ComponentClass"
	// EPPLongFlags is that the flags of the Endpoint Picker have two dashes.
	EPPLongFlags Rule = "EPPLongFlags"
	// EPPInfoLog is that the Endpoint Picker logs at level info.
	EPPInfoLog Rule = "EPPInfoLog"
	// EPPNative is that the image with the frontend contains the Endpoint Picker, which has no configuration.
	EPPNative Rule = "EPPNative"
	// EPPReplicas is that several Endpoint Pickers of a graph tell each other what they know.
	EPPReplicas Rule = "EPPReplicas"
	// ExporterPorts are the ports on which each rank of SGLang in a container exports its metrics of NIXL.
	ExporterPorts Rule = "ExporterPorts"
	// ForwardPassMetrics are the metrics of each step of an engine, which workers publish on a port.
	ForwardPassMetrics Rule = "ForwardPassMetrics"
	// FrontendSidecarIdentity is that a frontend sidecar is found by its own name, beside the worker in its pod.
	FrontendSidecarIdentity Rule = "FrontendSidecarIdentity"
	// FrontendSidecarMounts are the mounts of the main container, which the frontend sidecar has too.
	FrontendSidecarMounts Rule = "FrontendSidecarMounts"
	// FrontendStartupProbe is that frontends have a startup probe.
	FrontendStartupProbe Rule = "FrontendStartupProbe"
	// GPUMemoryReadyFile is the probe for the file that the server of the GPU memory service writes when it is ready.
	GPUMemoryReadyFile Rule = "GPUMemoryReadyFile"
	// NodeAliases are the variables that tell each node of an engine its rank, and where its first node is, in the same way everywhere.
	NodeAliases Rule = "NodeAliases"
	// PlannerComponents is that planners read and scale graphs in the form of v1beta1.
	PlannerComponents Rule = "PlannerComponents"
	// RayHeadWait is that the nodes of a Ray cluster only join it when its head answers.
	RayHeadWait Rule = "RayHeadWait"
	// RuntimeContainer is that the runtime of Dynamo can run in an init container beside its engine, which then needs nothing of Dynamo in its
	// image.
	RuntimeContainer Rule = "RuntimeContainer"
	// SnapshotStandby is that programs that wait to be restored from a checkpoint read the variable of the snapshot operator.
	SnapshotStandby Rule = "SnapshotStandby"
	// StrictPrefix is that what finds workers by the prefix of their Dynamo namespace only finds those of its own graph.
	StrictPrefix Rule = "StrictPrefix"
	// TRTLLMCompilerPaths are the variables with which TensorRT-LLM finds headers and the assembler of Triton, on all nodes.
	TRTLLMCompilerPaths Rule = "TRTLLMCompilerPaths"
	// TransferPolicy is that workers publish their topology domain for the transfer of KV caches.
	TransferPolicy Rule = "TransferPolicy"
	// PhaseTypes are the component types of workers for one phase of inference: prefill and decode.
	PhaseTypes Rule = "PhaseTypes"
	// VLLMProcesses is that vLLM spans nodes with its own processes, executor mp, of which only the first node is a worker of Dynamo.
	VLLMProcesses Rule = "VLLMProcesses"
	// VLLMRay is that images with vLLM contain Ray.
	VLLMRay Rule = "VLLMRay"
	// WorkerCanaries are the requests by which workers check themselves.
	WorkerCanaries Rule = "WorkerCanaries"
	// WorkerGenerations is that the Dynamo namespace of workers has a suffix, which tells generations of them apart.
	WorkerGenerations Rule = "WorkerGenerations"
	// WorkerLiveness is that a worker only restarts after several failed checks.
	WorkerLiveness Rule = "WorkerLiveness"
)

// Change is a rule, and the releases that have it.
type Change struct {
	Rule Rule

	// From is the first release with the rule. Empty: all releases before Until have it.
	From Version

	// Until is the first release without the rule. Empty: all releases since From have it.
	Until Version

	// Pods and Effect say which pods get what.
	Pods, Effect string

	// Source is the number of the pull request of https://github.com/ai-dynamo/dynamo that made the change. The release notes of
	// From or Until list it. 0: File has the change.
	Source int

	// File of the operator that has the change, if no pull request is known.
	File string
}

// Changes are all rules, the oldest change first.
func Changes() []Change {
	all := changes()
	return all[:]
}

// changes is the table. An array is not allocated for each of the many lookups.
func changes() [26]Change {
	return [...]Change{
		{
			Rule: VLLMProcesses, From: "1.0.0", Source: 6204,
			Pods: "of workers with vLLM that span several nodes", Effect: "The executor is `mp`. Before, it is `ray`, because only later engines can run on a node without being a worker of Dynamo. [What takes precedence](multinode.md#the-executor-of-vllm).",
		},
		{
			Rule: CompilationCacheDefault, From: "1.2.0", Source: 9235,
			Pods: "of workers with vLLM, with a compilation cache", Effect: "`VLLM_CACHE_ROOT` is also set if the cache has no `mountPoint`. In earlier pods the engine uses such a cache only if it runs as root.",
		},
		{
			Rule: ComponentClass, From: "1.2.0", Source: 9235,
			Pods: "of workers, in a graph with an Endpoint Picker", Effect: "Label `nvidia.com/dynamo-component-class: worker`. Endpoint Pickers in Rust, which exist since 1.3.0, find workers by it. Workers restart when their graph gets its first Endpoint Picker.",
		},
		{
			Rule: EPPLongFlags, From: "1.2.0", Source: 8093,
			Pods: "of Endpoint Pickers", Effect: "The flags have two dashes, such as `--pool-name`. Earlier pods have a single one.",
		},
		{
			Rule: ForwardPassMetrics, From: "1.2.0", Source: 8817,
			Pods: "of workers", Effect: "`DYN_FORWARDPASS_METRIC_PORT` is `20380`. Planners need these metrics to scale by load, and workers with SGLang only publish them with the variable.",
		},
		{
			Rule: FrontendSidecarMounts, From: "1.2.0", Source: 8598,
			Pods: "of workers with a frontend sidecar", Effect: "The sidecar mounts the volumes of the main container at the same paths, so that it can read a model in a volume.",
		},
		{
			Rule: PhaseTypes, From: "1.2.0", Source: 9235,
			Pods: "of workers for one phase of inference", Effect: "The phase, `prefill` or `decode`, is the component type in label `nvidia.com/dynamo-component-type` and in `DYN_COMPONENT`. Earlier pods have type `worker`. In a graph whose InferencePool selects by this label, it stays [as it is](upgrading.md#versions).",
		},
		{
			Rule: TransferPolicy, From: "1.2.0", Source: 9768,
			Pods: "of workers, in a graph with `experimental.kvTransferPolicy`", Effect: "Workers publish their topology domain. Earlier workers ignore the policy: condition `Accepted` has a warning.",
		},
		{
			Rule: GPUMemoryReadyFile, Until: "1.3.0", Source: 9514,
			Pods: "with a GPU memory service", Effect: "`gms-server` has a startup probe that waits for the file `gms-ready`. Later servers do not write the file, so the probe would never succeed.",
		},
		{
			Rule: VLLMRay, Until: "1.3.0", Source: 11259,
			Pods: "of workers with vLLM", Effect: "The image contains Ray. With later images, condition `Accepted` has a warning about everything that [needs Ray](multinode.md#ray).",
		},
		{
			Rule: PlannerComponents, From: "1.3.0", Source: 10052,
			Pods: "of planners", Effect: "The planner reads and scales graphs with `spec.components`. It does not find a graph with `spec.services`: condition `Accepted` has a warning.",
		},
		{
			Rule: EPPInfoLog, From: "1.4.0", Source: 11550,
			Pods: "of Endpoint Pickers", Effect: "`RUST_LOG` is `info`. Earlier pods have a value that fills the disk of the node.",
		},
		{
			Rule: TRTLLMCompilerPaths, From: "1.4.0", Source: 11999,
			Pods: "of workers with TensorRT-LLM that span several nodes", Effect: "`mpirun` also passes `CPATH` and `TRITON_PTXAS_PATH` to the other nodes, where kernels are compiled with them.",
		},
		{
			Rule: EPPNative, From: "1.5.0", Source: 11355,
			Pods: "of Endpoint Pickers without `eppConfig`", Effect: "The picker is the program of the frontend image: it has no arguments and no configuration, and its cache is in `/home/dynamo`. An image of an earlier release needs `eppConfig`, and one of this release or a later one is refused with it. If the release is not known, `eppConfig` says which of the two it is.",
		},
		{
			Rule: SnapshotStandby, From: "1.5.0", Source: 14076,
			Pods: "of workers that are restored from a [checkpoint](checkpoints.md)", Effect: "`DYN_SNAPSHOT_RESTORE_STANDBY` is gone: programs read `SNAPSHOT_RESTORE_STANDBY`.",
		},
		{
			Rule: WorkerCanaries, From: "1.5.0", Source: 11083,
			Pods: "of workers", Effect: "`DYN_HEALTH_CHECK_ENABLED` is `true`: a worker that does not answer a request of its own is unready. Set the variable to `false` to keep what earlier pods have.",
		},
		{
			Rule: WorkerGenerations, From: "1.5.0", Source: 12769,
			Pods: "of workers, in a graph whose workers and planners all have this release", Effect: "`DYN_NAMESPACE_WORKER_SUFFIX` is the [generation of the workers](restart.md#generations-of-workers), so that old and new workers of a rollout never work together.",
		},
		{
			Rule: WorkerLiveness, From: "1.5.0", Source: 13512,
			Pods: "of workers", Effect: "The liveness probe has `failureThreshold` 3. Earlier pods restart after one failure.",
		},
		{
			Rule: EPPReplicas, From: "1.6.0", File: "deploy/operator/internal/dynamo/component_epp.go",
			Pods: "of Endpoint Pickers without `eppConfig`", Effect: "`DYN_ROUTER_REPLICA_SYNC` is `true`, and there may be several replicas. Earlier pickers do not know what the others know, so there is only one.",
		},
		{
			Rule: ExporterPorts, From: "1.6.0", File: "deploy/operator/internal/dynamo/backend_sglang.go",
			Pods: "of workers with SGLang whose `NIXL_TELEMETRY_ENABLE` is `y`", Effect: "Each rank in a container has a port: `nixl`, which is that of `NIXL_TELEMETRY_PROMETHEUS_PORT`, then `nixl-1` to `nixl-7`.",
		},
		{
			Rule: FrontendSidecarIdentity, From: "1.6.0", File: "deploy/helm/charts/platform/README.md",
			Pods: "of workers with a frontend sidecar of this release", Effect: "`CONTAINER_NAME` of the sidecar is its name, by which it is found beside the worker in its pod.",
		},
		{
			Rule: FrontendStartupProbe, From: "1.6.0", File: "deploy/operator/internal/dynamo/component_frontend.go",
			Pods: "of frontends", Effect: "A startup probe gives a frontend five minutes before its liveness is probed.",
		},
		{
			Rule: NodeAliases, From: "1.6.0", File: "docs/fern/pages/kubernetes/guides/multinode.mdx",
			Pods: "of workers that span several nodes", Effect: "`DYNAMO_LEADER_ADDRESS` is the address of the first node. With LeaderWorkerSets, `DYNAMO_RANK` is the number of the node. It is not set on Grove, where only the newest releases give pods a number that spans the cliques of a replica.",
		},
		{
			Rule: RayHeadWait, From: "1.6.0", Source: 15180,
			Pods: "of workers with vLLM that span several nodes with executor `ray`", Effect: "On all nodes but the first, an init container waits until the head of the Ray cluster answers. Earlier pods end, and restart, until it does.",
		},
		{
			Rule: RuntimeContainer, From: "1.6.0", Source: 14927,
			Pods: "of workers on one node with an init container `runtime` whose `restartPolicy` is `Always`", Effect: "Dynamo runs in this container, which gets the variables, ports and probes, and whose image is that of the release. The main container runs the engine with nothing but the variables of the graph, shared memory and the compilation cache. With an image of an earlier release it is an init container like others, and condition `Accepted` has a warning. If the release is not known, it is the one of this rule: no earlier pods have such a container.",
		},
		{
			Rule: StrictPrefix, From: "1.6.0", Source: 10998,
			Pods: "of frontends and of Endpoint Pickers without `eppConfig`, and frontend sidecars of this release", Effect: "`DYN_NAMESPACE_PREFIX_STRICT` is `true`, so that graph `llama` does not find the workers of graph `llama-2` in the same namespace.",
		},
	}
}

// Has reports whether pods with a version follow a rule.
func (v Version) Has(rule Rule) bool {
	c := changeOf(rule)
	return c.Rule != "" && (c.From == "" || v.Compare(c.From) >= 0) && (c.Until == "" || v.Compare(c.Until) < 0)
}

// Since is the first release with a rule. Empty: all releases before a certain one have it.
func (r Rule) Since() Version { return changeOf(r).From }

// Until is the first release without a rule. Empty: all releases since a certain one have it.
func (r Rule) Until() Version { return changeOf(r).Until }

func changeOf(rule Rule) Change {
	for _, c := range changes() {
		if c.Rule == rule {
			return c
		}
	}
	return Change{}
}
