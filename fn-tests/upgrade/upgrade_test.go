// Package upgrade shows that pods of graphs stay as they are when platforms and functions are upgraded, for the users who did not ask for that:
// no change of the input of the platform, of the cluster or of the rules of the functions changes a pod template, or deletes an object to which
// one refers. Graphs are also rendered in the state in which older versions of the functions left them. Live graphs depend on annotations,
// labels, composition resource names and fields of the status, which the functions write and read: if one of them is renamed, the decisions
// about every live graph are made again.
package upgrade

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// recordEnv is the environment variable with the version for which states are recorded. This is done once for each version, when it is
// released.
const recordEnv = "CONFIGURATION_DYNAMO_RECORD"

const (
	graphFile  = "fn-tests/upgrade/testdata/graph.yaml"
	everything = "examples/cluster/all.yaml"

	// Parts of the input of step plan.
	inGraph   = "mnnvl: {mode: Auto, scope: Graph}\n"
	inReplica = "mnnvl: {mode: Auto, scope: Replica}\n"
	profile   = "topology: {profiles: [{name: my-cluster-topology, levels: [{domain: zone, key: example.com/zone}, {domain: rack, key: example.com/rack}]}]}\n"
)

// A life of a graph until its state is recorded.
type life struct {
	cluster, input string
	// before09 is true if LeaderWorkerSets have no observedGeneration, as up to v0.8.
	before09 bool
}

func lives() map[string]life {
	return map[string]life{
		"grove":       {cluster: harness.GroveKAI, input: inGraph},
		"lws":         {cluster: harness.LWSVolcano, input: inGraph + profile},
		"lws-replica": {cluster: harness.LWSVolcano, input: inReplica + profile, before09: true},
	}
}

// TestRecorded renders every recorded state. The user has not changed the graph, so nothing may change, neither on the same platform, nor
// on one that has every orchestrator and on which NVLink is turned off for new graphs.
func TestRecorded(t *testing.T) {
	binary := harness.New(t)
	if version := os.Getenv(recordEnv); version != "" {
		record(t, binary, version)
	}
	for _, folder := range harness.Glob(t, "fn-tests/upgrade/testdata/*/*") {
		name := filepath.Base(folder)
		l, ok := lives()[name]
		if !ok {
			t.Fatalf("%s: no life is called %s", folder, name)
		}
		platforms := map[string]harness.Chain{
			"AsItWas":  {Cluster: append(harness.Read(t, l.cluster), harness.Driver(t)...), Composition: harness.CompositionWithInput(t, l.input)},
			"Anything": {Cluster: harness.Read(t, everything)},
		}
		for platform, p := range platforms {
			t.Run(filepath.Base(filepath.Dir(folder))+"/"+name+"/"+platform, func(t *testing.T) {
				xr, objects := read(t, folder, "graph.yaml")[0], read(t, folder, "objects.yaml")
				out := binary.RenderAccepted(t, harness.Render{
					XR:          harness.Write(t, xr),
					Composition: p.Composition,
					Cluster:     harness.Write(t, append(p.Cluster, objects...)...),
					Observed:    harness.Write(t, objects...),
					Secrets:     true,
				})
				if diff := cmp.Diff(applied(objects), applied(out.Composed)); diff != "" {
					t.Errorf("the objects of a graph that nobody changed: -as the older version left them, +now:\n%s", diff)
				}
			})
		}
	}
}

// TestStatusAlone renders the recorded graphs with nothing but their status. The orchestrator in the status is kept.
func TestStatusAlone(t *testing.T) {
	binary := harness.New(t)
	for _, folder := range harness.Glob(t, "fn-tests/upgrade/testdata/*/*") {
		t.Run(filepath.Base(filepath.Dir(folder))+"/"+filepath.Base(folder), func(t *testing.T) {
			xr, objects := read(t, folder, "graph.yaml")[0], read(t, folder, "objects.yaml")
			unstructured.RemoveNestedField(xr.Object, "spec", "crossplane", "resourceRefs")
			out := binary.RenderAccepted(t, harness.Render{XR: harness.Write(t, xr), Cluster: everything})
			if diff := cmp.Diff(workloads(objects), workloads(out.Composed)); diff != "" {
				t.Errorf("workloads: -as the older version chose, +now:\n%s", diff)
			}
		})
	}
}

// record the states of this version: the graph has been created, its pods are running, and a restart has begun.
func record(t *testing.T, binary *harness.Binary, version string) {
	t.Helper()
	states, err := os.OpenRoot("testdata")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = states.Close() }()
	for name, l := range lives() {
		chain := harness.NewChain(t, binary, graphFile, l.cluster)
		chain.Cluster = append(chain.Cluster, harness.Driver(t)...)
		chain.Composition = harness.CompositionWithInput(t, l.input)
		chain.XR.SetGeneration(1)
		render := func() {
			if out := chain.Render(t); out.Err != nil {
				t.Fatalf("%s: %v: %s", name, out.Err, out.Stderr)
			}
			run(t, chain, l.before09)
		}
		render()
		render()
		chain.XR.SetGeneration(2)
		restart := map[string]any{"id": "one", "strategy": map[string]any{"type": "Sequential", "order": []any{"Worker", "Encoder", "Frontend", "Planner"}}}
		if err := unstructured.SetNestedMap(chain.XR.Object, restart, "spec", "restart"); err != nil {
			t.Fatal(err)
		}
		render()
		render()

		folder := filepath.Join(version, name)
		if err := states.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		keys := slices.Sorted(maps.Keys(chain.Objects))
		objects := make([]*unstructured.Unstructured, 0, len(keys))
		for _, key := range keys {
			objects = append(objects, chain.Objects[key])
		}
		for file, content := range map[string][]*unstructured.Unstructured{"graph.yaml": {chain.XR}, "objects.yaml": objects} {
			if err := states.WriteFile(filepath.Join(folder, file), harness.Format(t, content...), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// run the pods of workloads whose controllers have observed them, unless a restart is requested. The data of the Secret is replaced with
// text that is not a key, because the record is public.
func run(t *testing.T, chain *harness.Chain, before09 bool) {
	t.Helper()
	for _, object := range chain.Objects {
		available := map[string]any{"type": "Available", "status": "True", "lastTransitionTime": "2026-01-01T00:01:00Z"}
		switch object.GetKind() {
		case "Secret":
			object.Object["data"] = map[string]any{"private.key": "cmVjb3JkZWQ=", "private.key.pub": "cmVjb3JkZWQ="}
		case "Deployment", "LeaderWorkerSet":
			if object.GetGeneration() > 1 {
				continue
			}
			replicas := nested(t, object, "spec", "replicas")
			status := map[string]any{"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "conditions": []any{available}}
			if object.GetKind() == "Deployment" {
				status["availableReplicas"] = replicas
			}
			if object.GetKind() == "Deployment" || !before09 {
				status["observedGeneration"] = int64(1)
			}
			object.Object["status"] = status
		}
	}
}

// applied are objects by their keys, without the fields that the API server and controllers write.
func applied(objects []*unstructured.Unstructured) map[string]any {
	byKey := map[string]any{}
	for _, object := range objects {
		object = object.DeepCopy()
		delete(object.Object, "status")
		for _, name := range []string{"uid", "generation", "resourceVersion", "creationTimestamp"} {
			unstructured.RemoveNestedField(object.Object, "metadata", name)
		}
		byKey[harness.Key(object)] = object.Object
	}
	return byKey
}

// workloads among objects, by kind and name.
func workloads(objects []*unstructured.Unstructured) []string {
	var names []string
	for _, object := range objects {
		switch object.GetKind() {
		case "Deployment", "LeaderWorkerSet", "PodCliqueSet":
			names = append(names, object.GetKind()+" "+object.GetName())
		}
	}
	slices.Sort(names)
	return names
}

func nested(t *testing.T, object *unstructured.Unstructured, path ...string) any {
	t.Helper()
	value, ok, err := unstructured.NestedFieldCopy(object.Object, path...)
	if err != nil || !ok {
		t.Fatalf("%s %s has no %v: %v", object.GetKind(), object.GetName(), path, err)
	}
	return value
}

func read(t *testing.T, folder, file string) []*unstructured.Unstructured {
	t.Helper()
	return harness.Read(t, filepath.Join(folder, file))
}
