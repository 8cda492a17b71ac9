package input_test

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// TestSettings shows that messages about a setting of the platform name the document that it is in, and the one that must be changed.
func TestSettings(t *testing.T) {
	onKAI := plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI)))
	ingress := `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{"services":{
		"Frontend":{"componentType":"frontend","ingress":{"enabled":true,"host":"a.example.org","annotations":{"example.org/a":"b"}},"extraPodSpec":{"mainContainer":{"image":"i"}}}}}}`
	gpus := plantest.Graph(plantest.Component("Worker", plantest.ComponentOf("worker", "/run"), plantest.WithGPUs("4")))
	cases := map[string]struct {
		reason  string
		xr      any
		options []plantest.RequestOption
		// policy without its braces, JSON.
		policy string
		// want is a part of the message, in which SOURCE is where the setting is, and PATH the path of the document.
		want string
	}{
		"Queue": {
			reason: "A queue of the platform that does not exist is found where the platform names it.", xr: plantest.Graph(plantest.Frontend),
			options: []plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")}, policy: `"kai":{"queue":"shared"}`,
			want: `PATH.kai.queue: Invalid value: "shared": this KAI Queue does not exist; let the platform create it, or set kai.queue to another queue SOURCE;`,
		},
		"Scheduler": {
			reason: "A scheduler that is not installed is found where the platform selects it.", xr: plantest.Graph(plantest.Frontend),
			options: []plantest.RequestOption{plantest.WithGroups("grove")}, policy: `"grove":{"scheduler":"Volcano"}`,
			want: `PATH.grove.scheduler: Invalid value: "Volcano": Volcano (API group scheduling.volcano.sh) is not installed; let the platform install it, or set grove.scheduler to Auto SOURCE`,
		},
		"KeptQueue": {
			reason: "A running graph keeps its queue.", xr: plantest.Graph(plantest.Frontend),
			options: []plantest.RequestOption{plantest.WithGroups("grove", "kai"), onKAI}, policy: `"kai":{"queue":"shared"}`,
			want: `kai.queue is shared SOURCE, which does not affect running graphs`,
		},
		"KeptMode": {
			reason: "It keeps its orchestrator.", xr: plantest.Graph(plantest.Frontend),
			options: []plantest.RequestOption{plantest.WithGroups("grove", "kai"), onKAI}, policy: `"grove":{"mode":"Disabled"}`,
			want: `grove.mode is Disabled SOURCE, which does not affect running graphs`,
		},
		"KeptChoice": {
			reason: "It keeps how its services find each other.", xr: plantest.Graph(plantest.Frontend),
			options: []plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI, func(c *grovev1alpha1.Clique) {
				c.Labels = map[string]string{metadata.LabelGraphName: "llama"}
			})))},
			policy: `"discovery":{"backend":"kubernetes"}`,
			want:   `discovery.backend is kubernetes SOURCE, which does not affect running graphs`,
		},
		"NVLink": {
			reason: "A graph whose domains are not possible here learns who asks for them.", xr: gpus,
			options: []plantest.RequestOption{plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithLost(nil), plantest.WithoutObject("apiservice-resource-nvidia")}, policy: `"mnnvl":{"mode":"Auto"}`,
			want: `multi-node NVLink is enabled (mnnvl.mode Auto SOURCE) for services Worker`,
		},
		"Annotations": {
			reason: "A list of the EnvironmentConfig replaces that of the input, so that is the one to extend.", xr: ingress,
			options: []plantest.RequestOption{plantest.WithGroups("grove")}, policy: `"ingress":{"className":"nginx","allowedAnnotations":["example.org/b"]}`,
			want: `or let the platform add it to ingress.allowedAnnotations SOURCE`,
		},
	}
	for name, tc := range cases {
		for _, source := range []struct{ input, data, in, path string }{
			{input: tc.policy, data: `null`, in: "in the input of step plan", path: "input"},
			{data: `{` + tc.policy + `}`, in: "in EnvironmentConfig dynamo", path: "EnvironmentConfig[dynamo].data"},
			{
				input: tc.policy, data: `{"namespaces":[{"selector":{"matchNames":["inference"]},` + tc.policy + `}]}`,
				in: "in EnvironmentConfig dynamo", path: "EnvironmentConfig[dynamo].data.namespaces[0]",
			},
		} {
			t.Run(name+" "+source.path, func(t *testing.T) {
				input := strings.TrimSuffix(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input",`+source.input, ",") + "}"
				want := strings.NewReplacer("SOURCE", source.in, "PATH", source.path).Replace(tc.want)
				got := strings.Join(whole.Run(t, plantest.Request(tc.xr, append(tc.options, plantest.WithInputText(input), plantest.WithPolicy(source.data))...)).Texts, "\n")
				if !strings.Contains(got, want) {
					t.Errorf("%s\nwant a message with %q, got %q", tc.reason, want, got)
				}
			})
		}
	}
}
