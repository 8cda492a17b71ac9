package foundation

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
)

// scalingAdapters of the components that have one.
func (f *foundation) scalingAdapters() []composed {
	var all []composed
	for _, adapter := range f.graph.Adapters() {
		if f.plan.Components[adapter.Unit[0].Component].ScalingAdapter {
			all = append(all, composed{adapter.Key, scaling.AdapterOf(&adapter, f.observed[string(adapter.Key)].GetResource())})
		}
	}
	return all
}
