package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

const (
	autoMode  = `"mode":"Auto"`
	groveMode = `"mode":"Grove"`
	byReplica = `"mode":"Auto","scope":"Replica"`

	onGraphPath   = "metadata.annotations[grove.io/auto-mnnvl]"
	onServicePath = "spec.services[Worker].annotations[grove.io/auto-mnnvl]"
	putBack       = ": put it back as it was, or delete and recreate the graph"
	enabledIs     = `: Invalid value: "enabled": `
	disabledIs    = `: Invalid value: "disabled": `
	offHere       = "multi-node NVLink is off in this cluster: remove the annotation, or let the platform set mnnvl.mode to Auto or Grove in the input of step plan"
	noneUsesIt    = "has no effect: no service of the graph can use an NVLink domain"
	noneHasGPUs   = "has no effect: no container of the service asks for GPUs"
	createdWith   = "cannot change after creation; the graph was created with an NVLink domain" + putBack
	createdOff    = "cannot change after creation; the graph was created without an NVLink domain" + putBack
	madeBefore    = "spec.services: the graph was created before multi-node NVLink was turned on, or opted out of it, and stays without a domain for Worker: delete and recreate it to get one"
	onlyOnLWS     = "the platform asks for an NVLink domain per replica (mnnvl.scope Replica), and %s gives all replicas of a service one pod template: the graph gets one domain for all of its pods"
)

func plain(m graphplan.MNNVL) mnnvlOutcome { return mnnvlOutcome{Reason: "Valid", MNNVL: m} }

func warned(message string, m graphplan.MNNVL) mnnvlOutcome {
	return mnnvlOutcome{Reason: "ValidWithWarnings", Message: message, MNNVL: m}
}

func invalid(message string) mnnvlOutcome { return mnnvlOutcome{Reason: "Invalid", Message: message} }

func changed(message string) mnnvlOutcome {
	return mnnvlOutcome{Reason: "ImmutableFieldChanged", Message: message}
}

func unsupported(message string) mnnvlOutcome {
	return mnnvlOutcome{Reason: "NotSupportedHere", Message: message}
}

// saying is an outcome with annotation grove.io/auto-mnnvl on the PodCliqueSet.
func saying(auto string, o mnnvlOutcome) mnnvlOutcome {
	o.AutoMNNVL = auto
	return o
}

// TestNewOff goes through new graphs where the mode is Disabled.
func TestNewOff(t *testing.T) {
	off := graphplan.MNNVL{}
	compareMNNVL(t, map[string]mnnvlCase{
		"Unset":           {reason: "Nothing is added.", want: plain(off)},
		"OnLWS":           {reason: "Anywhere.", on: graphplan.LeaderWorkerSet, want: plain(off)},
		"OnDeployment":    {reason: "Anywhere.", on: graphplan.Deployment, want: plain(off)},
		"WithoutDriver":   {reason: "The driver is nobody's concern.", noDriver: true, want: plain(off)},
		"Enabled":         {reason: "A user who asks for it is told what the platform must set.", graph: "enabled", want: invalid(onGraphPath + enabledIs + offHere)},
		"EnabledInSpec":   {reason: "Where it is said is named.", spec: "enabled", want: invalid("spec.annotations[grove.io/auto-mnnvl]" + enabledIs + offHere)},
		"EnabledService":  {reason: "Also for one service.", service: "enabled", want: invalid(onServicePath + enabledIs + offHere)},
		"EnabledOnLWS":    {reason: "On every orchestrator.", on: graphplan.LeaderWorkerSet, graph: "enabled", want: invalid(onGraphPath + enabledIs + offHere)},
		"Disabled":        {reason: "Where Grove's own feature is on, the user opts out of that.", graph: "disabled", want: saying("disabled", plain(off))},
		"DisabledInSpec":  {reason: "Where Grove's own feature is on, the user opts out of that.", spec: "disabled", want: saying("disabled", plain(off))},
		"DisabledService": {reason: "One service needs no more.", service: "disabled", want: plain(off)},
		"DisabledOnLWS":   {reason: "Nor does another orchestrator.", on: graphplan.LeaderWorkerSet, graph: "disabled", want: plain(off)},
		"Groups":          {reason: "Groups are the user's and Grove's affair.", specGroup: "x", serviceGroup: "none", want: mnnvlOutcome{Reason: "Valid", Group: "x"}},
	})
}

// TestAnnotations shows what the annotations may say.
func TestAnnotations(t *testing.T) {
	const unsupportedValue = `: Unsupported value: "on": supported values: "disabled", "enabled"`
	compareMNNVL(t, map[string]mnnvlCase{
		"Value":        {reason: "Only two values are known.", input: autoMode, graph: "on", want: invalid(onGraphPath + unsupportedValue)},
		"ValueInSpec":  {reason: "Also in spec.annotations,", input: autoMode, spec: "on", want: invalid("spec.annotations[grove.io/auto-mnnvl]" + unsupportedValue)},
		"ValueService": {reason: "and of a service,", input: autoMode, service: "on", want: invalid(onServicePath + unsupportedValue)},
		"ValueOff":     {reason: "whatever the mode,", graph: "on", want: invalid(onGraphPath + unsupportedValue)},
		"ValueLive":    {reason: "and on a live graph.", graph: "on", observed: setOf(`{}`, `{}`, withGPUs), want: invalid(onGraphPath + unsupportedValue)},
		"Conflict": {
			reason: "The two places of the graph must agree.", input: autoMode, graph: "enabled", spec: "disabled",
			want: invalid(`spec.annotations[grove.io/auto-mnnvl]: Invalid value: "disabled": differs from metadata.annotations[grove.io/auto-mnnvl], which is "enabled": remove one of the two`),
		},
		"Agreement": {reason: "When they do, it is one wish.", input: autoMode, graph: "disabled", spec: "disabled", want: saying("disabled", plain(graphplan.MNNVL{}))},
		"ServiceInDisabledGraph": {
			reason: "One service cannot take part in what there is not.", input: autoMode, graph: "disabled", service: "enabled",
			want: invalid(onServicePath + enabledIs + "the whole graph is disabled by metadata.annotations[grove.io/auto-mnnvl]: remove this one, or remove that one and disable single services"),
		},
		"OnPods": {
			reason: "Pods are not asked.", worker: `{"extraPodMetadata":{"annotations":{"grove.io/auto-mnnvl":"enabled"}},` + workerImage + `}`,
			want: warned("spec.services[Worker].extraPodMetadata.annotations[grove.io/auto-mnnvl]: has no effect on pods; set it in annotations of the service", graphplan.MNNVL{}),
		},
		"Empty": {
			reason: "An empty value says nothing.", worker: `{"annotations":{"grove.io/auto-mnnvl":""},` + workerImage + `}`,
			want: invalid(onServicePath + `: Unsupported value: "": supported values: "disabled", "enabled"`),
		},
	})
}

// TestNewAuto goes through new graphs where domains are composed.
func TestNewAuto(t *testing.T) {
	off, graph, replica := graphplan.MNNVL{}, autoOf(graphplan.ScopeGraph), autoOf(graphplan.ScopeReplica)
	clique := autoOf(graphplan.ScopeGraph)
	clique.Members["Worker"] = graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}
	compareMNNVL(t, map[string]mnnvlCase{
		"Unset":              {reason: "Grove must make no domain of its own.", input: autoMode, want: saying("disabled", plain(graph))},
		"OnLWS":              {reason: "There is no Grove.", on: graphplan.LeaderWorkerSet, input: autoMode, want: plain(graph)},
		"OnDeployment":       {reason: "There is no Grove.", on: graphplan.Deployment, input: autoMode, want: plain(graph)},
		"RequireClique":      {reason: "The pods go to nodes of a clique only.", input: autoMode + `,"requireClique":true`, want: saying("disabled", plain(clique))},
		"Enabled":            {reason: "What is on anyway may be said.", input: autoMode, graph: "enabled", want: saying("disabled", plain(graph))},
		"EnabledService":     {reason: "Also of the service.", input: autoMode, service: "enabled", want: saying("disabled", plain(graph))},
		"Disabled":           {reason: "A graph opts out, of Grove's feature too.", input: autoMode, graph: "disabled", want: saying("disabled", plain(off))},
		"DisabledInSpec":     {reason: "In either place.", input: autoMode, spec: "disabled", want: saying("disabled", plain(off))},
		"DisabledOnLWS":      {reason: "On every orchestrator.", on: graphplan.LeaderWorkerSet, input: autoMode, graph: "disabled", want: plain(off)},
		"DisabledService":    {reason: "Nobody is left.", input: autoMode, service: "disabled", want: plain(off)},
		"NoneLeft":           {reason: "A graph that asks and has nobody is told.", input: autoMode, graph: "enabled", service: "disabled", want: warned(onGraphPath+": "+noneUsesIt, off)},
		"NoGPUs":             {reason: "Without GPUs there is nothing to do.", input: autoMode, worker: noGPUWorker, want: plain(off)},
		"NoGPUsEnabled":      {reason: "Who asks for it is told.", input: autoMode, worker: noGPUWorker, graph: "enabled", want: warned(onGraphPath+": "+noneUsesIt, off)},
		"NoGPUsService":      {reason: "Who asks for it is told.", input: autoMode, worker: noGPUWorker, service: "enabled", want: warned(onServicePath+": "+noneHasGPUs, off)},
		"ReplicaOnLWS":       {reason: "Each replica of the service has a domain.", on: graphplan.LeaderWorkerSet, input: byReplica, want: plain(replica)},
		"ReplicaDisabled":    {reason: "Or none has.", on: graphplan.LeaderWorkerSet, input: byReplica, service: "disabled", want: plain(off)},
		"ReplicaOnGrove":     {reason: "All replicas have one template there.", input: byReplica, want: saying("disabled", warned("spec: "+sprintf(onlyOnLWS, "Grove"), graph))},
		"ReplicaOnDeployent": {reason: "And there.", on: graphplan.Deployment, input: byReplica, want: warned("spec: "+sprintf(onlyOnLWS, "Deployment"), graph)},
		"ReplicaNobody":      {reason: "That tells nobody who has no domain.", input: byReplica, worker: noGPUWorker, want: plain(off)},
		"SmallPod": {
			reason: "The rest of the node may stay empty.", input: autoMode + `,"gpusPerNode":8`,
			want: saying("disabled", warned("spec.services[Worker]: a pod asks for 4 GPUs of the 8 of a node (mnnvl.gpusPerNode), and the driver allows one pod with an NVLink domain on a node, "+
				"so the others may stay unused: ask for 8, or create the graph with annotation grove.io/auto-mnnvl: disabled on the service", graph)),
		},
		"NoDriver": {
			reason: "Pods would wait for ever.", input: autoMode, noDriver: true,
			want: unsupported("multi-node NVLink is on (mnnvl.mode Auto in the input of step plan) for services Worker, and the API group resource.nvidia.com is not served by the cluster: " +
				"install the NVIDIA DRA driver, v25.8 or later, opt out with annotation grove.io/auto-mnnvl: disabled, or let the platform set mnnvl.mode to Disabled"),
		},
		"NoDriverNeeded":   {reason: "A graph without GPUs needs none.", input: autoMode, noDriver: true, worker: noGPUWorker, want: plain(off)},
		"NoDriverOptedOut": {reason: "Nor does one that opted out.", input: autoMode, noDriver: true, graph: "disabled", want: saying("disabled", plain(off))},
		"DriverEnabled":    {reason: "The platform may know better.", input: autoMode + `,"driver":"Enabled"`, noDriver: true, want: saying("disabled", plain(graph))},
		"Groups": {
			reason: "Two would make domains.", input: autoMode, specGroup: "x", serviceGroup: "none",
			want: invalid(`spec.annotations[grove.io/mnnvl-group]: Invalid value: "x": ` + composedHere + `; ` + onServiceGroup + `: Invalid value: "none": ` + composedHere),
		},
		"GroupInMetadata": {reason: "Wherever it is said.", input: autoMode, group: "x", want: invalid(`metadata.annotations[grove.io/mnnvl-group]: Invalid value: "x": ` + composedHere)},
		"GroupOfPods": {
			reason: "Wherever it is said.", input: autoMode, worker: `{"extraPodMetadata":{"annotations":{"grove.io/mnnvl-group":"x"}},` + workerImage + `}`,
			want: invalid(`spec.services[Worker].extraPodMetadata.annotations[grove.io/mnnvl-group]: Invalid value: "x": ` + composedHere),
		},
	})
}

// TestLiveAuto goes through graphs that have composed domains.
func TestLiveAuto(t *testing.T) {
	const claimed = "cannot change after creation; the pods of the service were created with an NVLink domain" + putBack
	const wasDisabled = `cannot change after creation; it was "disabled"` + putBack
	graph, replica := autoOf(graphplan.ScopeGraph), autoOf(graphplan.ScopeReplica)
	clique := autoOf(graphplan.ScopeGraph)
	clique.Members["Worker"] = graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}
	nobody := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph}
	noReplica := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeReplica}

	onGrove := setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, withGPUs, claimOf("llama-0"))
	onLWS, perReplica := leaderWorkerSetsOf(withGPUs, claimOf("llama-0")), leaderWorkerSetsOf(withGPUs, claimOf("llama-worker-0"))
	without := setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, withGPUs)
	domain := map[string]string{"computedomain-0": `{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","metadata":{"name":"llama-0"}}`}
	const status = `{"orchestrator":"Grove","mnnvl":{"mode":"Auto","scope":"Graph"}}`

	compareMNNVL(t, map[string]mnnvlCase{
		"Auto":        {reason: "It stays as it is.", input: autoMode, observed: onGrove, want: saying("disabled", plain(graph))},
		"NowDisabled": {reason: "Whatever the mode is now,", observed: onGrove, want: saying("disabled", plain(graph))},
		"NowGrove":    {reason: "whatever it is,", input: groveMode, observed: onGrove, want: saying("disabled", plain(graph))},
		"NowReplica":  {reason: "whatever the scope is now,", on: graphplan.LeaderWorkerSet, input: byReplica, observed: onLWS, want: plain(graph)},
		"NowGraph":    {reason: "either way,", on: graphplan.LeaderWorkerSet, input: autoMode, observed: perReplica, want: plain(replica)},
		"NowClique":   {reason: "and whatever is required now.", input: autoMode + `,"requireClique":true`, observed: onGrove, want: saying("disabled", plain(graph))},
		"NoLongerClique": {
			reason: "Also the other way.", input: autoMode, observed: setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, withGPUs, claimOf("llama-0"), onClique),
			want: saying("disabled", plain(clique)),
		},
		"OnDeployment":  {reason: "On every orchestrator.", on: graphplan.Deployment, observed: deploymentsOf(withGPUs, claimOf("llama-0")), want: plain(graph)},
		"Enabled":       {reason: "The user may say so.", graph: "enabled", service: "enabled", observed: onGrove, want: saying("disabled", plain(graph))},
		"ReplicaWarned": {reason: "The platform's wish is still not met.", input: byReplica, observed: onGrove, want: saying("disabled", warned("spec: "+sprintf(onlyOnLWS, "Grove"), graph))},
		"NoAnnotation":  {reason: "What a live set does not have cannot be added.", observed: setOf(`{}`, `{}`, withGPUs, claimOf("llama-0")), want: plain(graph)},

		"DomainFailed": {reason: "The first run composed the pods, and the domain could not be created.", observed: onGrove, status: `{"orchestrator":"Grove"}`, want: saying("disabled", plain(graph))},
		"ObservedOverStatus": {
			reason: "What is observed comes first.", observed: with(onGrove, domain), status: `{"orchestrator":"Grove","mnnvl":{"mode":"Disabled"}}`, want: saying("disabled", plain(graph)),
		},
		"DomainOnly":     {reason: "The domain is there, the pods could not be created.", observed: domain, status: `{"orchestrator":"Grove"}`, want: saying("disabled", plain(graph))},
		"DomainNoStatus": {reason: "Nothing else tells of the graph.", observed: domain, want: saying("disabled", plain(graph))},
		"DomainOfReplica": {
			reason: "Its name tells the scope.", on: graphplan.LeaderWorkerSet, status: `{"orchestrator":"LeaderWorkerSet"}`,
			observed: map[string]string{"computedomain-worker-3": `{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain"}`}, want: plain(replica),
		},
		"Reference": {
			reason: "Only references are left.", refs: `[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"},{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","name":"llama-0"}]`,
			want: saying("disabled", plain(graph)),
		},
		"ReferenceOfReplica": {
			reason: "Their names tell the scope.", on: graphplan.LeaderWorkerSet,
			refs: `[{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"},{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","name":"llama-worker-0"}]`,
			want: plain(replica),
		},
		"Status":          {reason: "Only the status is left.", status: status, want: saying("disabled", plain(graph))},
		"ScaledToZero":    {reason: "Without a replica there is nothing to see.", on: graphplan.LeaderWorkerSet, status: `{"orchestrator":"LeaderWorkerSet","mnnvl":{"mode":"Auto","scope":"Replica"}}`, worker: replace(gpuWorker, `{`, `{"replicas":0,`), observed: map[string]string{"deployment-frontend": deploymentOf("frontend", noGPUs)}, want: plain(replica)},
		"LostAnnotations": {reason: "The status outweighs that the pods claim nothing, which is then their opt-out.", status: status, observed: without, want: changed(onServicePath + `: Invalid value: "": ` + wasDisabled)},

		"OptOut":        {reason: "A graph cannot opt out.", graph: "disabled", observed: onGrove, want: changed(onGraphPath + disabledIs + createdWith)},
		"OptOutInSpec":  {reason: "In neither place.", spec: "disabled", observed: onGrove, want: changed("spec.annotations[grove.io/auto-mnnvl]" + disabledIs + createdWith)},
		"OptOutService": {reason: "Nor can a service.", service: "disabled", observed: onGrove, want: changed(onServicePath + disabledIs + claimed)},
		"OptOutReplica": {reason: "In no scope.", on: graphplan.LeaderWorkerSet, service: "disabled", observed: perReplica, want: changed(onServicePath + disabledIs + claimed)},
		"OptIn":         {reason: "Nor can one come back that opted out.", observed: with(without, domain), want: changed(onServicePath + `: Invalid value: "": ` + wasDisabled)},
		"OptInEnabled":  {reason: "Also when it says so.", service: "enabled", observed: with(without, domain), want: changed(onServicePath + enabledIs + wasDisabled)},
		"StaysOut":      {reason: "One that opted out stays out.", service: "disabled", observed: with(without, domain), want: saying("disabled", plain(nobody))},
		"NewGPUs":       {reason: "One that asks for GPUs only now takes part.", observed: with(setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, noGPUs), domain), want: saying("disabled", plain(graph))},
		"NewGPUsClique": {reason: "As the platform wants it now.", input: autoMode + `,"requireClique":true`, observed: with(setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, noGPUs), domain), want: saying("disabled", plain(clique))},
		"NoMoreGPUs":    {reason: "One that asks for none any more does not; the domain stays.", worker: noGPUWorker, observed: onGrove, want: saying("disabled", plain(nobody))},
		"OwnClaimsGone": {reason: "One that brought claims of its own and dropped them takes part.", observed: with(setOf(`{}`, `{}`, withGPUs, otherClaim), domain), want: plain(graph)},
		"SingleOfReplicas": {
			reason: "A service of one node had no domain in this scope, and gets none.", on: graphplan.LeaderWorkerSet,
			worker: singleWorker, status: `{"orchestrator":"LeaderWorkerSet","mnnvl":{"mode":"Auto","scope":"Replica"}}`, observed: deploymentsOf(withGPUs), want: plain(noReplica),
		},

		"DriverGone": {
			reason: "Nothing is changed while the kind of the domain is not there.", observed: onGrove, noDriver: true,
			want: unsupported("the graph has an NVLink domain, and the API group resource.nvidia.com is not served by the cluster any more: " +
				"nothing is changed until it is back; to run the graph without a domain, delete and recreate it with annotation grove.io/auto-mnnvl: disabled"),
		},
		"Group": {reason: "Grove gets no say later either.", group: "x", observed: onGrove, want: invalid(`metadata.annotations[grove.io/mnnvl-group]: Invalid value: "x": ` + composedHere)},
	})
}

// TestLiveOff goes through graphs that were created without a domain.
func TestLiveOff(t *testing.T) {
	off := graphplan.MNNVL{}
	onGrove, optedOut := setOf(`{}`, `{}`, withGPUs), setOf(`{"grove.io/auto-mnnvl":"disabled"}`, `{}`, withGPUs)
	claiming, ownClaim := setOf(`{}`, `{}`, withGPUs, claimOf("llama-0")), replace(gpuWorker, `"extraPodSpec":{`, `"extraPodSpec":{`+claimOf("llama-0")+`,`)
	compareMNNVL(t, map[string]mnnvlCase{
		"Off":            {reason: "It stays as it is.", observed: onGrove, want: plain(off)},
		"NowAuto":        {reason: "Its user is told how to get one.", input: autoMode, observed: onGrove, want: warned(madeBefore, off)},
		"NowAutoOnLWS":   {reason: "On every orchestrator.", on: graphplan.LeaderWorkerSet, input: byReplica, observed: leaderWorkerSetsOf(withGPUs), want: warned(madeBefore, off)},
		"NowAutoNoGPUs":  {reason: "Unless it has no use for one,", input: autoMode, worker: noGPUWorker, observed: onGrove, want: plain(off)},
		"NowAutoService": {reason: "or does not want one.", input: autoMode, service: "disabled", observed: onGrove, want: plain(off)},
		"NowAutoStatus":  {reason: "What was decided is in the status.", input: autoMode, status: `{"orchestrator":"Grove","mnnvl":{"mode":"Disabled"}}`, want: warned(madeBefore, off)},
		"NowAutoDriver":  {reason: "The driver is of no concern.", input: autoMode, noDriver: true, observed: onGrove, want: warned(madeBefore, off)},
		"NowGrove":       {reason: "Grove's feature is for new graphs too.", input: groveMode, observed: onGrove, want: plain(off)},
		"Enabled":        {reason: "Asking does not help.", input: autoMode, graph: "enabled", observed: onGrove, want: changed(onGraphPath + enabledIs + createdOff)},
		"EnabledService": {reason: "Nor for one service.", service: "enabled", observed: onGrove, want: changed(onServicePath + enabledIs + createdOff)},
		"EnabledOnLWS":   {reason: "On every orchestrator.", on: graphplan.LeaderWorkerSet, graph: "enabled", observed: leaderWorkerSetsOf(withGPUs), want: changed(onGraphPath + enabledIs + createdOff)},
		"OwnClaim":       {reason: "A claim that the user calls as the chain would is still the user's, and so is its domain.", worker: ownClaim, observed: claiming, want: plain(off)},
		"OwnClaimOnLWS":  {reason: "On every orchestrator.", on: graphplan.LeaderWorkerSet, worker: ownClaim, observed: leaderWorkerSetsOf(withGPUs, claimOf("llama-0")), want: plain(off)},
		"OwnClaimOut":    {reason: "Who opted out may have it.", input: autoMode, service: "disabled", worker: ownClaim, observed: claiming, want: plain(off)},
		"OwnClaimGone":   {reason: "The status tells whose claim it was that the user removes.", observed: claiming, status: `{"orchestrator":"Grove","mnnvl":{"mode":"Disabled"}}`, want: plain(off)},
		"Disabled":       {reason: "What it has none of it may opt out of; its set stays.", input: autoMode, graph: "disabled", observed: onGrove, want: plain(off)},
		"OptedOut":       {reason: "One that opted out stays so.", input: autoMode, graph: "disabled", observed: optedOut, want: saying("disabled", plain(off))},
		"OptedOutInSpec": {reason: "In either place.", spec: "disabled", observed: optedOut, want: saying("disabled", plain(off))},
		"OptOutRemoved": {
			reason: "Grove refuses to change it, and so does this.", input: autoMode, observed: optedOut,
			want: changed(onGraphPath + `: Invalid value: "": cannot change after creation; it was "disabled"` + putBack),
		},
		"OptOutTurned":    {reason: "Also into the opposite.", graph: "enabled", observed: optedOut, want: changed(onGraphPath + enabledIs + createdOff)},
		"OthersDomain":    {reason: "A domain of another step of the pipeline tells nothing.", observed: with(onGrove, map[string]string{"computedomain-mine": `{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain"}`}), want: plain(off)},
		"OthersReference": {reason: "Nor does a reference to one.", refs: `[{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","name":"mine"}]`, observed: onGrove, want: plain(off)},
		"OthersClaim":     {reason: "Nor does a claim of the user's own, though called so.", observed: setOf(`{}`, `{}`, withGPUs, claimOf("mine")), want: plain(off)},
		"GroupsStay":      {reason: "Groups stay the user's.", input: autoMode, specGroup: "x", observed: grouped(`{"grove.io/mnnvl-group":"x"}`, `{"grove.io/mnnvl-group":"x"}`), status: `{"mnnvl":{"mode":"Disabled"}}`, want: mnnvlOutcome{Reason: "Valid", Group: "x"}},
		"GroupChanged": {
			reason: "Grove refuses to change one.", specGroup: "y", observed: grouped(`{"grove.io/mnnvl-group":"x"}`, `{"grove.io/mnnvl-group":"x"}`), status: `{"mnnvl":{"mode":"Disabled"}}`,
			want: changed(`spec.annotations[grove.io/mnnvl-group]: Invalid value: "y": cannot change after creation; it was "x"` + putBack),
		},
		"GroupOfServiceChanged": {
			reason: "Nor that of a service.", serviceGroup: "y", observed: grouped(`{}`, `{"grove.io/mnnvl-group":"x"}`), status: `{"mnnvl":{"mode":"Disabled"}}`,
			want: changed(onServiceGroup + `: Invalid value: "y": cannot change after creation; it was "x"` + putBack),
		},
	})
}

// TestHalfCreated goes through graphs of which only references are there: the first run was not applied. Nothing has pods, so
// nothing is decided.
func TestHalfCreated(t *testing.T) {
	const refs = `[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"},{"apiVersion":"v1","kind":"Service","name":"llama-worker"}]`
	off, byGrove := plain(graphplan.MNNVL{}), inGroups("default", nil)
	compareMNNVL(t, map[string]mnnvlCase{
		"Grove":    {reason: "Grove refused the set for a while.", input: groveMode, refs: refs, want: byGrove},
		"Disabled": {reason: "The mode is off.", refs: refs, want: off},
		"Auto":     {reason: "The mode was turned on in between.", input: autoMode, refs: refs, want: saying("disabled", plain(autoOf(graphplan.ScopeGraph)))},
		"Status":   {reason: "A run that came to its end has decided.", input: groveMode, refs: refs, status: `{"orchestrator":"Grove"}`, want: off},
	})
}
