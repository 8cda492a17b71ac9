package apis_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// Names and domains that are as long as the schema allows.
var (
	longTopology = strings.Repeat("p", 253)
	longDomain   = strings.Repeat("d", 63)
)

// TestLargestGraph checks that the rules stay within the API server's budget at run time too, on graphs of each form that are as
// large as the schema allows, and where one takes the place of the other.
func TestLargestGraph(t *testing.T) {
	const alpha, beta = v1alpha1.Version, v1beta1.Version
	services, components := largestServices(4), largestComponents(4)
	cases := map[string]struct {
		version  string
		created  bool
		old, new map[string]any
	}{
		"Services":             {version: alpha, created: true, old: services, new: largestServices(5)},
		"Components":           {version: beta, created: true, old: components, new: largestComponents(5)},
		"ServicesToComponents": {version: beta, old: services, new: components},
		"ComponentsToServices": {version: beta, old: components, new: services},
	}
	validators := validators(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			validator := validators[served{"Namespaced", tc.version}]
			before, after := withSpec(t, tc.version, tc.old), withSpec(t, tc.version, tc.new)
			if tc.created {
				for _, err := range validator.Validate(before) {
					t.Errorf("create: %v", err)
				}
			}
			for _, err := range validator.ValidateUpdate(after, before) {
				t.Errorf("update: %v", err)
			}
		})
	}
}

func withSpec(t testing.TB, version string, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	object := graph(t, version, `{}`)
	object.Object["spec"] = normal(t, spec)
	return object
}

// largestServices has 25 services with as many claims, mounts and containers as there may be.
func largestServices(replicas int) map[string]any {
	services, pvcs := map[string]any{}, []any{}
	for i := range 100 {
		pvcs = append(pvcs, map[string]any{"name": fmt.Sprintf("claim-%d", i), "create": true, "size": "1Ti", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"})
	}
	for _, name := range largestNames() {
		mounts, containers := []any{}, []any{}
		for j := range 100 {
			mounts = append(mounts, map[string]any{"name": fmt.Sprintf("claim-%d", j), "mountPoint": fmt.Sprintf("/%d", j)})
			containers = append(containers, map[string]any{"name": fmt.Sprintf("sidecar-%d", j)})
		}
		services[name] = map[string]any{
			"componentType":      "worker",
			"replicas":           replicas,
			"minAvailable":       2,
			"multinode":          map[string]any{"nodeCount": 4},
			"topologyConstraint": map[string]any{"packDomain": longDomain},
			"volumeMounts":       mounts,
			"frontendSidecar":    map[string]any{"image": "frontend"},
			"extraPodSpec":       map[string]any{"containers": containers},
		}
	}
	return map[string]any{
		"pvcs":               pvcs,
		"services":           services,
		"restart":            map[string]any{"id": "one", "strategy": map[string]any{"order": largestNames()}},
		"topologyConstraint": map[string]any{"topologyProfile": longTopology, "packDomain": longDomain},
	}
}

// largestComponents has 25 components with as many containers as there may be.
func largestComponents(replicas int) map[string]any {
	var components []any
	for _, name := range largestNames() {
		containers := []any{}
		for j := range 100 {
			containers = append(containers, map[string]any{"name": fmt.Sprintf("sidecar-%d", j), "image": "sidecar"})
		}
		components = append(components, map[string]any{
			"name":               name,
			"type":               "worker",
			"replicas":           replicas,
			"minAvailable":       2,
			"multinode":          map[string]any{"nodeCount": 4},
			"sharedMemorySize":   "16Gi",
			"topologyConstraint": map[string]any{"packDomain": longDomain},
			"frontendSidecar":    "sidecar-99",
			"podTemplate":        map[string]any{"spec": map[string]any{"containers": containers, "initContainers": containers}},
		})
	}
	return map[string]any{
		"components":         components,
		"restart":            map[string]any{"id": "one", "strategy": map[string]any{"order": largestNames()}},
		"topologyConstraint": map[string]any{"clusterTopologyName": longTopology, "packDomain": longDomain},
	}
}

func largestNames() []string {
	names := make([]string, 25)
	for i := range names {
		names[i] = fmt.Sprintf("worker-%s-%02d", strings.Repeat("x", 50), i)
	}
	return names
}
