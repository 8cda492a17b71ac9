package preview

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
)

// TestPlatform reads what functions look up of a cluster with kubectl, and leaves out what its user may not read.
func TestPlatform(t *testing.T) {
	var read []string
	live := &Live{Run: func(args ...string) ([]byte, error) {
		kind := args[len(args)-1]
		for i, arg := range args {
			if arg == "--" {
				kind = args[i+1]
			}
		}
		read = append(read, kind)
		switch kind {
		case "APIService.v1.apiregistration.k8s.io":
			return []byte(`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1alpha1.grove.io"}}]}`), nil
		case "Queue.v2.scheduling.run.ai":
			return nil, errors.New(`queues.scheduling.run.ai is forbidden: User "a" cannot list resource "queues" in API group "scheduling.run.ai" at the cluster scope`)
		case "Queue.v1beta1.scheduling.volcano.sh":
			return nil, errors.New("the server doesn't have a resource type \"Queue\"")
		default:
			return nil, nil
		}
	}}
	objects, forbidden, err := live.Platform()
	if err != nil || len(objects) != 1 || len(forbidden) != 1 || forbidden[0].Resource != "queues.scheduling.run.ai" {
		t.Errorf("want one API, and what is forbidden, got %v, %v, %v", objects, forbidden, err)
	}
	for _, want := range []string{"EnvironmentConfig.v1beta1.apiextensions.crossplane.io", "ClusterTopologyBinding.v1alpha1.grove.io", "PodSnapshot.v1alpha1.nvidia.com"} {
		if !strings.Contains(strings.Join(read, " "), want) {
			t.Errorf("want %s to be read, got %v", want, read)
		}
	}
}

// TestRecord writes a cluster that commands can read.
func TestRecord(t *testing.T) {
	object := func(kind, name string, more map[string]any) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
		maps.Copy(o.Object, more)
		o.SetName(name)
		o.SetUID("uid")
		o.SetResourceVersion("7")
		o.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"})
		return o
	}
	secret := object("Secret", "a", map[string]any{"data": map[string]any{"token": "c2VjcmV0"}})
	api := object("APIService", "z", map[string]any{"spec": map[string]any{"caBundle": "long"}})
	pods := object("Deployment", "b", map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
		"name": "main", "image": "a", "command": []any{"python3"}, "args": []any{"--api-key", "secret"},
		"env": []any{
			map[string]any{"name": "HF_TOKEN", "value": "secret"},
			map[string]any{"name": "KEY", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "keys", "key": "a", "optional": true}}},
		},
	}}}}}})
	policy := object(kindEnvironmentConfig, "platform", map[string]any{"data": map[string]any{"kai": map[string]any{"queue": "a"}}})
	wrong := object(kindEnvironmentConfig, "dynamo", map[string]any{"data": map[string]any{"kay": "a"}})
	others := object(kindEnvironmentConfig, "database", map[string]any{"data": map[string]any{"password": "secret"}})
	var out bytes.Buffer
	if err := Record(&out, []unstructured.Unstructured{secret, api, secret, pods, policy, wrong, others}); err != nil {
		t.Fatal(err)
	}
	const want = `# What the functions look up of a cluster, as dgd cluster record has read it. Commands take it with --cluster.
apiVersion: v1
kind: APIService
metadata:
  name: z
spec: {}
---
apiVersion: v1
kind: Deployment
metadata:
  name: b
spec:
  template:
    spec:
      containers:
      - args:
        - REDACTED
        - REDACTED
        command:
        - REDACTED
        env:
        - name: HF_TOKEN
          value: REDACTED
        - name: KEY
          valueFrom:
            secretKeyRef:
              key: REDACTED
              name: keys
              optional: true
        image: a
        name: main
---
apiVersion: v1
data:
  kay: a
kind: EnvironmentConfig
metadata:
  name: dynamo
---
apiVersion: v1
data:
  kai:
    queue: a
kind: EnvironmentConfig
metadata:
  name: platform
---
apiVersion: v1
data:
  token: REDACTED
kind: Secret
metadata:
  name: a
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("Record(...): -want, +got:\n%s", diff)
	}
}
