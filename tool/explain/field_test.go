package explain

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestField(t *testing.T) {
	for name, path := range map[string]string{
		"podtemplate":   "spec.components.podTemplate",
		"minavailable":  "spec.components[Worker].minAvailable",
		"topology":      "topologyConstraint",
		"resources-gpu": "spec.services.Worker.resources.limits",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := Field(path, "v1beta1")
			if err != nil {
				t.Fatal(err)
			}
			harness.Golden(t, filepath.Join("testdata", name+".text"), []byte(text))
		})
	}
}

func TestFieldPaths(t *testing.T) {
	cases := map[string]struct {
		reason, path, version, want string
	}{
		"Short":      {reason: "A path may begin within a component.", path: "multinode.nodeCount", version: "v1beta1", want: "spec.components[].multinode.nodeCount"},
		"Services":   {reason: "In v1alpha1 it begins within a service.", path: "multinode.nodeCount", version: "v1alpha1", want: "spec.services.*.multinode.nodeCount"},
		"Graph":      {reason: "A short path may be that of a field of the graph.", path: "restart.id", version: "v1beta1", want: "spec.restart.id"},
		"Named":      {reason: "A service has a name.", path: "spec.services[Worker].replicas", want: "spec.services.*.replicas"},
		"Dotted":     {reason: "The name may be written like a field.", path: "spec.services.Worker.replicas", want: "spec.services.*.replicas"},
		"Unnamed":    {reason: "The name may be left out.", path: "spec.services.replicas", want: "spec.services.*.replicas"},
		"Service":    {reason: "A service itself has a description.", path: "spec.services.*", want: "spec.services.*"},
		"Kind":       {reason: "A path may begin with the kind, as with kubectl explain.", path: "dgd.spec.components.replicas", want: "spec.components[].replicas"},
		"LongKind":   {reason: "Kinds have several names.", path: "DynamoGraphDeployments.nvidia.com.spec.restart", want: "spec.restart"},
		"OnlyKind":   {reason: "A graph is what its spec is.", path: "dgd", want: "spec"},
		"Kubernetes": {reason: "Fields of Kubernetes are fields too.", path: "podTemplate.spec.containers[0].image", version: "v1beta1", want: "spec.components[].podTemplate.spec.containers[].image"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := Field(tc.path, tc.version)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(text, "\n", 2)[0], "FIELD:")); got != tc.want {
				t.Errorf("%s\nField(%q): want %s, got %s", tc.reason, tc.path, tc.want, got)
			}
		})
	}
}

func TestFieldErrors(t *testing.T) {
	cases := map[string]struct{ reason, path, want string }{
		"Empty":   {reason: "A path has names.", path: "..", want: "expected the path of a field"},
		"Near":    {reason: "A mistake is corrected.", path: "spec.components[].podTemplat", want: "did you mean spec.components[].podTemplate?"},
		"InGraph": {reason: "Even if the path is short.", path: "backendFramwork", want: "backendFramwork is not a field; did you mean spec.backendFramework?"},
		"Service": {reason: "What is almost a field is not taken for the name of a service.", path: "spec.services.replica", want: "did you mean spec.services.*.replicas?"},
		"Other":   {reason: "Otherwise all fields are named.", path: "spec.restart.xyz", want: "the fields of spec.restart are id, strategy"},
		"Scalar":  {reason: "A number has no fields.", path: "replicas.least", want: "spec.components[].replicas has no fields that are described"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Field(tc.path, "v1beta1"); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nField(%q): want %q, got %v", tc.reason, tc.path, tc.want, err)
			}
		})
	}
}

func TestIsField(t *testing.T) {
	for path, want := range map[string]bool{
		"spec.components.replicas": true, "spec.component": true, "dgd.spec": true, "replicas": true, "spec": true, "spec[x]": true,
		"spec.yaml": false, "graph.yaml": false, "deploy": false, "dgd-graphs": false, "specs": false, "./spec": false,
	} {
		if got := IsField(path, "v1beta1"); got != want {
			t.Errorf("IsField(%q): want %t, got %t", path, want, got)
		}
	}
}

// TestEveryField checks that each field whose effect is known is found by its path, with the effect.
func TestEveryField(t *testing.T) {
	r, err := readReference()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.support) == 0 {
		t.Fatal("want a table of fields")
	}
	for path, states := range r.support {
		text, err := r.field(path, "v1beta1")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want := "GROVE:            " + effect(states[0]) + "\n"
		if !strings.HasPrefix(text, "FIELD:            "+path+"\n") || !strings.Contains(text, want) && !strings.Contains(text, "\nFIELDS:\n") {
			t.Errorf("want field %s and %q, got\n%s", path, want, text)
		}
	}
}
