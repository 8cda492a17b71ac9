package validate_test

import (
	"strings"
	"testing"
)

func TestBadTransferPolicy(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"Label": {
			reason: "A policy names a label of nodes.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: zone, labelKey: topology.kubernetes.io/zone}}}`,
		},
		"Topology": {
			reason: "A policy names a topology, and is preferred with a weight.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack, clusterTopologyName: my-topology, enforcement: preferred, preferredWeight: 1}}}`,
		},
		"NoSource": {
			reason: "Nobody knows which label the domain is.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy: Required value: exactly one of labelKey and clusterTopologyName is required; specify labelKey, such as topology.kubernetes.io/zone",
			},
		},
		"TwoSources": {
			reason: "The label and the topology could contradict each other.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack, labelKey: a, clusterTopologyName: b}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy: Forbidden: exactly one of labelKey and clusterTopologyName is required; remove one of the two",
			},
		},
		"NoDomain": {
			reason: "Without a domain, workers do not start.",
			patch:  `spec: {experimental: {kvTransferPolicy: {labelKey: a, domain: ""}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy.domain: Required value: specify the topology level that workers have to share, such as zone",
			},
		},
		"BadNames": {
			reason: "Label, domain and enforcement must be valid.",
			patch:  `spec: {experimental: {kvTransferPolicy: {labelKey: a/b/c, domain: Zone, enforcement: sometimes}}}`,
			want: []string{
				`spec.experimental.kvTransferPolicy.domain: Invalid value: "Zone": must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`,
				`spec.experimental.kvTransferPolicy.enforcement: Unsupported value: "sometimes": supported values: "preferred", "required"`,
				`spec.experimental.kvTransferPolicy.labelKey: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
					`(e.g. 'MyName',  or 'my.name',  or '123-abc') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
			},
		},
		"LongPrefix": {
			reason: "The prefix of a label is a DNS subdomain.",
			patch:  patchAt(t, map[string]any{"labelKey": strings.Repeat("a", 254) + "/b", "domain": "zone"}, "spec", "experimental", "kvTransferPolicy"),
			want: []string{
				`spec.experimental.kvTransferPolicy.labelKey: Invalid value: "` + strings.Repeat("a", 64) + `...": prefix part must be no more than 253 bytes`,
			},
		},
		"BadTopology": {
			reason: "No object has such a name.",
			patch:  `spec: {experimental: {kvTransferPolicy: {clusterTopologyName: My_Topology, domain: zone}}}`,
			want: []string{
				`spec.experimental.kvTransferPolicy.clusterTopologyName: Invalid value: "My_Topology": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
					`and must start and end with an alphanumeric character (e.g. 'example.com')`,
			},
		},
		"NoWeight": {
			reason: "A preference has a weight.",
			patch:  `spec: {experimental: {kvTransferPolicy: {labelKey: a, domain: zone, enforcement: preferred}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy.preferredWeight: Required value: specify how strongly workers of the same domain are preferred, from 0 to 1",
			},
		},
		"WeightOfRequired": {
			reason: "What is required has no weight.",
			patch:  `spec: {experimental: {kvTransferPolicy: {labelKey: a, domain: zone, preferredWeight: 0.5}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy.preferredWeight: Forbidden: may not be set when enforcement is required; remove it, or set enforcement to preferred",
			},
		},
		"BadWeight": {
			reason: "A weight is a share.",
			patch:  `spec: {experimental: {kvTransferPolicy: {labelKey: a, domain: zone, enforcement: preferred, preferredWeight: 1.5}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy.preferredWeight: Invalid value: 1.5: must be between 0 and 1",
			},
		},
	})
}

func TestWarningsOfTransferPolicy(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"Alone": {
			reason: "A policy of workers has an effect.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: zone, labelKey: topology.kubernetes.io/zone}}}`,
		},
		"NoPolicy": {
			reason: "Without a policy, users may set the variables themselves.",
			patch:  `spec: {envs: [{name: DYN_KV_TRANSFER_DOMAIN, value: zone}]}`,
		},
		"NoWorkers": {
			reason: "Only workers transfer KV caches.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: zone, labelKey: a}}, services: {decode: {componentType: planner, extraPodSpec: {mainContainer: {command: [serve]}}}}}`,
			want:   []string{"spec.experimental.kvTransferPolicy: has no effect, because no service of the graph is a worker"},
		},
		"Variables": {
			reason: "The policy takes precedence over variables of workers, in whichever place they are.",
			patch: `spec:
  experimental: {kvTransferPolicy: {domain: zone, labelKey: a}}
  envs: [{name: DYN_TOPOLOGY_ENABLED, value: "false"}]
  services:
    Frontend: {envs: [{name: DYN_TOPOLOGY_ENABLED, value: "false"}]}
    decode:
      envs: [{name: A}, {name: DYN_TOPOLOGY_MOUNT_PATH, value: /topology}]
      extraPodSpec: {mainContainer: {env: [{name: DYN_KV_TRANSFER_PREFERRED_WEIGHT, value: "1"}]}}`,
			want: []string{
				"spec.envs[0]: DYN_TOPOLOGY_ENABLED has no effect on workers, because spec.experimental.kvTransferPolicy determines it; remove it",
				"spec.services[decode].envs[1]: DYN_TOPOLOGY_MOUNT_PATH has no effect on workers, because spec.experimental.kvTransferPolicy determines it; remove it",
				"spec.services[decode].extraPodSpec.mainContainer.env[0]: DYN_KV_TRANSFER_PREFERRED_WEIGHT has no effect on workers, because spec.experimental.kvTransferPolicy determines it; remove it",
			},
		},
	})
}
