package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/api/konfig"
)

// A built folder is one from which a tool builds what is applied. Its files have {replicas} where the replicas of what is applied are set.
type built struct {
	reason string
	files  map[string]string

	// named are the arguments that name what is applied, each on its own.
	named []string

	// says is in each message, in place of what to do.
	says string

	// isKnown says that the commands can build what is applied.
	isKnown bool
}

const (
	builtGraph = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n  components:\n" +
		"    - name: Frontend\n      type: frontend\n      replicas: 1\n      podTemplate: {spec: {containers: [{name: main, image: example.org/chat:1.0.0}]}}\n"
	builtPatch = "- {op: replace, path: /spec/components/0/replicas, value: {replicas}}\n"
	// builtMerge has no image, so it is no whole graph.
	builtMerge = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n  backendFramework: {replicas}\n"
)

// builtFolders are the ways in which the files of a folder are not what is applied.
func builtFolders() map[string]built {
	target := "target: {kind: DynamoGraphDeployment}"
	all := map[string]built{
		"Chart": {
			reason: "A chart has templates, which may look like manifests.", named: []string{"deploy", "deploy -R", "deploy/templates", "deploy/templates/chat.yaml", "deploy/*.yaml"},
			files: map[string]string{"deploy/Chart.yaml": "apiVersion: v2\nname: chat\n", "deploy/templates/chat.yaml": builtGraph, "deploy/values.yaml": "replicas: {replicas}\n"},
		},
		"ChartOfCharts": {
			reason: "A chart may contain others.", named: []string{"deploy -R", "deploy/charts/inner"},
			files: map[string]string{
				"deploy/Chart.yaml": "apiVersion: v2\nname: chat\n", "deploy/charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\n",
				"deploy/charts/inner/templates/chat.yaml": strings.Replace(builtGraph, "replicas: 1", "replicas: {{ .Values.replicas }}", 1),
			},
		},
		"ArgoCD": {
			reason: "An Application may change what is in the folder.", named: []string{"deploy -R", "deploy/app.yaml deploy/graphs"},
			files: map[string]string{
				"deploy/graphs/chat.yaml": builtGraph,
				"deploy/app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: chat}\n" +
					"spec: {source: {path: deploy/graphs, kustomize: {patches: [{patch: '- {op: replace, path: /spec/components/0/replicas, value: {replicas}}'}]}}}\n",
			},
		},
		"ArgoCDSources": {
			reason: "It may have several sources.", named: []string{"deploy -R"},
			files: map[string]string{
				"deploy/graphs/chat.yaml": builtGraph,
				"deploy/app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: chat}\n" +
					"spec: {template: {spec: {sources: [{path: other}, {path: deploy/graphs, plugin: {name: {replicas}}}]}}}\n",
			},
		},
		"Flux": {
			reason: "A Kustomization of Flux may change what is in the folder.", named: []string{"deploy -R"},
			files: map[string]string{
				"deploy/graphs/chat.yaml": builtGraph,
				"deploy/flux.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: chat}\n" +
					"spec: {path: ./deploy/graphs, postBuild: {substitute: {replicas: {replicas}}}}\n",
			},
		},
		"Remote": {
			reason: "What a kustomization takes from elsewhere is not fetched.", named: []string{"deploy", "deploy -R"},
			files: map[string]string{
				"deploy/chat.yaml":          builtGraph,
				"deploy/kustomization.yaml": "resources: [chat.yaml, 'https://127.0.0.1:1/chat.yaml']\n# {replicas}\n",
			},
		},
		"Cycle": {
			reason: "Kustomizations that contain each other are part of nothing that is applied.", named: []string{"deploy -R"},
			files: map[string]string{
				"deploy/chat.yaml": strings.Replace(builtGraph, "name: chat", "name: other", 1), "deploy/a/chat.yaml": builtGraph,
				"deploy/a/kustomization.yaml": "resources: [../b, chat.yaml]\n# {replicas}\n", "deploy/b/kustomization.yaml": "resources: [../a]\n",
			},
			says: "cycle",
		},
		"Missing": {
			reason: "A kustomization may name a file that does not exist.", named: []string{"deploy", "deploy -R"},
			files: map[string]string{"deploy/chat.yaml": builtGraph, "deploy/kustomization.yaml": "resources: [chat.yaml, absent.yaml]\n# {replicas}\n"},
			says:  "absent.yaml: no such file",
		},
		"Patch": {
			reason: "A patch is no whole graph.", named: []string{"deploy/patches", "deploy/patches/chat.yaml"},
			files: map[string]string{
				"deploy/chat.yaml": builtGraph, "deploy/patches/chat.yaml": builtGraph,
				"deploy/kustomization.yaml": "resources: [chat.yaml]\npatches: [{path: patches/chat.yaml}]\n# {replicas}\n",
			},
		},
	}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		for way, patch := range map[string]map[string]string{
			"Inline":     {"prod/" + name: "patches:\n  - " + target + "\n    patch: |-\n      " + builtPatch},
			"File":       {"prod/" + name: "patches:\n  - {path: patch.yaml, " + target + "}\n", "prod/patch.yaml": builtPatch},
			"Deprecated": {"prod/" + name: "patchesStrategicMerge: [patches/chat.yaml]\n", "prod/patches/chat.yaml": strings.Replace(builtMerge, "backendFramework: {replicas}", "components: [{name: Frontend, type: frontend, replicas: {replicas}, podTemplate: {spec: {containers: [{name: main, image: 'example.org/chat:1.0.0'}]}}}]", 1)},
			"Component": {
				"prod/" + name:      "components: [../component]\n",
				"component/" + name: "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n  - " + target + "\n    patch: |-\n      " + builtPatch,
			},
		} {
			files := map[string]string{"deploy/base/" + name: "resources: [chat.yaml]\n", "deploy/base/chat.yaml": builtGraph}
			for path, text := range patch {
				if path == "prod/"+name {
					text = "resources: [../base]\n" + text
				}
				files["deploy/"+path] = text
			}
			// One name with all ways, and one way with all names.
			if way != "Inline" && name != konfig.DefaultKustomizationFileName() {
				continue
			}
			all[way+"Of"+name] = built{reason: "A kustomization is built, however it changes its files.", files: files, named: []string{"deploy/prod", "deploy -R"}, isKnown: true}
		}
	}
	return all
}

// TestBuilt checks that no command says that all is well where what is applied is refused, and that what can be built is no mistake.
func TestBuilt(t *testing.T) {
	for name, b := range builtFolders() {
		for _, named := range b.named {
			t.Run(name+"/"+named, func(t *testing.T) {
				for _, wrong := range []bool{true, false} {
					replicas := map[bool]string{true: "four", false: "4"}[wrong]
					t.Chdir(writtenTo(t, b.files, replicas))
					commands := builtCommands(strings.Fields(named))
					if b.isKnown && !strings.Contains(named, " ") {
						commands["render"] = []string{"render", named}
					}
					for command, args := range commands {
						got := ended(t, "", args...)
						switch {
						case (wrong || !b.isKnown) && got.code == 0:
							t.Errorf("%s\n%s: want an error, because what is applied is not valid or not known, got\n%s%s", b.reason, command, got.out, got.err)
						case !wrong && b.isKnown && got.code != 0:
							t.Errorf("%s\n%s: want exit status 0, because what is applied is valid, got %d:\n%s%s", b.reason, command, got.code, got.out, got.err)
						case !b.isKnown && !strings.Contains(got.err+got.out, cmp.Or(b.says, "kubectl dgd validate -")) && !strings.Contains(got.err+got.out, "pass folder deploy"):
							t.Errorf("%s\n%s: want a message with what to do, got\n%s%s", b.reason, command, got.out, got.err)
						}
					}
				}
			})
		}
	}
}

// builtCommands are all that read folders.
func builtCommands(paths []string) map[string][]string {
	all := map[string][]string{
		"validate": append([]string{"validate"}, paths...),
		"explain":  append([]string{"explain"}, paths...),
	}
	if last := len(paths) - 1; paths[last] == "-R" {
		all["diff"] = []string{"diff", "absent", paths[0], "-R"}
	} else if last == 0 {
		all["diff"] = []string{"diff", "absent", paths[0]}
	}
	return all
}

// writtenTo a folder of their own, files with the replicas of what is applied.
func writtenTo(t *testing.T, files map[string]string, replicas string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range maps.All(files) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{replicas}", replicas)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestConvertPatch checks that a patch with a part of a graph is not converted: Kustomize replaces lists as a whole, and would lose the other components.
func TestConvertPatch(t *testing.T) {
	t.Chdir(writtenTo(t, map[string]string{
		"base/chat.yaml": builtGraph, "base/merge.yaml": builtMerge, "base/json.yaml": builtPatch,
		"base/kustomization.yaml": "resources: [chat.yaml]\npatches: [{path: merge.yaml}, {path: json.yaml, target: {kind: DynamoGraphDeployment}}]\n",
	}, "vllm"))
	cases := map[string]struct {
		reason string
		file   string
		code   int
	}{
		"Graph":         {reason: "The files of a kustomization can be converted.", file: "base/chat.yaml"},
		"Merge":         {reason: "A part of a graph cannot.", file: "base/merge.yaml", code: exitRefused},
		"JSON":          {reason: "What is no object stays as it is.", file: "base/json.yaml"},
		"Kustomization": {reason: "A kustomization stays as it is, too.", file: "base/kustomization.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ended(t, "", "convert", tc.file, "--to=v1alpha1")
			if got.code != tc.code || tc.code != 0 && !strings.Contains(got.err, "no whole graph") {
				t.Errorf("%s\nwant exit status %d, got %d: %s", tc.reason, tc.code, got.code, got.err)
			}
		})
	}
}

// TestValidateEmpty checks that a field without a value, which a template of Helm leaves behind, is warned of where server-side apply refuses it.
func TestValidateEmpty(t *testing.T) {
	graph := "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  name: chat\n  annotations:\nspec:\n  components:\n    - name: Frontend\n      type: frontend\n" +
		"      podTemplate:\n        spec:\n          tolerations:\n          nodeSelector: {}\n          containers:\n            - name: main\n              image: example.org/chat:1.0.0\n" +
		"              resources:\n              command: []\n"
	want := "-:12:23: warning: spec.components[Frontend].podTemplate.spec.tolerations: has no value, so server-side apply refuses the graph; remove the field, or give it a value [DGD107]\n" +
		"-:17:25: warning: spec.components[Frontend].podTemplate.spec.containers[main].resources: has no value, so server-side apply refuses the graph; remove the field, or give it a value [DGD107]\n"
	got := validate(t, graph, "-", "--strict")
	if diff := gocmp.Diff(end{out: want, err: "1 graph checked: 0 errors, 2 warnings\n", code: exitWarnings}, got, gocmp.AllowUnexported(end{})); diff != "" {
		t.Errorf("lists and objects without a value: -want, +got:\n%s", diff)
	}
}
