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

	// From is the first release with the rule. Empty if all releases before Until have it.
	From Version

	// Until is the first release without the rule. Empty if all releases since From have it.
	Until Version

	// Pods and Effect say which pods get what, on a page.
	Pods, Effect string

	// Source is the number of the pull request of https://github.com/ai-dynamo/dynamo that made the change. The release notes of From or Until list
	// it. 0 means that File has the change.
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
			Pods:   "workers with vLLM over several nodes",
			Effect: "The [executor](multinode.md#the-executor-of-vllm) is `mp`; earlier `ray`.",
		},
		{
			Rule: CompilationCacheDefault, From: "1.2.0", Source: 9235,
			Pods:   "workers with vLLM and a compilation cache",
			Effect: "`VLLM_CACHE_ROOT` is set even without `mountPoint`. Earlier engines then use the cache only as root.",
		},
		{
			Rule: ComponentClass, From: "1.2.0", Source: 9235,
			Pods:   "workers beside an Endpoint Picker",
			Effect: "Label `nvidia.com/dynamo-component-class: worker`, for pickers since 1.3.0. **Workers restart when their graph gets its first picker.**",
		},
		{
			Rule: EPPLongFlags, From: "1.2.0", Source: 8093,
			Pods:   "Endpoint Pickers",
			Effect: "Flags have two dashes; earlier one dash.",
		},
		{
			Rule: ForwardPassMetrics, From: "1.2.0", Source: 8817,
			Pods:   "workers",
			Effect: "`DYN_FORWARDPASS_METRIC_PORT` is `20380`, which planners need to scale by load.",
		},
		{
			Rule: FrontendSidecarMounts, From: "1.2.0", Source: 8598,
			Pods:   "workers with a frontend sidecar",
			Effect: "The sidecar mounts the volumes of the main container.",
		},
		{
			Rule: PhaseTypes, From: "1.2.0", Source: 9235,
			Pods:   "workers for `prefill` or `decode`",
			Effect: "`nvidia.com/dynamo-component-type` and `DYN_COMPONENT` are the phase; earlier `worker`. Where a pool selects by the label, it stays.",
		},
		{
			Rule: TransferPolicy, From: "1.2.0", Source: 9768,
			Pods:   "workers with `experimental.kvTransferPolicy`",
			Effect: "They publish their topology domain; earlier they ignore the policy, with a warning.",
		},
		{
			Rule: GPUMemoryReadyFile, Until: "1.3.0", Source: 9514,
			Pods:   "pods with a GPU memory service",
			Effect: "The startup probe of `gms-server` waits for file `gms-ready`.",
		},
		{
			Rule: VLLMRay, Until: "1.3.0", Source: 11259,
			Pods:   "workers with vLLM",
			Effect: "The image contains Ray. Later, what [needs Ray](multinode.md#ray) gets a warning.",
		},
		{
			Rule: PlannerComponents, From: "1.3.0", Source: 10052,
			Pods:   "planners",
			Effect: "They only find graphs with `spec.components`; others get a warning.",
		},
		{
			Rule: EPPInfoLog, From: "1.4.0", Source: 11550,
			Pods:   "Endpoint Pickers",
			Effect: "`RUST_LOG` is `info`. Earlier values fill the disk of the node.",
		},
		{
			Rule: TRTLLMCompilerPaths, From: "1.4.0", Source: 11999,
			Pods:   "workers with TensorRT-LLM over several nodes",
			Effect: "`mpirun` also passes `CPATH` and `TRITON_PTXAS_PATH`.",
		},
		{
			Rule: EPPNative, From: "1.5.0", Source: 11355,
			Pods:   "Endpoint Pickers without `eppConfig`",
			Effect: "The picker is in the frontend image, without arguments. Earlier images need `eppConfig`; these refuse it.",
		},
		{
			Rule: SnapshotStandby, From: "1.5.0", Source: 14076,
			Pods:   "workers that are [restored](checkpoints.md)",
			Effect: "`SNAPSHOT_RESTORE_STANDBY` replaces `DYN_SNAPSHOT_RESTORE_STANDBY`.",
		},
		{
			Rule: WorkerCanaries, From: "1.5.0", Source: 11083,
			Pods:   "workers",
			Effect: "`DYN_HEALTH_CHECK_ENABLED` is `true`: a worker that does not answer itself is unready. `false` turns it off.",
		},
		{
			Rule: WorkerGenerations, From: "1.5.0", Source: 12769,
			Pods:   "workers, if all workers and planners have this release",
			Effect: "`DYN_NAMESPACE_WORKER_SUFFIX` is the [generation](restart.md#generations-of-workers): old and new workers never work together.",
		},
		{
			Rule: WorkerLiveness, From: "1.5.0", Source: 13512,
			Pods:   "workers",
			Effect: "They restart after 3 failed checks; earlier after 1.",
		},
		{
			Rule: EPPReplicas, From: "1.6.0", File: "deploy/operator/internal/dynamo/component_epp.go",
			Pods:   "Endpoint Pickers without `eppConfig`",
			Effect: "`DYN_ROUTER_REPLICA_SYNC` is `true`, so several replicas can run; earlier only one replica.",
		},
		{
			Rule: ExporterPorts, From: "1.6.0", File: "deploy/operator/internal/dynamo/backend_sglang.go",
			Pods:   "workers with SGLang whose `NIXL_TELEMETRY_ENABLE` is `y`",
			Effect: "Each rank has a port: `nixl`, then `nixl-1` to `nixl-7`.",
		},
		{
			Rule: FrontendSidecarIdentity, From: "1.6.0", File: "deploy/helm/charts/platform/README.md",
			Pods:   "workers with a frontend sidecar of this release",
			Effect: "`CONTAINER_NAME` of the sidecar is its name.",
		},
		{
			Rule: FrontendStartupProbe, From: "1.6.0", File: "deploy/operator/internal/dynamo/component_frontend.go",
			Pods:   "frontends",
			Effect: "A startup probe gives them five minutes.",
		},
		{
			Rule: NodeAliases, From: "1.6.0", File: "docs/fern/pages/kubernetes/guides/multinode.mdx",
			Pods:   "workers over several nodes",
			Effect: "`DYNAMO_LEADER_ADDRESS` is the first node and, with LeaderWorkerSets or pod templates of roles, `DYNAMO_RANK` the number of the node.",
		},
		{
			Rule: RayHeadWait, From: "1.6.0", Source: 15180,
			Pods:   "workers with vLLM over several nodes with executor `ray`",
			Effect: "They wait for the head of the Ray cluster; earlier they restart until it answers.",
		},
		{
			Rule: RuntimeContainer, From: "1.6.0", Source: 14927,
			Pods:   "workers on one node with an init container `runtime` whose `restartPolicy` is `Always`",
			Effect: "Dynamo runs in it, with variables, ports and probes; the main container runs the engine. Earlier it is like others, with a warning. If the release is not known, this applies.",
		},
		{
			Rule: StrictPrefix, From: "1.6.0", Source: 10998,
			Pods:   "frontends, Endpoint Pickers without `eppConfig`, sidecars of this release",
			Effect: "`DYN_NAMESPACE_PREFIX_STRICT` is `true`: graph `llama` does not find workers of graph `llama-2`.",
		},
	}
}

// release is the release in which pods change.
func (c Change) release() Version { return max(c.From, c.Until) }

// NewestWithRules is the release of the last change: the first one of its series whose pods differ. What comes after it is taken for it. The release
// that is taken for an image without one is Assumed, and the newest one that is known is the last of package compatibility.
func NewestWithRules() Version {
	all := changes()
	return all[len(all)-1].release()
}

// Has reports whether pods with a version follow a rule.
func (v Version) Has(rule Rule) bool {
	c := changeOf(rule)
	return c.Rule != "" && (c.From == "" || v.Compare(c.From) >= 0) && (c.Until == "" || v.Compare(c.Until) < 0)
}

// Since is the first release with a rule. Empty if all releases before a certain one have it.
func (r Rule) Since() Version { return changeOf(r).From }

// Until is the first release without a rule. Empty if all releases since a certain one have it.
func (r Rule) Until() Version { return changeOf(r).Until }

func changeOf(rule Rule) Change {
	for _, c := range changes() {
		if c.Rule == rule {
			return c
		}
	}
	return Change{}
}
