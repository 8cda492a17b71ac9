package functions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// functionObject is what the tests read of a Function.
type functionObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(filepath.Join("..", path)))
	if err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}
	return data
}

func TestFunctionObjects(t *testing.T) {
	for path, apiVersion := range map[string]string{
		"examples/functions.yaml":         "pkg.crossplane.io/v1",
		"examples/functions-v1beta1.yaml": "pkg.crossplane.io/v1beta1",
	} {
		t.Run(path, func(t *testing.T) {
			var want, got []functionObject
			for _, fn := range All(logging.NewNopLogger()) {
				o := functionObject{APIVersion: apiVersion, Kind: "Function"}
				o.Metadata.Name = "dynamo-crossplane-function-dynamo-" + fn.Name
				o.Metadata.Annotations = map[string]string{
					"render.crossplane.io/runtime":                    "Development",
					"render.crossplane.io/runtime-development-target": fmt.Sprintf("127.0.0.1:%d", fn.Port),
				}
				want = append(want, o)
			}
			for doc := range strings.SplitSeq(string(read(t, path)), "\n---\n") {
				o := functionObject{}
				if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
					t.Fatalf("cannot parse %s: %v", path, err)
				}
				got = append(got, o)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s is not what serve --all serves: -want, +got:\n%s", path, diff)
			}
		})
	}
}

func TestCompositionsRunTheFunctions(t *testing.T) {
	log := logging.NewNopLogger()
	for path, fns := range map[string][]server.Function{
		"compositions/dynamographdeployment.yaml":               Chain(log),
		"compositions/xdynamographdeployment.yaml":              Chain(log),
		"compositions/dynamographdeployment-fused.yaml":         {Fused(log)},
		"compositions/xdynamographdeployment-fused.yaml":        {Fused(log)},
		"compositions/dynamographdeploymentscalingadapter.yaml": {Fused(log)},
	} {
		t.Run(path, func(t *testing.T) {
			var want []string
			for _, fn := range fns {
				want = append(want, fn.Name+" dynamo-crossplane-function-dynamo-"+fn.Name)
			}
			comp := struct {
				Spec struct {
					Pipeline []struct {
						Step        string `json:"step"`
						FunctionRef struct {
							Name string `json:"name"`
						} `json:"functionRef"`
					} `json:"pipeline"`
				} `json:"spec"`
			}{}
			if err := yaml.Unmarshal(read(t, path), &comp); err != nil {
				t.Fatalf("cannot parse %s: %v", path, err)
			}
			var got []string
			for _, s := range comp.Spec.Pipeline {
				got = append(got, s.Step+" "+s.FunctionRef.Name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pipeline of %s: -want, +got:\n%s", path, diff)
			}
		})
	}
}

func TestPorts(t *testing.T) {
	seen := map[int]string{}
	for _, fn := range All(logging.NewNopLogger()) {
		if other, ok := seen[fn.Port]; ok {
			t.Errorf("%s and %s have the same port %d", fn.Name, other, fn.Port)
		}
		seen[fn.Port] = fn.Name
	}
}
