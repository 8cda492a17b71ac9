package why

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// diagnosed is the diagnosis of the graph in a file of testdata.
func diagnosed(t testing.TB, name string, logs bool) *Diagnosis {
	t.Helper()
	r := clusterIn(t, name)
	graph := graphIn(t, r.Objects)
	facts, err := Collect(r, graph.GetNamespace(), graph.GetName())
	if err != nil {
		t.Fatal(err)
	}
	d := Diagnose(facts, "kubectl")
	if logs {
		r.log = "Traceback (most recent call last):\n\x1b[31mRuntimeError: out of luck\x1b[0m\n"
		if err := d.AddLog(r); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func graphIn(t testing.TB, objects []unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	for i := range objects {
		if objects[i].GetKind() == "DynamoGraphDeployment" {
			return &objects[i]
		}
	}
	t.Fatal("there is no graph")
	return nil
}

// TestClusters diagnoses graphs in clusters of which everything is known: some were recorded on a real control plane.
func TestClusters(t *testing.T) {
	cases := map[string]struct {
		reason string
		logs   bool
		ready  bool
		want   Code
	}{
		"image":         {reason: "The image of the new pods does not exist.", want: ImagePull},
		"crash":         {reason: "The containers of the new pods crash.", want: Crash, logs: true},
		"crash-sets":    {reason: "LWS deletes the pods that crash, so only its events tell.", want: Crash},
		"quota":         {reason: "The ReplicaSet says why it has too few pods.", want: OverQuota},
		"quota-sets":    {reason: "Only an event of the StatefulSet says why it has no pods.", want: OverQuota},
		"room":          {reason: "The scheduler says which resource is missing.", want: Unschedulable},
		"room-sets":     {reason: "The scheduler says which resource is missing, and the pods tell which gang they belong to.", want: Unschedulable},
		"gang":          {reason: "The scheduler says which topology domain has no room for the gang.", want: Unschedulable},
		"leader":        {reason: "A leader that crashes is the cause, not the worker that waits for it.", want: Crash},
		"quota-clique":  {reason: "Only Grove's own words say why a PodClique has no pods.", want: OverQuota},
		"admission":     {reason: "A refusal of Pod Security is told in its own words, and a claim that is missing is told too.", want: AdmissionRefused},
		"refused":       {reason: "A graph that is ready does not run its latest change if that is refused.", want: GraphRefused},
		"forbidden":     {reason: "What may not be read is said, and the conditions are all that is left.", want: Updating},
		"claim":         {reason: "Users of claims may not read composite resources, and find the objects by their labels.", want: ObjectMissing},
		"scaling":       {reason: "Who decides how many replicas there are is told of a graph that is ready, too, and so is who is ignored.", ready: true},
		"scaling-grove": {reason: "On Grove, what else scales a component decides.", ready: true},
		"ready":         {reason: "A graph that is ready needs no cause.", ready: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := diagnosed(t, name+".yaml", tc.logs)
			got := Code("")
			if len(d.Causes) > 0 {
				got = d.Causes[0].Code
			}
			if got != tc.want || d.Ready != tc.ready {
				t.Errorf("%s\nwant ready %t and cause %q, got %t and %q", tc.reason, tc.ready, tc.want, d.Ready, got)
			}
			for _, format := range []string{output.FormatText, output.FormatJSON} {
				var out bytes.Buffer
				if err := d.Write(&out, format); err != nil {
					t.Fatal(err)
				}
				harness.Golden(t, filepath.Join("testdata", name+"."+map[string]string{output.FormatText: "txt", output.FormatJSON: "json"}[format]), out.Bytes())
			}
		})
	}
}

// TestManyPods checks that pods with the same problem are only counted after the first ones.
func TestManyPods(t *testing.T) {
	f := &Facts{Graph: waiting(t), Objects: []unstructured.Unstructured{
		object(t, `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs}, spec: {replicas: 9}, status: {replicas: 9, readyReplicas: 2}}`),
	}}
	for i := range 9 {
		ready := "False"
		if i < 2 {
			ready = "True"
		}
		pod := podWith(t, `{spec: {nodeName: node-1}, status: {phase: Running, conditions: [{type: Ready, status: "`+ready+`"}]}}`)
		pod.SetName(fmt.Sprintf("llama-decode-%d", i))
		pod.SetUID(types.UID(pod.GetName()))
		pod.SetOwnerReferences([]metav1.OwnerReference{{UID: "rs", Controller: new(true)}})
		f.Objects = append(f.Objects, pod)
	}
	var out bytes.Buffer
	if err := Diagnose(f, "kubectl").Write(&out, output.FormatText); err != nil {
		t.Fatal(err)
	}
	const want = `
  ReplicaSet llama-decode-6d4f (Decode): 2 of 9 pods are ready
    Pod llama-decode-2: its containers are being created
    Pod llama-decode-3: its containers are being created
    Pod llama-decode-4: its containers are being created
    4 other pods: Starting
    2 other pods: ready

Cause: 7 pods of Decode are not ready; in pod llama-decode-2, its containers are being created. [Starting]
`
	if !strings.Contains(out.String(), want) {
		t.Errorf("want %s\ngot %s", want, out.String())
	}
}

// TestColors checks that only terminals get characters that control them.
func TestColors(t *testing.T) {
	d := diagnosed(t, "crash.yaml", true)
	var colored, plainText bytes.Buffer
	for out, wanted := range map[*bytes.Buffer]bool{&colored: true, &plainText: false} {
		if err := d.Write(&output.Writer{Out: out, Colored: wanted}, output.FormatText); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(plainText.String(), "\x1b") {
		t.Errorf("want no escapes, got %q", plainText.String())
	}
	const red, green, reset = string(output.Red), string(output.Green), "\x1b[0m"
	want := strings.NewReplacer(
		" is not ready\n", " "+red+"is not ready"+reset+"\n", "Cause:", red+"Cause:"+reset, "Next:", green+"Next:"+reset,
	).Replace(plainText.String())
	if diff := cmp.Diff(want, colored.String()); diff != "" {
		t.Errorf("with colors: -want, +got:\n%s", diff)
	}
}

// TestPage holds docs/troubleshooting.md to what the command prints, and to the codes of causes, in their order.
func TestPage(t *testing.T) {
	data := harness.File(t, filepath.Join("docs", "troubleshooting.md"))
	page := string(data)
	var out bytes.Buffer
	if err := diagnosed(t, "leader.yaml", false).Write(&out, output.FormatText); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page, "```text\n"+out.String()+"```\n") {
		t.Errorf("the page does not have this example:\n%s", out.String())
	}
	var documented []Code
	_, table, _ := strings.Cut(page, "| code | meaning | what to do |\n|---|---|---|\n")
	for line := range strings.Lines(table) {
		code, ok := strings.CutPrefix(line, "| `")
		if !ok {
			break
		}
		code, _, _ = strings.Cut(code, "`")
		documented = append(documented, Code(code))
	}
	if diff := cmp.Diff(Codes(), documented); diff != "" {
		t.Errorf("codes: -known, +docs/troubleshooting.md:\n%s", diff)
	}
}
