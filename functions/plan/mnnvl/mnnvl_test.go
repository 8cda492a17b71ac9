package mnnvl_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// Fields that are told of.
const (
	onGraph          = "metadata.annotations[grove.io/auto-mnnvl]"
	onComponent      = "spec.components[Worker].annotations[grove.io/auto-mnnvl]"
	onGraphGroup     = "metadata.annotations[grove.io/mnnvl-group]"
	onComponentGroup = "spec.components[Worker].annotations[grove.io/mnnvl-group]"
)

func plain(m graphplan.MNNVL) outcome { return outcome{MNNVL: m} }

// warned of fields.
func warned(m graphplan.MNNVL, fields ...string) outcome {
	return outcome{MNNVL: m, Said: plantest.Warned(rule.NVLink, fields...)}
}

func refused(kind subject.Kind, code rule.Code, fields ...string) outcome {
	return outcome{Said: plantest.Refused(kind, code, fields...)}
}

// invalid fields.
func invalid(fields ...string) outcome { return refused(subject.Mistake, rule.NVLink, fields...) }

// changed fields that cannot change.
func changed(fields ...string) outcome {
	return refused(subject.ImmutableChange, rule.NVLink, fields...)
}

// unsupported by the cluster, or no longer.
func unsupported() outcome { return refused(subject.NotSupported, rule.NotSupportedHere, "") }

// saying is an outcome with annotation grove.io/auto-mnnvl on the PodCliqueSet.
func saying(auto string, o outcome) outcome {
	o.AutoMNNVL = auto
	return o
}

// TestNewOff goes through new graphs where the mode is Disabled.
func TestNewOff(t *testing.T) {
	off := graphplan.MNNVL{}
	compare(t, map[string]mnnvlCase{
		"Unset":           {reason: "On Grove, nothing is added where the mode is Disabled.", want: plain(off)},
		"OnLWS":           {reason: "On LeaderWorkerSets, nothing is added where the mode is Disabled.", on: graphplan.LeaderWorkerSet, want: plain(off)},
		"OnDeployment":    {reason: "On Deployments, nothing is added where the mode is Disabled.", on: graphplan.Deployment, want: plain(off)},
		"WithoutDriver":   {reason: "The driver is not needed where the mode is Disabled.", noDriver: true, want: plain(off)},
		"Enabled":         {reason: "A user who asks for a domain is told what the platform must set.", graph: "enabled", want: invalid(onGraph)},
		"EnabledInSpec":   {reason: "The refusal names spec.annotations when the user asks for a domain there.", spec: "enabled", want: invalid("spec.annotations[grove.io/auto-mnnvl]")},
		"EnabledService":  {reason: "A user who asks for a domain of one service is told what the platform must set.", component: "enabled", want: invalid(onComponent)},
		"EnabledOnLWS":    {reason: "A user who asks for a domain on LeaderWorkerSets is told what the platform must set.", on: graphplan.LeaderWorkerSet, graph: "enabled", want: invalid(onGraph)},
		"Disabled":        {reason: "A graph that opts out in metadata.annotations opts out of Grove's own feature.", graph: "disabled", want: saying("disabled", plain(off))},
		"DisabledInSpec":  {reason: "A graph that opts out in spec.annotations opts out of Grove's own feature.", spec: "disabled", want: saying("disabled", plain(off))},
		"DisabledService": {reason: "A service that opts out changes nothing where the mode is Disabled.", component: "disabled", want: plain(off)},
		"DisabledOnLWS":   {reason: "A graph on LeaderWorkerSets that opts out changes nothing where the mode is Disabled.", on: graphplan.LeaderWorkerSet, graph: "disabled", want: plain(off)},
		"Group":           {reason: "A group asks for a domain too.", group: "x", want: invalid(onGraphGroup)},
		"GroupInSpec":     {reason: "A group in spec.annotations is refused, and a service without a group is none.", specGroup: "x", componentGroup: "none", want: invalid("spec.annotations[grove.io/mnnvl-group]")},
		"GroupOfService":  {reason: "A group of a service is refused.", componentGroup: "x", want: invalid(onComponentGroup)},
		"GroupOnLWS":      {reason: "A group is refused on LeaderWorkerSets.", on: graphplan.LeaderWorkerSet, group: "x", want: invalid(onGraphGroup)},
		"NoGroup":         {reason: "No group opts out.", group: "none", want: saying("disabled", plain(off))},
		"NoGroupInSpec":   {reason: "No group in spec.annotations opts out, and is not passed on: some versions of Grove refuse it.", specGroup: "none", want: saying("disabled", plain(off))},
		"NoGroupOnLWS":    {reason: "No group changes nothing on LeaderWorkerSets.", on: graphplan.LeaderWorkerSet, group: "none", want: plain(off)},
	})
}

// TestAnnotations shows what the annotations may say.
func TestAnnotations(t *testing.T) {
	compare(t, map[string]mnnvlCase{
		"Value":        {reason: "An unknown value is refused in metadata.annotations.", input: autoMode(), graph: "on", want: invalid(onGraph)},
		"ValueInSpec":  {reason: "An unknown value is refused in spec.annotations.", input: autoMode(), spec: "on", want: invalid("spec.annotations[grove.io/auto-mnnvl]")},
		"ValueService": {reason: "An unknown value is refused on a service.", input: autoMode(), component: "on", want: invalid(onComponent)},
		"ValueOff":     {reason: "An unknown value is refused where the mode is Disabled.", graph: "on", want: invalid(onGraph)},
		"ValueLive":    {reason: "An unknown value is refused on a live graph.", graph: "on", observed: setOf(nil, nil, withGPUs), want: invalid(onGraph)},
		"Conflict": {
			reason: "The annotation must be the same in metadata.annotations and spec.annotations.", input: autoMode(), graph: "enabled", spec: "disabled",
			want: invalid("spec.annotations[grove.io/auto-mnnvl]"),
		},
		"Agreement": {reason: "The annotation may have the same value in metadata.annotations and spec.annotations.", input: autoMode(), graph: "disabled", spec: "disabled", want: saying("disabled", plain(graphplan.MNNVL{}))},
		"ServiceInDisabledGraph": {
			reason: "A service cannot take part in a domain that its graph opted out of.", input: autoMode(), graph: "disabled", component: "enabled",
			want: invalid(onComponent),
		},
		"OnPods": {
			otherwise: true, reason: "The annotation has no effect on pods, and a warning says so.", worker: singleNode(plantest.WithPodAnnotation("grove.io/auto-mnnvl", "enabled")),
			want: warned(graphplan.MNNVL{}, "spec.components[Worker].podTemplate.metadata.annotations[grove.io/auto-mnnvl]"),
		},
		"Empty": {
			otherwise: true, reason: "An empty value is refused.", worker: singleNode(plantest.WithAnnotation("grove.io/auto-mnnvl", "")),
			want: invalid(onComponent),
		},
	})
}

// TestNewAuto goes through new graphs where domains are composed.
func TestNewAuto(t *testing.T) {
	off, graph, replica := graphplan.MNNVL{}, autoOf(graphplan.ScopeGraph), autoOf(graphplan.ScopeReplica)
	clique := autoOf(graphplan.ScopeGraph)
	clique.Members["Worker"] = graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}
	compare(t, map[string]mnnvlCase{
		"Unset":              {reason: "Grove must make no domain of its own.", input: autoMode(), want: saying("disabled", plain(graph))},
		"OnLWS":              {reason: "A graph on LeaderWorkerSets gets a domain.", on: graphplan.LeaderWorkerSet, input: autoMode(), want: plain(graph)},
		"OnDeployment":       {reason: "A graph on Deployments gets a domain.", on: graphplan.Deployment, input: autoMode(), want: plain(graph)},
		"RequireClique":      {reason: "With requireClique, the pods go only to nodes of a clique.", input: byClique(), want: saying("disabled", plain(clique))},
		"Enabled":            {reason: "A graph may ask for the domain that it gets anyway.", input: autoMode(), graph: "enabled", want: saying("disabled", plain(graph))},
		"EnabledService":     {reason: "A service may ask for the domain that it gets anyway.", input: autoMode(), component: "enabled", want: saying("disabled", plain(graph))},
		"Disabled":           {reason: "A graph that opts out in metadata.annotations opts out of Grove's feature too.", input: autoMode(), graph: "disabled", want: saying("disabled", plain(off))},
		"DisabledInSpec":     {reason: "A graph that opts out in spec.annotations opts out of Grove's feature too.", input: autoMode(), spec: "disabled", want: saying("disabled", plain(off))},
		"DisabledOnLWS":      {reason: "A graph on LeaderWorkerSets can opt out.", on: graphplan.LeaderWorkerSet, input: autoMode(), graph: "disabled", want: plain(off)},
		"DisabledService":    {reason: "A graph whose only service with GPUs opts out gets no domain.", input: autoMode(), component: "disabled", want: plain(off)},
		"NoneLeft":           {reason: "A graph that asks for a domain is warned when its only service with GPUs opts out.", input: autoMode(), graph: "enabled", component: "disabled", want: warned(off, onGraph)},
		"NoGPUs":             {reason: "Without GPUs there is nothing to do.", input: autoMode(), worker: noGPUWorker(), want: plain(off)},
		"NoGPUsEnabled":      {reason: "A graph without GPUs that asks for a domain is warned.", input: autoMode(), worker: noGPUWorker(), graph: "enabled", want: warned(off, onGraph)},
		"NoGPUsService":      {reason: "A service without GPUs that asks for a domain is warned.", input: autoMode(), worker: noGPUWorker(), component: "enabled", want: warned(off, onComponent)},
		"ReplicaOnLWS":       {reason: "Each replica of a service on LeaderWorkerSets has a domain in scope Replica.", on: graphplan.LeaderWorkerSet, input: byReplica(), want: plain(replica)},
		"ReplicaDisabled":    {reason: "A service on LeaderWorkerSets can opt out in scope Replica.", on: graphplan.LeaderWorkerSet, input: byReplica(), component: "disabled", want: plain(off)},
		"ReplicaOnGrove":     {reason: "A graph on Grove gets one domain in scope Replica, because all replicas of a service have one pod template.", input: byReplica(), want: saying("disabled", warned(graph, "spec"))},
		"ReplicaOnDeployent": {reason: "A graph on Deployments gets one domain in scope Replica, because all replicas of a service have one pod template.", on: graphplan.Deployment, input: byReplica(), want: warned(graph, "spec")},
		"ReplicaNobody":      {reason: "A graph without a domain is not warned that scope Replica is not possible.", input: byReplica(), worker: noGPUWorker(), want: plain(off)},
		"SmallPod": {
			reason: "A pod that asks for fewer GPUs than a node has causes a warning, because the others may stay unused.", input: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, GPUsPerNode: new(int32(8))},
			want: saying("disabled", warned(graph, "spec.components[Worker]")),
		},
		"NoDriver": {
			reason: "Without the driver, pods would wait forever.", input: autoMode(), noDriver: true,
			want: unsupported(),
		},
		"NoChannels": {
			reason: "The GPU Operator installs the API without the driver, and pods would wait forever.", input: autoMode(), noChannels: true,
			want: unsupported(),
		},
		"ChannelsEnabled":  {reason: "The platform can say that the driver is installed.", input: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, Driver: inputv1alpha1.ModeEnabled}, noChannels: true, want: saying("disabled", plain(graph))},
		"NoDriverNeeded":   {reason: "A graph without GPUs needs no driver.", input: autoMode(), noDriver: true, worker: noGPUWorker(), want: plain(off)},
		"NoDriverOptedOut": {reason: "A graph that opts out needs no driver.", input: autoMode(), noDriver: true, graph: "disabled", want: saying("disabled", plain(off))},
		"DriverEnabled":    {reason: "The platform can say that the driver is installed.", input: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, Driver: inputv1alpha1.ModeEnabled}, noDriver: true, want: saying("disabled", plain(graph))},
		"Groups": {
			reason: "Groups are refused in spec.annotations and on a service, because Grove would make domains as well.", input: autoMode(), specGroup: "x", componentGroup: "y",
			want: invalid("spec.annotations[grove.io/mnnvl-group]", onComponentGroup),
		},
		"NoGroup":          {reason: "No group opts the graph out.", input: autoMode(), group: "none", want: saying("disabled", plain(graphplan.MNNVL{}))},
		"NoGroupOnLWS":     {reason: "No group opts the graph out on LeaderWorkerSets.", on: graphplan.LeaderWorkerSet, input: autoMode(), group: "none", want: plain(graphplan.MNNVL{})},
		"NoGroupOfService": {reason: "No group opts a service out.", input: autoMode(), componentGroup: "none", want: plain(graphplan.MNNVL{})},
		"Contradiction":    {reason: "A service cannot ask for a domain and be in no group.", input: autoMode(), component: "enabled", componentGroup: "none", want: invalid(onComponent)},
		"GroupInMetadata":  {reason: "A group is refused in metadata.annotations.", input: autoMode(), group: "x", want: invalid(onGraphGroup)},
		"GroupOfPods": {
			otherwise: true, reason: "A group is refused in extraPodMetadata.", input: autoMode(), worker: singleNode(plantest.WithPodAnnotation("grove.io/mnnvl-group", "x")),
			want: invalid("spec.components[Worker].podTemplate.metadata.annotations[grove.io/mnnvl-group]"),
		},
	})
}

// TestLiveAuto goes through graphs that have composed domains.
func TestLiveAuto(t *testing.T) {
	graph, replica := autoOf(graphplan.ScopeGraph), autoOf(graphplan.ScopeReplica)
	clique := autoOf(graphplan.ScopeGraph)
	clique.Members["Worker"] = graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, RequireClique: true}
	noMembers := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph}
	noReplica := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeReplica}

	onGrove := setOf(annotationsOf("disabled", ""), nil, withGPUs, claimOf("llama-0"))
	onLWS, perReplica := leaderWorkerSetsOf(withGPUs, claimOf("llama-0")), leaderWorkerSetsOf(withGPUs, claimOf("llama-worker-0"))
	without := setOf(annotationsOf("disabled", ""), nil, withGPUs)
	domain := domainOf("computedomain-0", "llama-0")
	status := statusOf(graphplan.Grove, "Auto", "Graph")

	compare(t, map[string]mnnvlCase{
		"Auto":        {reason: "A live graph keeps its domain.", input: autoMode(), observed: onGrove, want: saying("disabled", plain(graph))},
		"NowDisabled": {reason: "A live graph keeps its domain when the mode becomes Disabled.", observed: onGrove, want: saying("disabled", plain(graph))},
		"NowGrove":    {reason: "A live graph keeps its domain when the mode becomes Grove.", input: groveMode(), observed: onGrove, want: saying("disabled", plain(graph))},
		"NowReplica":  {reason: "A live graph keeps its one domain when the scope becomes Replica.", on: graphplan.LeaderWorkerSet, input: byReplica(), observed: onLWS, want: plain(graph)},
		"NowGraph":    {reason: "A live graph keeps a domain per replica when the scope becomes Graph.", on: graphplan.LeaderWorkerSet, input: autoMode(), observed: perReplica, want: plain(replica)},
		"NowClique":   {reason: "A live graph does not require a clique when the platform starts to require one.", input: byClique(), observed: onGrove, want: saying("disabled", plain(graph))},
		"NoLongerClique": {
			reason: "A live graph still requires a clique when the platform no longer requires one.", input: autoMode(), observed: setOf(annotationsOf("disabled", ""), nil, withGPUs, claimOf("llama-0"), onClique),
			want: saying("disabled", plain(clique)),
		},
		"OnDeployment":  {reason: "A live graph on Deployments keeps its domain when the mode becomes Disabled.", on: graphplan.Deployment, observed: deploymentsOf(withGPUs, claimOf("llama-0")), want: plain(graph)},
		"Enabled":       {reason: "A user may ask for the domain that a live graph has.", graph: "enabled", component: "enabled", observed: onGrove, want: saying("disabled", plain(graph))},
		"ReplicaWarned": {reason: "A live graph on Grove is still warned that scope Replica is not possible.", input: byReplica(), observed: onGrove, want: saying("disabled", warned(graph, "spec"))},
		"NoAnnotation":  {reason: "The annotation is not added to a live PodCliqueSet that does not have it.", observed: setOf(nil, nil, withGPUs, claimOf("llama-0")), want: plain(graph)},

		"DomainFailed": {reason: "Pods that claim a channel show the domain that the first run could not create.", observed: onGrove, status: statusOf(graphplan.Grove, "", ""), want: saying("disabled", plain(graph))},
		"ObservedOverStatus": {
			reason: "Observed objects take precedence over the status.", observed: with(onGrove, domain), status: statusOf(graphplan.Grove, "Disabled", ""), want: saying("disabled", plain(graph)),
		},
		"DomainOnly":     {reason: "An observed domain is kept when the pods could not be created.", observed: domain, status: statusOf(graphplan.Grove, "", ""), want: saying("disabled", plain(graph))},
		"DomainNoStatus": {reason: "An observed domain is kept when nothing else tells of the graph.", observed: domain, want: saying("disabled", plain(graph))},
		"DomainOfReplica": {
			reason: "The composition resource name of a domain shows its scope.", on: graphplan.LeaderWorkerSet, status: statusOf(graphplan.LeaderWorkerSet, "", ""),
			observed: domainOf("computedomain-worker-3", "llama-worker-3"), want: plain(replica),
		},
		"Reference": {
			reason: "References that the status confirms show that there is a domain.", status: status, refs: []corev1.ObjectReference{plantest.ReferenceToSet(), referenceToDomain("llama-0")},
			want: saying("disabled", plain(graph)),
		},
		"ReferenceOfReplica": {
			reason: "The name of a referenced domain shows its scope.", on: graphplan.LeaderWorkerSet, status: statusOf(graphplan.LeaderWorkerSet, "Auto", "Graph"),
			refs: []corev1.ObjectReference{plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0"), referenceToDomain("llama-worker-0")},
			want: plain(replica),
		},
		"Status":          {reason: "The status alone shows that there is a domain.", status: status, want: saying("disabled", plain(graph))},
		"ScaledToZero":    {reason: "The status shows the domains of a service without replicas.", on: graphplan.LeaderWorkerSet, status: statusOf(graphplan.LeaderWorkerSet, "Auto", "Replica"), worker: gpuWorker(scaledToZero), observed: map[string]any{"deployment-frontend": deploymentOf("frontend")}, want: plain(replica)},
		"LostAnnotations": {reason: "The status outweighs that the pods claim nothing, which is then their opt-out.", status: status, observed: without, want: changed(onComponent)},

		"OptOut":        {reason: "A live graph cannot opt out in metadata.annotations.", graph: "disabled", observed: onGrove, want: changed(onGraph)},
		"OptOutInSpec":  {reason: "A live graph cannot opt out in spec.annotations.", spec: "disabled", observed: onGrove, want: changed("spec.annotations[grove.io/auto-mnnvl]")},
		"OptOutService": {reason: "A service of a live graph cannot opt out.", component: "disabled", observed: onGrove, want: changed(onComponent)},
		"OptOutReplica": {reason: "A service of a live graph cannot opt out in scope Replica.", on: graphplan.LeaderWorkerSet, component: "disabled", observed: perReplica, want: changed(onComponent)},
		"OptIn":         {reason: "A service of a live graph that opted out cannot come back.", observed: with(without, domain), want: changed(onComponent)},
		"OptInEnabled":  {reason: "A service of a live graph that opted out cannot come back by asking for the domain.", component: "enabled", observed: with(without, domain), want: changed(onComponent)},
		"StaysOut":      {reason: "A service of a live graph that opted out stays out.", component: "disabled", observed: with(without, domain), want: saying("disabled", plain(noMembers))},
		"NewGPUs":       {reason: "A service of a live graph that starts to ask for GPUs takes part.", observed: with(setOf(annotationsOf("disabled", ""), nil), domain), want: saying("disabled", plain(graph))},
		"NewGPUsClique": {reason: "A service of a live graph that starts to ask for GPUs requires a clique when the platform does.", input: byClique(), observed: with(setOf(annotationsOf("disabled", ""), nil), domain), want: saying("disabled", plain(clique))},
		"NoMoreGPUs":    {reason: "A service of a live graph that no longer asks for GPUs takes no part, and the domain stays.", worker: noGPUWorker(), observed: onGrove, want: saying("disabled", plain(noMembers))},
		"OwnClaimsGone": {reason: "A service of a live graph that drops its own claims takes part.", observed: with(setOf(nil, nil, withGPUs, otherClaim), domain), want: plain(graph)},
		"SingleOfReplicas": {
			reason: "A live service of one node stays without a domain in scope Replica.", on: graphplan.LeaderWorkerSet,
			worker: singleWorker(), status: statusOf(graphplan.LeaderWorkerSet, "Auto", "Replica"), observed: deploymentsOf(withGPUs), want: plain(noReplica),
		},

		"DriverGone": {
			reason: "Nothing is changed while the kind of the domain is not there.", observed: onGrove, noDriver: true,
			want: unsupported(),
		},
		"ChannelsGone": {reason: "A live graph does not depend on the class of devices.", observed: onGrove, noChannels: true, want: saying("disabled", plain(graph))},
		"Group":        {reason: "A group is refused on a live graph whose domain is composed here.", group: "x", observed: onGrove, want: invalid(onGraphGroup)},
	})
}

// TestLiveOff goes through graphs that were created without a domain.
func TestLiveOff(t *testing.T) {
	off := graphplan.MNNVL{}
	onGrove, optedOut := setOf(nil, nil, withGPUs), setOf(annotationsOf("disabled", ""), nil, withGPUs)
	claiming, ownClaim := setOf(nil, nil, withGPUs, claimOf("llama-0")), gpuWorker(claiming("mnnvl-claim", "llama-0"))
	compare(t, map[string]mnnvlCase{
		"Off":            {reason: "A live graph without a domain stays without one.", observed: onGrove, want: plain(off)},
		"NowAuto":        {reason: "The user of a live graph without a domain is told how to get one.", input: autoMode(), observed: onGrove, want: warned(off, "spec.components")},
		"NowAutoOnLWS":   {reason: "The user of a live graph on LeaderWorkerSets without a domain is told how to get one.", on: graphplan.LeaderWorkerSet, input: byReplica(), observed: leaderWorkerSetsOf(withGPUs), want: warned(off, "spec.components")},
		"NowAutoNoGPUs":  {reason: "The user of a live graph without GPUs is not told how to get a domain.", input: autoMode(), worker: noGPUWorker(), observed: onGrove, want: plain(off)},
		"NowAutoService": {reason: "The user of a live graph whose service opts out is not told how to get a domain.", input: autoMode(), component: "disabled", observed: onGrove, want: plain(off)},
		"NowAutoStatus":  {reason: "The status shows that the graph was created without a domain.", input: autoMode(), status: statusOf(graphplan.Grove, "Disabled", ""), want: warned(off, "spec.components")},
		"NowAutoDriver":  {reason: "A live graph without a domain does not need the driver.", input: autoMode(), noDriver: true, observed: onGrove, want: warned(off, "spec.components")},
		"NowGrove":       {reason: "A live graph without a domain stays without one when the mode becomes Grove.", input: groveMode(), observed: onGrove, want: plain(off)},
		"Enabled":        {reason: "A live graph without a domain cannot ask for one.", input: autoMode(), graph: "enabled", observed: onGrove, want: changed(onGraph)},
		"EnabledService": {reason: "A service of a live graph without a domain cannot ask for one.", component: "enabled", observed: onGrove, want: changed(onComponent)},
		"EnabledOnLWS":   {reason: "A live graph on LeaderWorkerSets without a domain cannot ask for one.", on: graphplan.LeaderWorkerSet, graph: "enabled", observed: leaderWorkerSetsOf(withGPUs), want: changed(onGraph)},
		"OwnClaim":       {reason: "A claim that the user calls as the chain would is still the user's, and so is its domain.", worker: ownClaim, observed: claiming, want: plain(off)},
		"OwnClaimOnLWS":  {reason: "A claim that the user names as the chain would is still the user's on LeaderWorkerSets.", on: graphplan.LeaderWorkerSet, worker: ownClaim, observed: leaderWorkerSetsOf(withGPUs, claimOf("llama-0")), want: plain(off)},
		"OwnClaimOut":    {reason: "A service that opts out may have a claim that is named as the chain would name it.", input: autoMode(), component: "disabled", worker: ownClaim, observed: claiming, want: plain(off)},
		"OwnClaimGone":   {reason: "The status shows that a claim which the user removes was the user's own.", observed: claiming, status: statusOf(graphplan.Grove, "Disabled", ""), want: plain(off)},
		"Disabled":       {reason: "A live graph without a domain may opt out, and its PodCliqueSet stays as it is.", input: autoMode(), graph: "disabled", observed: onGrove, want: plain(off)},
		"OptedOut":       {reason: "A live graph that opted out in metadata.annotations stays so.", input: autoMode(), graph: "disabled", observed: optedOut, want: saying("disabled", plain(off))},
		"OptedOutInSpec": {reason: "A live graph that opted out in spec.annotations stays so.", spec: "disabled", observed: optedOut, want: saying("disabled", plain(off))},
		"OptOutRemoved": {
			reason: "An opt-out cannot be removed, because Grove refuses to change the annotation.", input: autoMode(), observed: optedOut,
			want: changed(onGraph),
		},
		"OptOutTurned":    {reason: "An opt-out cannot be turned into a request for a domain.", graph: "enabled", observed: optedOut, want: changed(onGraph)},
		"OthersDomain":    {reason: "A domain of another step of the pipeline tells nothing.", observed: with(onGrove, domainOf("computedomain-mine", "llama-mine")), want: plain(off)},
		"OthersReference": {reason: "A reference to a domain of another step of the pipeline tells nothing.", refs: []corev1.ObjectReference{referenceToDomain("mine")}, observed: onGrove, want: plain(off)},
		"OthersClaim":     {reason: "A claim of the user's own tells nothing, even if it is named as the chain would name it.", observed: setOf(nil, nil, withGPUs, claimOf("mine")), want: plain(off)},
		"GroupsStay":      {reason: "The groups of a live graph remain the user's.", input: autoMode(), specGroup: "x", observed: grouped(annotationsOf("", "x"), annotationsOf("", "x")), status: statusOf("", "Disabled", ""), want: outcome{Group: "x"}},
		"GroupChanged": {
			reason: "Grove refuses to change the group of a live graph.", specGroup: "y", observed: grouped(annotationsOf("", "x"), annotationsOf("", "x")), status: statusOf("", "Disabled", ""),
			want: changed("spec.annotations[grove.io/mnnvl-group]"),
		},
		"GroupOfServiceChanged": {
			reason: "Grove refuses to change the group of a service of a live graph.", componentGroup: "y", observed: grouped(nil, annotationsOf("", "x")), status: statusOf("", "Disabled", ""),
			want: changed(onComponentGroup),
		},
	})
}

// TestHalfCreated goes through graphs of which only references are there: the first run was not applied. Nothing has pods, so
// nothing is decided.
func TestHalfCreated(t *testing.T) {
	refs := []corev1.ObjectReference{plantest.ReferenceToSet(), plantest.ReferenceTo("v1", "Service", "llama-worker")}
	off, byGrove := plain(graphplan.MNNVL{}), inGroups("default", nil)
	compare(t, map[string]mnnvlCase{
		"Grove":    {reason: "A graph that was never applied gets its domain from Grove where the mode is Grove.", input: groveMode(), refs: refs, want: byGrove},
		"Disabled": {reason: "A graph that was never applied gets no domain where the mode is Disabled.", refs: refs, want: off},
		"Auto":     {reason: "A graph that was never applied gets a domain when the mode becomes Auto in between.", input: autoMode(), refs: refs, want: saying("disabled", plain(autoOf(graphplan.ScopeGraph)))},
		"Status":   {reason: "A graph whose first run wrote the status stays without a domain when the mode becomes Grove.", input: groveMode(), refs: refs, status: statusOf(graphplan.Grove, "", ""), want: off},
	})
}
