package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// maxComponents that a graph may have.
const maxComponents = 25

// readObjects of a file, whose path is relative to the root of the repository or absolute.
func readObjects(path string) ([]*unstructured.Unstructured, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(harness.Root(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}
	objects, err := harness.Parse(data)
	if err == nil && len(objects) == 0 {
		err = errors.New("no object")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", path, err)
	}
	return objects, nil
}

// manifests of graphs in the order of their sizes, and where they are from.
func manifests() (paths []string, from string, err error) {
	corpus, err := shared.Manifests()
	if err == nil {
		from = "real manifests (" + shared.Env + ")"
		for _, m := range corpus {
			if m.Valid {
				paths = append(paths, m.Path)
			}
		}
	} else {
		from = fmt.Sprintf("examples, for want of real manifests (%s: %v)", shared.Env, err)
		paths, err = filepath.Glob(filepath.Join(harness.Root(), "examples", "*.yaml"))
		if err != nil {
			return nil, "", fmt.Errorf("cannot find the examples: %w", err)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(filepath.Base(path), "functions") })
	}
	paths, err = bySize(paths)
	return paths, from, err
}

// bySize sorts files, the smallest first.
func bySize(paths []string) ([]string, error) {
	sizes := make(map[string]int64, len(paths))
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read a manifest: %w", err)
		}
		sizes[path] = info.Size()
	}
	return slices.SortedFunc(slices.Values(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(a, b))
	}), nil
}

// fromMiddle of a list to both of its ends.
func fromMiddle[T any](list []T) []T {
	out := make([]T, 0, len(list))
	middle := len(list) / 2
	for i := range 2 * len(list) {
		// Middle, one up, one down, two up, and so on.
		distance := (i + 1) / 2
		if i%2 == 0 {
			distance = -distance
		}
		if at := middle + distance; at >= 0 && at < len(list) {
			out = append(out, list[at])
		}
	}
	return out
}

// backward through a list.
func backward[T any](list []T) []T {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

// quotes is a graph of workers whose command lines cost much to read for their length, in kilobytes: quotes that open and do not close.
func quotes(workers, length int) *unstructured.Unstructured {
	text := "python3 -m dynamo.vllm --tensor-parallel-size 16 " + strings.Repeat("('\" -", length<<10/len("('\" -"))
	components := make(map[string]any, workers)
	for i := range workers {
		components[fmt.Sprintf("worker-%d", i)] = map[string]any{
			"componentType": "worker", "multinode": map[string]any{"nodeCount": int64(2)},
			"resources": map[string]any{"limits": map[string]any{"gpu": "8"}},
			"extraPodSpec": map[string]any{"mainContainer": map[string]any{
				"image": "registry.example.org/runtime:1", "command": []any{"/bin/sh", "-c"}, "args": []any{text},
			}},
		}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "quotes", "namespace": "inference"},
		"spec": map[string]any{"services": components},
	}}
}

// ofNodes is a graph with one component on so many nodes: one alone, or replicas over two nodes each, on Grove or on LeaderWorkerSets.
func ofNodes(nodes int64, grove bool) (*unstructured.Unstructured, error) {
	graph, err := leaderWorkerSets(1, max(1, nodes/2))
	if err != nil {
		return nil, err
	}
	if grove {
		graph.SetAnnotations(nil)
	}
	if nodes == 1 {
		unstructured.RemoveNestedField(graph.Object, "spec", "services", "decode-0", "multinode")
	}
	return graph, nil
}

// leaderWorkerSets is a graph of so many multinode components on LeaderWorkerSets, each with so many replicas: each replica is
// a LeaderWorkerSet and a PodGroup. A component is that of the example of SGLang.
func leaderWorkerSets(components int, replicas int64) (*unstructured.Unstructured, error) {
	objects, err := readObjects("examples/v1alpha1/sglang-multinode.yaml")
	if err != nil {
		return nil, err
	}
	graph := objects[0]
	component, found, err := unstructured.NestedMap(graph.Object, "spec", "services", "Decode")
	if err != nil || !found {
		return nil, errors.Join(errors.New("the example of SGLang has no service Decode"), err)
	}
	component["replicas"] = replicas
	all := make(map[string]any, components)
	for i := range components {
		all[fmt.Sprintf("decode-%d", i)] = component
	}
	if err := unstructured.SetNestedMap(graph.Object, all, "spec", "services"); err != nil {
		return nil, fmt.Errorf("cannot make a graph of %d services: %w", components, err)
	}
	graph.SetAnnotations(map[string]string{"nvidia.com/enable-grove": "false"})
	return graph, nil
}
