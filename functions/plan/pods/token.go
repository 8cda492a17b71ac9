package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// tokenPath is where clients of the Kubernetes API look for the token of their ServiceAccount.
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount" //nolint:gosec // It is a path, and no credential.

// TokenWarnings name pods without a token for the Kubernetes API, although their program cannot do without.
func TokenWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	for _, c := range f.Graph.ComponentsByName() {
		mounts := slices.ContainsFunc(c.Main().VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenPath })
		if ptr.Deref(c.Pod().AutomountServiceAccountToken, true) || mounts {
			continue
		}
		const remedy = "remove it, or mount a projected token at " + tokenPath
		path := graph.PodPath(graph.ComponentPath(c.Name), "automountServiceAccountToken")
		switch {
		case c.Type == v1beta1.ComponentPlanner || c.Type == v1beta1.ComponentEPP:
			warnings = append(warnings, message.About(path, "leaves the pods without a token for the Kubernetes API, without which a {{component}} of type %s does nothing; "+remedy, c.Type))
		case p.Components[c.Name].Discovery == graphplan.Kubernetes:
			warnings = append(warnings, message.About(path, "leaves the pods without a token for the Kubernetes API, through which they are discovered and discover others; "+remedy+", or set annotation %s to etcd",
				metadata.AnnotationDiscoveryBackend))
		}
	}
	return warnings
}
