package crds

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// TestDomainObjects holds ComputeDomains and Usages of rendered graphs to the real definitions, and to each other.
func TestDomainObjects(t *testing.T) {
	binary := harness.New(t)
	cases := map[string]struct {
		reason  string
		cluster string
		input   string
		domains int
		usages  int
	}{
		"Grove":        {reason: "On Grove there is one domain and one workload that uses it.", cluster: harness.GroveKAI, input: "mnnvl: {mode: Auto, scope: Graph}", domains: 1, usages: 1},
		"ScopeGraph":   {reason: "With scope Graph there is one domain for all workloads.", cluster: harness.LWSVolcano, input: "mnnvl: {mode: Auto, scope: Graph}", domains: 1, usages: 3},
		"ScopeReplica": {reason: "With scope Replica there is one domain for each replica.", cluster: harness.LWSVolcano, input: "mnnvl: {mode: Auto, scope: Replica}", domains: 2, usages: 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := append(harness.Read(t, tc.cluster), harness.Driver(t)...)
			out := binary.RenderAccepted(t, harness.Render{
				XR:          "fn-tests/sequences/testdata/nvlink.yaml",
				Composition: harness.CompositionWithInput(t, tc.input),
				Cluster:     harness.Write(t, cluster...),
			})
			for _, broken := range Domains(out.Composed) {
				t.Error(broken)
			}
			domains, usages := ofKind(out.Composed, "ComputeDomain"), ofKind(out.Composed, "Usage")
			if len(domains) != tc.domains || len(usages) != tc.usages {
				t.Errorf("%s\nwant %d ComputeDomains and %d Usages, got %d and %d", tc.reason, tc.domains, tc.usages, len(domains), len(usages))
			}
			report(t, "Crossplane", usages, Usage)
			if set := usageDefinition(t); set != nil {
				report(t, "Crossplane's definition", usages, func(o *unstructured.Unstructured) []string { return customResource(set, o) })
			}
			for _, folder := range []string{"nvidia-dra-v25.8.1", "nvidia-dra-v0.4.0"} {
				set := definitions.Load(t, folder)
				report(t, folder, domains, func(o *unstructured.Unstructured) []string { return customResource(set, o) })
			}
		})
	}
}

func report(t *testing.T, where string, objects []*unstructured.Unstructured, check func(*unstructured.Unstructured) []string) {
	t.Helper()
	for _, object := range objects {
		for _, broken := range check(object) {
			t.Errorf("%s: %s %s: %s", where, object.GetKind(), object.GetName(), broken)
		}
	}
}

func ofKind(objects []*unstructured.Unstructured, kind string) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), func(o *unstructured.Unstructured) bool { return o.GetKind() != kind })
}

// usageDefinition of the Crossplane that the parity tests build; nil where its module was never fetched.
func usageDefinition(t *testing.T) schema.Set {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
	list.Dir = filepath.Join(harness.Root(), "hack", "tools", "crossplane")
	list.Env = append(os.Environ(), "GOPROXY=off")
	folder, err := list.Output()
	path := filepath.Join(strings.TrimSpace(string(folder)), "cluster", "crds", "protection.crossplane.io_usages.yaml")
	if _, missing := os.Stat(path); err != nil || missing != nil {
		t.Logf("no definition of Usage: %v", err)
		return nil
	}
	set, err := schema.LoadSet(path)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// domainObjects are a graph that is in order, as YAML.
const domainObjects = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat-worker}
spec:
  template:
    spec:
      resourceClaims: [{name: mnnvl-claim, resourceClaimTemplateName: chat-0}]
---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: chat-0}
spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: chat-0}}}
---
apiVersion: protection.crossplane.io/v1beta1
kind: Usage
metadata: {name: chat-0-worker, namespace: inference}
spec:
  of: {apiVersion: resource.nvidia.com/v1beta1, kind: ComputeDomain, resourceRef: {name: chat-0}}
  by: {apiVersion: apps/v1, kind: Deployment, resourceRef: {name: chat-worker}}
  replayDeletion: true
`

// TestDomains sees that the checks themselves can fail.
func TestDomains(t *testing.T) {
	cases := map[string]struct {
		reason   string
		old, new string
		want     []string
	}{
		"InOrder":       {reason: "Nothing is wrong with a graph that is in order."},
		"NoDomain":      {reason: "A claim of a domain that does not exist is found.", old: "{name: chat-0}}}", new: "{name: other}}}", want: []string{"Deployment chat-worker: there is no domain with the template chat-0"}},
		"NotProtected":  {reason: "A Usage by somebody else does not protect the domain of a workload.", old: "{name: chat-worker}}", new: "{name: chat}}", want: []string{"Usage chat-0-worker is by no workload that exists: Deployment chat", "Deployment chat-worker: no Usage protects domain chat-0"}},
		"ProtectsWrong": {reason: "A Usage of something else does not protect the domain of a workload.", old: "resourceRef: {name: chat-0}", new: "resourceRef: {name: x}", want: []string{"Usage chat-0-worker protects no domain that exists: x", "Deployment chat-worker: no Usage protects domain chat-0"}},
		"NoReplay":      {reason: "A deletion that is refused has to be tried again.", old: "replayDeletion: true", new: "replayDeletion: false", want: []string{"replayDeletion is not set"}},
		"NoKind":        {reason: "A Usage has to say by what the domain is used.", old: "kind: Deployment, resourceRef", new: "resourceRef", want: []string{"[spec by kind] is missing", "Usage chat-0-worker is by no workload that exists:  chat-worker", "Deployment chat-worker: no Usage protects domain chat-0"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := harness.Parse([]byte(strings.Replace(domainObjects, tc.old, tc.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, append(Usage(objects[2]), Domains(objects)...)); diff != "" {
				t.Errorf("%s\nDomains(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func customResource(installed schema.Set, object *unstructured.Unstructured) []string {
	var broken []string
	for _, err := range installed.Validate(object) {
		broken = append(broken, err.Error())
	}
	return broken
}
