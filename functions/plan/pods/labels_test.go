package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestLabelWarnings(t *testing.T) {
	const (
		pods     = "spec.components[Worker].podTemplate.metadata."
		remedy   = "; use another key, or remove it"
		selected = ": has no effect on pods, which are selected by this label; remove it"
	)
	label := func(path, is string) string {
		return path + ": has no effect on pods, where this label is " + is + remedy
	}
	cases := map[string]struct {
		reason, labels, more, ofGraph string
		orchestrator                  graphplan.Orchestrator
		want                          []string
	}{
		"Own":      {reason: "Other labels are those of the pods.", labels: `"team":"a"`, orchestrator: graphplan.Grove},
		"OneNode":  {reason: "Pods of one node have no role.", labels: `"role":"llm","instance-id":"i-1"`, orchestrator: graphplan.LeaderWorkerSet},
		"Identity": {reason: "Pods are selected by the component.", labels: `"nvidia.com/dynamo-component":"a"`, orchestrator: graphplan.Grove, want: []string{pods + "labels[nvidia.com/dynamo-component]" + selected}},
		"OfGraph":  {reason: "The labels of the graph are those of pods, too.", ofGraph: `"nvidia.com/selector":"a"`, orchestrator: graphplan.Grove, want: []string{"spec.labels[nvidia.com/selector]" + selected}},
		"Selected": {
			reason: "The Service of a model would also select pods that do not serve it.",
			labels: `"nvidia.com/dynamo-base-model-hash":"a"`, orchestrator: graphplan.Grove,
			want: []string{pods + "labels[nvidia.com/dynamo-base-model-hash]: is a label by which pods are selected, and those that should be have it anyway; remove it"},
		},
		"OnGrove": {
			reason: "Leaders and workers have a role.", labels: `"role":"llm","instance-id":"i-1"`, more: `"multinode":{"nodeCount":2},`, orchestrator: graphplan.Grove,
			want: []string{label(pods+"labels[role]", `"leader" or "worker"`)},
		},
		"OnLeaderWorkerSets": {
			reason: "Replicas of a LeaderWorkerSet have a number as well.", labels: `"role":"llm","instance-id":"i-1"`, more: `"multinode":{"nodeCount":2},`, orchestrator: graphplan.LeaderWorkerSet,
			want: []string{label(pods+"labels[instance-id]", `"0"`), label(pods+"labels[role]", `"leader" or "worker"`)},
		},
		"Controller": {
			reason: "Grove gives its own recommended labels to pods.", labels: `"app.kubernetes.io/name":"chat","app.kubernetes.io/version":"1"`, orchestrator: graphplan.Grove,
			want: []string{label(pods+"labels[app.kubernetes.io/name]", "what the orchestrator sets")},
		},
		"NoController": {reason: "Deployments do not.", labels: `"app.kubernetes.io/name":"chat"`, orchestrator: graphplan.LeaderWorkerSet},
		"SameKey": {
			reason: "No pods are selected by an annotation with the key of a label, as that of the discovery backend is.",
			labels: `"team":"a"},"annotations":{"nvidia.com/selector":"a"`, orchestrator: graphplan.Grove,
		},
		"Annotation": {
			reason: "Pods only have the mark of a stored state if they are the ones that it was stored for.",
			labels: `"team":"a"},"annotations":{"dynamo.nvidia.com/checkpoint-template":"a"`, orchestrator: graphplan.Grove,
			want: []string{pods + "annotations[dynamo.nvidia.com/checkpoint-template]: has no effect on pods, where this annotation is not set" + remedy},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(`{"labels":{`+tc.ofGraph+`},"components":[{"name":"Worker","type":"worker",`+tc.more+
				`"podTemplate":{"metadata":{"labels":{`+tc.labels+`}},"spec":{"containers":[{"name":"main","image":"r:1.6.0","command":["python3","-m","dynamo.vllm"]}]}}}]}`)))
			p := &graphplan.Plan{Orchestrator: tc.orchestrator}
			if diff := cmp.Diff(tc.want, LabelWarnings(f, p, Of(f, p)).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nLabelWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
