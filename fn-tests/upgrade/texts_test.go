package upgrade

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A platform on which texts of users are tried.
type platform struct {
	cluster string
	input   map[string]any
}

func textPlatforms() map[string]platform {
	return map[string]platform{
		"Grove":           {cluster: harness.GroveKAI, input: map[string]any{}},
		"PodGroups":       {cluster: harness.LWSVolcano, input: map[string]any{}},
		"GroupsOfLWS":     {cluster: harness.LWSVolcano, input: map[string]any{"lws": map[string]any{"gangProvider": "LWS"}}},
		"ReplicasOnLinks": {cluster: harness.LWSVolcano, input: map[string]any{"mnnvl": map[string]any{"mode": "Auto", "driver": "Enabled", "scope": "Replica"}}},
	}
}

// writer of texts that a user may write anywhere: names and values that this project generates, and texts that contain or extend them.
type writer struct {
	random *rand.Rand

	// names of the workloads, and all texts that are generated.
	names, generated []string
}

func (w writer) text() string {
	from := w.generated
	if w.random.IntN(2) == 0 {
		from = w.names
	}
	text := from[w.random.IntN(len(from))]
	switch w.random.IntN(6) {
	case 0:
		return "x-" + text
	case 1:
		return text + "-x"
	case 2:
		return text + "0"
	default:
		return text
	}
}

// generatedFor a graph are all texts in its objects that can be the name of an object or the value of a label, sorted.
func generatedFor(objects []*unstructured.Unstructured) []string {
	var all []string
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, element := range v {
				walk(element)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case string:
			if len(validation.IsDNS1123Label(v)) == 0 && len(v) < validation.DNS1123LabelMaxLength-2 {
				all = append(all, v)
			}
		}
	}
	for _, object := range objects {
		walk(object.Object)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// workloadsOf a graph by their names: what is called as one of them belongs to it.
func workloadsOf(objects []*unstructured.Unstructured) []string {
	var all []string
	for _, object := range objects {
		if slices.Contains([]string{"PodCliqueSet", "LeaderWorkerSet", "Deployment"}, object.GetKind()) {
			all = append(all, object.GetName())
		}
	}
	slices.Sort(all)
	return all
}

// A component as it is written.
type service struct {
	fields, pod, main, labels, annotations map[string]any
}

func newComponent(component string, nodes int64) service {
	s := service{labels: map[string]any{}, annotations: map[string]any{}}
	s.main = map[string]any{"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0"}
	s.pod = map[string]any{"mainContainer": s.main}
	s.fields = map[string]any{
		"componentType": component, "replicas": int64(3), "extraPodSpec": s.pod,
		"extraPodMetadata": map[string]any{"labels": s.labels, "annotations": s.annotations},
	}
	if nodes > 0 {
		s.main["command"], s.main["args"] = []any{"python3", "-m", "dynamo.vllm"}, []any{"--model", "x"}
		s.fields["resources"] = map[string]any{"limits": map[string]any{"gpu": "8"}}
	}
	if nodes > 1 {
		s.fields["multinode"] = map[string]any{"nodeCount": nodes}
	}
	return s
}

// components on no GPUs, on one node and on several, with replicas.
func components() map[string]service {
	return map[string]service{"Frontend": newComponent("frontend", 0), "single": newComponent("worker", 1), "w": newComponent("worker", 2)}
}

// graphOf components.
func graphOf(components map[string]service) *unstructured.Unstructured {
	all := map[string]any{}
	for name, s := range components {
		all[name] = s.fields
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
		"metadata": map[string]any{"name": "g", "namespace": "team-a", "uid": "1111", "generation": int64(1)},
		"spec":     map[string]any{"services": all},
	}}
}

// places of a component at which users write texts, one function for each.
func places() []func(service, string) {
	return []func(service, string){
		func(s service, text string) { s.labels["example.org/theirs"] = text },
		func(s service, text string) { s.labels["instance-id"] = text },
		func(s service, text string) { s.annotations["example.org/theirs"] = text },
		func(s service, text string) { s.annotations["scheduling.k8s.io/group-name"] = text },
		func(s service, text string) { s.main["env"] = list("name", "THEIRS", "value", text) },
		func(s service, text string) { s.main["args"] = []any{"--model", text, "--served-model-name", text} },
		func(s service, text string) { s.main["workingDir"] = text },
		func(s service, text string) { s.main["envFrom"] = list("secretRef", map[string]any{"name": text}) },
		func(s service, text string) { s.pod["serviceAccountName"] = text },
		func(s service, text string) { s.pod["priorityClassName"] = text },
		func(s service, text string) { s.pod["schedulerName"] = text },
		func(s service, text string) {
			s.pod["nodeSelector"] = map[string]any{"pool": text, "instance-id": text}
		},
		func(s service, text string) { s.pod["imagePullSecrets"] = list("name", text) },
		func(s service, text string) { s.pod["hostAliases"] = list("ip", "10.0.0.1", "hostnames", []any{text}) },
		func(s service, text string) {
			s.pod["tolerations"] = list("key", "pool", "operator", "Equal", "value", text, "effect", "NoSchedule")
		},
		func(s service, text string) {
			s.pod["volumes"] = list("name", "theirs", "configMap", map[string]any{"name": text})
		},
		func(s service, text string) {
			s.pod["resourceClaims"] = list("name", "mnnvl-claim", "resourceClaimTemplateName", text)
		},
		func(s service, text string) {
			s.pod["containers"] = list("name", "theirs", "image", "example.org/"+text+":1", "command", []any{text})
		},
	}
}

// list of one object with these keys and values.
func list(pairs ...any) []any {
	object := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		object[fmt.Sprint(pair[0])] = pair[len(pair)-1]
	}
	return []any{object}
}

// TestTextsOfUsers holds that no text of a user is taken for one that this project has generated. Users write generated names and values, and
// texts that contain and extend them, wherever a text can be written. After that, nothing that users do not write changes a pod template, and
// replicas of a component only differ in their numbers and names.
func TestTextsOfUsers(t *testing.T) {
	// Each seed tries other texts at other places, and every ninth of the changes that TestChangesOfPlatforms makes.
	const seeds, every = 4, 9
	inputs, err := Inputs("testdata/inputs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	for name, p := range textPlatforms() {
		pipeline, cluster := compositiontest.Pipeline(t, fused, p.input), harness.Read(t, p.cluster)
		changes := slices.Concat(inputChanges(t, p.input, inputs), clusterChanges(t, p.input, cluster))
		benign := crossplane.NewGraph(graphOf(components()), cluster)
		if _, err := pipeline.Settle(t.Context(), benign, functions); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		generated, workloads := generatedFor(benign.Objects()), workloadsOf(benign.Objects())
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				w := writer{random: rand.New(rand.NewPCG(uint64(seed), 0)), names: workloads, generated: generated} //nolint:gosec // The same seed writes the same texts.
				all := components()
				for _, name := range slices.Sorted(maps.Keys(all)) {
					for _, write := range places() {
						if w.random.IntN(3) > 0 {
							write(all[name], w.text())
						}
					}
					if p.cluster == harness.GroveKAI {
						// On Grove, all components of a graph have the same scheduler.
						delete(all[name].pod, "schedulerName")
					}
				}
				source := graphOf(all)
				written := crossplane.NewGraph(source, cluster)
				if _, err := pipeline.Settle(t.Context(), written, functions); err != nil {
					t.Fatal(err)
				}
				noReplicaAlone(t, written.Objects())
				var sample []change
				for i, c := range changes {
					if i%every == seed%every {
						sample = append(sample, c)
					}
				}
				sample = append(sample, ruleChanges(t, p.input)...)
				m := matrix{name: "texts", cluster: name, source: source, functions: functions}
				m.run(t, pipeline, cluster, sample)
			})
		}
	}
}

// noReplicaAlone reports pods of single replicas in the revisions of a graph. There are none if everything in which the steps let replicas
// differ is found again by its place.
func noReplicaAlone(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	revisions := 0
	for _, object := range objects {
		if object.GetKind() != "ControllerRevision" {
			continue
		}
		revisions++
		components, _, err := unstructured.NestedMap(object.Object, "data", "components")
		if err != nil {
			t.Fatal(err)
		}
		for name := range components {
			replicas, _, err := unstructured.NestedStringMap(components, name, "replicas")
			if err != nil || len(replicas) > 0 {
				t.Errorf("service %s: want replicas that only differ in what functions/revision/replica.go numbers, got: %s", name, replicas)
			}
		}
	}
	if revisions == 0 {
		t.Error("the graph has no revision")
	}
}
