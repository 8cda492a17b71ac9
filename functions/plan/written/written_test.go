package written

import (
	"cmp"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// hashOf a graph on an orchestrator that nothing depends on.
func hashOf(t *testing.T, g *graph.Graph, p *graphplan.Plan) map[string]graphplan.Written {
	t.Helper()
	hashes, err := Current().Hash(g, p)
	if err != nil {
		t.Fatalf("Hash(...): %v", err)
	}
	return hashes
}

// TestHash shows which edits change the hash of a component. That none of the API is missed, and that no hash changes without its
// pods, is shown by the walk over all fields in fn-tests/api.
func TestHash(t *testing.T) {
	cases := map[string]struct {
		reason         string
		before, after  string
		annotatedAfter string
		changed        bool
	}{
		"EnvPlace":       {reason: "It does not matter whether a variable stands in the graph or in a service.", before: `{"envs":[{"name":"A","value":"x"}],"services":{"S":{}}}`, after: `{"services":{"S":{"envs":[{"name":"A","value":"x"}]}}}`},
		"EnvContainer":   {reason: "It does not matter whether a variable stands in a service or in its container.", before: `{"services":{"S":{"envs":[{"name":"A","value":"x"}]}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"env":[{"name":"A","value":"x"}]}}}}}`},
		"EnvOrder":       {reason: "The order of variables does not matter: pods have them sorted.", before: `{"services":{"S":{"envs":[{"name":"A"},{"name":"B"}]}}}`, after: `{"services":{"S":{"envs":[{"name":"B"},{"name":"A"}]}}}`},
		"EnvTwice":       {reason: "A variable that has the same value in two places has it once.", before: `{"envs":[{"name":"A","value":"x"}],"services":{"S":{}}}`, after: `{"envs":[{"name":"A","value":"x"}],"services":{"S":{"envs":[{"name":"A","value":"x"}]}}}`},
		"EnvWins":        {reason: "Of two values the one that wins counts.", before: `{"envs":[{"name":"A","value":"x"}],"services":{"S":{"envs":[{"name":"A","value":"y"}]}}}`, after: `{"envs":[{"name":"A","value":"y"}],"services":{"S":{"envs":[{"name":"A","value":"x"}]}}}`, changed: true},
		"EnvOverridden":  {reason: "An edit of a value that another one overrides has no effect.", before: `{"envs":[{"name":"A","value":"x"}],"services":{"S":{"envs":[{"name":"A","value":"y"}]}}}`, after: `{"envs":[{"name":"A","value":"z"}],"services":{"S":{"envs":[{"name":"A","value":"y"}]}}}`},
		"SidecarEnv":     {reason: "A variable of the sidecar is none of the main container.", before: `{"services":{"S":{"frontendSidecar":{"image":"i","envs":[{"name":"A"}]}}}}`, after: `{"services":{"S":{"frontendSidecar":{"image":"i"},"envs":[{"name":"A"}]}}}`, changed: true},
		"Labels":         {reason: "It does not matter in which place a label stands.", before: `{"labels":{"a":"b"},"services":{"S":{}}}`, after: `{"services":{"S":{"extraPodMetadata":{"labels":{"a":"b"}}}}}`},
		"LabelIsNone":    {reason: "A label is no annotation.", before: `{"labels":{"a":"b"},"services":{"S":{}}}`, after: `{"annotations":{"a":"b"},"services":{"S":{}}}`, changed: true},
		"Quantity":       {reason: "Equal quantities are the same.", before: `{"services":{"S":{"resources":{"limits":{"cpu":"1000m","memory":"1Gi","gpu":"8"}}}}}`, after: `{"services":{"S":{"resources":{"limits":{"cpu":1,"memory":1073741824,"gpu":8}}}}}`},
		"ShortForm":      {reason: "It does not matter in which form resources are written.", before: `{"services":{"S":{"resources":{"limits":{"cpu":"1","gpu":"8"},"requests":{"custom":{"a/b":1}},"claims":[{"name":"c"}]}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"resources":{"limits":{"cpu":"1","nvidia.com/gpu":"8"},"requests":{"a/b":1},"claims":[{"name":"c"}]}}}}}}`},
		"LimitIsNone":    {reason: "A limit is no request.", before: `{"services":{"S":{"resources":{"limits":{"cpu":"1"}}}}}`, after: `{"services":{"S":{"resources":{"requests":{"cpu":"1"}}}}}`, changed: true},
		"GPUType":        {reason: "A name of GPUs without their number counts by itself.", before: `{"services":{"S":{"resources":{"limits":{}}}}}`, after: `{"services":{"S":{"resources":{"limits":{"gpuType":"a/b"}}}}}`, changed: true},
		"GPUTypeDefault": {reason: "The default name of GPUs is as good as none.", before: `{"services":{"S":{"resources":{"limits":{"gpu":1}}}}}`, after: `{"services":{"S":{"resources":{"limits":{"gpu":1,"gpuType":"nvidia.com/gpu"}}}}}`},
		"Defaults": {
			reason: "Defaults that the API server fills in are as good as nothing, and so are empty values and nulls.",
			before: `{"services":{"S":{"multinode":{},"gpuMemoryService":{"enabled":true},"volumeMounts":[{"name":"a","mountPoint":"/a"}]}}}`,
			after: `{"annotations":{},"labels":null,"envs":[],"backendFramework":"","services":{"S":{"multinode":{"nodeCount":2},"globalDynamoNamespace":false,"sharedMemory":{"disabled":false},"extraPodMetadata":{"labels":{}},
				"gpuMemoryService":{"enabled":true,"mode":"intraPod","deviceClassName":"gpu.nvidia.com","extraClientContainers":[]},"volumeMounts":[{"name":"a","mountPoint":"/a","useAsCompilationCache":false}],
				"extraPodSpec":{"hostNetwork":false,"containers":[],"nodeSelector":{},"mainContainer":{"stdin":false,"resources":{"limits":{}},"env":[]}},"resources":{"requests":{}},"envFromSecret":"","scalingAdapter":{"enabled":false}}}}`,
		},
		"Failover":       {reason: "A second engine counts.", before: `{"services":{"S":{"gpuMemoryService":{"enabled":true}}}}`, after: `{"services":{"S":{"gpuMemoryService":{"enabled":true},"failover":{"enabled":true}}}}`, changed: true},
		"FailoverOff":    {reason: "Failover that is off is as good as none.", before: `{"services":{"S":{"gpuMemoryService":{"enabled":true}}}}`, after: `{"services":{"S":{"gpuMemoryService":{"enabled":true},"failover":{"enabled":false,"mode":"intraPod"}}}}`},
		"SharedMemory":   {reason: "Memory that is off has no size.", before: `{"services":{"S":{"sharedMemory":{"disabled":true}}}}`, after: `{"services":{"S":{"sharedMemory":{"disabled":true,"size":"1Gi"}}}}`},
		"SharedSize":     {reason: "The size of the shared memory counts by its value.", before: `{"services":{"S":{"sharedMemory":{"size":"1Gi"}}}}`, after: `{"services":{"S":{"sharedMemory":{"size":"1024Mi"}}}}`},
		"EmptyCommand":   {reason: "An empty command is that of the image, and none is the default.", before: `{"services":{"S":{"extraPodSpec":{"mainContainer":{}}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"command":[]}}}}}`, changed: true},
		"EmptyArgs":      {reason: "Empty args of the sidecar take the place of its own.", before: `{"services":{"S":{"frontendSidecar":{"image":"i"}}}}`, after: `{"services":{"S":{"frontendSidecar":{"image":"i","args":[]}}}}`, changed: true},
		"EmptyContext":   {reason: "An empty security context takes the place of the default.", before: `{"services":{"S":{"extraPodSpec":{}}}}`, after: `{"services":{"S":{"extraPodSpec":{"securityContext":{}}}}}`, changed: true},
		"ZeroOfProbe":    {reason: "A zero in a probe takes the place of the default.", before: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"startupProbe":{"periodSeconds":1}}}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"startupProbe":{"periodSeconds":1,"initialDelaySeconds":0}}}}}}`, changed: true},
		"ProbePlace":     {reason: "It does not matter in which place a probe stands.", before: `{"services":{"S":{"livenessProbe":{"exec":{"command":["a"]},"periodSeconds":1}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["a"]},"periodSeconds":1}}}}}}`},
		"ProbeReplaces":  {reason: "A probe of the main container takes the place of that of the service.", before: `{"services":{"S":{"livenessProbe":{"exec":{"command":["a"]},"periodSeconds":1},"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["b"]}}}}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["b"]}}}}}}}`},
		"ProbeTimings":   {reason: "A probe of the main container without a handler changes that of the service.", before: `{"services":{"S":{"livenessProbe":{"exec":{"command":["a"]},"periodSeconds":1},"extraPodSpec":{"mainContainer":{"livenessProbe":{"periodSeconds":2}}}}}}`, after: `{"services":{"S":{"livenessProbe":{"exec":{"command":["a"]},"periodSeconds":2}}}}`},
		"ResourcesOver":  {reason: "Of two amounts that of the main container counts.", before: `{"services":{"S":{"resources":{"limits":{"cpu":"1","memory":"1Gi"}},"extraPodSpec":{"mainContainer":{"resources":{"limits":{"cpu":"2"}}}}}}}`, after: `{"services":{"S":{"resources":{"limits":{"cpu":"2","memory":"1Gi"}}}}}`},
		"EnvOver":        {reason: "Of two values that of the main container counts.", before: `{"services":{"S":{"envs":[{"name":"A","value":"x"}],"extraPodSpec":{"mainContainer":{"env":[{"name":"A","value":"y"}]}}}}}`, after: `{"services":{"S":{"envs":[{"name":"A","value":"y"}]}}}`},
		"Mounts":         {reason: "It does not matter in which form a claim is mounted.", before: `{"services":{"S":{"volumeMounts":[{"name":"a","mountPoint":"/a"}]}}}`, after: `{"services":{"S":{"extraPodSpec":{"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"a"}}],"mainContainer":{"volumeMounts":[{"name":"a","mountPath":"/a"}]}}}}}`},
		"CacheTwice":     {reason: "A cache may be mounted like another claim too.", before: `{"services":{"S":{"volumeMounts":[{"name":"a","mountPoint":"/a","useAsCompilationCache":true}]}}}`, after: `{"services":{"S":{"volumeMounts":[{"name":"a","mountPoint":"/a","useAsCompilationCache":true}],"extraPodSpec":{"mainContainer":{"volumeMounts":[{"name":"a","mountPath":"/a"}]}}}}}`},
		"CacheIsNone":    {reason: "A claim that is a cache is not one that is only mounted.", before: `{"services":{"S":{"volumeMounts":[{"name":"a","mountPoint":"/a","useAsCompilationCache":true}]}}}`, after: `{"services":{"S":{"volumeMounts":[{"name":"a","mountPoint":"/a"}]}}}`, changed: true},
		"ContainerName":  {reason: "The name of the main container is fixed.", before: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"name":"a"}}}}}`, after: `{"services":{"S":{"extraPodSpec":{"mainContainer":{"name":"b"}}}}}`},
		"Clients":        {reason: "The order of containers that use the GPU memory service does not matter.", before: `{"services":{"S":{"gpuMemoryService":{"enabled":true,"extraClientContainers":["a","b"]}}}}`, after: `{"services":{"S":{"gpuMemoryService":{"enabled":true,"extraClientContainers":["b","a"]}}}}`},
		"NotShared":      {reason: "Settings of a service that is off have no effect.", before: `{"services":{"S":{}}}`, after: `{"services":{"S":{"gpuMemoryService":{"enabled":false,"extraClientContainers":["a"]}}}}`},
		"Scaling":        {reason: "How many replicas there are, who decides that, and where they are placed is not written for pods.", before: `{"services":{"S":{}}}`, after: `{"topologyConstraint":{"topologyProfile":"t","packDomain":"rack"},"services":{"S":{"replicas":3,"minAvailable":2,"autoscaling":{"enabled":true},"scalingAdapter":{"enabled":true},"ingress":{"enabled":true},"topologyConstraint":{"packDomain":"rack"},"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"spec":{"minAvailable":2},"rollingUpdate":{"maxUnavailable":2}}}}}}`},
		"FrontendEngine": {reason: "The framework of the graph is that of its workers.", before: `{"services":{"S":{"componentType":"frontend"}}}`, after: `{"backendFramework":"vllm","services":{"S":{"componentType":"frontend"}}}`},
		"WorkerEngine":   {reason: "The framework of the graph decides about the command of its workers.", before: `{"services":{"S":{"componentType":"worker"}}}`, after: `{"backendFramework":"vllm","services":{"S":{"componentType":"worker"}}}`, changed: true},
		"Transfer":       {reason: "The policy for the transfer of KV caches reaches workers.", before: `{"services":{"S":{"componentType":"worker"}}}`, after: `{"experimental":{"kvTransferPolicy":{"labelKey":"a","domain":"b"}},"services":{"S":{"componentType":"worker"}}}`, changed: true},
		"TransferAlways": {reason: "The default enforcement is as good as none.", before: `{"experimental":{"kvTransferPolicy":{"labelKey":"a","domain":"b"}},"services":{"S":{"componentType":"worker"}}}`, after: `{"experimental":{"kvTransferPolicy":{"labelKey":"a","domain":"b","enforcement":"required"}},"services":{"S":{"componentType":"worker"}}}`},
		"TransferOthers": {reason: "Services that are no workers transfer no KV caches.", before: `{"services":{"S":{"componentType":"frontend"}}}`, after: `{"experimental":{"kvTransferPolicy":{"labelKey":"a","domain":"b"}},"services":{"S":{"componentType":"frontend"}}}`},
		"Checkpoint":     {reason: "Pods are restored from the checkpoint to which their service refers.", before: `{"services":{"S":{}}}`, after: `{"services":{"S":{"checkpoint":{"enabled":true,"checkpointRef":"a"}}}}`, changed: true},
		"CheckpointSame": {reason: "The defaults of a checkpoint are as good as none, and what is about its creation reaches no pods.", before: `{"services":{"S":{"checkpoint":{"enabled":true,"checkpointRef":"a"}}}}`, after: `{"services":{"S":{"checkpoint":{"enabled":true,"checkpointRef":"a","startupPolicy":"Immediate","targetContainerName":"main","deletionPolicy":"Retain"}}}}`},
		"CheckpointNone": {reason: "Pods are not restored from a checkpoint that is disabled, or that would have to be created.", before: `{"services":{"S":{"checkpoint":{"enabled":false,"checkpointRef":"a"}}}}`, after: `{"services":{"S":{"checkpoint":{"enabled":true}}}}`},
		"OtherWorker":    {reason: "Which label the pool of an Endpoint Picker selects by depends on all workers.", before: `{"services":{"S":{"componentType":"worker"},"E":{"componentType":"epp"},"T":{"componentType":"worker"}}}`, after: `{"services":{"S":{"componentType":"worker"},"E":{"componentType":"epp"},"T":{"componentType":"decode"}}}`, changed: true},
		"Phase":          {reason: "A worker for one phase may be written in two ways.", before: `{"services":{"S":{"componentType":"worker","subComponentType":"decode"}}}`, after: `{"services":{"S":{"componentType":"decode"}}}`},
		"PhaseIsNone":    {reason: "A worker for one phase is not one for all.", before: `{"services":{"S":{"componentType":"worker","subComponentType":"decode"}}}`, after: `{"services":{"S":{"componentType":"worker"}}}`, changed: true},
		"PhaseAndPicker": {reason: "The pool of an Endpoint Picker selects by the type as it is written.", before: `{"services":{"E":{"componentType":"epp"},"S":{"componentType":"worker","subComponentType":"decode"}}}`, after: `{"services":{"E":{"componentType":"epp"},"S":{"componentType":"decode"}}}`, changed: true},
		"PickerConfig":   {reason: "An Endpoint Picker reads its configuration when it starts.", before: `{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}}}`, after: `{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"plugins":[{"type":"a"}],"schedulingProfiles":[]}}}}}`, changed: true},
		"PickerDefault":  {reason: "A default that is written is the same configuration.", before: `{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}}}`, after: `{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"kind":"EndpointPickerConfig","plugins":[],"schedulingProfiles":[]}}}}}`},
		"NoPicker":       {reason: "Without an Endpoint Picker a worker has nothing to do with the others.", before: `{"services":{"S":{"componentType":"worker"},"T":{"componentType":"worker"}}}`, after: `{"services":{"S":{"componentType":"worker"},"T":{"componentType":"decode"}}}`},
		"OtherService":   {reason: "What is written for the pods of one service is not written for those of another.", before: `{"services":{"S":{},"T":{}}}`, after: `{"services":{"S":{},"T":{"envs":[{"name":"A"}]}}}`},
		"Propagated":     {reason: "Five annotations of the graph's metadata are annotations of its pods.", before: `{"services":{"S":{}}}`, annotatedAfter: `{"nvidia.com/enable-metrics":"false"}`, changed: true},
		"Metadata":       {reason: "Other annotations of the graph's metadata reach no pod.", before: `{"services":{"S":{}}}`, annotatedAfter: `{"a":"b","nvidia.com/enable-grove":"false"}`},
		"SSHSecret":      {reason: "Workers over several nodes mount the key pair of MPI.", before: `{"services":{"S":{"componentType":"worker","multinode":{}}}}`, annotatedAfter: `{"nvidia.com/mpi-ssh-secret":"mine"}`, changed: true},
		"NoSSH":          {reason: "Pods of one node do not.", before: `{"services":{"S":{"componentType":"worker"}}}`, annotatedAfter: `{"nvidia.com/mpi-ssh-secret":"mine"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &graphplan.Plan{Orchestrator: graphplan.Deployment}
			before := hashOf(t, plantest.Decoded(t, plantest.GraphOf(tc.before)), p)
			after := hashOf(t, plantest.Decoded(t, plantest.AnnotatedJSON(cmp.Or(tc.after, tc.before), cmp.Or(tc.annotatedAfter, `{}`))), p)
			if changed := before["S"] != after["S"]; changed != tc.changed {
				t.Errorf("%s\nHash(...)[S] changes: want %t, got %t", tc.reason, tc.changed, changed)
			}
		})
	}
}

// TestHashOfDecisions shows what a plan adds to what the user has written.
func TestHashOfDecisions(t *testing.T) {
	const (
		plain  = `{"services":{"S":{"multinode":{}}}}`
		urgent = `{"priorityClassName":"high","services":{"S":{"multinode":{}}}}`
		single = `{"services":{"S":{}}}`
		own    = `{"services":{"S":{"multinode":{},"extraPodSpec":{"schedulerName":"mine"}}}}`
		named  = `{"nvidia.com/kai-scheduler-queue":" research "}`
	)
	grove := func(scheduler, queue string) *graphplan.Plan {
		return &graphplan.Plan{Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{SchedulerName: scheduler, Queue: queue}}
	}
	gang := func(provider graphplan.GangProvider, scheduler, queue string) *graphplan.Plan {
		return &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, LWS: graphplan.LWSPlan{Gang: graphplan.Gang{Provider: provider, SchedulerName: scheduler, Queue: queue}}}
	}
	restarted := func(id string, marks ...string) *graphplan.Plan {
		r := &graphplan.Restart{ID: id, Marks: map[string][]graphplan.RestartMark{}}
		for _, mark := range marks {
			r.Marks["S"] = append(r.Marks["S"], graphplan.RestartMark{At: mark})
		}
		return &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, Restart: r}
	}
	kai := func(queue string) *graphplan.Plan { return grove(graphplan.KAIScheduler, queue) }
	cases := map[string]struct {
		reason            string
		spec, annotations string
		other             string
		before, after     *graphplan.Plan
		changed           bool
	}{
		"PriorityOnGrove":   {reason: "Grove replaces the pods of a set whose priority class changes.", spec: plain, other: urgent, before: kai("a"), after: kai("a"), changed: true},
		"PriorityElsewhere": {reason: "The priority class of the graph is read on Grove alone.", spec: plain, other: urgent, before: restarted(""), after: restarted("")},
		"QueueOfPlatform":   {reason: "A queue that the graph does not name is the platform's.", spec: plain, before: kai("a"), after: kai("b")},
		"QueueOfGraph":      {reason: "A queue that the graph names counts once the pods are put into it.", spec: plain, annotations: named, before: kai("dynamo"), after: kai("research"), changed: true},
		"QueueOnLWS":        {reason: "Pods of LeaderWorkerSets that the KAI scheduler places have the queue as a label.", spec: plain, annotations: named, before: gang(graphplan.GangKAI, graphplan.KAIScheduler, "a"), after: gang(graphplan.GangKAI, graphplan.KAIScheduler, "b"), changed: true},
		"QueueOfDeployment": {reason: "Pods of Deployments have no queue.", spec: single, annotations: named, before: gang(graphplan.GangKAI, graphplan.KAIScheduler, "a"), after: gang(graphplan.GangKAI, graphplan.KAIScheduler, "b")},
		"QueueOfVolcano":    {reason: "Volcano's queue is one of the gang and not of its pods.", spec: plain, annotations: named, before: gang(graphplan.GangPodGroup, graphplan.VolcanoScheduler, "a"), after: gang(graphplan.GangPodGroup, graphplan.VolcanoScheduler, "b")},
		"QueueOfOthers":     {reason: "A scheduler of the user's own has queues of its own.", spec: own, annotations: named, before: kai("a"), after: kai("b")},
		"NoQueue":           {reason: "The default scheduler has no queues.", spec: plain, annotations: named, before: grove("", "a"), after: grove("", "b")},
		"Discovery":         {reason: "What the platform decides is not written by the user.", spec: plain, before: kai("a"), after: &graphplan.Plan{Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{}, Components: map[string]graphplan.Component{"S": {Discovery: "etcd", Executor: "mp", Framework: "vllm"}}}},
		"Restart":           {reason: "A restart that reaches a service changes it.", spec: plain, before: restarted("", ""), after: restarted("now", "now"), changed: true},
		"NotReached":        {reason: "A restart that has yet to reach a service does not change it.", spec: plain, before: restarted(""), after: restarted("now")},
		"Replica":           {reason: "The replicas of a service that a restart has reached do not change it one by one.", spec: plain, before: restarted("now", "before", "now"), after: restarted("now", "now", "now")},
		"NewReplica":        {reason: "A replica more does not change it.", spec: plain, before: restarted("now", "now"), after: restarted("now", "now", "now")},
		"Completed":         {reason: "The end of a restart does not change the hash.", spec: plain, before: restarted("now", "now"), after: restarted("", "now")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			annotations := cmp.Or(tc.annotations, `{}`)
			before := hashOf(t, plantest.Decoded(t, plantest.AnnotatedJSON(tc.spec, annotations)), tc.before)
			after := hashOf(t, plantest.Decoded(t, plantest.AnnotatedJSON(cmp.Or(tc.other, tc.spec), annotations)), tc.after)
			if changed := before["S"] != after["S"]; changed != tc.changed {
				t.Errorf("%s\nHash(...)[S] changes: want %t, got %t", tc.reason, tc.changed, changed)
			}
		})
	}
}

// TestHashOfGraph shows that a graph and a restart of it hash alike whatever the graph is called.
func TestHashOfGraph(t *testing.T) {
	g := plantest.Decoded(t, plantest.GraphOf(`{"services":{"A":{},"B":{}}}`))
	first := hashOf(t, g, &graphplan.Plan{})
	g.Name, g.Namespace = "other", "elsewhere"
	if diff := gocmp.Diff(first, hashOf(t, g, &graphplan.Plan{})); diff != "" {
		t.Errorf("A graph keeps its name, so it is no part of the hash.\n-first, +second:\n%s", diff)
	}
	if first["A"] == first["B"] {
		t.Error("The name of a service is a label of its pods: two services have two hashes.")
	}
}

// TestHashOfWeightServers shows that weights in pods of their own only count if they are: a live graph that was created without any keeps its hash.
func TestHashOfWeightServers(t *testing.T) {
	const between = `{"services":{"S":{"gpuMemoryService":{"enabled":true,"mode":"interPod"}%s}}}`
	hash := func(spec string, served bool) graphplan.Written {
		g := plantest.Decoded(t, `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":`+spec+`}`)
		if served {
			g.RunWeightServers("S")
		}
		return hashOf(t, g, &graphplan.Plan{})["S"]
	}
	alone, standby := fmt.Sprintf(between, ""), fmt.Sprintf(between, `,"failover":{"enabled":true,"mode":"interPod"}`)
	if hash(alone, false) != hash(`{"services":{"S":{}}}`, false) || hash(standby, false) != hash(alone, false) {
		t.Error("a graph without weight servers has another hash than before")
	}
	if hash(alone, true) == hash(alone, false) || hash(standby, true) == hash(alone, true) {
		t.Error("weight servers, or engines that stand by, do not change the hash")
	}
}
