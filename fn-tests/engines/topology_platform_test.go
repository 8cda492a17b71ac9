package engines

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// platform is a cluster, and the input of step plan that goes with it.
type platform struct {
	reason string

	// groups of the API that are installed.
	groups []string

	// input of step plan, YAML.
	input string

	// kind of Grove's topology object. Empty: there is none.
	kind string

	// annotations of the graph.
	annotations map[string]string

	// definitions are the folders of the real definitions.
	definitions []string

	// grove is what this version of Grove takes.
	grove crds.Topology

	// oneNode is true if components that span nodes cannot run here.
	oneNode bool
}

// levels of the topology object of the fixtures.
func levels() []string { return []string{"zone", "block", "rack", "host"} }

// profile is the same topology as a profile of the platform.
const profile = `
topology:
  profiles:
    - name: my-cluster-topology
      levels:
        - {domain: zone, key: topology.kubernetes.io/zone}
        - {domain: block, key: topology.example.com/block}
        - {domain: rack, key: topology.example.com/rack}
        - {domain: host, key: kubernetes.io/hostname}
`

func platforms() map[string]platform {
	grove := []string{"grove.io", "scheduling.run.ai"}
	volcano := []string{"leaderworkerset.x-k8s.io", "scheduling.volcano.sh", "topology.volcano.sh"}
	kai := []string{"leaderworkerset.x-k8s.io", "scheduling.run.ai"}
	named := crds.Topology{Levels: levels(), Name: "my-cluster-topology", TakesName: true}
	packs := named
	packs.TakesPack = true
	return map[string]platform{
		"grove-alpha6": {
			reason: "In Grove alpha.6 a constraint is its domain.", groups: grove, kind: "ClusterTopology", input: "grove: {topologyDialect: PackDomain}",
			definitions: []string{"grove-v0.1.0-alpha.6"}, grove: crds.Topology{Levels: levels()},
		},
		"grove-alpha9": {
			reason: "In Grove alpha.9 a constraint names its topology.", groups: grove, kind: "ClusterTopologyBinding", input: "grove: {topologyDialect: PackDomainWithTopologyName}",
			definitions: []string{"grove-v0.1.0-alpha.9"}, grove: named,
		},
		"grove-alpha12": {
			reason: "In Grove alpha.12 a constraint is required or preferred.", groups: grove, kind: "ClusterTopologyBinding", input: "grove: {topologyDialect: Pack}",
			definitions: []string{"grove-v0.1.0-alpha.12-rc1"}, grove: packs,
		},
		"volcano-tiername": {
			reason: "Volcano knows tiers by name.", groups: volcano, input: profile + "volcano: {topologyDialect: TierName}",
			definitions: []string{"lws-v0.10.0", "volcano-v1.15.1"},
		},
		"volcano-tier": {
			reason: "Volcano knows tiers by number.", groups: volcano, input: profile + "volcano: {topologyDialect: Tier}",
			definitions: []string{"lws-v0.9.0", "volcano-v1.12.0"},
		},
		"kai": {
			reason: "KAI reads annotations of the set.", groups: kai, input: profile,
			definitions: []string{"lws-v0.10.0", "kai-v0.13.0"},
		},
		"kai-beside-grove": {
			reason: "Grove's topology object serves LeaderWorkerSets too.", groups: append(kai, "grove.io"), kind: "ClusterTopologyBinding",
			annotations: map[string]string{"nvidia.com/enable-grove": "false"}, definitions: []string{"lws-v0.10.0", "kai-v0.13.0"},
		},
		"deployments": {reason: "Nobody packs Deployments.", input: profile, oneNode: true},
	}
}

// cluster of a platform: of the fixtures what belongs to its groups.
func (p platform) cluster(t *testing.T) string {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, object := range harness.Read(t, "examples/cluster/all.yaml") {
		group, _, _ := strings.Cut(object.GetAPIVersion(), "/")
		if object.GetKind() == "APIService" {
			group, _, _ = unstructured.NestedString(object.Object, "spec", "group")
		}
		if object.GetKind() == "ClusterTopologyBinding" {
			object.SetKind(p.kind)
		}
		if slices.Contains(p.groups, group) && object.GetKind() != "" {
			objects = append(objects, object)
		}
	}
	if len(objects) == 0 {
		return "examples/cluster/none.yaml"
	}
	return harness.Write(t, objects...)
}

// render manifests on a platform.
func (p platform) render(t *testing.T, binary *harness.Binary, xrs []*unstructured.Unstructured) []harness.Output {
	t.Helper()
	cluster, composition := p.cluster(t), harness.CompositionWithInput(t, p.input)
	var renders []harness.Render
	for _, xr := range xrs {
		xr = xr.DeepCopy()
		annotations := xr.GetAnnotations()
		for key, value := range p.annotations {
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[key] = value
		}
		xr.SetAnnotations(annotations)
		renders = append(renders, harness.Render{XR: harness.Write(t, xr), Composition: composition, Cluster: cluster})
	}
	return binary.RenderAll(t, renders)
}
