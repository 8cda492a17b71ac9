package validate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/strict"
)

// claims warns of claims whose name is similar to one that the graph defines. Any claim of the namespace can be mounted, and pods wait for
// a claim that does not exist.
func (w *warnings) claims(at *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	var known []string
	for _, claim := range g.Spec.PVCs {
		known = append(known, claim.Name)
	}
	warn := func(path *field.Path, name string) {
		if near := strict.Near(name, known); near != "" {
			w.add(path, fmt.Sprintf("%q is not in spec.pvcs; did you mean %q?", name, near))
		}
	}
	var volumes []corev1.Volume
	if s.ExtraPodSpec != nil {
		volumes = s.ExtraPodSpec.Volumes
	}
	for i, mount := range s.VolumeMounts {
		// A volume with this name is mounted instead of a claim.
		if !slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }) {
			warn(at.Child("volumeMounts").Index(i).Child("name"), mount.Name)
		}
	}
	for i := range volumes {
		if claim := volumes[i].PersistentVolumeClaim; claim != nil {
			warn(at.Child("extraPodSpec", "volumes").Index(i).Child("persistentVolumeClaim", "claimName"), claim.ClaimName)
		}
	}
}
