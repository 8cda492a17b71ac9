// Package corpus contains manifests of graphs as users write them, in manifests/: one directory for each platform, and one graph in each
// file, whose first line describes what it shows. Together they set every field of the API. A file whose name begins with "refused-"
// contains a graph that must be refused, and one whose name begins with "warned-" a graph that must get a warning. Tests render these
// manifests, and those outside of the repository if they exist.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A Platform is a cluster with a suitable input of step plan.
type Platform struct {
	// Name of the platform, and of the directory of its manifests.
	Name string
	// Cluster is the file with the objects that do not belong to a graph.
	Cluster string
	// Input are fields of the input of step plan.
	Input map[string]any
}

// Platforms with manifests.
func Platforms() []Platform {
	const everything = "examples/cluster/all.yaml"
	profiles := map[string]any{"profiles": []any{map[string]any{"name": "datacenter", "levels": []any{
		map[string]any{"domain": "block", "key": "example.org/block"}, map[string]any{"domain": "rack", "key": "example.org/rack"},
	}}}}
	disabled := map[string]any{"mode": "Disabled"}
	return []Platform{
		{Name: "deployment", Cluster: "examples/cluster/none.yaml"},
		{Name: "everything", Cluster: everything, Input: map[string]any{
			"checkpoints":    map[string]any{"mode": "Enabled"},
			"infrastructure": map[string]any{"natsAddress": "nats://nats.platform:4222", "modelExpressURL": "http://models.platform:8001"},
			"ingress": map[string]any{
				"gateway":            map[string]any{"name": "public", "namespace": "gateways"},
				"allowedAnnotations": []any{"nginx.ingress.kubernetes.io/proxy-read-timeout"},
			},
			"istio":          map[string]any{"endpointPickers": map[string]any{}},
			"mnnvl":          map[string]any{"mode": "Auto"},
			"scalingAdapter": map[string]any{"mode": "Enabled"},
		}},
		{Name: "grove-kai", Cluster: harness.GroveKAI},
		{Name: "guarded", Cluster: "examples/cluster/none.yaml", Input: map[string]any{
			"guardRails": map[string]any{
				"maxGPUs": int64(8), "maxNodes": int64(2), "maxReplicas": int64(4),
				"queues": []any{"team-*"}, "imageRegistries": []any{"nvcr.io/nvidia"}, "serviceAccounts": []any{}, "storageClasses": []any{"fast"},
				"ingressHostSuffixes": []any{"apps.example.org"}, "gateways": []any{"istio-system/public"}, "capabilities": []any{"IPC_LOCK"},
				"allowHostPath": false, "allowHostNetwork": false, "allowPrivileged": false,
			},
		}},
		{Name: "kueue", Cluster: "examples/cluster/kueue.yaml"},
		{Name: "lws-kai", Cluster: everything, Input: map[string]any{"grove": disabled, "volcano": disabled, "topology": profiles}},
		{Name: "lws-kubernetes", Cluster: harness.LWSKubernetes, Input: map[string]any{"topology": profiles}},
		{Name: "lws-volcano", Cluster: harness.LWSVolcano, Input: map[string]any{"topology": profiles}},
	}
}

// A Manifest of the corpus.
type Manifest struct {
	// Name of the manifest: its platform, and the name of the file without its ending.
	Name string
	// Path of the file.
	Path string
	// Shows describes what the graph shows.
	Shows string
	// Refused is true if the graph has to be refused, and Warned if it has to get a warning.
	Refused, Warned bool
	// Platform of the manifest.
	Platform Platform
}

// Manifests of the corpus.
func Manifests(t testing.TB) []Manifest {
	t.Helper()
	var all []Manifest
	for _, p := range Platforms() {
		paths := harness.Glob(t, filepath.Join("fn-tests/support/corpus/manifests", p.Name, "*.yaml"))
		for _, path := range paths {
			file := strings.TrimSuffix(filepath.Base(path), ".yaml")
			all = append(all, Manifest{
				Name: p.Name + "/" + file, Path: path, Shows: shows(t, path), Platform: p,
				Refused: strings.HasPrefix(file, "refused-"), Warned: strings.HasPrefix(file, "warned-"),
			})
		}
	}
	return all
}

// shows is the comment in the first line of a manifest.
func shows(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	comment, _ := strings.CutPrefix(line, "# ")
	return comment
}

// Renders of manifests, each on its platform.
func Renders(t testing.TB, manifests []Manifest) []harness.Render {
	t.Helper()
	compositions := map[string]string{}
	for _, p := range Platforms() {
		compositions[p.Name] = harness.WithInput(t, harness.Composition, p.Input)
	}
	renders := make([]harness.Render, len(manifests))
	for i, m := range manifests {
		renders[i] = harness.Render{XR: m.Path, Cluster: m.Platform.Cluster, Composition: compositions[m.Platform.Name]}
	}
	return renders
}
