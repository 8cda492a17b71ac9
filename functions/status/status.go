package status

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
)

// writeStatus sets the status of the desired composite resource. Fields that other functions set are kept.
func writeStatus(call *step.Call, r *readiness.Readiness, components map[string]workload.Workload) error {
	rsp, g, p := call.Response, call.Graph, call.Plan
	status := v1alpha1.DynamoGraphDeploymentStatus{
		State:              r.State(),
		ObservedGeneration: g.Generation,
		Orchestrator:       string(p.Orchestrator),
		MNNVL:              mnnvlOf(p),
		TotalGPUs:          p.TotalGPUs,
		ReadyComponents:    r.ReadyOf(components),
		RuntimeVersion:     runtimeVersions(p),
		Services:           map[string]v1alpha1.ServiceStatus{},
		Restart:            restart.Status(p),
		Checkpoints:        checkpointStatus(call.Response.GetDesired().GetResources(), call.Graph, p),
	}
	for name, w := range components {
		service := w.Status()
		if planned, ok := p.Components[name]; ok {
			service.RuntimeVersion = planned.RuntimeVersion.String()
			if planned.Executor != "" {
				service.Executor = &v1alpha1.ServiceExecutor{Name: planned.Executor, Reason: planned.ExecutorReason()}
			}
		}
		service.RuntimeNamespace = reportedNamespace(call, name, w)
		addForPlanners(call, name, w, &service)
		status.Services[name] = service
	}
	own, err := structs.Of(status)
	if err != nil {
		return errors.Wrap(err, "cannot encode the status")
	}
	inForm(own, g.Form)
	fields, key := statusOf(rsp), g.Form.Key()
	keepRevisions(fields[key].GetStructValue(), own.GetFields()[key].GetStructValue())
	maps.Copy(fields, own.GetFields())
	return nil
}

// runtimeVersions are the releases of Dynamo in the images of a graph, from the oldest to the newest. Nearly all graphs have one.
func runtimeVersions(p *graphplan.Plan) string {
	var versions []runtime.Version
	for _, component := range p.Components {
		versions = append(versions, component.RuntimeVersion)
	}
	slices.SortFunc(versions, runtime.Version.Compare)
	var texts []string
	for _, version := range versions {
		texts = append(texts, version.String())
	}
	return strings.Join(slices.Compact(texts), ", ")
}

// inForm moves the components of a status to where the form of the graph has them. A component has no componentName, which is one of its
// componentNames.
func inForm(status *structpb.Struct, form graph.Form) {
	if form == graph.Services {
		return
	}
	components := status.GetFields()[graph.Services.Key()]
	for _, component := range components.GetStructValue().GetFields() {
		delete(component.GetStructValue().GetFields(), "componentName")
	}
	delete(status.GetFields(), graph.Services.Key())
	status.Fields[form.Key()] = components
}

// workloads that run each component.
func workloads(req *fnv1.RunFunctionRequest, g *graph.Graph, p *graphplan.Plan) map[string]workload.Workload {
	return workload.Of(g, p, req.GetObserved().GetResources(), g.ComponentNames()...)
}

// statusOf the desired composite resource, created if it is missing.
func statusOf(rsp *fnv1.RunFunctionResponse) map[string]*structpb.Value {
	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}
	if rsp.GetDesired().GetComposite() == nil {
		rsp.Desired.Composite = &fnv1.Resource{}
	}
	xr := rsp.GetDesired().GetComposite()
	if xr.GetResource() == nil {
		xr.Resource = &structpb.Struct{}
	}
	if xr.Resource.Fields == nil {
		xr.Resource.Fields = map[string]*structpb.Value{}
	}
	status := xr.GetResource().GetFields()["status"].GetStructValue()
	if status == nil {
		status = &structpb.Struct{}
		xr.Resource.Fields["status"] = structpb.NewStructValue(status)
	}
	if status.Fields == nil {
		status.Fields = map[string]*structpb.Value{}
	}
	return status.GetFields()
}
