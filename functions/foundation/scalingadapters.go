package foundation

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
)

// scalingAdapters of the services that have one.
func (f *foundation) scalingAdapters() []composed {
	var all []composed
	for _, service := range f.graph.ComponentsByName() {
		if f.plan.Services[service.Name].ScalingAdapter {
			key := names.KeyScalingAdapter(service.Name)
			all = append(all, composed{key, scaling.AdapterOf(service, f.observed[string(key)].GetResource())})
		}
	}
	return all
}
