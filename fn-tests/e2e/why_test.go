package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// viewerOf a namespace: somebody whom its admin has given the role view of Kubernetes, and who therefore also has dgd-viewer. The rules of
// these roles are aggregated by a controller that does not run here, so their parts are bound.
const viewerOf = `
namespace=%s
kubectl apply --filename=package/tenants.yaml >/dev/null
kubectl apply --filename=- >/dev/null <<EOF
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: kubernetes-viewers, namespace: $namespace}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:aggregate-to-view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dgd-viewers, namespace: $namespace}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: dgd-viewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}]
EOF
`

// viewer prepares a kubeconfig for the viewer of a namespace, and returns its path.
func (s *suite) viewer(namespace string) (string, error) {
	if _, err := s.Shell(s.ctx, fmt.Sprintf(viewerOf, namespace)); err != nil {
		return "", err
	}
	out, err := s.Shell(s.ctx, "kubectl config view --raw --flatten --output=json")
	if err != nil {
		return "", err
	}
	config := map[string]any{}
	if err := json.Unmarshal([]byte(out), &config); err != nil {
		return "", fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	users, _, err := unstructured.NestedSlice(config, "users")
	if err != nil {
		return "", err
	}
	for _, user := range users {
		fields, _ := user.(map[string]any)
		if err := unstructured.SetNestedField(fields, "viewer", "user", "as"); err != nil {
			return "", err
		}
	}
	config["users"] = users
	data, err := json.Marshal(config)
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.tool.folder, "viewer-of-"+namespace)
	return path, os.WriteFile(path, data, 0o600)
}

// tool is the binary with all commands, and a folder for its kubeconfigs.
type tool struct{ binary, folder string }

func newTool(t testing.TB) tool {
	t.Helper()
	return tool{binary: harness.New(t).Path(t), folder: t.TempDir()}
}

// whyReport is what the command why prints about a graph.
type whyReport struct {
	Ready  bool `json:"ready"`
	Causes []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Next    string `json:"next"`
	} `json:"causes"`
	Forbidden []forbiddenRead `json:"forbidden"`
}

// forbiddenRead is what the user of the command may not do.
type forbiddenRead struct {
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
}

// because checks that the command why, run by a viewer of the namespace of a graph, names a cause: its code, a part of the sentence, and the
// beginning of the next command. Without them, the graph must be ready.
func (s *suite) because(graph controlplane.Ref, want ...string) func() error {
	return func() error {
		config, err := s.viewer(graph.Namespace)
		if err != nil {
			return err
		}
		status := "1"
		if len(want) == 0 {
			status = "0"
		}
		out, err := s.Shell(s.ctx, fmt.Sprintf("code=0; %s why dgd/%s --namespace=%s --kubeconfig=%s --output=json || code=$?; test $code = %s",
			s.tool.binary, graph.Name, graph.Namespace, config, status))
		if err != nil {
			return err
		}
		report := whyReport{}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			return fmt.Errorf("cannot read %q: %w", out, err)
		}
		var forbidden []forbiddenRead
		if s.ofClaims {
			// Composite resources are cluster-scoped, and belong to the platform.
			forbidden = []forbiddenRead{{"get", "xdynamographdeployments.nvidia.com"}}
		}
		if !slices.Equal(forbidden, report.Forbidden) {
			return fmt.Errorf("want a viewer to lack %v, got %v", forbidden, report.Forbidden)
		}
		if len(want) == 0 {
			return nil
		}
		if len(report.Causes) == 0 {
			return errors.New("there is no cause")
		}
		cause := report.Causes[0]
		next := strings.Replace(cause.Next, " --kubeconfig="+config, "", 1)
		if cause.Code != want[0] || !strings.Contains(cause.Message, want[1]) || !strings.HasPrefix(next, want[2]) {
			return fmt.Errorf("want %q, got %+v", want, cause)
		}
		return nil
	}
}

// watched runs the command why with --watch until a graph that is not ready is ready. It must show progress.
func (s *suite) watched(t testing.TB, graph controlplane.Ref, progress string) {
	t.Helper()
	config, err := s.viewer(graph.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Shell(s.ctx, fmt.Sprintf("%s why %s --namespace=%s --kubeconfig=%s --watch --interval=1s", s.tool.binary, graph.Name, graph.Namespace, config))
	if err != nil {
		t.Fatalf("want the command to end when the graph is ready: %v", err)
	}
	if !strings.Contains(out, progress) || !strings.HasSuffix(out, graph.Namespace+"/"+graph.Name+" is ready\n") {
		t.Errorf("want progress, and that the graph is ready, got\n%s", out)
	}
	t.Logf("progress:\n%s", out)
}

// tagCause is what is wrong with pods whose image has a tag.
func tagCause(tag string) []string {
	if tag == kubelet.TagMissing {
		return []string{"ImagePull", "image registry.example.org/runtime" + kubelet.TagMissing + " of container main cannot be pulled", "kubectl describe pod"}
	}
	// LWS deletes and creates pods whose container has crashed, so that only its events may tell.
	return []string{"Crash", " crashed", "kubectl logs"}
}

// noRoom runs a graph whose pods request more GPUs than any node has.
func (s *suite) noRoom(t *T) {
	t.Helper()
	for name, tc := range podGraphs() {
		t.Run(name, func(t *T) {
			t.Parallel()
			g := example(t, tc.example)
			g.SetName("large-" + strings.ToLower(name))
			onLeaderWorkerSets(g)
			set(g.Object, strconv.Itoa(gpusPerNode+1), "spec", "services", "Decode", "resources", "limits", "gpu")
			s.apply(t, g)
			s.eventually(t, "the tool says so", s.because(controlplane.RefOf(g), "Unschedulable", "no node has enough nvidia.com/gpu", "kubectl describe pod"))
			s.remove(t, g)
		})
	}
}

// A trouble keeps the pods of a component from being ready.
type trouble struct {
	reason string
	// cause that the command why finds: see because.
	cause []string
	// change of component Decode.
	change func(component map[string]any)
	// labels of the namespace.
	labels map[string]string
}

// troubles of pods of which the scheduler or the API server tells. What kubelets say of pods is tried in tool/why and, in the playground, by
// TestBreakIt.
func troubles() map[string]trouble {
	return map[string]trouble{
		"claim": {
			reason: "A volume is of a claim that does not exist.",
			cause:  []string{"ObjectMissing", "PersistentVolumeClaim absent does not exist", "kubectl get persistentvolumeclaims"},
			change: func(component map[string]any) {
				volume := map[string]any{"name": "absent", "persistentVolumeClaim": map[string]any{"claimName": "absent"}}
				set(component, []any{volume}, "extraPodSpec", "volumes")
			},
		},
		"admission": {
			reason: "The Pod Security Standard of the namespace refuses pods.",
			cause:  []string{"AdmissionRefused", `violates PodSecurity "restricted:latest"`, "kubectl describe replicaset"},
			labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
		},
	}
}

// troubled runs a graph in each trouble, in a namespace of its own, and wants the command why to name the cause.
func (s *suite) troubled(t *T) {
	t.Helper()
	for name, tc := range troubles() {
		t.Run(name, func(t *T) {
			t.Parallel()
			namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
			namespace.SetName("trouble-" + name)
			s.namespace(t, namespace.GetName())
			namespace.SetLabels(tc.labels)
			s.apply(t, namespace)
			g := example(t, "disagg-vllm")
			g.SetNamespace(namespace.GetName())
			onLeaderWorkerSets(g)
			if tc.change != nil {
				component, _, _ := unstructured.NestedMap(g.Object, "spec", "services", "Decode")
				tc.change(component)
				set(g.Object, component, "spec", "services", "Decode")
			}
			s.apply(t, g)
			s.eventually(t, tc.reason, s.because(controlplane.RefOf(g), tc.cause...))
			s.remove(t, g)
		})
	}
}
