package revision

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// namedDifferences is how many fields of an outdated template are named.
const namedDifferences = 3

// pin the pod templates of the desired workloads, and have the gangs of LeaderWorkerSets ask for these pods.
func pin(rsp *fnv1.RunFunctionResponse, components []running, s state, current *revision) error {
	for i := range components {
		component := &components[i]
		for _, w := range component.workloads {
			built := rsp.GetDesired().GetResources()[w.key].GetResource()
			object := s[component.name].pin(component, w, built)
			response.Replace(rsp, w.key, tree.WithText(object, w.id(current.components), metadata.AnnotationRevision, "metadata", "annotations"))
			if object == built || component.numbering == nil {
				continue
			}
			if err := gang.Refit(rsp, component.name, w.replica, built, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// pin the pods of a workload in the object that is desired for it, and note how they differ from the rendered ones.
func (c *component) pin(s *running, w workload, object *structpb.Struct) *structpb.Struct {
	pods := c.podsOf(w.replica)
	if tree.Equal(pods, w.pods) {
		return object
	}
	c.differences = append(c.differences, tree.Differences(pods, w.pods)...)
	return s.write(object, w, s.forReplica(pods, 0, w.replica))
}

// report in the status of each component what it runs. Step status writes everything else of it.
func report(call *step.Call, s state, current *revision) {
	rsp := call.Response
	if rsp.GetDesired().GetComposite() == nil {
		rsp.Desired.Composite = &fnv1.Resource{}
	}
	xr := rsp.GetDesired().GetComposite()
	for _, name := range s.names() {
		value := structpb.NewStructValue(s[name].status(current))
		xr.Resource = tree.With(xr.GetResource(), value, "revision", "status", call.Graph.Form.Key(), name)
	}
}

// status of a component. It has the form of ServiceRevision of the API.
func (c *component) status(current *revision) *structpb.Struct {
	status := &structpb.Struct{Fields: map[string]*structpb.Value{
		"name": structpb.NewStringValue(current.name), "written": structpb.NewStringValue(string(c.written)),
	}}
	if c.release != "" {
		status.Fields["release"] = structpb.NewStringValue(c.release)
	}
	if len(c.differences) > 0 {
		status.Fields["outdated"] = structpb.NewBoolValue(true)
		status.Fields["reason"] = structpb.NewStringValue(reason(c.differences))
	}
	return status
}

// reason for which a component is outdated. The paths are sorted, so that the text stays the same.
func reason(differences []string) string {
	slices.Sort(differences)
	differences = slices.Compact(differences)
	named := strings.Join(differences[:min(len(differences), namedDifferences)], ", ")
	if more := len(differences) - namedDifferences; more > 0 {
		named = fmt.Sprintf("%s and %d more fields", named, more)
	}
	return "the pods of a new graph would differ in " + named
}
