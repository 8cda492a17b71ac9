package fuzz

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// object as JSON has it.
type object = map[string]any

// namer is the name of entry i of a list. Which entries of two lists have the same name depends on it.
type namer func(list string, i int) string

// namers are how the names of two lists of a graph may be related. Work on two lists at once must not grow with the product of their lengths in
// any of these cases: if each name is found, if each is nearly found, for which a message may suggest another one, and if none is.
func namers() map[string]namer {
	return map[string]namer{
		"Same":  func(_ string, i int) string { return fmt.Sprintf("entry-%d", i) },
		"Near":  func(list string, i int) string { return fmt.Sprintf("the-same-entry-%c%d", list[0], i) },
		"Other": func(list string, i int) string { return fmt.Sprintf("%s-%d", list, i) },
	}
}

// listed are n entries of a list.
func listed(n int, entry func(i int) any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = entry(i)
	}
	return all
}

const runtimeImage = "registry.example.org/runtime:1.5.0"

// lists are specs in which several lists, of n entries each, refer to each other by name, in both forms of the API.
func lists() map[string]func(n int, name namer) object {
	spec := func(worker, main, pod object) object {
		container := object{"image": runtimeImage, "command": []any{"python3", "-m", "dynamo.vllm"}}
		maps.Copy(container, main)
		extra := object{"mainContainer": container}
		maps.Copy(extra, pod)
		component := object{"componentType": "worker", "resources": object{"limits": object{"gpu": "1"}}, "extraPodSpec": extra}
		maps.Copy(component, worker)
		return object{"services": object{"Worker": component}}
	}
	component := func(main, pod object, sidecars ...any) object {
		container := object{"name": "main", "image": runtimeImage, "command": []any{"python3", "-m", "dynamo.vllm"}, "resources": object{"limits": object{"nvidia.com/gpu": "1"}}}
		maps.Copy(container, main)
		template := object{"containers": append([]any{container}, sidecars...)}
		maps.Copy(template, pod)
		return object{"components": []any{object{"name": "worker", "type": "worker", "podTemplate": object{"spec": template}}}}
	}
	named := func(n int, name namer, list string, with object) []any {
		return listed(n, func(i int) any {
			entry := object{"name": name(list, i)}
			maps.Copy(entry, with)
			return entry
		})
	}
	mounts := func(n int, name namer, list, field string) []any {
		return listed(n, func(i int) any { return object{"name": name(list, i), field: fmt.Sprintf("/%s/%d", list, i)} })
	}
	claims := func(n int, name namer, list string) []any {
		return listed(n, func(i int) any {
			return object{"name": name("volume", i), "persistentVolumeClaim": object{"claimName": name(list, i)}}
		})
	}
	return map[string]func(n int, name namer) object{
		"Volumes": func(n int, name namer) object {
			return spec(nil, object{"volumeMounts": mounts(n, name, "mount", "mountPath")}, object{"volumes": named(n, name, "volume", object{"emptyDir": object{}})})
		},
		"VolumesOfService": func(n int, name namer) object {
			return spec(object{"volumeMounts": mounts(n, name, "point", "mountPoint")}, nil, object{"volumes": named(n, name, "volume", object{"emptyDir": object{}})})
		},
		"VolumesOfComponent": func(n int, name namer) object {
			return component(object{"volumeMounts": mounts(n, name, "mount", "mountPath")}, object{"volumes": named(n, name, "volume", object{"emptyDir": object{}})})
		},
		"Claims": func(n int, name namer) object {
			all := spec(nil, object{"volumeMounts": mounts(n, name, "mount", "mountPath")}, object{"volumes": claims(n, name, "used")})
			all["pvcs"] = named(n, name, "claim", nil)
			return all
		},
		"ClaimsOfComponent": func(n int, name namer) object {
			return component(object{"volumeMounts": mounts(n, name, "mount", "mountPath")}, object{"volumes": claims(n, name, "used")})
		},
		"Clients": func(n int, name namer) object {
			return spec(object{"gpuMemoryService": object{"enabled": true, "extraClientContainers": listed(n, func(i int) any { return name("clients", i) })}},
				nil, object{"containers": named(n, name, "container", object{"image": "registry.example.org/tool:1"})})
		},
		"Containers": func(n int, name namer) object {
			return component(nil, object{"initContainers": named(n, name, "init", object{"image": "registry.example.org/tool:1"})},
				named(n, name, "container", object{"image": "registry.example.org/tool:1"})...)
		},
		"Devices": func(n int, name namer) object {
			return spec(object{"resources": object{"limits": object{"gpu": "1"}, "claims": named(n, name, "short", nil)}},
				object{"resources": object{"claims": named(n, name, "long", nil)}}, object{"resourceClaims": named(n, name, "device", object{"resourceClaimName": "nic"})})
		},
		"Variables": func(n int, name namer) object {
			all := spec(object{"envs": named(n, name, "service", object{"value": "1"})}, object{"env": listed(n, func(i int) any {
				return object{"name": name("container", i), "value": "$(" + name("container", i-1) + ")"}
			})}, nil)
			all["envs"] = named(n, name, "graph", object{"value": "1"})
			return all
		},
		"Ports": func(n int, name namer) object {
			return spec(nil, object{"ports": listed(n, func(i int) any { return object{"name": fmt.Sprintf("p%d", i), "containerPort": 10_000.0 + float64(i)} })},
				object{"containers": listed(n, func(i int) any {
					return object{
						"name": name("container", i), "image": "registry.example.org/tool:1",
						"livenessProbe": object{"httpGet": object{"port": fmt.Sprintf("p%d", i)}},
					}
				})})
		},
		"Plugins": func(n int, name namer) object {
			all := spec(nil, nil, nil)
			childOf(all, "services")["Picker"] = object{"componentType": "epp", "eppConfig": object{"config": object{
				"plugins": named(n, name, "plugin", object{"type": "scorer"}),
				"schedulingProfiles": []any{object{"name": "default", "plugins": listed(n, func(i int) any {
					return object{"pluginRef": name("reference", i)}
				})}},
			}}}
			return all
		},
	}
}

// timed is a function with the processor time that it has taken.
type timed struct {
	fnv1.FunctionRunnerServiceServer

	took *time.Duration
}

// RunFunction runs the function.
func (s timed) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	started := processorTime()
	defer func() { *s.took += processorTime() - started }()
	return s.FunctionRunnerServiceServer.RunFunction(ctx, req)
}

// reconciles are how long the functions take when a graph is created, and when its user turns all of its lists around.
func reconciles(t *testing.T, pipeline *crossplane.Pipeline, cluster []*unstructured.Unstructured, spec func(name namer) object, name namer, n int) time.Duration {
	t.Helper()
	var took time.Duration
	servers := crossplane.Servers(logging.NewNopLogger())
	for function, server := range servers {
		servers[function] = timed{server, &took}
	}
	version := "nvidia.com/v1alpha1"
	if spec(name)["components"] != nil {
		version = "nvidia.com/v1beta1"
	}
	g := crossplane.NewGraph(&unstructured.Unstructured{Object: object{
		"apiVersion": version, "kind": "DynamoGraphDeployment", "metadata": object{"name": "graph", "namespace": "team"}, "spec": spec(name),
	}}, cluster)
	functions := crossplane.Direct(servers)
	// A graph that is refused takes its time, too.
	if _, err := pipeline.Apply(t.Context(), g, functions); err != nil {
		return took
	}
	g.Edit(func(xr *unstructured.Unstructured) {
		edited := spec(func(list string, i int) string { return name(list, n-1-i) })
		edited["crossplane"] = childOf(xr.Object, "spec")["crossplane"]
		xr.Object["spec"] = edited
	})
	_, _ = pipeline.Apply(t.Context(), g, functions)
	return took
}

// checkGrowth checks that the work for eight times as many entries is little more than eight times as much, and not the square of it. Other
// processes can only increase a measurement.
func checkGrowth(t *testing.T, few int, measure func(n int) time.Duration) {
	t.Helper()
	const times, most = 8, 12
	var short, long time.Duration
	for i := range measurements {
		once, again := measure(few), measure(few*times)
		if i == 0 || once > short {
			short = once
		}
		if i == 0 || again < long {
			long = again
		}
		if long <= most*short {
			return
		}
	}
	t.Errorf("%d entries take %s, and %d entries take %s: want at most %d times as long", few, short, few*times, long, most)
}

// TestLists checks that no two lists of a graph are compared entry by entry, which would take the square of their length: eight times as long a
// manifest may take little more than eight times as long.
func TestLists(t *testing.T) {
	const few = 250
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	cluster := harness.Read(t, harness.GroveKAI)
	all, relations := lists(), namers()
	for i, subject := range slices.Sorted(maps.Keys(all)) {
		for _, relation := range slices.Sorted(maps.Keys(relations)) {
			// Most products of lists have shown with names that are nearly the same.
			if relation != "Near" && testing.Short() || !harness.Sampled(i, 2) {
				continue
			}
			t.Run(subject+relation, func(t *testing.T) {
				measure := func(n int) time.Duration {
					return reconciles(t, pipeline, cluster, func(name namer) object { return all[subject](n, name) }, relations[relation], n)
				}
				checkGrowth(t, few, measure)
			})
		}
	}
}
