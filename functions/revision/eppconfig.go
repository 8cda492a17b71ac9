package revision

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// awaitEPPConfig is what an Endpoint Picker runs, until its ConfigMap has the configuration with which its pods are to start. nil if it has, or if
// nothing tells what runs. Crossplane applies objects in any order, and goes on when it cannot apply one, so new pods might read the old content,
// and would keep it.
func awaitEPPConfig(call *step.Call, s *running, h history) *component {
	content := func(of *fnv1.State) string {
		return tree.Text(of.GetResources()[string(names.KeyEPPConfigMap)].GetResource(), pod.EPPConfigKey, "data")
	}
	observed := content(call.Request.GetObserved())
	if observed == "" || observed == content(call.Response.GetDesired()) || len(s.workloads) == 0 || !call.Graph.Component(s.name).HasEPPConfig() {
		return nil
	}
	first := s.workloads[0]
	r := h.running(first)
	if r == nil || r.components[s.name] == nil {
		return nil
	}
	runs, err := decodeComponent(r.components[s.name], first.pods)
	if err != nil {
		return nil
	}
	return runs
}
