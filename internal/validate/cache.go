package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// compilationCache warns of a cache that the engine does not use, because it has no variable for the path or because the volume is
// read-only.
func (w *warnings) compilationCache(path *field.Path, g *graph.Graph, s *graph.Component) {
	for i, mount := range s.VolumeMounts {
		if mount.UseAsCompilationCache && isReadOnly(s, mount.Name) {
			w.add(path.Child("volumeMounts").Index(i).Child("useAsCompilationCache"),
				"the engine cannot write its compilation cache, because the volume is read-only; remove readOnly in {{podTemplate.spec.volumes}}")
		}
	}
	framework, err := frameworkOf(g, s)
	if err != nil || engine.Of(framework).CacheVariable != "" {
		return
	}
	for i, mount := range s.VolumeMounts {
		if mount.UseAsCompilationCache {
			w.add(path.Child("volumeMounts").Index(i).Child("useAsCompilationCache"),
				"only mounts the volume, because only vLLM workers are configured to use the cache; set the environment variable of the engine in {{env}}")
		}
	}
}

// isReadOnly reports whether the user has defined a claim of a component as a read-only volume.
func isReadOnly(s *graph.Component, claim string) bool {
	return slices.ContainsFunc(s.Pod().Volumes, func(volume corev1.Volume) bool {
		return volume.Name == claim && volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ReadOnly
	})
}
