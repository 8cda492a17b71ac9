package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
)

// compilationCache warns of a cache that the engine does not use, because it has no variable for the path.
func (w *warnings) compilationCache(path *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	framework, err := frameworkOf(g, s)
	if err != nil || engine.Of(framework).CacheVariable != "" {
		return
	}
	for i, mount := range s.VolumeMounts {
		if mount.UseAsCompilationCache {
			w.add(path.Child("volumeMounts").Index(i).Child("useAsCompilationCache"),
				"only mounts the volume, because only vLLM workers are configured to use the cache; set the environment variable of the engine in envs")
		}
	}
}
