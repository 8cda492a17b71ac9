package ownership

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// maxMounted is how many claims are looked up. No graph that somebody has written mounts more.
const maxMounted = 32

// Mounts warns of claims that more pods mount than can at the same time. Access modes never change, so only their claims have to exist.
func Mounts(f *subject.Facts) subject.Outcome {
	var outcome subject.Outcome
	mounted := mountsOf(f.Graph)
	all := slices.Sorted(maps.Keys(mounted))
	for _, claim := range all[:min(len(all), maxMounted)] {
		m := mounted[claim]
		if m.pods < 2 || len(validation.IsDNS1123Subdomain(claim)) > 0 || f.Graph.Namespace == "" {
			continue
		}
		by, mode := mountableBy(accessModes(f, &outcome.Requirements, claim))
		if by != "" && (mode == corev1.ReadWriteOncePod || !m.together) {
			outcome.Warn(volumesOf(f.Graph.Component(m.components[0])),
				"mount PersistentVolumeClaim %s with access mode %s, and so does each of %d pods of %s, but only %s can mount it at a time; use a claim with access mode ReadWriteMany, or ReadOnlyMany if the pods only read",
				claim, mode, m.pods, strings.Join(m.components, ", "), by)
		}
	}
	return outcome
}

// mounts of a claim.
type mounts struct {
	pods       int64
	components []string

	// together says that all pods are on one node.
	together bool
}

// volumesOf a component are where its user writes them.
func volumesOf(c *graph.Component) *field.Path {
	if c.HasRoleTemplates() {
		return graph.ComponentPath(c.Name, "roles")
	}
	return graph.PodPath(graph.ComponentPath(c.Name), "volumes")
}

// mountsOf claims in the pods of a graph.
func mountsOf(g *graph.Graph) map[string]mounts {
	all := map[string]mounts{}
	for _, c := range g.ComponentsByName() {
		templates := c.Templates()
		for i, template := range templates {
			nodes := int64(c.Nodes())
			switch {
			case i > 0:
				nodes--
			case len(templates) > 1:
				nodes = 1
			}
			for claim := range claimsIn(template) {
				m, known := all[claim]
				m.pods += int64(c.Replicas()) * nodes
				m.together = staysTogether(template.Pod()) && (m.together || !known)
				if n := len(m.components); n == 0 || m.components[n-1] != c.Name {
					m.components = append(m.components, c.Name)
				}
				all[claim] = m
			}
		}
	}
	return all
}

// claimsIn the volumes of pods.
func claimsIn(template *graph.Component) map[string]bool {
	claims := map[string]bool{}
	volumes := pod.ClaimVolumes(template.Pod().Volumes, template.VolumeMounts)
	for i := range volumes {
		if source := volumes[i].PersistentVolumeClaim; source != nil {
			claims[source.ClaimName] = true
		}
	}
	return claims
}

// staysTogether reports whether the user keeps pods on one node.
func staysTogether(spec *corev1.PodSpec) bool {
	_, selected := spec.NodeSelector[corev1.LabelHostname]
	ofHost := func(t corev1.PodAffinityTerm) bool { return t.TopologyKey == corev1.LabelHostname }
	return selected || spec.NodeName != "" || spec.Affinity != nil && spec.Affinity.PodAffinity != nil &&
		slices.ContainsFunc(spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, ofHost)
}

// accessModes of a claim: of one that exists, or that the graph creates. There are none if it is not known.
func accessModes(f *subject.Facts, r *require.Requirements, name string) []corev1.PersistentVolumeAccessMode {
	object, _ := findPVC(f, r, v1alpha1.PVC{Name: name})
	claim := &corev1.PersistentVolumeClaim{}
	if object != nil && require.Into(object, claim) == nil {
		return claim.Spec.AccessModes
	}
	for _, own := range f.Graph.PVCs {
		if own.Name == name && ptr.Deref(own.Create, false) {
			return []corev1.PersistentVolumeAccessMode{own.VolumeAccessMode}
		}
	}
	return nil
}

// mountableBy says which pods can mount a claim at a time if not all can, and the access mode that limits them. A claim can have several modes.
func mountableBy(modes []corev1.PersistentVolumeAccessMode) (by string, mode corev1.PersistentVolumeAccessMode) {
	for _, m := range modes {
		switch m {
		case corev1.ReadWriteOnce:
			by, mode = "the pods of one node", m
		case corev1.ReadWriteOncePod:
			// Kubernetes allows no other mode beside this one.
			return "one pod", m
		default:
			return "", ""
		}
	}
	return by, mode
}
