package rule

// Codes of the rules. Those that begin with 0 are about files, with 1 about the schema of the API, with 2 about the graph itself, with 3
// about the platform, and with 4 about what the graph becomes.
const (
	NotYAML            Code = "DGD001"
	DuplicateKey       Code = "DGD002"
	UnknownVersion     Code = "DGD003"
	UnknownKind        Code = "DGD004"
	SameGraph          Code = "DGD005"
	NotBuilt           Code = "DGD006"
	UnknownField       Code = "DGD101"
	WrongType          Code = "DGD102"
	WrongFormat        Code = "DGD103"
	MissingField       Code = "DGD104"
	Schema             Code = "DGD105"
	SchemaRule         Code = "DGD106"
	EmptyField         Code = "DGD107"
	GraphName          Code = "DGD201"
	Identity           Code = "DGD202"
	Annotations        Code = "DGD203"
	ComponentNames     Code = "DGD204"
	Labels             Code = "DGD205"
	Replicas           Code = "DGD206"
	Resources          Code = "DGD207"
	Containers         Code = "DGD208"
	Probes             Code = "DGD209"
	Environment        Code = "DGD210"
	Volumes            Code = "DGD211"
	Claims             Code = "DGD212"
	Exposure           Code = "DGD213"
	Models             Code = "DGD214"
	Sidecar            Code = "DGD215"
	EndpointPicker     Code = "DGD216"
	GPUMemory          Code = "DGD217"
	Failover           Code = "DGD218"
	Checkpoints        Code = "DGD219"
	Autoscaling        Code = "DGD220"
	Values             Code = "DGD221"
	RuntimeVersion     Code = "DGD222"
	References         Code = "DGD223"
	Devices            Code = "DGD224"
	Scheduling         Code = "DGD225"
	Topology           Code = "DGD226"
	Transfer           Code = "DGD227"
	Overrides          Code = "DGD228"
	Restart            Code = "DGD229"
	Power              Code = "DGD230"
	Components         Code = "DGD231"
	OnGrove            Code = "DGD232"
	OffGrove           Code = "DGD233"
	OnLeaderWorkerSets Code = "DGD234"
	Strategy           Code = "DGD235"
	Images             Code = "DGD236"
	Commands           Code = "DGD237"
	Caches             Code = "DGD238"
	SharedMemory       Code = "DGD239"
	Misspelt           Code = "DGD240"
	NoEffect           Code = "DGD241"
	Kept               Code = "DGD242"
	Planner            Code = "DGD243"
	Workers            Code = "DGD244"
	Discovery          Code = "DGD245"
	Flags              Code = "DGD246"
	Placeholder        Code = "DGD247"
	Choices            Code = "DGD301"
	NotServed          Code = "DGD303"
	NameTaken          Code = "DGD304"
	NVLink             Code = "DGD305"
	Queues             Code = "DGD306"
	Size               Code = "DGD307"
	Immutable          Code = "DGD308"
	Nodes              Code = "DGD309"
	NotSupportedHere   Code = "DGD310"
	Input              Code = "DGD311"
	Adoption           Code = "DGD312"
	GuardRails         Code = "DGD313"
	ComposedObject     Code = "DGD401"
	Refused            Code = "DGD402"
)

// Rules in the order of their codes.
func Rules() []Rule {
	return []Rule{
		{
			Code: NotYAML, Name: "not-yaml", Title: "The file is not valid YAML",
			Wrong:   "The document cannot be parsed, so it is not checked.",
			Remedy:  "Correct the line. Render templates of Helm and other tools first.",
			Samples: []Sample{{Wrong: "spec: {", Right: "spec: {}"}},
		},
		{
			Code: DuplicateKey, Name: "duplicate-key", Title: "A key is set twice",
			Wrong:   "The mapping has the key twice. Only one of the values counts, and the other value is lost silently.",
			Remedy:  "Remove one of the two values.",
			Samples: []Sample{{Wrong: "spec:\n  backendFramework: vllm\n  backendFramework: sglang", Right: "spec:\n  backendFramework: vllm"}},
		},
		{
			Code: UnknownVersion, Name: "unknown-version", Title: "The version of the API does not exist",
			Wrong:   "Graphs have versions v1alpha1 and v1beta1.",
			Remedy:  "Set apiVersion to nvidia.com/v1beta1, or to nvidia.com/v1alpha1 for a graph with services.",
			Samples: []Sample{{Wrong: "apiVersion: nvidia.com/v1\nkind: DynamoGraphDeployment", Right: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment"}},
		},
		{
			Code: UnknownKind, Name: "unknown-kind", Title: "The object is almost a graph",
			Wrong:   "The kind is almost DynamoGraphDeployment, or it is DynamoGraphDeployment in another API group. The object is skipped, because it is not a graph.",
			Remedy:  "Correct the kind or the group.",
			Samples: []Sample{{Wrong: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymnt", Right: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment"}},
		},
		{
			Code: SameGraph, Name: "same-graph", Title: "Two manifests are the same graph",
			Wrong:   "The manifests have the same name and namespace. The manifest that is applied last replaces the other manifest.",
			Remedy:  "Rename one of the graphs. If only one manifest is applied, check the files separately.",
			Samples: []Sample{{Wrong: "metadata:\n  name: chat\n---\nmetadata:\n  name: chat", Right: "metadata:\n  name: chat\n---\nmetadata:\n  name: chat-canary"}},
		},
		{
			Code: NotBuilt, Name: "not-built", Title: "A tool changes the file before it is applied",
			Wrong:  "The file belongs to a chart, a kustomization, or an object of Argo CD or Flux. These tools apply other objects than the file contains, and the objects are not known here.",
			Remedy: "Build the objects that are applied, and pass them through standard input.",
			Samples: []Sample{
				{Wrong: "dgd validate chart/", Right: "helm template chart/ | dgd validate -"},
				{Wrong: "dgd validate overlays/prod/ # kustomization.yaml with an error", Right: "kubectl kustomize overlays/prod/ | dgd validate -"},
			},
		},
		{
			Code: UnknownField, Name: "unknown-field", Title: "The field does not exist",
			Wrong:  "The API has no such field at this place, so the API server would drop the field.",
			Remedy: "Correct the name. The message has the known fields, or the most similar field.",
			Samples: []Sample{
				{Wrong: "components:\n  - name: Frontend\n    replica: 2", Right: "components:\n  - name: Frontend\n    replicas: 2"},
				{Wrong: "podSpec:\n  nodeSelector: {pool: a}", Right: "podTemplate:\n  spec:\n    nodeSelector: {pool: a}"},
			},
		},
		{
			Code: WrongType, Name: "wrong-type", Title: "The value has the wrong type",
			Wrong:   "For example, the value of an environment variable is a number or a boolean instead of a string.",
			Remedy:  "Write the value in the type of the field. A string that looks like a number or boolean needs quotes.",
			Samples: []Sample{{Wrong: "env:\n  - name: DEBUG\n    value: true", Right: "env:\n  - name: DEBUG\n    value: \"true\""}},
		},
		{
			Code: WrongFormat, Name: "wrong-format", Title: "The value does not have the format of the field",
			Wrong:  "For example, a quantity, duration or time cannot be parsed, or a number is too large.",
			Remedy: "Write the value in the format in the message.",
			Samples: []Sample{
				{Wrong: "sharedMemorySize: 64GB", Right: "sharedMemorySize: 64Gi"},
				{Wrong: "sharedMemorySize: 16 Gi", Right: "sharedMemorySize: 16Gi"},
			},
		},
		{
			Code: MissingField, Name: "missing-field", Title: "A field is missing",
			Wrong:   "The object at this place is incomplete.",
			Remedy:  "Set the field, or remove the object.",
			Samples: []Sample{{Wrong: "env:\n  - value: info", Right: "env:\n  - name: LOG_LEVEL\n    value: info"}},
		},
		{
			Code: Schema, Name: "schema", Title: "The schema of the API does not allow the value",
			Wrong:   "The API server would refuse the manifest.",
			Remedy:  "Change the value as the message says.",
			Samples: []Sample{{Wrong: "crossplane:\n  compositionUpdatePolicy: Sometimes", Right: "crossplane:\n  compositionUpdatePolicy: Manual"}},
		},
		{
			Code: SchemaRule, Name: "schema-rule", Title: "A rule of the API is broken",
			Wrong:   "The API server would refuse the manifest because of a rule that involves several fields.",
			Remedy:  "Change one of the fields in the message.",
			Samples: []Sample{{Wrong: "failover:\n  enabled: true", Right: "failover:\n  enabled: true\ngpuMemoryService:\n  enabled: true"}},
		},
		{
			Code: EmptyField, Name: "empty-field", Title: "The field has no value",
			Wrong: "The value is null, for example because a template writes a key and nothing below it. kubectl apply leaves the field out. Server-side apply, which Argo CD and Flux use, " +
				"refuses the graph.",
			Remedy:  "Remove the field, or give it a value. In a chart of Helm, write the key inside of with.",
			Samples: []Sample{{Wrong: "podTemplate:\n  spec:\n    tolerations:", Right: "podTemplate:\n  spec:\n    tolerations:\n      - key: nvidia.com/gpu\n        operator: Exists"}},
		},
		{
			Code: GraphName, Name: "graph-name", Title: "The name of the graph or its namespace cannot be used",
			Wrong:   "Names of objects and labels of pods are derived from the name, and have limits.",
			Remedy:  "Choose a shorter name of lower-case letters, digits and hyphens.",
			Samples: []Sample{{Wrong: "metadata:\n  name: My_Graph", Right: "metadata:\n  name: my-graph"}},
		},
		{
			Code: Identity, Name: "identity", Title: "The identity of the graph in Dynamo is invalid",
			Wrong:   "Settings such as the backend framework or the Dynamo namespace are invalid or reserved.",
			Remedy:  "Use one of the values in the message.",
			Samples: []Sample{{Wrong: "spec:\n  backendFramework: vLLM", Right: "spec:\n  backendFramework: vllm"}},
		},
		{
			Code: Annotations, Name: "annotations", Title: "An annotation has an invalid key or value",
			Wrong:   "The annotation has a fixed set of keys and values.",
			Remedy:  "Use one of the values in the message, or remove the annotation.",
			Samples: []Sample{{Wrong: "annotations:\n  nvidia.com/dynamo-discovery-backend: zookeeper", Right: "annotations:\n  nvidia.com/dynamo-discovery-backend: etcd"}},
		},
		{
			Code: ComponentNames, Name: "component-names", Title: "The names of services or components cannot be used together, or not at all",
			Wrong:   "Names of objects are derived from the names of components. Two names that are too long, or that differ only in case, lead to the same name of an object.",
			Remedy:  "Rename one of the components.",
			Samples: []Sample{{Wrong: "components:\n  - name: Worker\n  - name: worker", Right: "components:\n  - name: Worker\n  - name: WorkerLarge"}},
		},
		{
			Code: Labels, Name: "labels", Title: "A label or an annotation of pods is invalid or reserved",
			Wrong:   "The key or the value breaks the rules of Kubernetes, or this project sets it.",
			Remedy:  "Change the key or the value, or remove it.",
			Samples: []Sample{{Wrong: "podTemplate:\n  metadata:\n    labels:\n      team: a b", Right: "podTemplate:\n  metadata:\n    labels:\n      team: a-b"}},
		},
		{
			Code: Replicas, Name: "replicas", Title: "The number of replicas or nodes is invalid",
			Wrong:  "The number is out of range, or the orchestrator does not support it.",
			Remedy: "Change the number as the message says.",
			Samples: []Sample{
				{Wrong: "replicas: -1", Right: "replicas: 1"},
				{Wrong: "multinode:\n  nodeCount: 1", Right: "multinode:\n  nodeCount: 2"},
			},
		},
		{
			Code: Resources, Name: "resources", Title: "Requests or limits are invalid",
			Wrong:  "Requests exceed limits, an amount is negative, or a fraction is not possible.",
			Remedy: "Change the amount as the message says.",
			Samples: []Sample{{
				Wrong: "resources:\n  requests: {cpu: \"8\"}\n  limits: {cpu: \"4\"}",
				Right: "resources:\n  requests: {cpu: \"4\"}\n  limits: {cpu: \"8\"}",
			}},
		},
		{
			Code: Containers, Name: "containers", Title: "A container is invalid",
			Wrong:   "For example, a container has no image, or two containers have the same name, or ports with the same name or number.",
			Remedy:  "Change the container as the message says.",
			Samples: []Sample{{Wrong: "containers:\n  - name: main\n    image: a\n  - name: main\n    image: b", Right: "containers:\n  - name: main\n    image: a\n  - name: metrics\n    image: b"}},
		},
		{
			Code: Probes, Name: "probes", Title: "A probe or a lifecycle hook is invalid or has no effect",
			Wrong:   "The kubelet or the API server refuses the probe or the hook, or another probe replaces it.",
			Remedy:  "Change or remove the probe as the message says.",
			Samples: []Sample{{Wrong: "livenessProbe:\n  periodSeconds: -1\n  exec: {command: [\"true\"]}", Right: "livenessProbe:\n  periodSeconds: 10\n  exec: {command: [\"true\"]}"}},
		},
		{
			Code: Environment, Name: "environment", Title: "An environment variable is invalid or overridden, or has changed",
			Wrong:  "A name is invalid or set twice, a value has two sources, or the release of Dynamo in the image has renamed or removed the variable.",
			Remedy: "Change or remove the variable as the message says.",
			Samples: []Sample{
				{Wrong: "env:\n  - name: A\n    value: b\n    valueFrom:\n      fieldRef: {fieldPath: metadata.name}", Right: "env:\n  - name: A\n    valueFrom:\n      fieldRef: {fieldPath: metadata.name}"},
				{Wrong: "env:\n  - name: A\n    value: b\n  - name: A\n    value: c", Right: "env:\n  - name: A\n    value: c"},
			},
		},
		{
			Code: Volumes, Name: "volumes", Title: "A volume or a mount is invalid",
			Wrong:   "A mount refers to a volume that does not exist, or two mounts or volumes have the same path or name.",
			Remedy:  "Add the volume, or change the mount.",
			Samples: []Sample{{Wrong: "volumeMounts:\n  - name: models\n    mountPath: models", Right: "volumeMounts:\n  - name: models\n    mountPath: /models"}},
		},
		{
			Code: Claims, Name: "claims", Title: "A PersistentVolumeClaim is invalid, exists already, or cannot be mounted by all pods",
			Wrong:  "The claim that the graph creates is incomplete, or a claim with its name exists. Or pods of several nodes mount a claim that only one node can mount.",
			Remedy: "Complete the claim, set create to false, or use a claim with access mode ReadWriteMany.",
			Samples: []Sample{
				{Wrong: "pvcs:\n  - name: cache\n    create: true", Right: "pvcs:\n  - name: cache\n    create: true\n    size: 100Gi\n    storageClass: shared\n    volumeAccessMode: ReadWriteMany"},
				{Wrong: "multinode:\n  nodeCount: 4\n# claim of the pods:\naccessModes: [ReadWriteOnce]", Right: "multinode:\n  nodeCount: 4\n# claim of the pods:\naccessModes: [ReadWriteMany]"},
			},
		},
		{
			Code: Exposure, Name: "exposure", Title: "The exposure of the component is invalid or has no effect",
			Wrong:   "The ingress of the component is incomplete or contradicts the platform.",
			Remedy:  "Change the ingress as the message says.",
			Samples: []Sample{{Wrong: "ingress:\n  enabled: true\n  host: \"a b\"", Right: "ingress:\n  enabled: true\n  host: chat"}},
		},
		{
			Code: Models, Name: "models", Title: "The model of the component is invalid",
			Wrong:   "The reference to a model is incomplete, or has a field without effect.",
			Remedy:  "Change modelRef as the message says.",
			Samples: []Sample{{Wrong: "modelRef:\n  name: example/chat-8b\n  revision: main", Right: "modelRef:\n  name: example/chat-8b\n# container main:\nargs: [--revision, main]"}},
		},
		{
			Code: Sidecar, Name: "sidecar", Title: "The frontend sidecar is invalid",
			Wrong:   "The sidecar refers to a container that does not exist, or is incomplete.",
			Remedy:  "Change the sidecar as the message says.",
			Samples: []Sample{{Wrong: "frontendSidecar: proxy", Right: "frontendSidecar: proxy\npodTemplate:\n  spec:\n    containers:\n      - name: proxy\n        image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1"}},
		},
		{
			Code: EndpointPicker, Name: "endpoint-picker", Title: "The Endpoint Picker is invalid",
			Wrong:   "The component of type epp has no valid configuration, or the graph has several components of type epp.",
			Remedy:  "Change eppConfig as the message says.",
			Samples: []Sample{{Wrong: "type: epp # before Dynamo 1.5\neppConfig: {}", Right: "type: epp # before Dynamo 1.5\neppConfig:\n  configMapRef:\n    name: picker\n    key: config.yaml"}},
		},
		{
			Code: GPUMemory, Name: "gpu-memory", Title: "The GPU memory service is invalid or has no effect",
			Wrong:   "The component requests no GPU, or its settings contradict each other.",
			Remedy:  "Change gpuMemoryService as the message says.",
			Samples: []Sample{{Wrong: "experimental:\n  gpuMemoryService: {}\n# container main:\nresources: {}", Right: "experimental:\n  gpuMemoryService: {}\n# container main:\nresources:\n  limits: {nvidia.com/gpu: \"1\"}"}},
		},
		{
			Code: Failover, Name: "failover", Title: "Failover is invalid or has no effect",
			Wrong:   "Failover depends on the GPU memory service, the engine and the discovery backend.",
			Remedy:  "Change failover as the message says.",
			Samples: []Sample{{Wrong: "experimental:\n  failover: {}", Right: "experimental:\n  failover: {}\n  gpuMemoryService: {}"}},
		},
		{
			Code: Checkpoints, Name: "checkpoints", Title: "A checkpoint is invalid or has no effect",
			Wrong:   "Checkpoints require the snapshot operator. Some of their fields are only for earlier releases of the operator.",
			Remedy:  "Change or remove checkpoint as the message says.",
			Samples: []Sample{{Wrong: "type: frontend\nexperimental:\n  checkpoint:\n    enabled: true", Right: "type: worker\nexperimental:\n  checkpoint:\n    enabled: true"}},
		},
		{
			Code: Autoscaling, Name: "autoscaling", Title: "Autoscaling is invalid",
			Wrong:   "A HorizontalPodAutoscaler refuses the bounds, metrics or rules, or the components cannot be scaled together.",
			Remedy:  "Change autoscaling or the annotation as the message says.",
			Samples: []Sample{{Wrong: "autoscaling:\n  enabled: true\n  minReplicas: 4\n  maxReplicas: 2", Right: "autoscaling:\n  enabled: true\n  minReplicas: 2\n  maxReplicas: 4"}},
		},
		{
			Code: Values, Name: "values", Title: "The value is not allowed",
			Wrong:   "The field has a fixed set of values.",
			Remedy:  "Use one of the values in the message.",
			Samples: []Sample{{Wrong: "experimental:\n  gpuMemoryService:\n    mode: Shared", Right: "experimental:\n  gpuMemoryService:\n    mode: IntraPod"}},
		},
		{
			Code: RuntimeVersion, Name: "runtime-version", Title: "The release of Dynamo in an image is unclear or too old",
			Wrong:   "The release of Dynamo in an image decides what its pods get.",
			Remedy:  "Set runtimeVersionOverride to the release, or use another image.",
			Samples: []Sample{{Wrong: "runtimeVersionOverride: latest", Right: "runtimeVersionOverride: 1.5.1"}},
		},
		{
			Code: References, Name: "references", Title: "A reference to another object is invalid",
			Wrong:   "A name or a key is missing or cannot be the name of an object.",
			Remedy:  "Correct the reference.",
			Samples: []Sample{{Wrong: "envFrom:\n  - secretRef: {name: HF_TOKEN}", Right: "envFrom:\n  - secretRef: {name: hf-token}"}},
		},
		{
			Code: Devices, Name: "devices", Title: "GPUs or other devices are requested in a way that cannot work",
			Wrong:  "For example, GPUs are counted twice, a container uses a claim that the pod does not have, or a container with RDMA devices may not lock memory.",
			Remedy: "Change the requests, claims or capabilities as the message says.",
			Samples: []Sample{
				{Wrong: "resources:\n  limits: {nvidia.com/gpu: \"0.5\"}", Right: "resources:\n  limits: {nvidia.com/gpu: \"1\"}"},
				{Wrong: "resources:\n  limits: {nvidia.com/gpu: \"8\", rdma/ib: \"8\"}", Right: "resources:\n  limits: {nvidia.com/gpu: \"8\", rdma/ib: \"8\"}\nsecurityContext:\n  capabilities: {add: [IPC_LOCK]}"},
			},
		},
		{
			Code: Scheduling, Name: "scheduling", Title: "The pods cannot be scheduled as the graph requests",
			Wrong:   "Tolerations, affinity, schedulers, or queues are invalid, contradict each other, or have no effect.",
			Remedy:  "Change the setting as the message says.",
			Samples: []Sample{{Wrong: "tolerations:\n  - key: nvidia.com/gpu\n    operator: exists", Right: "tolerations:\n  - key: nvidia.com/gpu\n    operator: Exists"}},
		},
		{
			Code: Topology, Name: "topology", Title: "A topology constraint is invalid or cannot be met",
			Wrong:   "The constraint names a level that does not exist, or a level that is broader than the level of the graph, or the constraint has no effect.",
			Remedy:  "Use one of the levels in the message.",
			Samples: []Sample{{Wrong: "topologyConstraint:\n  clusterTopologyName: my-cluster-topology\n  packDomain: galaxy", Right: "topologyConstraint:\n  clusterTopologyName: my-cluster-topology\n  packDomain: rack"}},
		},
		{
			Code: Transfer, Name: "transfer", Title: "The policy of KV transfers is invalid or has no effect",
			Wrong:   "The policy depends on the topology and the release of the workers.",
			Remedy:  "Change kvTransferPolicy as the message says.",
			Samples: []Sample{{Wrong: "experimental:\n  kvTransferPolicy:\n    labelKey: topology.kubernetes.io/zone\n    domain: zone\n    preferredWeight: 0.8", Right: "experimental:\n  kvTransferPolicy:\n    labelKey: topology.kubernetes.io/zone\n    domain: zone\n    preferredWeight: 0.8\n    enforcement: preferred"}},
		},
		{
			Code: Overrides, Name: "overrides", Title: "An override of the orchestrator's object is invalid",
			Wrong:   "The override has an unknown target or value.",
			Remedy:  "Change the override as the message says.",
			Samples: []Sample{{Wrong: "providerOverride:\n  apiVersion: grove.io/v1alpha1\n  target: PodClique\n  value:\n    topologyConstraint:\n      topologyName: my-cluster-topology\n      pack: {required: rack}", Right: "providerOverride:\n  apiVersion: grove.io/v1alpha1\n  target: PodCliqueTemplateSpec\n  value:\n    topologyConstraint:\n      topologyName: my-cluster-topology\n      pack: {required: rack}"}},
		},
		{
			Code: Restart, Name: "restart", Title: "A restart is invalid or has no effect",
			Wrong:   "The order of a restart names components that do not exist, or leaves components out.",
			Remedy:  "Change restart as the message says.",
			Samples: []Sample{{Wrong: "restart:\n  id: \"\"", Right: "restart:\n  id: \"2026-11-01\""}},
		},
		{
			Code: Power, Name: "power", Title: "A power limit is invalid",
			Wrong:   "The annotation for the power of GPUs is not a positive number of watts.",
			Remedy:  "Change the annotation as the message says.",
			Samples: []Sample{{Wrong: "podTemplate:\n  metadata:\n    annotations:\n      dynamo.nvidia.com/gpu-power-limit: lots", Right: "podTemplate:\n  metadata:\n    annotations:\n      dynamo.nvidia.com/gpu-power-limit: \"450\""}},
		},
		{
			Code: Components, Name: "components", Title: "A component is invalid",
			Wrong:  "Settings of a component contradict its type or each other.",
			Remedy: "Change the component as the message says.",
			Samples: []Sample{
				{Wrong: "components:\n  - name: Worker\n    type: Worker", Right: "components:\n  - name: Worker\n    type: worker"},
				{Wrong: "type: frontend\nmultinode:\n  nodeCount: 2", Right: "type: worker\nmultinode:\n  nodeCount: 2"},
			},
		},
		{
			Code: OnGrove, Name: "on-grove", Title: "Grove does not accept the graph, or ignores a setting",
			Wrong:   "The names of cliques are too long or conflict, or a setting has no effect on Grove.",
			Remedy:  "Rename the component, or change the setting as the message says.",
			Samples: []Sample{{Wrong: "podTemplate:\n  spec:\n    nodeName: node-7", Right: "podTemplate:\n  spec:\n    nodeSelector: {kubernetes.io/hostname: node-7}"}},
		},
		{
			Code: OffGrove, Name: "off-grove", Title: "A setting has no effect without Grove",
			Wrong:   "Only Grove supports the setting.",
			Remedy:  "Remove the setting, or run the graph on Grove.",
			Samples: []Sample{{Wrong: "experimental:\n  grove:\n    forceScalingGroup: true", Right: "experimental: {}"}},
		},
		{
			Code: OnLeaderWorkerSets, Name: "on-leaderworkersets", Title: "LeaderWorkerSets do not accept the graph",
			Wrong:   "The names of LeaderWorkerSets and their Services are too long or conflict.",
			Remedy:  "Rename the component.",
			Samples: []Sample{{Wrong: "components:\n  - name: worker\n  - name: worker-0", Right: "components:\n  - name: worker\n  - name: worker-large"}},
		},
		{
			Code: Strategy, Name: "strategy", Title: "The strategy of updates is invalid or has no effect",
			Wrong:   "The annotations for the strategy have an invalid value or combination.",
			Remedy:  "Change the annotation as the message says.",
			Samples: []Sample{{Wrong: "annotations:\n  nvidia.com/deployment-rolling-update-max-surge: \"0\"\n  nvidia.com/deployment-rolling-update-max-unavailable: \"0\"", Right: "annotations:\n  nvidia.com/deployment-rolling-update-max-surge: \"0\"\n  nvidia.com/deployment-rolling-update-max-unavailable: \"1\""}},
		},
		{
			Code: Images, Name: "images", Title: "The image is missing or not exact",
			Wrong:   "Pods cannot start without an image. Without a tag or digest, the image may change.",
			Remedy:  "Specify an image with a tag or digest.",
			Samples: []Sample{{Wrong: "containers:\n  - name: main", Right: "containers:\n  - name: main\n    image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1"}},
		},
		{
			Code: Commands, Name: "commands", Title: "The command of the component is missing or does not run",
			Wrong:  "A worker without command and backendFramework has no program to run. Args that begin with a program need a command, or an entry point of the image that runs the program. A shell runs only the first argument after -c. Only a shell splits an argument at blanks.",
			Remedy: "Specify the command of the worker, or set spec.backendFramework. Write each word of a command line as a separate item, or the whole line as the script of a shell.",
			Samples: []Sample{
				{Wrong: "command: [/bin/sh, -c]\nargs: [python3, -m, dynamo.vllm]", Right: "command: [python3, -m, dynamo.vllm]"},
				{Wrong: "command: [python3 -m dynamo.vllm]", Right: "command: [python3, -m, dynamo.vllm]"},
			},
		},
		{
			Code: Caches, Name: "caches", Title: "The compilation cache is misplaced",
			Wrong:   "The claim of the cache is not mounted where the engine writes.",
			Remedy:  "Change the mount as the message says.",
			Samples: []Sample{{Wrong: "volumeMounts:\n  - name: kernels\n    mountPoint: /cache\n    useAsCompilationCache: true # with SGLang", Right: "volumeMounts:\n  - name: kernels\n    mountPoint: /cache\nenvs:\n  - name: TRITON_CACHE_DIR\n    value: /cache"}},
		},
		{
			Code: SharedMemory, Name: "shared-memory", Title: "A volume for shared memory has no effect",
			Wrong:   "Components have shared memory at /dev/shm, which replaces a volume or a mount of the user there.",
			Remedy:  "Set the size of the shared memory of the component, or turn it off.",
			Samples: []Sample{{Wrong: "# container main:\nvolumeMounts:\n  - name: shm\n    mountPath: /dev/shm", Right: "sharedMemorySize: 16Gi"}},
		},
		{
			Code: Misspelt, Name: "misspelt", Title: "A name is not known, but similar to a known name",
			Wrong:  "Users may have their own values, so the value is accepted. It has no effect here.",
			Remedy: "Correct the spelling.",
			Samples: []Sample{
				{Wrong: "componentType: fronted", Right: "componentType: frontend"},
				{Wrong: "annotations:\n  nvidia.com/enable-grov: \"false\"", Right: "annotations:\n  nvidia.com/enable-grove: \"false\""},
			},
		},
		{
			Code: NoEffect, Name: "no-effect", Title: "A field has no effect",
			Wrong:   "The API has the field, but the field is not used in this combination.",
			Remedy:  "Remove the field, or use what the message says.",
			Samples: []Sample{{Wrong: "componentType: worker\ndynamoNamespace: chat", Right: "componentType: worker"}},
		},
		{
			Code: Kept, Name: "kept", Title: "A part of the conversion annotation is ignored",
			Wrong:   "The annotation cannot be read, or is for another state of the graph.",
			Remedy:  "Remove the annotation, or convert the graph again.",
			Samples: []Sample{{Wrong: "annotations:\n  nvidia.com/dgd-spec: \"{\"", Right: "annotations: {}"}},
		},
		{
			Code: Planner, Name: "planner", Title: "The planner cannot work with this graph",
			Wrong:   "The release of the planner and the orchestrator decide what the planner can read and write.",
			Remedy:  "Convert the graph, or change the planner as the message says.",
			Samples: []Sample{{Wrong: "components:\n  - name: Planner\n    type: planner\n  - name: Worker\n    scalingAdapter: {}", Right: "components:\n  - name: Planner\n    type: planner\n  - name: Worker"}},
		},
		{
			Code: Workers, Name: "workers", Title: "An engine lacks what it needs",
			Wrong:  "The component runs a program of Dynamo, and has no type or the type of another program. Or its engine has no GPU, or its command does not name the phase of inference. Or the graph has prefill workers and no decode workers.",
			Remedy: "Set the type, the GPUs, or the flag in the message, or add the worker that is missing.",
			Samples: []Sample{
				{Wrong: "type: prefill\nargs: [--model, example/chat-8b]", Right: "type: prefill\nargs: [--model, example/chat-8b, --disaggregation-mode, prefill]"},
				{Wrong: "type: worker\nresources: {}", Right: "type: worker\nresources:\n  limits: {nvidia.com/gpu: \"1\"}"},
				{Wrong: "components:\n  - {name: Frontend, type: frontend}\n  - {name: Prefill, type: prefill}", Right: "components:\n  - {name: Frontend, type: frontend}\n  - {name: Prefill, type: prefill}\n  - {name: Decode, type: decode}"},
				{Wrong: "type: worker\ncommand: [python3, -m, dynamo.frontend]", Right: "type: frontend\ncommand: [python3, -m, dynamo.frontend]"},
			},
		},
		{
			Code: Discovery, Name: "discovery", Title: "Services of the graph cannot find each other",
			Wrong:   "The components have different discovery backends, request planes, event planes or Dynamo namespaces, or they cannot reach the store.",
			Remedy:  "Use the same settings for all components, and set the address of the store.",
			Samples: []Sample{{Wrong: "env:\n  - name: DYN_DISCOVERY_BACKEND\n    value: mem", Right: "env: []"}},
		},
		{
			Code: Flags, Name: "flags", Title: "The engine does not know the flag, or the flag is for another component",
			Wrong:  "The release in the image does not have the flag any more, so the engine exits immediately. Or the flag makes a prefill worker decode, or a decode worker prefill.",
			Remedy: "Use the flag or the value in the message.",
			Samples: []Sample{
				{Wrong: "type: prefill\nargs: [--disaggregation-mode, decode]", Right: "type: prefill\nargs: [--disaggregation-mode, prefill]"},
				{Wrong: "args: [--is-prefill-worker] # with Dynamo 1.5.1", Right: "args: [--disaggregation-mode, prefill]"},
			},
		},
		{
			Code: Placeholder, Name: "placeholder", Title: "A value is still a placeholder",
			Wrong:  "The value looks like a placeholder of an example, or like a template that was not rendered.",
			Remedy: "Replace the placeholder with the real value. Render templates first, for example with helm template or envsubst.",
			Samples: []Sample{
				{Wrong: "image: my-registry/vllm-runtime:my-tag", Right: "image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1"},
				{Wrong: "claimName: ${CLAIM}", Right: "claimName: model-cache"},
			},
		},
		{
			Code: Choices, Name: "choices", Title: "A setting of the platform or of an annotation conflicts with the graph",
			Wrong:   "The graph requests a setting that the policy of the platform does not allow, or the policy requires a setting that the graph does not allow.",
			Remedy:  "Change the graph or the policy as the message says.",
			Samples: []Sample{{Wrong: "backendFramework: sglang\n# container main:\ncommand: [python3, -m, dynamo.vllm]", Right: "backendFramework: vllm\n# container main:\ncommand: [python3, -m, dynamo.vllm]"}},
		},
		{
			Code: NotServed, Name: "not-served", Title: "The cluster does not serve an API that the graph uses",
			Wrong:   "An object is left out, so a part of the graph has no effect.",
			Remedy:  "Install the API, or remove the setting.",
			Samples: []Sample{{Wrong: "scalingAdapter: {} # the API is not installed", Right: "replicas: 2"}},
		},
		{
			Code: NameTaken, Name: "name-taken", Title: "An object of this name already exists",
			Wrong:   "The graph does not own the object, and would take it over.",
			Remedy:  "Rename the graph, or delete the object.",
			Samples: []Sample{{Wrong: "metadata:\n  name: taken", Right: "metadata:\n  name: free"}},
		},
		{
			Code: NVLink, Name: "nvlink", Title: "Multi-node NVLink is not possible or has no effect",
			Wrong:   "NVLink domains depend on the platform, on GPUs and on the orchestrator.",
			Remedy:  "Change the annotation as the message says.",
			Samples: []Sample{{Wrong: "annotations:\n  grove.io/auto-mnnvl: maybe", Right: "annotations:\n  grove.io/auto-mnnvl: enabled"}},
		},
		{
			Code: Queues, Name: "queues", Title: "The queue or the gang scheduling of the graph is not available",
			Wrong:   "The queue does not exist, or the scheduler does not use the queue.",
			Remedy:  "Name a queue that exists.",
			Samples: []Sample{{Wrong: "annotations:\n  nvidia.com/kai-scheduler-queue: missing", Right: "annotations:\n  nvidia.com/kai-scheduler-queue: team-a"}},
		},
		{
			Code: Size, Name: "size", Title: "The graph is too large",
			Wrong:   "Crossplane limits the size of all objects that a function returns.",
			Remedy:  "Split the graph, or reduce the number of components and replicas.",
			Samples: []Sample{{Wrong: "replicas: 100000", Right: "replicas: 100"}},
		},
		{
			Code: Immutable, Name: "immutable", Title: "The field cannot be changed after the graph was created",
			Wrong:   "Running pods depend on the field.",
			Remedy:  "Undo the change, or delete and recreate the graph.",
			Samples: []Sample{{Wrong: "topologyConstraint:\n  packDomain: block # was rack", Right: "topologyConstraint:\n  packDomain: rack"}},
		},
		{
			Code: Nodes, Name: "nodes", Title: "Nodes and parallelism do not fit each other",
			Wrong:   "The sizes in the arguments of the engine need more or fewer GPUs than the component has. Or flags in a script contradict the flags that connect the nodes.",
			Remedy:  "Change the arguments, the GPUs or the number of nodes.",
			Samples: []Sample{{Wrong: "multinode:\n  nodeCount: 2\n# 8 GPUs on each:\nargs: [--tensor-parallel-size, \"3\"]", Right: "multinode:\n  nodeCount: 2\n# 8 GPUs on each:\nargs: [--tensor-parallel-size, \"16\"]"}},
		},
		{
			Code: NotSupportedHere, Name: "not-supported-here", Title: "The cluster cannot run the graph",
			Wrong:   "The orchestrator or scheduler that the graph needs is not installed.",
			Remedy:  "Install what the message names, or change the graph.",
			Samples: []Sample{{Wrong: "multinode:\n  nodeCount: 2 # neither Grove nor LeaderWorkerSets", Right: "# one node:\nresources:\n  limits: {nvidia.com/gpu: \"8\"}"}},
		},
		{
			Code: Input, Name: "input", Title: "The policy of the platform is invalid",
			Wrong:   "The input of step plan or the EnvironmentConfig is invalid. The input is in the Composition, or in --input.",
			Remedy:  "Ask the platform to correct the field in the message.",
			Samples: []Sample{{Wrong: "kind: Input\nmnnvl:\n  mode: Sometimes", Right: "kind: Input\nmnnvl:\n  mode: Auto"}},
		},
		{
			Code: Adoption, Name: "adoption", Title: "The graph cannot adopt the objects of the Dynamo operator",
			Wrong:   "The objects of the operator differ from the objects that the graph becomes.",
			Remedy:  "Run dgd adopt check, which says what differs.",
			Samples: []Sample{{Wrong: "annotations:\n  dynamo.nvidia.com/adopt-from: somebody", Right: "annotations:\n  dynamo.nvidia.com/adopt-from: dynamo-operator"}},
		},
		{
			Code: GuardRails, Name: "guard-rails", Title: "The platform does not allow the value",
			Wrong:   "The policy of the platform limits the size of graphs and what their pods may use. A running graph that breaks the policy keeps running, with a warning.",
			Remedy:  "Use an allowed value from the message, or ask the platform to allow more.",
			Samples: []Sample{{Wrong: "volumes:\n  - name: models\n    hostPath: {path: /}", Right: "volumes:\n  - name: models\n    persistentVolumeClaim: {claimName: models}"}},
		},
		{
			Code: ComposedObject, Name: "composed-object", Title: "An object of the graph is invalid",
			Wrong:  "The API server would refuse an object that the graph becomes, often because of a value that the graph passes on.",
			Remedy: "Change the value in the message.",
		},
		{
			Code: Refused, Name: "refused", Title: "A step after validation refuses the graph",
			Wrong:  "A step of the pipeline cannot compose the graph.",
			Remedy: "See the message.",
		},
	}
}
