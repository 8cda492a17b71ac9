package mnnvl_test

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// outcome of a request, as far as multi-node NVLink goes. One whose requirements are not all there has none.
type outcome struct {
	Said  []plantest.Said
	MNNVL graphplan.MNNVL

	// Annotations of the PodCliqueSet, and of scaling groups or cliques.
	AutoMNNVL, Group string
	Groups           map[string]string
}

func outcomeOf(of *whole.Outcome) outcome {
	out := outcome{Said: of.Said}
	if of.Plan == nil {
		return out
	}
	out.MNNVL = of.Plan.MNNVL
	if grove := of.Plan.Grove; grove != nil {
		out.AutoMNNVL, out.Group, out.Groups = grove.AutoMNNVL, grove.MNNVLGroup, grove.MNNVLGroups
	}
	return out
}

type mnnvlCase struct {
	reason string

	// on is the orchestrator; Grove when empty.
	on graphplan.Orchestrator

	// input is the field mnnvl of the input.
	input inputv1alpha1.MNNVL

	// dialect of Grove; Pack when empty.
	dialect inputv1alpha1.TopologyDialect

	// graph, spec and component are the values of annotation grove.io/auto-mnnvl, in metadata, spec and component Worker.
	graph, spec, component string

	// group, specGroup and componentGroup are those of annotation grove.io/mnnvl-group.
	group, specGroup, componentGroup string

	// worker is component Worker. If nil, it has GPUs and spans two nodes, or runs on one node when Deployments run the graph.
	worker *v1alpha1.Service

	// others are components beside Frontend and Worker.
	others map[string]*v1alpha1.Service

	// observed are the composed resources by key.
	observed map[string]any

	// refs are the references of the composite resource.
	refs []corev1.ObjectReference

	status *v1alpha1.DynamoGraphDeploymentStatus

	// noDriver says that the group of the driver is not served.
	noDriver bool

	// noChannels says that it is served, and that the driver itself is not installed.
	noChannels bool

	// otherwise says that v1beta1 cannot say the same: its only annotations of a component are those of pods.
	otherwise bool

	want outcome
}

func (c *mnnvlCase) request() *fnv1.RunFunctionRequest {
	xr := plantest.Graph(func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Annotations, xr.Spec = annotationsOf(c.graph, c.group), c.graphSpec()
		if c.status != nil {
			xr.Status = *c.status
		}
	})
	groups := map[graphplan.Orchestrator][]string{"": {"grove"}, graphplan.Grove: {"grove"}, graphplan.LeaderWorkerSet: {"lws", "volcano"}, graphplan.Deployment: nil}
	req := plantest.Request(xr, plantest.WithGroups(groups[c.on]...), plantest.WithTopologyBindings(c.dialect != inputv1alpha1.DialectPackDomain), plantest.WithVolcanoQueue("Open"),
		plantest.WithInput(inputv1alpha1.Policy{MNNVL: c.input, Grove: inputv1alpha1.Grove{TopologyDialect: c.dialect}}))
	if c.refs != nil {
		plantest.WithReferences(c.refs...)(req)
	}
	plantest.WithLost(nil)(req)
	plantest.WithServed("resource-nvidia")(req)
	if c.noDriver {
		plantest.WithoutObject("apiservice-resource-nvidia")(req)
	}
	if c.noChannels {
		plantest.WithServed("resource")(req)
		plantest.WithoutObject("deviceclass-channels")(req)
	}
	for key, object := range c.observed {
		plantest.WithObserved(key, object)(req)
	}
	return req
}

func (c *mnnvlCase) graphSpec() v1alpha1.DynamoGraphDeploymentSpec {
	worker := c.worker
	switch {
	case worker == nil && c.on == graphplan.Deployment:
		worker = singleWorker()
	case worker == nil:
		worker = gpuWorker()
	}
	annotated := *worker
	annotated.Annotations = map[string]string{}
	maps.Copy(annotated.Annotations, worker.Annotations)
	maps.Copy(annotated.Annotations, annotationsOf(c.component, c.componentGroup))
	services := map[string]v1alpha1.Service{"Frontend": *plantest.ComponentOf("frontend", "python3", "-m", "dynamo.frontend"), "Worker": annotated}
	for name, service := range c.others {
		services[name] = *service
	}
	return v1alpha1.DynamoGraphDeploymentSpec{Annotations: annotationsOf(c.spec, c.specGroup), Services: services}
}

func annotationsOf(auto, group string) map[string]string {
	annotations := map[string]string{}
	if auto != "" {
		annotations["grove.io/auto-mnnvl"] = auto
	}
	if group != "" {
		annotations["grove.io/mnnvl-group"] = group
	}
	return annotations
}

func compare(t *testing.T, cases map[string]mnnvlCase) {
	t.Helper()
	whole.Table(t, whole.Rows(cases, func(tc mnnvlCase) whole.Row[outcome] {
		return whole.Row[outcome]{Reason: tc.reason, Request: tc.request(), Want: tc.want, Otherwise: tc.otherwise}
	}), outcomeOf)
}

// autoOf is the decision that Worker takes part.
func autoOf(scope graphplan.MNNVLScope) graphplan.MNNVL {
	return graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: []string{"nvidia.com/gpu"}}}}
}
