package releases

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ContainerWarnings name init containers that have the name of the one for the runtime, and in which it does not run.
func ContainerWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var warnings message.List
	for _, component := range f.Graph.ComponentsByName() {
		i := pod.NamedRuntime(component)
		if i < 0 || component.HasRuntimeContainer() {
			continue
		}
		if text := likeOthers(f, component.Name, components[component.Name].RuntimeVersion); text != "" {
			path := graph.PodPath(graph.ComponentPath(component.Name), "initContainers").Index(i)
			warnings = append(warnings, message.About(path, "%s", text))
		}
	}
	return warnings
}

// likeOthers is why an init container with the name of the one for the runtime is like others, and what to do. Empty if nobody expects more.
// componentVersion is that of its main container.
func likeOthers(f *subject.Facts, name string, componentVersion runtime.Version) string {
	component, since := f.Graph.Component(name), runtime.RuntimeContainer.Since()
	container, _ := pod.RuntimeContainer(component)
	switch {
	case container != nil:
		version, source := input.RuntimePolicy(f.Input).Resolve(runtime.Component{Override: component.RuntimeVersionOverride, Image: container.Image})
		if !source.IsAssumed() && !version.Has(runtime.RuntimeContainer) {
			return fmt.Sprintf("is an init container like others, because it has Dynamo %s: only since %s does the runtime run in it, beside its engine; use a newer image, set runtimeVersionOverride to the release in it, or rename the container",
				version, since)
		}
		return fmt.Sprintf("stays an init container like others until its image changes, because pods run with it; since Dynamo %s the runtime runs in a container with this name, so rename it if it is something else", since)
	case !componentVersion.Has(runtime.RuntimeContainer):
		return ""
	case component.IsWorker():
		return fmt.Sprintf("has the name of the container in which the runtime can run since Dynamo %s, but is an init container like others, because it ends before the main container starts; set restartPolicy to Always if it is the runtime, otherwise rename it", since)
	default:
		return fmt.Sprintf("has the name of the container in which the runtime of workers can run since Dynamo %s, but is an init container like others, because this is no worker; rename it", since)
	}
}
