package revision

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// keepAdopted keeps what is fixed of the objects that the graph has adopted, and returns their keys. In their pods that is what
// Services, and pods of services that do not change, know them by.
func keepAdopted(call *step.Call) map[string]bool {
	keys := takeover.Keys(call)
	if len(keys) == 0 {
		return nil
	}
	takeover.Keep(call, keys)
	for _, s := range servicesOf(call) {
		for _, w := range s.workloads {
			live := s.form.read(w.observed)
			if !keys[w.key] || live == nil {
				continue
			}
			// A PodCliqueSet runs several services.
			desired := call.Response.GetDesired().GetResources()[w.key].GetResource()
			replace(call, w.key, s.form.write(desired, identified(s.form, s.form.read(desired), live)))
		}
	}
	return keys
}

// keepUnchanged keeps everything of adopted workloads whose pods stay as they are.
func keepUnchanged(call *step.Call, services []service, keys map[string]bool) {
	if len(keys) == 0 {
		return
	}
	for _, s := range services {
		for _, w := range s.workloads {
			desired := call.Response.GetDesired().GetResources()[w.key].GetResource()
			if keys[w.key] && tree.Equal(s.form.read(desired), s.form.read(w.observed)) {
				replace(call, w.key, takeover.Unchanged(desired, w.observed))
			}
		}
	}
}

// replace a desired object.
func replace(call *step.Call, key string, object *structpb.Struct) {
	resource := call.Response.GetDesired().GetResources()[key]
	call.Response.Desired.Resources[key] = &fnv1.Resource{
		Resource: object, ConnectionDetails: resource.GetConnectionDetails(), Ready: resource.GetReady(),
	}
}

// identified pods are new ones that others know as they know the live ones.
func identified(f form, pods, live *structpb.Struct) *structpb.Struct {
	for _, path := range f.templates() {
		if len(path) == 0 {
			return takeover.WithIdentity(pods, live)
		}
		template := takeover.WithIdentity(tree.At(pods, path...), tree.At(live, path...))
		pods = tree.With(pods, structpb.NewStructValue(template), path[0])
	}
	return pods
}
