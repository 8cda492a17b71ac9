package mnnvl_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// inGroups is a graph whose domains Grove makes.
func inGroups(set string, components map[string]string) outcome {
	return outcome{MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}, Group: set, Groups: components}
}

// TestNewGrove goes through new graphs where Grove makes the domains, by group.
func TestNewGrove(t *testing.T) {
	const (
		long = "x234567890123456789012345678901234567890123456789012345678"
	)
	off, worker := plain(graphplan.MNNVL{}), func(group string) map[string]string { return map[string]string{"Worker": group} }
	withGroup := func(o outcome, group string) outcome {
		o.Group = group
		return o
	}
	compare(t, map[string]mnnvlCase{
		"Unset":           {reason: "All GPU pods are in one group.", input: groveMode(), want: inGroups("default", nil)},
		"Enabled":         {reason: "A graph and its service may ask for the domain that they get anyway.", input: groveMode(), graph: "enabled", component: "enabled", want: inGroups("default", nil)},
		"Group":           {reason: "A graph can name its group in metadata.annotations.", input: groveMode(), group: "rack", want: inGroups("rack", nil)},
		"GroupInSpec":     {reason: "A graph can name its group in spec.annotations.", input: groveMode(), specGroup: "rack", want: inGroups("rack", nil)},
		"GroupOfService":  {reason: "A service can have a group of its own.", input: groveMode(), componentGroup: "mine", want: inGroups("default", worker("mine"))},
		"ServiceAlone":    {reason: "A service can have a group when the group of the graph is none.", input: groveMode(), group: "none", componentGroup: "mine", want: inGroups("none", worker("mine"))},
		"ServiceDisabled": {reason: "A service can opt out with annotation grove.io/auto-mnnvl.", input: groveMode(), component: "disabled", worker: gpuWorker(), others: map[string]*v1alpha1.Service{"Decode": singleWorker()}, want: inGroups("default", worker("none"))},
		"ServiceNone":     {reason: "A service can opt out with group none.", input: groveMode(), componentGroup: "none", worker: gpuWorker(), others: map[string]*v1alpha1.Service{"Decode": singleWorker()}, want: inGroups("default", worker("none"))},
		"NobodyLeft":      {reason: "Without a service that takes part, there is no domain.", input: groveMode(), component: "disabled", want: off},
		"Disabled":        {reason: "A graph can opt out with annotation grove.io/auto-mnnvl.", input: groveMode(), graph: "disabled", want: saying("disabled", off)},
		"DisabledNone":    {reason: "A graph may opt out with both annotations.", input: groveMode(), graph: "disabled", specGroup: "none", want: saying("disabled", withGroup(off, "none"))},
		"None":            {reason: "A graph can opt out with group none.", input: groveMode(), specGroup: "none", want: withGroup(off, "none")},
		"NoGPUs":          {reason: "Without GPUs there is nothing to do.", input: groveMode(), worker: noGPUWorker(), want: off},
		"NoGPUsEnabled": {
			reason: "A user who asks for a domain that no service can use is warned.", input: groveMode(), graph: "enabled", component: "enabled", worker: noGPUWorker(),
			want: warned(graphplan.MNNVL{}, onGraph, onComponent),
		},
		"OtherType": {
			otherwise: true, reason: "Grove recognizes only GPUs named nvidia.com/gpu.", input: groveMode(), worker: gpuWorker(requestingOther),
			want: warned(graphplan.MNNVL{}, "spec.components[Worker]"),
		},
		"OwnClaims": {
			reason: "Grove adds a second claim to pods that have claims of their own, so the user is warned.", input: groveMode(), worker: gpuWorker(claiming("channel", "mine")),
			want: outcome{
				MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}, Group: "default", Said: plantest.Warned(rule.NVLink, "spec.components[Worker].podTemplate.spec.resourceClaims"),
			},
		},
		"OwnClaimOfGrovesName": {
			reason: "Grove adds no claim to a pod that has one of the same name.", input: groveMode(), want: inGroups("default", nil),
			worker: gpuWorker(claiming("mnnvl-claim", "mine")),
		},
		"NoDriver": {
			reason: "Grove cannot make a domain without the NVIDIA DRA driver.", input: groveMode(), noDriver: true,
			want: unsupported(),
		},
		"BadGroups": {
			reason: "A group must be a DNS label.", input: groveMode(), group: "A_b", componentGroup: "-",
			want: invalid(onGraphGroup, onComponentGroup),
		},
		"LongGroup": {
			reason: "The ComputeDomain is named after the group, whose name must be short enough.", input: groveMode(), group: long,
			want: invalid(onGraphGroup),
		},
		"Conflict": {
			reason: "The two places where a graph names its group must agree.", input: groveMode(), group: "a", specGroup: "b",
			want: invalid("spec.annotations[grove.io/mnnvl-group]"),
		},
		"DisabledWithGroup": {
			reason: "A graph without a domain has no group.", input: groveMode(), graph: "disabled", group: "a",
			want: invalid(onGraphGroup),
		},
		"ServiceDisabledWithGroup": {
			reason: "A service without a domain has no group.", input: groveMode(), component: "disabled", componentGroup: "a",
			want: invalid(onComponentGroup),
		},
		"ServiceEnabledWithNone": {
			reason: "A service in group none cannot ask for a domain.", input: groveMode(), component: "enabled", componentGroup: "none",
			want: invalid(onComponent),
		},
		"ServiceEnabledInNone": {
			reason: "A service without a group of its own cannot ask for a domain when the group of the graph is none.", input: groveMode(), component: "enabled", group: "none",
			want: invalid(onComponent),
		},
		"GroupOfPods": {
			otherwise: true, reason: "A group in extraPodMetadata is refused, because it would override the group of the service.", input: groveMode(), worker: singleNode(plantest.WithPodAnnotation("grove.io/mnnvl-group", "x")),
			want: invalid("spec.components[Worker].podTemplate.metadata.annotations[grove.io/mnnvl-group]"),
		},
	})
}

// TestNewGroveOld goes through new graphs on a Grove that makes one domain for each graph.
func TestNewGroveOld(t *testing.T) {
	on := saying("enabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLGrove}))
	compare(t, map[string]mnnvlCase{
		"Unset":             {reason: "An older Grove makes one domain for the whole graph.", dialect: "PackDomain", input: groveMode(), want: on},
		"Detected":          {reason: "With dialect Auto, the cluster shows which version of Grove is installed.", dialect: "Auto", input: groveMode(), want: inGroups("default", nil)},
		"Alpha9":            {reason: "Groups were added in Grove v0.1.0-alpha.9.", dialect: "PackDomainWithTopologyName", input: groveMode(), want: inGroups("default", nil)},
		"Disabled":          {reason: "A graph can opt out on an older Grove.", dialect: "PackDomain", input: groveMode(), graph: "disabled", want: saying("disabled", plain(graphplan.MNNVL{}))},
		"NoGPUs":            {reason: "Without GPUs there is nothing to do.", dialect: "PackDomain", input: groveMode(), worker: noGPUWorker(), want: plain(graphplan.MNNVL{})},
		"ServiceDisabled":   {reason: "A single service cannot opt out on an older Grove.", dialect: "PackDomain", input: groveMode(), component: "disabled", want: invalid(onComponent)},
		"NoGPUsAndDisabled": {reason: "A service without GPUs may opt out on an older Grove.", dialect: "PackDomain", input: groveMode(), component: "disabled", worker: noGPUWorker(), others: map[string]*v1alpha1.Service{"Decode": singleWorker()}, want: on},
		"Group":             {reason: "A graph cannot name a group on an older Grove.", dialect: "PackDomain", input: groveMode(), group: "x", want: invalid(onGraphGroup)},
		"GroupOfService":    {reason: "A service cannot name a group on an older Grove, not even none.", dialect: "PackDomain", input: groveMode(), componentGroup: "none", want: invalid(onComponentGroup)},
	})
}

// TestGroveElsewhere shows that graphs off Grove are told why they have no domain.
func TestGroveElsewhere(t *testing.T) {
	off := graphplan.MNNVL{}
	compare(t, map[string]mnnvlCase{
		"Enabled":         {reason: "A graph off Grove that asks for a domain is refused when Grove makes the domains.", on: graphplan.LeaderWorkerSet, input: groveMode(), graph: "enabled", want: invalid(onGraph)},
		"EnabledService":  {reason: "A graph off Grove with a service that asks for a domain is refused when Grove makes the domains.", on: graphplan.LeaderWorkerSet, input: groveMode(), component: "enabled", want: invalid(onComponent)},
		"Unset":           {reason: "A graph on LeaderWorkerSets is warned that it gets no domain when Grove makes the domains.", on: graphplan.LeaderWorkerSet, input: groveMode(), want: warned(off, "spec.components[Worker]")},
		"OnDeployment":    {reason: "A graph on Deployments is warned that it gets no domain when Grove makes the domains.", on: graphplan.Deployment, input: groveMode(), want: warned(off, "spec.components[Worker]")},
		"Disabled":        {reason: "A graph off Grove that opts out is not warned.", on: graphplan.LeaderWorkerSet, input: groveMode(), graph: "disabled", want: plain(off)},
		"DisabledService": {reason: "A graph off Grove whose service opts out is not warned.", on: graphplan.LeaderWorkerSet, input: groveMode(), component: "disabled", want: plain(off)},
		"Group":           {reason: "A group off Grove is refused.", on: graphplan.LeaderWorkerSet, input: groveMode(), group: "x", want: invalid(onGraphGroup)},
		"NoGroup":         {reason: "A service off Grove in no group is not warned of.", on: graphplan.LeaderWorkerSet, input: groveMode(), componentGroup: "none", want: plain(off)},
		"NoGPUs":          {reason: "A graph off Grove without GPUs is not warned.", on: graphplan.LeaderWorkerSet, input: groveMode(), worker: noGPUWorker(), noDriver: true, want: plain(off)},
	})
}

// TestLiveGrove goes through graphs whose domains Grove makes.
func TestLiveGrove(t *testing.T) {
	old := setOf(annotationsOf("enabled", ""), nil, withGPUs)
	status := statusOf(graphplan.Grove, "Grove", "")
	grouping := func(set, ofWorker string) map[string]any {
		return setOf(annotationsOf("", set), annotationsOf("", ofWorker), withGPUs)
	}
	inOld := saying("enabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLGrove}))
	worker := func(group string) map[string]string { return map[string]string{"Worker": group} }
	compare(t, map[string]mnnvlCase{
		"Old":            {reason: "A graph on an older Grove keeps its domain.", dialect: "PackDomain", input: groveMode(), status: status, observed: old, want: inOld},
		"OldUpdated":     {reason: "A graph on an older Grove keeps its domain when Grove is updated.", input: groveMode(), status: status, observed: old, want: inOld},
		"NowAuto":        {reason: "A graph that an older Grove gave a domain keeps it when the mode becomes Auto.", input: autoMode(), status: status, observed: old, want: inOld},
		"NowDisabled":    {reason: "A graph with groups keeps them when the mode becomes Disabled.", status: status, observed: grouping("default", ""), want: inGroups("default", nil)},
		"NoStatus":       {reason: "The PodCliqueSet shows the group when the first run failed before it wrote the status.", input: groveMode(), observed: grouping("default", ""), want: inGroups("default", nil)},
		"NoStatusOld":    {reason: "The PodCliqueSet of an older Grove shows the domain when the first run failed before it wrote the status.", input: groveMode(), observed: old, want: inOld},
		"SetByGrove":     {reason: "Grove's webhook turned on what the platform left off, and the status says what was decided.", status: statusOf(graphplan.Grove, "Disabled", ""), observed: old, want: saying("enabled", plain(graphplan.MNNVL{}))},
		"NotYetThere":    {reason: "The status shows that Grove makes the domain while the PodCliqueSet cannot be created.", input: groveMode(), status: status, want: inGroups("default", nil)},
		"Groups":         {reason: "The group of a live graph stays.", input: groveMode(), status: status, group: "a", observed: grouping("a", ""), want: inGroups("a", nil)},
		"GroupOfService": {reason: "The group of a service of a live graph stays.", input: groveMode(), status: status, componentGroup: "b", observed: setOfCliques(annotationsOf("", "default"), annotationsOf("", "b"), annotationsOf("", "b"), withGPUs), want: inGroups("default", worker("b"))},
		"NoMoreGPUs":     {reason: "The group of a live graph stays when no service has GPUs any more.", input: groveMode(), status: status, worker: noGPUWorker(), observed: grouping("default", ""), want: inGroups("default", nil)},
		"PassedOn": {
			reason: "Groups that were passed on before the mode was known stay on the cliques.", specGroup: "a", componentGroup: "b",
			observed: grouped(annotationsOf("", "a"), annotationsOf("", "b")), want: inGroups("a", nil),
		},

		"GroupChanged":    {reason: "Grove refuses to change the group of a live graph.", input: groveMode(), status: status, group: "a", observed: grouping("default", ""), want: changed(onGraphGroup)},
		"GroupOfNone":     {reason: "Grove refuses to add a group to a service of a live graph.", input: groveMode(), status: status, componentGroup: "b", observed: grouping("default", ""), want: changed(onComponentGroup)},
		"OptOut":          {reason: "A live graph that an older Grove gave a domain cannot opt out.", graph: "disabled", status: status, observed: old, want: changed(onGraph)},
		"OptOutOfGroups":  {reason: "A live graph with a group cannot opt out.", graph: "disabled", status: status, observed: grouping("default", ""), want: changed(onGraph)},
		"OffGrove":        {reason: "A status that cannot be true is none.", on: graphplan.LeaderWorkerSet, status: statusOf(graphplan.LeaderWorkerSet, "Grove", ""), want: plain(graphplan.MNNVL{})},
		"OptOutService":   {reason: "A service of a live graph cannot opt out.", component: "disabled", status: status, observed: grouping("default", ""), want: changed(onComponent)},
		"OptInService":    {reason: "A service of a live graph that opted out cannot come back.", status: status, observed: grouping("default", "none"), want: changed(onComponent)},
		"StaysOutService": {reason: "A service of a live graph that opted out may stay out.", component: "disabled", status: status, observed: grouping("default", "none"), want: inGroups("default", worker("none"))},
		"DriverGone": {
			reason: "Nothing is changed while the kind of the domain is not there.", status: status, observed: old, noDriver: true,
			want: unsupported(),
		},
	})
}
