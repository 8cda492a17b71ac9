package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// inGroups is a graph whose domains Grove makes.
func inGroups(set string, services map[string]string) mnnvlOutcome {
	return mnnvlOutcome{Reason: "Valid", MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}, Group: set, Groups: services}
}

// TestNewGrove goes through new graphs where Grove makes the domains, by group.
func TestNewGrove(t *testing.T) {
	const (
		onGraphGroup = "metadata.annotations[grove.io/mnnvl-group]"
		notALabel    = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ` +
			`(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'): name a group, or none for no domain`
		long = "x234567890123456789012345678901234567890123456789012345678"
	)
	off, worker := plain(graphplan.MNNVL{}), func(group string) map[string]string { return map[string]string{"Worker": group} }
	withGroup := func(o mnnvlOutcome, group string) mnnvlOutcome {
		o.Group = group
		return o
	}
	compareMNNVL(t, map[string]mnnvlCase{
		"Unset":           {reason: "All GPU pods are in one group.", input: groveMode, want: inGroups("default", nil)},
		"Enabled":         {reason: "What is on anyway may be said.", input: groveMode, graph: "enabled", service: "enabled", want: inGroups("default", nil)},
		"Group":           {reason: "The graph names its group,", input: groveMode, group: "rack", want: inGroups("rack", nil)},
		"GroupInSpec":     {reason: "in either place.", input: groveMode, specGroup: "rack", want: inGroups("rack", nil)},
		"GroupOfService":  {reason: "A service has its own.", input: groveMode, serviceGroup: "mine", want: inGroups("default", worker("mine"))},
		"ServiceAlone":    {reason: "Or alone has one.", input: groveMode, group: "none", serviceGroup: "mine", want: inGroups("none", worker("mine"))},
		"ServiceDisabled": {reason: "A service opts out.", input: groveMode, service: "disabled", worker: gpuWorker + `,"Decode":` + singleWorker, want: inGroups("default", worker("none"))},
		"ServiceNone":     {reason: "In either way.", input: groveMode, serviceGroup: "none", worker: gpuWorker + `,"Decode":` + singleWorker, want: inGroups("default", worker("none"))},
		"NobodyLeft":      {reason: "Without anybody there is no domain.", input: groveMode, service: "disabled", want: off},
		"Disabled":        {reason: "The graph opts out.", input: groveMode, graph: "disabled", want: saying("disabled", off)},
		"DisabledNone":    {reason: "It may say so twice.", input: groveMode, graph: "disabled", specGroup: "none", want: saying("disabled", withGroup(off, "none"))},
		"None":            {reason: "In either way.", input: groveMode, specGroup: "none", want: withGroup(off, "none")},
		"NoGPUs":          {reason: "Without GPUs there is nothing to do.", input: groveMode, worker: noGPUWorker, want: off},
		"NoGPUsEnabled": {
			reason: "Who asks for it is told.", input: groveMode, graph: "enabled", service: "enabled", worker: noGPUWorker,
			want: warned(onGraphPath+": "+noneUsesIt+"; "+onServicePath+": "+noneHasGPUs, graphplan.MNNVL{}),
		},
		"OtherType": {
			reason: "Grove knows one name of GPUs.", input: groveMode, worker: replace(gpuWorker, `"gpu":"4"`, `"gpu":"4","gpuType":"example.com/gpu"`),
			want: warned("spec.services[Worker]: the pods get no NVLink domain: Grove, which makes them here (mnnvl.mode Grove), only sees GPUs called nvidia.com/gpu", graphplan.MNNVL{}),
		},
		"OwnClaims": {
			reason: "Grove adds a second claim.", input: groveMode, worker: replace(gpuWorker, `"extraPodSpec":{`, `"extraPodSpec":{"resourceClaims":[{"name":"channel","resourceClaimTemplateName":"mine"}],`),
			want: mnnvlOutcome{
				Reason: "ValidWithWarnings", MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}, Group: "default",
				Message: "spec.services[Worker].extraPodSpec.resourceClaims: Grove adds a claim of the NVLink domain beside these, and a pod with two claims of a domain waits for ever: remove those that are for one",
			},
		},
		"OwnClaimOfGrovesName": {
			reason: "It adds none to a pod that has one of the same name.", input: groveMode, want: inGroups("default", nil),
			worker: replace(gpuWorker, `"extraPodSpec":{`, `"extraPodSpec":{"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"mine"}],`),
		},
		"NoDriver": {
			reason: "Grove cannot make a domain.", input: groveMode, noDriver: true,
			want: unsupported("multi-node NVLink is on (mnnvl.mode Grove in the input of step plan) for services Worker, and the API group resource.nvidia.com is not served by the cluster: " +
				"install the NVIDIA DRA driver, v25.8 or later, opt out with annotation grove.io/auto-mnnvl: disabled, or let the platform set mnnvl.mode to Disabled"),
		},
		"BadGroups": {
			reason: "A group is a label.", input: groveMode, group: "A_b", serviceGroup: "-",
			want: invalid(onGraphGroup + `: Invalid value: "A_b": ` + notALabel + `; ` + onServiceGroup + `: Invalid value: "-": ` + notALabel),
		},
		"LongGroup": {
			reason: "The domain is called after it.", input: groveMode, group: long,
			want: invalid(onGraphGroup + `: Invalid value: "` + long + `": makes the name of the ComputeDomain, llama-0-` + long + `, longer than 63 characters: shorten it`),
		},
		"Conflict": {
			reason: "Two places must agree.", input: groveMode, group: "a", specGroup: "b",
			want: invalid(`spec.annotations[grove.io/mnnvl-group]: Invalid value: "b": differs from metadata.annotations[grove.io/mnnvl-group], which is "a": remove one of the two`),
		},
		"DisabledWithGroup": {
			reason: "A graph without a domain has no group.", input: groveMode, graph: "disabled", group: "a",
			want: invalid(onGraphGroup + `: Invalid value: "a": contradicts ` + onGraphPath + `, which is "disabled": remove one of the two`),
		},
		"ServiceDisabledWithGroup": {
			reason: "Nor has a service.", input: groveMode, service: "disabled", serviceGroup: "a",
			want: invalid(onServiceGroup + `: Invalid value: "a": contradicts ` + onServicePath + `, which is "disabled": remove one of the two`),
		},
		"ServiceEnabledWithNone": {
			reason: "Nor the other way.", input: groveMode, service: "enabled", serviceGroup: "none",
			want: invalid(onServicePath + `: Invalid value: "enabled": contradicts ` + onServiceGroup + `, which is "none": remove one of the two`),
		},
		"ServiceEnabledInNone": {
			reason: "Also where the graph says none.", input: groveMode, service: "enabled", group: "none",
			want: invalid(onServicePath + `: Invalid value: "enabled": contradicts ` + onGraphGroup + `, which is "none": remove one of the two`),
		},
		"GroupOfPods": {
			reason: "It would win over the service's.", input: groveMode, worker: `{"extraPodMetadata":{"annotations":{"grove.io/mnnvl-group":"x"}},` + workerImage + `}`,
			want: invalid(`spec.services[Worker].extraPodMetadata.annotations[grove.io/mnnvl-group]: Invalid value: "x": is not read here: set it in annotations of the service`),
		},
	})
}

// TestNewGroveOld goes through new graphs on a Grove that makes one domain for each graph.
func TestNewGroveOld(t *testing.T) {
	const needs = "NVLink domains for a part of a graph need Grove v0.1.0-alpha.9 or later, and this one is older (topology dialect PackDomain): " +
		"remove the annotation, set grove.io/auto-mnnvl: disabled on the whole graph, or update Grove"
	on := saying("enabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLGrove}))
	compareMNNVL(t, map[string]mnnvlCase{
		"Unset":             {reason: "The graph has a domain.", dialect: "PackDomain", input: groveMode, want: on},
		"Detected":          {reason: "The cluster tells the version.", dialect: "Auto", input: groveMode, want: inGroups("default", nil)},
		"Alpha9":            {reason: "Groups came with alpha.9.", dialect: "PackDomainWithTopologyName", input: groveMode, want: inGroups("default", nil)},
		"Disabled":          {reason: "It opts out.", dialect: "PackDomain", input: groveMode, graph: "disabled", want: saying("disabled", plain(graphplan.MNNVL{}))},
		"NoGPUs":            {reason: "Without GPUs there is nothing to do.", dialect: "PackDomain", input: groveMode, worker: noGPUWorker, want: plain(graphplan.MNNVL{})},
		"ServiceDisabled":   {reason: "One service cannot.", dialect: "PackDomain", input: groveMode, service: "disabled", want: invalid(onServicePath + disabledIs + needs)},
		"NoGPUsAndDisabled": {reason: "Unless it has no part in it.", dialect: "PackDomain", input: groveMode, service: "disabled", worker: noGPUWorker + `,"Decode":` + singleWorker, want: on},
		"Group":             {reason: "There are no groups.", dialect: "PackDomain", input: groveMode, group: "x", want: invalid(`metadata.annotations[grove.io/mnnvl-group]: Invalid value: "x": ` + needs)},
		"GroupOfService":    {reason: "None at all.", dialect: "PackDomain", input: groveMode, serviceGroup: "none", want: invalid(onServiceGroup + `: Invalid value: "none": ` + needs)},
	})
}

// TestGroveElsewhere shows that graphs off Grove are told why they have no domain.
func TestGroveElsewhere(t *testing.T) {
	const (
		refused = "NVLink domains are made by Grove here (mnnvl.mode Grove in the input of step plan), and LeaderWorkerSet runs the graph: remove the annotation, run the graph on Grove, or let the platform set mnnvl.mode to Auto"
		without = "spec.services[Worker]: the pods get no NVLink domain: Grove makes them here (mnnvl.mode Grove in the input of step plan), and %s runs the graph; run it on Grove, or let the platform set mnnvl.mode to Auto"
	)
	off := graphplan.MNNVL{}
	compareMNNVL(t, map[string]mnnvlCase{
		"Enabled":         {reason: "Who asks for it is refused.", on: graphplan.LeaderWorkerSet, input: groveMode, graph: "enabled", want: invalid(onGraphPath + enabledIs + refused)},
		"EnabledService":  {reason: "For one service too.", on: graphplan.LeaderWorkerSet, input: groveMode, service: "enabled", want: invalid(onServicePath + enabledIs + refused)},
		"Unset":           {reason: "Who does not is warned.", on: graphplan.LeaderWorkerSet, input: groveMode, want: warned(sprintf(without, "LeaderWorkerSet"), off)},
		"OnDeployment":    {reason: "Who does not is warned.", on: graphplan.Deployment, input: groveMode, want: warned(sprintf(without, "Deployment"), off)},
		"Disabled":        {reason: "Who wants none is not.", on: graphplan.LeaderWorkerSet, input: groveMode, graph: "disabled", want: plain(off)},
		"DisabledService": {reason: "Who wants none is not.", on: graphplan.LeaderWorkerSet, input: groveMode, service: "disabled", want: plain(off)},
		"NoGPUs":          {reason: "Nor who has no use for one.", on: graphplan.LeaderWorkerSet, input: groveMode, worker: noGPUWorker, noDriver: true, want: plain(off)},
	})
}

// TestLiveGrove goes through graphs whose domains Grove makes.
func TestLiveGrove(t *testing.T) {
	const (
		status      = `{"orchestrator":"Grove","mnnvl":{"mode":"Grove"}}`
		wasDisabled = `cannot change after creation; it was "disabled"` + putBack
		wasDefault  = `cannot change after creation; it was "default"` + putBack
		claimed     = "cannot change after creation; the pods of the service were created with an NVLink domain" + putBack
	)
	old := setOf(`{"grove.io/auto-mnnvl":"enabled"}`, `{}`, withGPUs)
	grouping := func(set, ofWorker string) map[string]string {
		return setOf(`{"grove.io/mnnvl-group":"`+set+`"}`, ofWorker, withGPUs)
	}
	inOld := saying("enabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLGrove}))
	worker := func(group string) map[string]string { return map[string]string{"Worker": group} }
	compareMNNVL(t, map[string]mnnvlCase{
		"Old":            {reason: "It stays as it is.", dialect: "PackDomain", input: groveMode, status: status, observed: old, want: inOld},
		"OldUpdated":     {reason: "Also when Grove is updated.", input: groveMode, status: status, observed: old, want: inOld},
		"NowAuto":        {reason: "Whatever the mode is now.", input: autoMode, status: status, observed: old, want: inOld},
		"NowDisabled":    {reason: "Whatever the mode is now.", status: status, observed: grouping("default", `{}`), want: inGroups("default", nil)},
		"NoStatus":       {reason: "The first run composed the set and failed later.", input: groveMode, observed: grouping("default", `{}`), want: inGroups("default", nil)},
		"NoStatusOld":    {reason: "Also in the old dialect.", input: groveMode, observed: old, want: inOld},
		"SetByGrove":     {reason: "Grove's webhook turned on what the platform left off, and the status says what was decided.", status: `{"orchestrator":"Grove","mnnvl":{"mode":"Disabled"}}`, observed: old, want: saying("enabled", plain(graphplan.MNNVL{}))},
		"NotYetThere":    {reason: "The set could not be created so far.", input: groveMode, status: status, want: inGroups("default", nil)},
		"Groups":         {reason: "Groups stay.", input: groveMode, status: status, group: "a", observed: grouping("a", `{}`), want: inGroups("a", nil)},
		"GroupOfService": {reason: "Also that of a service.", input: groveMode, status: status, serviceGroup: "b", observed: ofCliques(grouping("default", `{"grove.io/mnnvl-group":"b"}`), `{"grove.io/mnnvl-group":"b"}`), want: inGroups("default", worker("b"))},
		"NoMoreGPUs":     {reason: "And when nobody has a use for them.", input: groveMode, status: status, worker: noGPUWorker, observed: grouping("default", `{}`), want: inGroups("default", nil)},
		"PassedOn": {
			reason: "Groups that were passed on before the mode was known stay on the cliques.", specGroup: "a", serviceGroup: "b",
			observed: grouped(`{"grove.io/mnnvl-group":"a"}`, `{"grove.io/mnnvl-group":"b"}`), want: inGroups("a", nil),
		},

		"GroupChanged":    {reason: "Grove refuses another group.", input: groveMode, status: status, group: "a", observed: grouping("default", `{}`), want: changed(`metadata.annotations[grove.io/mnnvl-group]: Invalid value: "a": ` + wasDefault)},
		"GroupOfNone":     {reason: "And one that was not there.", input: groveMode, status: status, serviceGroup: "b", observed: grouping("default", `{}`), want: changed(onServiceGroup + `: Invalid value: "b": cannot change after creation; it was ""` + putBack)},
		"OptOut":          {reason: "A graph cannot opt out.", graph: "disabled", status: status, observed: old, want: changed(onGraphPath + disabledIs + createdWith)},
		"OptOutOfGroups":  {reason: "In neither dialect.", graph: "disabled", status: status, observed: grouping("default", `{}`), want: changed(onGraphPath + disabledIs + createdWith)},
		"OffGrove":        {reason: "A status that cannot be true is none.", on: graphplan.LeaderWorkerSet, status: `{"orchestrator":"LeaderWorkerSet","mnnvl":{"mode":"Grove"}}`, want: plain(graphplan.MNNVL{})},
		"OptOutService":   {reason: "Nor can a service.", service: "disabled", status: status, observed: grouping("default", `{}`), want: changed(onServicePath + disabledIs + claimed)},
		"OptInService":    {reason: "Nor can it come back.", status: status, observed: grouping("default", `{"grove.io/mnnvl-group":"none"}`), want: changed(onServicePath + `: Invalid value: "": ` + wasDisabled)},
		"StaysOutService": {reason: "It may stay out.", service: "disabled", status: status, observed: grouping("default", `{"grove.io/mnnvl-group":"none"}`), want: inGroups("default", worker("none"))},
		"DriverGone": {
			reason: "Nothing is changed while the kind of the domain is not there.", status: status, observed: old, noDriver: true,
			want: unsupported("the graph has an NVLink domain, and the API group resource.nvidia.com is not served by the cluster any more: " +
				"nothing is changed until it is back; to run the graph without a domain, delete and recreate it with annotation grove.io/auto-mnnvl: disabled"),
		},
	})
}
