// Package packages shows that what is released can be installed and is what it says: Compositions use the names that Crossplane gives to the
// functions that a Configuration depends on, all flavours run the same pipeline, releases have the files and the dependencies that docs/ lists,
// and `dgd render` shows what Crossplane's own render would.
package packages

import (
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

const registry = "xpkg.crossplane.io/"

// A packageMeta is the part of a package's crossplane.yaml that is tested here.
type packageMeta struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Capabilities []string `json:"capabilities"`
		Crossplane   struct {
			Version string `json:"version"`
		} `json:"crossplane"`
		DependsOn []struct {
			Kind    string `json:"kind"`
			Package string `json:"package"`
			Version string `json:"version"`
		} `json:"dependsOn"`
	} `json:"spec"`
}

// A composition is the part of a Composition that is tested here.
type composition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		CompositeTypeRef map[string]string `json:"compositeTypeRef"`
		Mode             string            `json:"mode"`
		Pipeline         []struct {
			Step        string `json:"step"`
			FunctionRef struct {
				Name string `json:"name"`
			} `json:"functionRef"`
			Input        map[string]any `json:"input"`
			Requirements map[string]any `json:"requirements"`
		} `json:"pipeline"`
	} `json:"spec"`
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal(harness.File(t, file), into); err != nil {
		t.Fatalf("cannot parse %s: %v", file, err)
	}
}

func TestFunctionNames(t *testing.T) {
	cases := map[string]struct {
		reason        string
		configuration string
		composition   string
	}{
		"Namespaced": {
			reason:        "The namespaced flavour depends on its one function.",
			configuration: "crossplane.yaml",
			composition:   "compositions/dynamographdeployment-fused.yaml",
		},
		"Claims": {
			reason:        "The claims flavour depends on its one function.",
			configuration: "package/claims/crossplane.yaml",
			composition:   "compositions/xdynamographdeployment-fused.yaml",
		},
		"Chain": {
			reason:        "The chain depends on every function of its pipeline, and on no other.",
			configuration: "package/chain/crossplane.yaml",
			composition:   "compositions/dynamographdeployment.yaml",
		},
		"ChainOfClaims": {
			reason:        "The chain of the claims flavour depends on every function of its pipeline, and on no other.",
			configuration: "package/chain-claims/crossplane.yaml",
			composition:   "compositions/xdynamographdeployment.yaml",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var configuration packageMeta
			read(t, tc.configuration, &configuration)
			var comp composition
			read(t, tc.composition, &comp)

			var installed []string
			for _, dependency := range configuration.Spec.DependsOn {
				// Crossplane names a Function that it installs as a dependency after its repository, as a DNS label.
				repository := strings.TrimPrefix(dependency.Package, registry)
				installed = append(installed, strings.NewReplacer("/", "-", ".", "-").Replace(repository))
			}
			var used []string
			for _, step := range comp.Spec.Pipeline {
				used = append(used, step.FunctionRef.Name)
			}
			if diff := cmp.Diff(installed, used); diff != "" {
				t.Errorf("\n%s\nfunctions: -installed by %s, +used by %s:\n%s", tc.reason, tc.configuration, tc.composition, diff)
			}
		})
	}
}

// TestPinned checks that every Configuration depends on one exact version of the functions. For a range, Crossplane installs the
// highest version in the registry, so an older Configuration would get newer functions.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/pkg/resolver/reconciler.go
func TestPinned(t *testing.T) {
	versions := map[string][]string{}
	for _, file := range []string{"crossplane.yaml", "package/claims/crossplane.yaml", "package/chain/crossplane.yaml", "package/chain-claims/crossplane.yaml"} {
		var configuration packageMeta
		read(t, file, &configuration)
		for _, dependency := range configuration.Spec.DependsOn {
			versions[dependency.Version] = append(versions[dependency.Version], file+": "+dependency.Package)
			if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(dependency.Version) {
				t.Errorf("%s: want an exact version of %s, got %q", file, dependency.Package, dependency.Version)
			}
		}
	}
	if len(versions) != 1 {
		t.Errorf("want one version of all functions, got %v", versions)
	}
}

func TestFunctionPackages(t *testing.T) {
	var configuration, chain packageMeta
	read(t, "crossplane.yaml", &configuration)
	read(t, "package/chain/crossplane.yaml", &chain)

	for _, dependency := range append(configuration.Spec.DependsOn, chain.Spec.DependsOn...) {
		name := path.Base(dependency.Package)
		t.Run(name, func(t *testing.T) {
			var function packageMeta
			read(t, filepath.Join("package", strings.TrimPrefix(name, "function-dynamo-"), "crossplane.yaml"), &function)

			if diff := cmp.Diff("Function "+name, function.Kind+" "+function.Metadata.Name); diff != "" {
				t.Errorf("package of the function: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff([]string{"composition"}, function.Spec.Capabilities); diff != "" {
				t.Errorf("capabilities: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(configuration.Spec.Crossplane.Version, function.Spec.Crossplane.Version); diff != "" {
				t.Errorf("version of Crossplane: -the Configuration's, +the Function's:\n%s", diff)
			}
		})
	}
}

func TestFlavoursRunTheSamePipeline(t *testing.T) {
	var namespaced, claims composition
	read(t, "compositions/dynamographdeployment.yaml", &namespaced)
	read(t, "compositions/xdynamographdeployment.yaml", &claims)

	want := map[string]string{"apiVersion": "nvidia.com/v1beta1", "kind": "X" + namespaced.Spec.CompositeTypeRef["kind"]}
	if diff := cmp.Diff(want, claims.Spec.CompositeTypeRef); diff != "" {
		t.Errorf("kind of the claims flavour: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(namespaced.Spec.Pipeline, claims.Spec.Pipeline); diff != "" {
		t.Errorf("pipelines: -namespaced, +claims:\n%s", diff)
	}
}

// TestDefaultComposition checks that graphs get the Composition of the package unless they select another one. The packages name the
// fused Composition like that of the chain.
func TestDefaultComposition(t *testing.T) {
	for _, name := range []string{"dynamographdeployment", "xdynamographdeployment"} {
		t.Run(name, func(t *testing.T) {
			var definition struct {
				Spec struct {
					DefaultCompositionRef map[string]string `json:"defaultCompositionRef"`
				} `json:"spec"`
			}
			read(t, "apis/"+name+"/definition.yaml", &definition)
			var comp composition
			read(t, "compositions/"+name+".yaml", &comp)
			if diff := cmp.Diff(map[string]string{"name": comp.Metadata.Name}, definition.Spec.DefaultCompositionRef); diff != "" {
				t.Errorf("defaultCompositionRef: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestFusedPipelines compares each fused Composition with that of the chain, including comments: its only step is step plan under
// another name, and everything else is the same. The other steps of the chain must not have an input,
// requirements or credentials.
func TestFusedPipelines(t *testing.T) {
	for _, name := range []string{"dynamographdeployment", "xdynamographdeployment"} {
		t.Run(name, func(t *testing.T) {
			chain, fused := text(t, "compositions/"+name), text(t, "compositions/"+name+"-fused")
			first, rest, _ := strings.Cut(chain, "    - step: foundation\n")
			want := strings.NewReplacer(
				"  name: "+name+"\n", "  name: "+name+"-fused\n", "- step: plan\n", "- step: graph\n", "function-dynamo-plan\n", "function-dynamo-graph\n",
			).Replace(first)
			if diff := cmp.Diff(want, fused); diff != "" {
				t.Errorf("make generate writes it: -the first step of the chain, +fused:\n%s", diff)
			}
			for _, field := range []string{"input:", "requirements:", "credentials:"} {
				if strings.Contains(rest, field) {
					t.Errorf("a step after plan has %s, which the fused Composition would have to have too", field)
				}
			}
		})
	}
}

// TestPreviewCompositions compares the Compositions for previews of v1alpha1 with those from which they are generated.
func TestPreviewCompositions(t *testing.T) {
	for _, name := range []string{"dynamographdeployment", "xdynamographdeployment"} {
		t.Run(name, func(t *testing.T) {
			want := strings.NewReplacer("  name: "+name+"\n", "  name: "+name+"-v1alpha1\n", "apiVersion: nvidia.com/v1beta1", "apiVersion: nvidia.com/v1alpha1").
				Replace(text(t, "compositions/"+name))
			if diff := cmp.Diff(want, text(t, "examples/v1alpha1/compositions/"+name)); diff != "" {
				t.Errorf("run make generate: -want, +got:\n%s", diff)
			}
		})
	}
}

// text of a Composition without the comment at its beginning. The path has no extension.
func text(t *testing.T, composition string) string {
	t.Helper()
	_, text, _ := strings.Cut(string(harness.File(t, composition+".yaml")), "apiVersion: ")
	return text
}

// TestDocumentedInput decodes the input in the comments of a Composition.
func TestDocumentedInput(t *testing.T) {
	_, text, found := strings.Cut(string(harness.File(t, "compositions/dynamographdeployment.yaml")), "kind: Input\n")
	if !found {
		t.Fatal("the Composition has no input")
	}
	var documented strings.Builder
	for line := range strings.Lines(text) {
		field, ok := strings.CutPrefix(line, "        # ")
		if !ok {
			break
		}
		documented.WriteString(field)
	}

	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(documented.String()), &fields); err != nil {
		t.Fatalf("the documented input is no YAML: %v", err)
	}
	var input v1alpha1.Input
	if err := yaml.UnmarshalStrict([]byte(documented.String()), &input); err != nil {
		t.Errorf("the documented input has fields that the input of plan does not have: %v", err)
	}
	for field := range reflect.TypeFor[v1alpha1.Input]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "metadata" {
			continue
		}
		if _, ok := fields[name]; !ok {
			t.Errorf("the documented input does not show the field %s", name)
		}
	}
}
