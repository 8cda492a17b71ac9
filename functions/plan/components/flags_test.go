package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestFlagWarnings(t *testing.T) {
	const at = "spec.services[W].extraPodSpec.mainContainer.args: "
	// spec of a graph with a worker, in JSON.
	spec := func(phase, image, args string) string {
		return `{"services":{"W":{"componentType":"worker","subComponentType":"` + phase + `","extraPodSpec":{"mainContainer":{
			"image":"` + image + `","command":["python3","-m","dynamo.vllm"],"args":[` + args + `]}}}}}`
	}
	removed := at + "contain --is-prefill-worker, with which dynamo.vllm of Dynamo 1.4.2 ends at once, because the flag was removed in 1.4.0; use --disaggregation-mode prefill instead"
	cases := map[string]struct {
		reason    string
		spec      string
		framework v1alpha1.BackendFramework
		want      []string
	}{
		"Removed":  {reason: "An engine does not start with a flag that it does not know.", spec: spec("prefill", "vllm-runtime:1.4.2", `"--is-prefill-worker"`), want: []string{removed}},
		"Known":    {reason: "The release before still has the flag.", spec: spec("prefill", "vllm-runtime:1.3.0", `"--is-prefill-worker"`)},
		"Assumed":  {reason: "What is in an image without a release is not known.", spec: spec("prefill", "vllm-runtime:my-tag", `"--is-prefill-worker"`)},
		"Override": {reason: "The user knows the release.", spec: `{"services":{"W":{"componentType":"worker","runtimeVersionOverride":"1.4.2","extraPodSpec":{"mainContainer":{"image":"a:b","command":["sh","-c","python3 -m dynamo.vllm --is_prefill_worker"]}}}}}`, want: []string{removed}},
		"OtherFramework": {
			reason: "Other engines may have a flag of this name.", framework: v1alpha1.BackendTRTLLM,
			spec: `{"services":{"W":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":"a:1.4.2","command":["python3","-m","dynamo.trtllm"],"args":["--is-prefill-worker"]}}}}}`,
		},
		"OwnProgram": {
			reason: "What a program of the user accepts is not known.",
			spec:   `{"services":{"W":{"componentType":"worker","subComponentType":"decode","extraPodSpec":{"mainContainer":{"image":"a:1.4.2","command":["serve"],"args":["--is-prefill-worker","--disaggregation-mode","prefill"]}}}}}`,
		},
		"BlockManager": {
			reason: "Dynamo 1.6 has no KV block manager.", spec: spec("prefill", "a:1.6.0", `"--kv-transfer-config","{\"kv_connector\":\"DynamoConnector\",\"kv_connector_module_path\":\"kvbm.vllm_integration.connector\"}"`),
			want: []string{at + "contain --kv-transfer-config with a module of the KV block manager, which Dynamo 1.6.0 does not have, so vLLM does not start; use NixlConnector, and the offloading of KV caches that vLLM has itself"},
		},
		"BlockManagerBefore": {
			reason: "Dynamo 1.5 still has it.", spec: spec("prefill", "a:1.5.1", `"--kv-transfer-config={\"kv_connector_module_path\":\"kvbm.vllm_integration.connector\"}"`),
			want: []string{at + "contain --kv-transfer-config with a module of the KV block manager, which is deprecated in Dynamo 1.5.1 and gone in 1.6.0; use NixlConnector, and the offloading of KV caches that vLLM has itself"},
		},
		"OtherTransfer": {reason: "NIXL stays.", spec: spec("prefill", "a:1.6.0", `"--kv-transfer-config","{\"kv_connector\":\"NixlConnector\"}"`)},
		"Mode":          {reason: "A mode that fits the service is right.", spec: spec("prefill", "a:1.4.2", `"--disaggregation-mode","prefill"`)},
		"Combine":       {reason: "A worker may do both.", spec: spec("decode", "a:1.4.2", `"--disaggregation-mode","pd"`)},
		"Unclear":       {reason: "What is in a variable is not known.", spec: spec("decode", "a:1.4.2", `"--disaggregation-mode","$(MODE)"`)},
		"Untyped":       {reason: "A worker without a phase may be for either.", spec: spec("", "a:1.4.2", `"--disaggregation-mode","prefill"`)},
		"OtherMode": {
			reason: "Nothing decodes if the decode worker prefills.", spec: spec("decode", "a:1.4.2", `"--disaggregation-mode=prefill"`),
			want: []string{at + "set --disaggregation-mode prefill, but this is a decode worker, so that dynamo.vllm does the work of the other phase; set it to decode, or change the type"},
		},
		"Misspelt": {
			reason: "An engine does not start in a mode that it does not know.", spec: spec("prefill", "a:my-tag", `"--disaggregation-mode","prefil"`),
			want: []string{at + `set --disaggregation-mode to a mode that does not exist; did you mean "prefill"?`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			framework := tc.framework
			if framework == "" {
				framework = v1alpha1.BackendVLLM
			}
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			if diff := cmp.Diff(tc.want, FlagWarnings(f, map[string]graphplan.Component{"W": {Framework: framework}}).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nFlagWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
