package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

func TestFromMiddle(t *testing.T) {
	cases := map[string]struct {
		reason     string
		list, want []int
	}{
		"None": {reason: "An empty list has no middle.", want: []int{}},
		"Odd":  {reason: "A list of odd length is returned once, the elements nearest to the middle first.", list: []int{1, 2, 3, 4, 5}, want: []int{3, 4, 2, 5, 1}},
		"Even": {reason: "A list of even length has its middle between two elements, of which the later one comes first.", list: []int{1, 2, 3, 4}, want: []int{3, 4, 2, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fromMiddle(tc.list)); diff != "" {
				t.Errorf("%s\nfromMiddle(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestManifests(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(shared.Env, folder)
	examples, _, err := manifests()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		objects, err := readObjects(path)
		if err != nil || objects[0].GetKind() != "DynamoGraphDeployment" {
			t.Errorf("%s: want a graph, got %v, %v", path, objects, err)
		}
	}
	if len(examples) < 3 {
		t.Errorf("without real manifests: want the examples, got %v", examples)
	}

	corpus := filepath.Join(folder, "corpus")
	if err := os.Mkdir(corpus, 0o700); err != nil {
		t.Fatal(err)
	}
	index := "file\tname\tnamespace\tbackend\tservices\tmultinode\ttopology\tvalid\n" +
		"long\t\t\t\t\t\t\tyes\nshort\t\t\t\t\t\t\tyes\nwrong\t\t\t\t\t\t\tno\n"
	for name, content := range map[string]string{"INDEX.tsv": index, "long.yaml": "long", "short.yaml": "s", "wrong.yaml": ""} {
		if err := os.WriteFile(filepath.Join(corpus, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := manifests()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(corpus, "short.yaml"), filepath.Join(corpus, "long.yaml")}, got); diff != "" {
		t.Errorf("valid manifests by size: -want, +got:\n%s", diff)
	}
}

func TestLeaderWorkerSets(t *testing.T) {
	graph, err := leaderWorkerSets(3, 7)
	if err != nil {
		t.Fatal(err)
	}
	services, _, err := unstructured.NestedMap(graph.Object, "spec", "services")
	if err != nil || len(services) != 3 {
		t.Fatalf("want 3 services, got %v, %v", services, err)
	}
	for name := range services {
		replicas, _, _ := unstructured.NestedInt64(graph.Object, "spec", "services", name, "replicas")
		_, multinode, _ := unstructured.NestedMap(graph.Object, "spec", "services", name, "multinode")
		if replicas != 7 || !multinode {
			t.Errorf("service %s: want 7 replicas of several nodes, got %v", name, services[name])
		}
	}
}

func TestReadObjectsFails(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, filepath.Join(t.TempDir(), "none.yaml")} {
		if _, err := readObjects(path); err == nil {
			t.Errorf("readObjects(%s): want an error", path)
		}
	}
}
