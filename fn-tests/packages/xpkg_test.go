package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

const (
	// streamFile contains the objects of a package, and examplesFile its examples: https://github.com/crossplane/crossplane/blob/main/contributing/specifications/xpkg.md
	streamFile   = "package.yaml"
	examplesFile = ".up/examples.yaml"
)

// An xpkg is a package as built.
type xpkg struct {
	config struct {
		Architecture string `json:"architecture"`
		Config       struct {
			User       string   `json:"User"`
			Entrypoint []string `json:"Entrypoint"`
			Cmd        []string `json:"Cmd"`
		} `json:"config"`
	}
	// files of all layers.
	files map[string][]byte
}

// TestBuild builds all packages twice, in two directories, and checks the contents of each.
func TestBuild(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_E2E") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_E2E=1 to build the packages, with Crossplane's CLI, which is built first")
	}
	folder, again := build(t), buildElsewhere(t)
	if diff := cmp.Diff(sums(t, folder), sums(t, again)); diff != "" {
		t.Errorf("two builds differ: -first, +second:\n%s", diff)
	}

	var configuration, chain packageMeta
	read(t, "crossplane.yaml", &configuration)
	read(t, "package/chain/crossplane.yaml", &chain)
	configurations := map[string]string{
		"configuration-dynamo":              "dynamographdeployment",
		"configuration-dynamo-claims":       "xdynamographdeployment",
		"configuration-dynamo-chain":        "dynamographdeployment",
		"configuration-dynamo-chain-claims": "xdynamographdeployment",
	}
	want := []string{"functions-amd64.cdx.json", "functions-arm64.cdx.json"}
	for _, dependency := range append(configuration.Spec.DependsOn, chain.Spec.DependsOn...) {
		name := filepath.Base(dependency.Package)
		for _, arch := range []string{"amd64", "arm64"} {
			want = append(want, name+"-"+arch+".xpkg")
			t.Run(name+"-"+arch, func(t *testing.T) {
				image := open(t, folder, name+"-"+arch)
				testFunction(t, image, name, arch)
				testBill(t, filepath.Join(folder, "functions-"+arch+".cdx.json"), image.files["functions"])
			})
		}
	}
	for name, api := range configurations {
		want = append(want, name+".xpkg")
		t.Run(name, func(t *testing.T) {
			testConfiguration(t, open(t, folder, name), name, api)
			testPinned(t, open(t, folder, name), digestsIn(t, filepath.Join(folder, "functions.txt")))
		})
	}
	t.Run("Release", func(t *testing.T) { testRelease(t, folder) })
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(sums(t, folder)))); diff != "" {
		t.Errorf("packages: -want, +got:\n%s", diff)
	}
}

// build the packages, unless CONFIGURATION_DYNAMO_PACKAGES is a directory to which hack/package.sh has already written them.
func build(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("CONFIGURATION_DYNAMO_PACKAGES"); folder != "" {
		return folder
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "hack/package.sh", folder)
	cmd.Dir = harness.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the packages: %v\n%s", err, out)
	}
	return folder
}

// buildElsewhere builds the packages from a copy of the source, with other settings of the machine.
func buildElsewhere(t *testing.T) string {
	t.Helper()
	source, folder := t.TempDir(), t.TempDir()
	script := `tar --exclude=./.git --exclude=./.cache --exclude=./_output -cf - . | tar --touch -xf - -C "$1" && umask 077 && "$1/hack/package.sh" "$2"`
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script, "bash", source, folder)
	cmd.Dir = harness.Root()
	tools := os.Getenv("CONFIGURATION_DYNAMO_TOOLS")
	if tools == "" {
		tools = filepath.Join(harness.Root(), ".cache", "tools")
	}
	cmd.Env = append(os.Environ(), "CONFIGURATION_DYNAMO_TOOLS="+tools, "TZ=Asia/Tokyo", "LC_ALL=C", "USER=somebody")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the packages elsewhere: %v\n%s", err, out)
	}
	return folder
}

// sums of the packages in a folder, by file.
func sums(t *testing.T, folder string) map[string]string {
	t.Helper()
	data := harness.File(t, filepath.Join(folder, "SHA256SUMS"))
	byFile := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		byFile[file] = sum
	}
	return byFile
}

func testFunction(t *testing.T, got xpkg, name, arch string) {
	t.Helper()
	function := strings.TrimPrefix(name, "function-dynamo-")

	want := []string{"Function " + name}
	if inputs, err := filepath.Glob(filepath.Join(harness.Root(), "package", function, "input", "*.yaml")); err == nil && len(inputs) > 0 {
		want = append(want, "CustomResourceDefinition inputs.plan.dynamo.nvidia.com")
	}
	if diff := cmp.Diff(want, got.objects(t, streamFile)); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"functions", streamFile}, slices.Sorted(maps.Keys(got.files))); diff != "" {
		t.Errorf("files of the image: -want, +got:\n%s", diff)
	}
	command := append(slices.Clone(got.config.Config.Entrypoint), got.config.Config.Cmd...)
	if diff := cmp.Diff([]string{"/functions", function}, command); diff != "" {
		t.Errorf("command: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2000:2000", arch}, []string{got.config.Config.User, got.config.Architecture}); diff != "" {
		t.Errorf("user and architecture: -want, +got:\n%s", diff)
	}
}

// testRelease calls step plan of the binary for this architecture, whose plan has its release, and looks for the same release in the others.
func testRelease(t *testing.T, folder string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "functions")
	if err := os.WriteFile(binary, open(t, folder, "function-dynamo-plan-"+runtime.GOARCH).files["functions"], 0o700); err != nil {
		t.Fatal(err)
	}
	graph, err := structpb.NewStruct(harness.Read(t, "examples/agg-vllm.yaml")[0].Object)
	if err != nil {
		t.Fatal(err)
	}
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: graph}}}
	call, err := pipeline.Renderer().Call(t.Context(), harness.Serve(t, binary, "plan", "-insecure", "-metrics-address="), req, nil, pipeline.Objects{})
	if err != nil {
		t.Fatalf("cannot call the binary of a package: %v", err)
	}
	plan, err := protojson.Marshal(call.Response.GetContext())
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`"release": *"(v[0-9.]+)\+([0-9a-f]{12})"`).FindSubmatch(plan)
	if release == nil {
		t.Fatal("the plan does not say of which release step plan is")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		files := open(t, folder, "function-dynamo-plan-"+arch).files
		if !bytes.Contains(files["functions"], release[1]) || !bytes.Contains(files["functions"], release[2]) {
			t.Errorf("want release %s+%s for all architectures, %s has another", release[1], release[2], arch)
		}
	}
}

// testPinned checks that a Configuration depends on the functions that were built with it.
func testPinned(t *testing.T, got xpkg, digests map[string]string) {
	t.Helper()
	parsed, err := harness.Parse(got.files[streamFile])
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range parsed {
		if object.GetKind() != "Configuration" {
			continue
		}
		dependencies, _, err := unstructured.NestedSlice(object.Object, "spec", "dependsOn")
		if err != nil || len(dependencies) == 0 {
			t.Fatalf("want dependencies, got %v: %v", dependencies, err)
		}
		for _, value := range dependencies {
			dependency, _ := value.(map[string]any)
			want := digests[path.Base(fmt.Sprint(dependency["package"]))]
			if dependency["version"] != want || !strings.HasPrefix(want, "sha256:") {
				t.Errorf("%v: want digest %q, got %v", dependency["package"], want, dependency["version"])
			}
		}
	}
}

func testConfiguration(t *testing.T, got xpkg, name, api string) {
	t.Helper()

	want := []string{"Composition " + api, "CompositeResourceDefinition " + api + "s.nvidia.com", "Configuration " + name}
	objects := got.objects(t, streamFile)
	slices.Sort(want)
	slices.Sort(objects)
	if diff := cmp.Diff(want, objects); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{examplesFile, streamFile}, slices.Sorted(maps.Keys(got.files))); diff != "" {
		t.Errorf("files of the image: -want, +got:\n%s", diff)
	}
	examples := got.objects(t, examplesFile)
	if len(examples) == 0 {
		t.Error("want examples")
	}
	for _, example := range examples {
		if kind, _, _ := strings.Cut(example, " "); kind != "DynamoGraphDeployment" {
			t.Errorf("an example is no graph that a user would apply: %s", example)
		}
	}
}

// objects of a file of a package, each as its kind and name.
func (x xpkg) objects(t *testing.T, name string) []string {
	t.Helper()
	parsed, err := harness.Parse(x.files[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var objects []string
	for _, object := range parsed {
		objects = append(objects, object.GetKind()+" "+object.GetName())
	}
	return objects
}

func open(t *testing.T, folder, name string) xpkg {
	t.Helper()
	data := harness.File(t, filepath.Join(folder, name+".xpkg"))
	files := untar(t, bytes.NewReader(data))

	var manifest []struct {
		Config string   `json:"Config"`
		Layers []string `json:"Layers"`
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 {
		t.Fatalf("%s: want a manifest with one image: %v", name, err)
	}
	x := xpkg{files: map[string][]byte{}}
	if err := json.Unmarshal(files[manifest[0].Config], &x.config); err != nil {
		t.Fatalf("%s: cannot parse the config: %v", name, err)
	}
	for _, layer := range manifest[0].Layers {
		unzipped, err := gzip.NewReader(bytes.NewReader(files[layer]))
		if err != nil {
			t.Fatalf("%s: cannot read layer %s: %v", name, layer, err)
		}
		maps.Copy(x.files, untar(t, unzipped))
	}
	return x
}

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatalf("cannot read an archive: %v", err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatalf("cannot read %s of an archive: %v", header.Name, err)
		}
		files[header.Name] = content
	}
}
