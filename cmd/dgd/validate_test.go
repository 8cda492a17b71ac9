package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	manifests "github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// mistakes is a file with graphs that have mistakes of all sorts.
const mistakes = "testdata/validate/graphs.yaml"

func validate(t testing.TB, stdin string, args ...string) end {
	t.Helper()
	return ended(t, stdin, append([]string{"validate"}, args...)...)
}

// findingsOf graphs that can be checked.
func findingsOf(t testing.TB, args ...string) *check.Report {
	t.Helper()
	got := validate(t, "", append(args, "--output=json")...)
	report := &check.Report{}
	if err := json.Unmarshal([]byte(got.out), report); err != nil {
		t.Fatalf("cannot parse the report: %v\n%s", err, got.err)
	}
	return report
}

func textOf(t testing.TB, report *check.Report) string {
	t.Helper()
	var out strings.Builder
	if err := report.Write(&out, output.FormatText); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestValidateFormats(t *testing.T) {
	for _, format := range []string{"text", "json", "sarif"} {
		t.Run(format, func(t *testing.T) {
			got := validate(t, "", mistakes, "-o", format)
			if got.code != exitRefused {
				t.Errorf("a graph with errors ends the command with 1, got %d", got.code)
			}
			if strings.Contains(got.out, "never") || strings.Contains(got.out, "printed") {
				t.Error("the report has a value that may be secret")
			}
			harness.Golden(t, filepath.Join("testdata", "validate", "report."+format), []byte(got.out))
		})
	}
}

func TestValidateExit(t *testing.T) {
	const fine = "../../examples/agg-vllm.yaml"
	const warned = "../../fn-tests/support/corpus/manifests/deployment/warned-misspelt.yaml"
	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   int
		err    string
	}{
		"Fine":         {reason: "Nothing is wrong.", args: []string{fine}, err: "1 graph checked: 0 errors, 0 warnings\n"},
		"Warned":       {reason: "Warnings do not fail a pipeline by default.", args: []string{warned, "--cluster=none"}, err: "1 graph checked: 0 errors, 14 warnings\n"},
		"Strict":       {reason: "They do if the pipeline is strict.", args: []string{warned, "--cluster=none", "--strict"}, code: 3, err: "1 graph checked: 0 errors, 14 warnings\n"},
		"Ignored":      {reason: "Unless they are of a rule that is ignored.", args: []string{warned, "--cluster=none", "--strict", "--ignore=dgd240,DGD203,DGD205,DGD210,DGD212,DGD222,DGD224,DGD229,DGD237,DGD239,DGD241"}, err: "1 graph checked: 0 errors, 0 warnings\n"},
		"Refused":      {reason: "Errors win over warnings, and cannot be ignored.", args: []string{mistakes, "--strict", "--ignore=DGD101"}, code: 1, err: "3 graphs checked"},
		"Skipped":      {reason: "Objects of other kinds are counted.", args: []string{fine, "../../examples/functions.yaml"}, err: "1 graph checked: 0 errors, 0 warnings; skipped 9 objects of other kinds\n"},
		"Stdin":        {reason: "A pipe is read.", args: []string{"-"}, stdin: "spec: [\n", code: 1, err: "0 graphs checked: 1 error, 0 warnings\n"},
		"Nothing":      {reason: "A pipeline that checks nothing is broken.", args: []string{"../../examples/functions.yaml"}, code: 2, err: "there is no DynamoGraphDeployment in the 9 objects that were read"},
		"Nested":       {reason: "Graphs may be in the folders of a folder.", args: []string{"../../examples/gitops"}, code: 2, err: "there is no DynamoGraphDeployment in the 0 objects that were read; --recursive reads folders in folders, too"},
		"NoPath":       {reason: "A path is needed.", code: 2, err: "expected paths of graphs"},
		"Missing":      {reason: "A file that is not there is not fine.", args: []string{"absent.yaml"}, code: 2, err: "cannot read manifests"},
		"UnknownFlag":  {reason: "An unknown flag is an error of usage.", args: []string{"--loud"}, code: 2, err: "unknown flag --loud"},
		"Cluster":      {reason: "The error names all clusters.", args: []string{fine, "--cluster=gke"}, code: 2, err: `cannot read cluster "gke", which is neither a file nor one of all, grove-kai, grove, kueue, lws-dra, lws-kubernetes, lws-volcano, none, live`},
		"ClusterFile":  {reason: "A file that is no cluster is a file.", args: []string{fine, "--cluster=../../.golangci.yml"}, code: 2, err: `cannot read the cluster from "../../.golangci.yml"; want objects as "cluster record" prints them: `},
		"Code":         {reason: "A code that does not exist would ignore nothing.", args: []string{fine, "--ignore=DGD999"}, code: 2, err: "--ignore=DGD999 is not the code of a rule"},
		"Explain":      {reason: "An explanation needs no files.", args: []string{"--explain=DGD101"}},
		"ExplainOther": {reason: "There is no explanation of what does not exist.", args: []string{"--explain=E1"}, code: 2, err: "E1 is not the code of a rule"},
		"Input":        {reason: "A file that is no input is an error of usage.", args: []string{fine, "--input", fine}, code: 2, err: "want one object of kind Input"},
		"Composition":  {reason: "A Composition for another kind cannot be used.", args: []string{fine, "--composition=../../compositions/xdynamographdeployment.yaml"}, err: "1 graph checked: 0 errors, 0 warnings\n"},
		"NoComposition": {
			reason: "A file that is no Composition cannot be used.", args: []string{fine, "--composition", fine}, code: 2, err: "not a Composition",
		},
		"Namespace": {
			reason: "As with kubectl, a contradiction is an error.", args: []string{fine, "--namespace=other"}, code: 1, err: "1 graph checked: 1 error, 0 warnings\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := validate(t, tc.stdin, tc.args...)
			if got.code != tc.code || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d and %q, got %d and %q\n%s", tc.reason, tc.code, tc.err, got.code, got.err, got.out)
			}
		})
	}
}

// TestValidateOnce checks that a mistake has one message, at its line, with the nearest word.
func TestValidateOnce(t *testing.T) {
	const graph = `apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: a
  namespace: b
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate:
        spec:
          containers:
            - name: main
              image: registry.example.org/frontend:1.5.0
              envFrom:
                - secretRef:
                    name: token
`
	cases := map[string]struct {
		reason   string
		old, new string
		want     string
	}{
		"apiVersion": {reason: "The version is missing because of its key.", old: "apiVersion:", new: "apiVersio:", want: `-:1:1: error: apiVersio: unknown field, so this is no graph; did you mean "apiVersion"? [DGD004]`},
		"kind":       {reason: "The kind is missing because of its key, too.", old: "kind:", new: "Kind:", want: `-:2:1: error: Kind: unknown field, so this is no graph; did you mean "kind"? [DGD004]`},
		"metadata":   {reason: "The name is not missing.", old: "metadata:", new: "metadat:", want: `-:3:1: error: metadat: unknown field; did you mean "metadata"? [DGD101]`},
		"namespace":  {reason: "A field of metadata is no field of spec, but must exist too.", old: "namespace:", new: "namespac:", want: `-:5:3: error: metadata.namespac: unknown field; did you mean "namespace"? [DGD101]`},
		"spec":       {reason: "There are components.", old: "spec:\n  comp", new: "specs:\n  comp", want: `-:6:1: error: specs: unknown field; did you mean "spec"? [DGD101]`},
		"components": {reason: "In a list of another name.", old: "components:", new: "component:", want: `-:7:3: error: spec.component: Invalid value: unknown field; did you mean "components"? [DGD101]`},
		"name":       {reason: "The component has a name.", old: "- name: Frontend", new: "- names: Frontend", want: `-:8:7: error: spec.components[0].names: Invalid value: "Frontend": unknown field; did you mean "name"? [DGD101]`},
		"main":       {reason: "There is a main container.", old: "- name: main", new: "- nam: main", want: `-:13:15: error: spec.components[Frontend].podTemplate.spec.containers[0].nam: Invalid value: "main": unknown field; did you mean "name"? [DGD101]`},
		"secretRef": {
			reason: "The source of variables has a reference.", old: "secretRef", new: "secretRe",
			want: `-:16:19: error: spec.components[Frontend].podTemplate.spec.containers[main].envFrom[0].secretRe: Invalid value: unknown field; did you mean "secretRef"? [DGD101]`,
		},
		"type": {
			reason: "A type in another case is none.", old: "type: frontend", new: "type: Frontend",
			want: `"prefill", "worker"; did you mean "frontend"? [DGD231]`,
		},
		"pod": {
			reason: "The pod has another name, and its image is not missing.", old: "podTemplate:\n        spec:", new: "podSpec:",
			want: `-:10:7: error: spec.components[Frontend].podSpec: Invalid value: unknown field; use podTemplate.spec instead [DGD101]`,
		},
		"bytes": {
			reason: "A unit of bytes may be one of two.", old: "type: frontend", new: "type: frontend\n      sharedMemorySize: 64GB",
			want: `Invalid value: "64GB": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi; did you mean 64G or 64Gi? [DGD103]`,
		},
		"name of a shell": {
			reason: "Nobody reads a regular expression.", old: "name: a", new: `name: "${NAME}"`,
			want: `(e.g. 'example.com'); the value looks like a template, so render it first, such as with envsubst [DGD201]`,
		},
		"two": {
			reason: "A value is checked although the name of its field is wrong.", old: "type: frontend", new: "typ: frontent",
			want: "-:9:7: error: spec.components[Frontend].typ: Invalid value: \"frontent\": unknown field; did you mean \"type\"? [DGD101]\n-:9:12: error: spec.components[Frontend].type: ",
		},
		"placeholder": {
			reason: "An image of an example has a tag that nobody has built.", old: "frontend:1.5.0", new: "frontend:my-tag",
			want: `-:14:22: warning: spec.components[Frontend].podTemplate.spec.containers[main].image: "registry.example.org/frontend:my-tag" looks like a placeholder; replace it with what it stands for [DGD247]`,
		},
		"secret": {
			reason: "A placeholder that is wrong anyway has one message.", old: "name: token", new: "name: <your-secret>",
			want: `-:17:27: error: spec.components[Frontend].podTemplate.spec.containers[main].envFrom[0].secretRef.name: Invalid value: "<your-secret>": is not a valid name of a Secret; use lower-case letters, digits, dashes and dots [DGD223]`,
		},
		"variable": {
			reason: "Nobody replaces a variable in the name of an image.", old: "frontend:1.5.0", new: "frontend:${TAG}",
			want: `"registry.example.org/frontend:${TAG}" looks like a placeholder; replace it with what it stands for, such as with envsubst [DGD247]`,
		},
		"template": {
			reason: "A template is no YAML.", old: "name: a", new: "name: {{ .Release.Name }}",
			want: `-:4:1: error: cannot parse YAML: {{ belongs to a template, such as a template of Helm; check what the template renders to: helm template CHART | dgd validate -f - [DGD001]`,
		},
		"condition": {
			reason: "Neither is a condition.", old: "      type:", new: "{{- if .Values.type }}\n      type:",
			want: `-:9:1: error: cannot parse YAML: {{ belongs to a template`,
		},
		"envsubst": {
			reason: "A variable in braces begins a mapping.", old: "name: a", new: "labels: {a: ${A}}",
			want: `-:4:1: error: cannot parse YAML: ${A} is a variable that is not replaced; replace it first: envsubst < FILE | dgd validate -f - [DGD001]`,
		},
		"number": {
			reason: "A number that is not rendered is not said to be a string only.", old: "    - name: Frontend\n", new: "    - name: Frontend\n      replicas: ${N}\n",
			want: `replicas: Invalid value: must be a whole number, not a string; the value looks like a template, so render it first, such as with envsubst [DGD102]`,
		},
		"tab": {reason: "YAML has no tabs in its indentation.", old: "      type:", new: "\ttype:", want: `-:9:1: error: cannot parse YAML: a tab is in the indentation; indent with spaces [DGD001]`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := validate(t, strings.Replace(graph, tc.old, tc.new, 1), "-", "--ignore=DGD222")
			if lines := strings.Count(tc.want, "\n") + 1; !strings.Contains(got.out, tc.want) || strings.Count(got.out, "\n") != lines {
				t.Errorf("%s\nwant\n%s\ngot\n%s", tc.reason, tc.want, got.out)
			}
		})
	}
}

// TestValidateExamples checks a folder of graphs for different platforms, with what these need: policies are not applied to graphs that only are
// in the same folder, and the summary says so.
func TestValidateExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests validate the examples, and the command is slow with the race detector")
	}
	got := validate(t, "", "../../examples", "-R", "--cluster=all")
	if got.code != 0 || strings.Contains(got.out, "error: ") {
		t.Errorf("want no errors, got %d and\n%s", got.code, got.out)
	}
	for _, want := range []string{
		"../../examples/platform-policy/environmentconfig.yaml:4:7: note: EnvironmentConfig dynamo is not applied to the graphs; to apply it, pass its file with --cluster\n",
		"../../examples/air-gapped/input.yaml:4:7: note: Input is not applied to the graphs; to apply it, pass its file with --input\n",
	} {
		if !strings.Contains(got.err, want) {
			t.Errorf("want %q, got\n%s", want, got.err)
		}
	}
	same := regexp.MustCompile(`(?m)^\S+: warning: .* \[DGD005\]$`).FindAllString(got.out, -1)
	for _, graph := range []string{"examples/agg-vllm.yaml", "examples/gb200.yaml"} {
		if n := strings.Count(strings.Join(same, "\n"), graph); n != 1 {
			t.Errorf("want one warning about the manifests of a graph, got %d about %s", n, graph)
		}
	}
}

// TestValidateNoPlaceholder checks that values are not mistaken for placeholders.
func TestValidateNoPlaceholder(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	report := findingsOf(t, append(paths, "--cluster=all")...)
	for i := range report.Findings {
		if report.Findings[i].Code == rule.Placeholder {
			t.Errorf("got %s", report.Findings[i].Message)
		}
	}
}

// TestValidateExplain checks that each code is explained in 80 columns, with examples of which each is said to be wrong or right.
func TestValidateExplain(t *testing.T) {
	for _, r := range rule.Rules() {
		got := validate(t, "", "--explain="+strings.ToLower(string(r.Code)))
		words := strings.Join(strings.Fields(got.out), " ")
		if got.code != 0 || !strings.HasPrefix(words, string(r.Code)+" ("+r.Name+"): "+r.Title+" "+r.Wrong+" "+r.Remedy) {
			t.Errorf("%s: got exit status %d and %q", r.Code, got.code, got.out)
		}
		for line := range strings.Lines(got.out) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s: want 80 columns, got %q", r.Code, line)
			}
		}
		for _, sample := range r.Samples {
			if !strings.Contains(words, "Wrong: "+strings.Join(strings.Fields(sample.Wrong), " ")+" Right: "+strings.Join(strings.Fields(sample.Right), " ")) {
				t.Errorf("%s: want the right example after the wrong one, got %q", r.Code, got.out)
			}
		}
	}
}

// TestValidateInput checks that --input is the policy in place of that of the Composition, in the chain and in the fused function.
func TestValidateInput(t *testing.T) {
	input := filepath.Join(t.TempDir(), "input.yaml")
	if err := os.WriteFile(input, []byte("mnnvl:\n  mode: Sometimes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, composition := range []string{"dynamographdeployment", "dynamographdeployment-fused"} {
		report := findingsOf(t, "../../examples/agg-vllm.yaml", "--input", input, "--composition=../../compositions/"+composition+".yaml")
		if len(report.Findings) != 1 || report.Findings[0].Code != rule.Input || report.Findings[0].Field != "input.mnnvl.mode" ||
			report.Findings[0].String() != input+":2:9" {
			t.Errorf("%s: want an error about the input, got %s", composition, textOf(t, report))
		}
	}
}

// TestValidateClaims checks graphs of the claims flavor.
func TestValidateClaims(t *testing.T) {
	const claim = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n" +
		"spec:\n  compositeDeletePolicy: Foreground\n  compositeDeletePolice: Foreground\n" +
		"  components: [{name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: 'a:1.3.0'}]}}}]\n"
	got := validate(t, claim, "-")
	if !strings.HasPrefix(got.out, "-:6:3: error: spec.compositeDeletePolice: ") || strings.Count(got.out, "\n") != 1 {
		t.Errorf("only the field that claims do not have is an error: got %q", got.out)
	}
	for _, path := range []string{"../../examples/claims/agg-vllm-claim.yaml", "../../examples/claims/agg-vllm-xr.yaml"} {
		if report := findingsOf(t, path, "--claims"); report.Graphs != 1 || len(report.Findings) > 0 {
			t.Errorf("%s: want nothing wrong, got %s", path, textOf(t, report))
		}
	}
}

// TestValidateObjects checks that a graph may refer to objects in its files.
func TestValidateObjects(t *testing.T) {
	const graph = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n" +
		"spec:\n  components: [{name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: 'a:1.3.0'}]}}}]\n"
	const taken = "---\napiVersion: v1\nkind: Service\nmetadata: {name: a-frontend, namespace: b}\n"
	if got := validate(t, graph, "-"); got.code != 0 {
		t.Errorf("want the graph accepted alone, got %s", got.out)
	}
	if got := validate(t, graph+taken, "-"); got.code != 1 || !strings.Contains(got.out, "[DGD304]") {
		t.Errorf("want the graph refused beside a Service of the name of its own, got %s", got.out)
	}
}

// TestValidateMistaken checks objects that are almost graphs, and graphs that are there twice.
func TestValidateMistaken(t *testing.T) {
	graph := func(apiVersion, kind string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: a, namespace: b}\n" +
			"spec:\n  components: [{name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: 'a:1.3.0'}]}}}]\n---\n"
	}
	const version, kind = "nvidia.com/v1beta1", "DynamoGraphDeployment"
	cases := map[string]struct {
		reason string
		files  string
		code   int
		want   []string
	}{
		"Kind": {
			reason: "A misspelt kind is said even if there is no graph.", files: graph(version, "DynamoGraphDeploymnt"), code: exitRefused,
			want: []string{`-:2:7: error: kind "DynamoGraphDeploymnt" does not exist in group nvidia.com, so this is no graph; did you mean "DynamoGraphDeployment"? [DGD004]`},
		},
		"Group": {
			reason: "A graph in another group is none.", files: graph("dynamo.nvidia.com/v1beta1", kind) + graph(version, kind), code: exitRefused,
			want: []string{`-:1:13: error: kind DynamoGraphDeployment is not a kind of group "dynamo.nvidia.com", so this is no graph; did you mean "nvidia.com"? [DGD004]`},
		},
		"NoVersion": {
			reason: "An object without an apiVersion is none, and kubectl refuses it.", files: "kind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n---\n" + graph(version, kind), code: exitRefused,
			want: []string{`-:1:7: error: apiVersion is not set, so this is no graph; set it to nvidia.com/v1beta1, or to nvidia.com/v1alpha1 if spec has services [DGD004]`},
		},
		"NoKind": {
			reason: "An object without a kind is none either.", files: "apiVersion: nvidia.com/v1beta1\nmetadata: {name: a, namespace: b}\n", code: exitRefused,
			want: []string{`-:1:13: error: kind is not set, so this is no graph; set it to DynamoGraphDeployment [DGD004]`},
		},
		"NoSpec": {
			reason: "What is missing is said once.", files: "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n", code: exitRefused,
			want: []string{`-:1:1: error: spec.services: Required value: at least one service is required [DGD104]`},
		},
		"NoServices": {
			reason: "A graph without anything lacks one thing.", files: "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\nspec: {}\n", code: exitRefused,
			want: []string{`-:4:1: error: spec.services: Required value: at least one service is required [DGD104]`},
		},
		"MainContainer": {
			reason: "What is in the wrong place is not missing as well.", code: exitRefused,
			files: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n" +
				"spec:\n  components: [{name: Frontend, type: frontend, podTemplate: {spec: {mainContainer: {image: a}}}}]\n",
			want: []string{`-:5:70: error: spec.components[Frontend].podTemplate.spec.mainContainer: Invalid value: unknown field; write it as an item with name main in "containers" instead [DGD101]`},
		},
		"ContainersWithoutSpec": {
			reason: "What is in the wrong place is not missing in the right one.", code: exitRefused,
			files: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n" +
				"spec:\n  components: [{name: Frontend, type: frontend, podTemplate: {containers: [{name: main, image: a}]}}]\n",
			want: []string{`-:5:63: error: spec.components[Frontend].podTemplate.containers: Invalid value: unknown field; set it in podTemplate.spec [DGD101]`},
		},
		"ClaimTemplate": {
			reason: "What has no effect on Grove is said once.",
			files: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: b}\n" +
				"spec:\n  components: [{name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: 'a:1.3.0'}], volumes: [\n" +
				"    {name: v, ephemeral: {volumeClaimTemplate: {metadata: {annotations: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}}}]\n",
			want: []string{`-:6:49: warning: spec.components[Frontend].podTemplate.spec.volumes[0].ephemeral.volumeClaimTemplate.metadata: has no effect on Grove, which does not support it; create the claim separately and mount it through volumeMounts [DGD232]`},
		},
		"OtherKinds": {
			reason: "Other kinds have similar names.",
			files: graph(version, kind) + "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentRequest\nmetadata: {name: a}\n---\n" +
				"apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentScalingAdapter\nmetadata: {name: a}\n---\napiVersion: nvidia.com/v1alpha1\nkind: DynamoComponentDeployment\nmetadata: {name: a}\n",
		},
		"Twice": {
			reason: "What is applied last replaces the other.", files: graph(version, kind) + graph(version, kind),
			want: []string{`-:9:18: warning: metadata.name: the graph is also in -:3:18, and what is applied last replaces the other; rename one of them, or remove it [DGD005]`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := validate(t, tc.files, "-")
			var lines []string
			for line := range strings.Lines(got.out) {
				lines = append(lines, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(tc.want, lines); diff != "" || got.code != tc.code {
				t.Errorf("%s\nvalidate: want exit status %d, got %d, -want, +got:\n%s", tc.reason, tc.code, got.code, diff)
			}
		})
	}
	if got := ended(t, graph(version, "DynamoGraphDeploymnt"), "explain", "-"); got.code == 0 || !strings.Contains(got.err, "did you mean") {
		t.Errorf("other commands say it too: want an error, got %d: %s", got.code, got.err)
	}
}

// uncovered are rules that no manifest of the corpus breaks, with the reason.
func uncovered() map[rule.Code]string {
	const (
		live  = "Only a live graph can break the rule."
		input = "It depends on the input of step plan."
		here  = "Another test of this package breaks the rule."
	)
	return map[rule.Code]string{
		rule.NotYAML: here, rule.DuplicateKey: here, rule.UnknownVersion: here, rule.UnknownKind: here, rule.Schema: here, rule.Input: input, rule.NameTaken: here, rule.Placeholder: here, rule.NotBuilt: here, rule.EmptyField: here,
		rule.Immutable: live, rule.Adoption: live,
		rule.Refused:        "Step plan refuses what later steps would refuse.",
		rule.ComposedObject: "Step plan tells what the API server would refuse or drop, as far as it knows; TestComposed of tool/check breaks the rule.",
		rule.Size:           "Such a manifest would be too long to read.",
		rule.Kept:           "The annotation is written by convert.",
	}
}

// validatedOf so many manifests, one is checked with the race detector.
const validatedOf = 8

// TestValidateCorpus checks every manifest on its platform: those that must be refused are, each finding has a code and the position of its
// field, and every rule is broken by a manifest.
func TestValidateCorpus(t *testing.T) {
	byPlatform := map[string][]manifests.Manifest{}
	for i, m := range manifests.Manifests(t) {
		// With the race detector, a few that are checked at the same time are enough.
		if !testing.Short() || i%validatedOf == 0 {
			byPlatform[m.Platform.Name] = append(byPlatform[m.Platform.Name], m)
		}
	}
	broken := map[rule.Code]bool{}
	for _, platform := range byPlatform {
		first := platform[0].Platform
		args := []string{"--cluster", filepath.Join(harness.Root(), first.Cluster), "--composition", harness.WithInput(t, harness.Composition, first.Input)}
		for _, m := range platform {
			args = append(args, m.Path)
		}
		report := findingsOf(t, args...)
		checkPositions(t, report)
		for _, m := range platform {
			checkManifest(t, &m, report)
		}
		for i := range report.Findings {
			broken[report.Findings[i].Code] = true
		}
	}
	if testing.Short() {
		return
	}
	for _, r := range rule.Rules() {
		if reason := uncovered()[r.Code]; broken[r.Code] == (reason != "") {
			t.Errorf("%s (%s): broken by a manifest: %t, but expected not to be because: %q", r.Code, r.Name, broken[r.Code], reason)
		}
	}
}

// waits is a manifest with nothing wrong in it. It is refused until a checkpoint is ready.
const waits = "everything/refused-checkpoint-wait"

// checkManifest compares what is found in a manifest with what its name says.
func checkManifest(t *testing.T, m *manifests.Manifest, report *check.Report) {
	t.Helper()
	refused, warned := false, false
	for i := range report.Findings {
		if f := &report.Findings[i]; f.File == m.Path {
			refused = refused || f.Severity == check.Error
			warned = warned || f.Severity == check.Warning
		}
	}
	if want := m.Refused && m.Name != waits; refused != want || (m.Warned || m.Name == waits) && !warned {
		t.Errorf("%s: want refused %t and warned %t, got %t and %t", m.Name, want, m.Warned || m.Name == waits, refused, warned)
	}
}

// TestValidateShared checks the manifests outside of the repository, as many people have written them.
func TestValidateShared(t *testing.T) {
	if testing.Short() {
		t.Skip("the manifests of TestValidateCorpus are enough for the race detector, with which the command is slow")
	}
	var paths []string
	for _, m := range shared.Corpus(t) {
		paths = append(paths, m.Path)
	}
	report := findingsOf(t, paths...)
	checkPositions(t, report)
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Code == rule.ComposedObject || f.Code == rule.Schema || f.Code == rule.SchemaRule {
			t.Errorf("step plan has missed %s", f)
		}
	}
}

var elements = regexp.MustCompile(`[^.\[\]]+`)

// checkPositions compares the position of each finding with the source: there is the last part of the path that the source has, its value,
// or the item of a list.
func checkPositions(t *testing.T, report *check.Report) {
	t.Helper()
	sources := map[string][]string{}
	for i := range report.Findings {
		f := &report.Findings[i]
		if sources[f.File] == nil {
			source, err := os.ReadFile(f.File)
			if err != nil {
				t.Fatal(err)
			}
			sources[f.File] = strings.Split(string(source), "\n")
		}
		lines := sources[f.File]
		if f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > len(lines[f.Line-1])+1 {
			t.Errorf("%s is not in the file", f)
			continue
		}
		before, at := lines[f.Line-1][:f.Column-1], lines[f.Line-1][f.Column-1:]
		if f.Field != "" && !isAt(f.Field, before, at) {
			t.Errorf("the position is not that of the field: %s\n%q, %q", f, before, at)
		}
	}
}

// isAt reports whether a line is that of a field, given what it has before the position of the field and from there on.
func isAt(field, before, at string) bool {
	names := elements.FindAllString(field, -1)
	isName := func(text string) bool {
		text = strings.Trim(text, `"' `)
		return text != "" && (strings.Contains(field, text) || slices.Contains(names, text))
	}
	key, _, _ := strings.Cut(at, ":")
	if isName(key) {
		return true
	}
	// The value behind a key, an item behind a dash or in brackets.
	parts := strings.Split(strings.TrimRight(before, " &*abcdefghijklmnopqrstuvwxyz"), ":")
	trimmed := strings.TrimSpace(before)
	if strings.HasSuffix(trimmed, "-") || strings.HasSuffix(trimmed, "[") || strings.HasSuffix(trimmed, ",") || strings.HasSuffix(trimmed, "{") {
		return true
	}
	if len(parts) < 2 {
		return false
	}
	name := parts[len(parts)-2]
	return isName(strings.TrimLeft(name[strings.LastIndexAny(name, "{,-")+1:], " "))
}

// TestValidatePolicy checks that the EnvironmentConfig of a cluster counts.
func TestValidatePolicy(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   string
		at     string
		want   rule.Code
	}{
		"GuardRail": {
			reason: "A graph that breaks a guard rail is refused.",
			data:   "guardRails: {maxReplicas: 0}", at: "../../examples/agg-vllm.yaml:", want: rule.GuardRails,
		},
		"Invalid": {
			reason: "With an invalid policy, all graphs are refused, and the mistake has its position in the file with the policy.",
			data:   "guardRails: {maxReplica: 0}", at: "cluster.yaml:4:33: ", want: rule.Input,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := filepath.Join(t.TempDir(), "cluster.yaml")
			object := "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: dynamo}\ndata: {" + tc.data + "}\n"
			if err := os.WriteFile(cluster, []byte(object), 0o600); err != nil {
				t.Fatal(err)
			}
			got := validate(t, "", "../../examples/agg-vllm.yaml", "--cluster="+cluster)
			if got.code != exitRefused || !strings.Contains(got.out, string(tc.want)) || !strings.Contains(got.out, tc.at) {
				t.Errorf("%s\nwant %s at %s, got %d and %s%s", tc.reason, tc.want, tc.at, got.code, got.out, got.err)
			}
		})
	}
}

// TestValidateLive checks that a live cluster is asked for what step plan requires, and for nothing else.
func TestValidateLive(t *testing.T) {
	c := newCluster(t)
	// Grove is installed, and nothing else.
	c.put(t, harness.APIService(t, "v1alpha1.grove.io"))
	got := validate(t, "", "../../examples/sglang-multinode.yaml", "--cluster=live", "--context=prod")
	if got.code != 0 {
		t.Errorf("want a graph that Grove runs accepted: %s%s", got.out, got.err)
	}
	harness.Golden(t, filepath.Join("testdata", "validate", "live.txt"), []byte(strings.Join(c.asked(t), "\n")+"\n"))
}

// BenchmarkValidate measures a single graph, and all graphs that there are.
func BenchmarkValidate(b *testing.B) {
	b.Run("One", func(b *testing.B) {
		for b.Loop() {
			validate(b, "", "../../examples/agg-vllm.yaml")
		}
	})
	b.Run("Corpus", func(b *testing.B) {
		var paths []string
		for _, m := range shared.Corpus(b) {
			paths = append(paths, m.Path)
		}
		for b.Loop() {
			validate(b, "", paths...)
		}
		b.ReportMetric(float64(len(paths)), "graphs")
	})
}
