package foundation

import (
	"encoding/json"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func TestWaitForLeader(t *testing.T) {
	script, err := json.Marshal(backend.WaitScript())
	if err != nil {
		t.Fatal(err)
	}
	compareParts(t, "configmap-", map[string]partCase{
		"Needed": {
			reason: "Workers that wait for their leader mount the script.",
			req:    steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"), func(p *graphplan.Plan) { p.WaitForLeader = true })),
			want: map[string]string{"configmap-wait-for-leader": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"llama-wait-leader-script","namespace":"inference",
				"labels":{"nvidia.com/dynamo-graph-deployment-name":"llama"}},"data":{"wait-for-leader.py":` + string(script) + `}}`},
		},
		"NotNeeded": {
			reason: "Without workers that wait for their leader, there is no script.",
			req:    steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want:   map[string]string{},
		},
	})
}

func TestEPPConfigMap(t *testing.T) {
	const meta = `"metadata":{"name":"llama-epp-config","namespace":"inference","labels":{"nvidia.com/dynamo-graph-deployment-name":"llama",
		"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"epp"}}`
	plan := steptest.OnGrove(t, steptest.Services("etcd", "S"))
	compareParts(t, "epp-configmap", map[string]partCase{
		"Inline": {
			reason: "Configuration given inline is written as YAML, with the version and kind that the picker expects.",
			req: steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"config":{
				"plugins":[{"type":"kv-aware-scorer"}],"schedulingProfiles":[{"name":"default","plugins":[{"pluginRef":"kv-aware-scorer","weight":1}]}]}}}}}`, plan),
			want: map[string]string{"epp-configmap": `{"apiVersion":"v1","kind":"ConfigMap",` + meta + `,"data":{"epp-config-dynamo.yaml":
				"apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: kv-aware-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: kv-aware-scorer\n    weight: 1\n"}}`},
		},
		"UsersVersion": {
			reason: "A version and a kind of the user's stay.",
			req: steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"apiVersion":"x/v2","kind":"Other","plugins":[],"schedulingProfiles":[]}}}}}`,
				plan),
			want: map[string]string{"epp-configmap": `{"apiVersion":"v1","kind":"ConfigMap",` + meta + `,"data":{"epp-config-dynamo.yaml":
				"apiVersion: x/v2\nkind: Other\nplugins: []\nschedulingProfiles: []\n"}}`},
		},
		"Reference": {
			reason: "A ConfigMap of the user's is the user's.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"mine","key":"k"}}}}}`, plan),
			want:   map[string]string{},
		},
		"NoPicker": {
			reason: "Only an Endpoint Picker has such a configuration.",
			req:    steptest.Request(`{"services":{"S":{"eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}}}`, plan),
			want:   map[string]string{},
		},
	})
}
