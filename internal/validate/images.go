package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// images warns of names that cannot be pulled, such as one with a placeholder. They get no pull secret either.
func (w *warnings) images(path *field.Path, s *graph.Component) {
	check := func(fieldPath *field.Path, image string) {
		if image != "" && pod.RegistryOf(image) == "" {
			w.add(fieldPath.Child("image"), "%q is not a valid image name; the pods cannot start", image)
		}
	}
	for _, c := range containersOf(path, s) {
		check(c.path, c.Image)
	}
	if s.Sidecar != nil {
		check(path.Child("frontendSidecar"), s.Sidecar.Image)
	}
}
