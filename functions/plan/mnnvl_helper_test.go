package plan_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// mnnvlOutcome is what a request leads to, as far as multi-node NVLink goes.
type mnnvlOutcome struct {
	// Reason and Message of condition Accepted.
	Reason, Message string

	MNNVL graphplan.MNNVL

	// Annotations of the PodCliqueSet, and of scaling groups or cliques.
	AutoMNNVL, Group string
	Groups           map[string]string
}

// outcomeOf a request. One whose requirements are not all there has none.
func outcomeOf(t *testing.T, req *fnv1.RunFunctionRequest) mnnvlOutcome {
	t.Helper()
	rsp := run(t, req)
	out := mnnvlOutcome{}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == condition.TypeAccepted {
			out.Reason, out.Message = c.GetReason(), c.GetMessage()
		}
	}
	refused := len(rsp.GetResults()) > 0 && rsp.GetResults()[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL
	if refused == strings.HasPrefix(out.Reason, "Valid") {
		t.Fatalf("Accepted is %s, and the results are %v", out.Reason, rsp.GetResults())
	}
	if refused {
		return out
	}
	plan := planIn(t, rsp)
	out.MNNVL = plan.MNNVL
	if plan.Grove != nil {
		out.AutoMNNVL, out.Group, out.Groups = plan.Grove.AutoMNNVL, plan.Grove.MNNVLGroup, plan.Grove.MNNVLGroups
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

	// graph, spec and service are the values of annotation grove.io/auto-mnnvl, in metadata, spec and service Worker.
	graph, spec, service string

	// group, specGroup and serviceGroup are those of annotation grove.io/mnnvl-group.
	group, specGroup, serviceGroup string

	// worker is service Worker. If nil, it has GPUs and spans two nodes, or runs on one node when Deployments run the graph.
	worker *v1alpha1.Service

	// others are services beside Frontend and Worker.
	others map[string]*v1alpha1.Service

	// observed are the composed resources by key.
	observed map[string]any

	// refs are the references of the composite resource.
	refs []corev1.ObjectReference

	status *v1alpha1.DynamoGraphDeploymentStatus

	// noDriver says that the group of the driver is not served.
	noDriver bool

	want mnnvlOutcome
}

func (c *mnnvlCase) request(t *testing.T) *fnv1.RunFunctionRequest {
	t.Helper()
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
	maps.Copy(annotated.Annotations, annotationsOf(c.service, c.serviceGroup))
	services := map[string]v1alpha1.Service{"Frontend": *plantest.ServiceOf("frontend", "python3", "-m", "dynamo.frontend"), "Worker": annotated}
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

func compareMNNVL(t *testing.T, cases map[string]mnnvlCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, outcomeOf(t, tc.request(t))); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// autoOf is the decision that Worker takes part.
func autoOf(scope graphplan.MNNVLScope) graphplan.MNNVL {
	return graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: []string{"nvidia.com/gpu"}}}}
}

const (
	onServiceGroup = "spec.services[Worker].annotations[grove.io/mnnvl-group]"
	composedHere   = "requests an NVLink domain from Grove, but the domains of this graph are composed by step computedomain (mnnvl.mode Auto in the input of step plan); remove the annotation, or let the platform set mnnvl.mode to Grove for new graphs"
)

func sprintf(format, value string) string { return strings.Replace(format, "%s", value, 1) }
