package foundation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// configMap of the graph with one file.
func configMap(name string, labels map[string]string, file, content string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "inference", Labels: labels},
		Data:       map[string]string{file: content},
	}
}

func TestWaitForLeader(t *testing.T) {
	compareParts(t, "configmap-", map[string]partCase{
		"Needed": {
			reason: "Workers that wait for their leader mount the script.",
			req:    steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"), func(p *graphplan.Plan) { p.WaitForLeader = true })),
			want: map[string]any{"configmap-wait-for-leader": configMap("llama-wait-leader-script", map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama"},
				"wait-for-leader.py", backend.WaitScript())},
		},
		"NotNeeded": {
			reason: "Without workers that wait for their leader, there is no script.",
			req:    steptest.Request(`{"services":{"S":{}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want:   map[string]any{},
		},
	})
}

func TestEPPConfigMap(t *testing.T) {
	labels := map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-component": "S", "nvidia.com/dynamo-component-type": "epp"}
	plan := steptest.OnGrove(t, steptest.Components("etcd", "S"))
	compareParts(t, "epp-configmap", map[string]partCase{
		"Inline": {
			reason: "Configuration given inline is written as YAML, with the version and kind that the picker expects.",
			req: steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"config":{
				"plugins":[{"type":"kv-aware-scorer"}],"schedulingProfiles":[{"name":"default","plugins":[{"pluginRef":"kv-aware-scorer","weight":1}]}]}}}}}`, plan),
			want: map[string]any{"epp-configmap": configMap("llama-epp-config", labels, "epp-config-dynamo.yaml",
				"apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: kv-aware-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: kv-aware-scorer\n    weight: 1\n")},
		},
		"UsersVersion": {
			reason: "A version and a kind of the user's stay.",
			req: steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"config":{"apiVersion":"x/v2","kind":"Other","plugins":[],"schedulingProfiles":[]}}}}}`,
				plan),
			want: map[string]any{"epp-configmap": configMap("llama-epp-config", labels, "epp-config-dynamo.yaml",
				"apiVersion: x/v2\nkind: Other\nplugins: []\nschedulingProfiles: []\n")},
		},
		"Reference": {
			reason: "A ConfigMap of the user's is the user's.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"mine","key":"k"}}}}}`, plan),
			want:   map[string]any{},
		},
		"NoPicker": {
			reason: "Only an Endpoint Picker has such a configuration.",
			req:    steptest.Request(`{"services":{"S":{"eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}}}`, plan),
			want:   map[string]any{},
		},
	})
}
