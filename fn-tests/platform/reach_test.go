package platform

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A place in a composed object that names a host for which requests are routed or changed.
type place struct {
	kind string
	path []string
	// own is true if the host is always the Service of the graph.
	own bool
}

// places of all composed kinds.
func places() []place {
	return []place{
		{kind: "Ingress", path: []string{"spec", "rules", "host"}},
		{kind: "Ingress", path: []string{"spec", "tls", "hosts"}},
		{kind: "VirtualService", path: []string{"spec", "hosts"}},
		{kind: "HTTPRoute", path: []string{"spec", "hostnames"}},
		{kind: "DestinationRule", path: []string{"spec", "host"}, own: true},
		{kind: "VirtualService", path: []string{"spec", "http", "route", "destination", "host"}, own: true},
	}
}

// texts at a path, in all entries of the lists on it.
func texts(value any, path ...string) []string {
	switch v := value.(type) {
	case []any:
		var all []string
		for _, entry := range v {
			all = append(all, texts(entry, path...)...)
		}
		return all
	case map[string]any:
		if len(path) > 0 {
			return texts(v[path[0]], path[1:]...)
		}
	case string:
		if len(path) == 0 {
			return []string{v}
		}
	}
	return nil
}

// hostFields are the paths of all fields of an object that are called so, at any depth outside of pods.
func hostFields(value any, at string, found map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			hostFields(entry, at, found)
		}
	case map[string]any:
		for key, entry := range v {
			// In pods, they are addresses of probes and names of pods.
			if key == "template" || strings.HasSuffix(key, "Template") {
				continue
			}
			path := strings.TrimPrefix(at+"."+key, ".")
			if slices.Contains([]string{"host", "hosts", "hostname", "hostnames"}, key) {
				found[path] = true
			}
			hostFields(entry, path, found)
		}
	}
}

// insides are names by which pods reach each other and the API server.
func insides() []string {
	return []string{"pay", "pay.team-b", "pay-0.pay.team-b", "kubernetes.default.svc", "pay.team-b.svc.cluster.local", "pay.team-b.svc.k8s.corp", "cluster.local"}
}

// TestNobodyElsesTraffic tries to expose a frontend by each name inside the cluster, on each kind, and by the mesh, in each form of its name.
func TestNobodyElsesTraffic(t *testing.T) {
	binary := harness.New(t)
	var renders []harness.Render
	var refusals []string
	expect := func(graph *unstructured.Unstructured, input, refusal string) {
		renders = append(renders, harness.Render{
			XR: harness.Write(t, graph), Composition: harness.CompositionWithInput(t, input), Cluster: "examples/cluster/all.yaml", ChangesOnly: true,
		})
		refusals = append(refusals, refusal)
	}
	frontend := func(ingress string) *unstructured.Unstructured {
		return graphOf(t, "v1alpha1", parse(t, `{services: {Frontend: {componentType: frontend, extraPodSpec: {mainContainer: {image: example.org/a:1.4.0}}`+ingress+`}}}`))
	}
	for _, host := range insides() {
		block := `, ingress: {enabled: true, host: ` + host + `, hostSuffix: ""`
		expect(frontend(block+`}`), `{}`, "ingress.host")
		expect(frontend(block+`}`), `{ingress: {gateway: {name: public}}}`, "ingress.host")
		expect(frontend(block+`, useVirtualService: true, virtualServiceGateway: istio-system/public}`), `{}`, "ingress.host")
	}
	for _, mesh := range []string{"mesh", "mesh ", " mesh", "kube-system/mesh", "./mesh", "mesh.istio-system", "mesh.istio-system.svc.cluster.local"} {
		expect(frontend(`, ingress: {enabled: true, host: llama.example.org, useVirtualService: true, virtualServiceGateway: "`+mesh+`"}`), `{}`, "virtualServiceGateway")
		expect(frontend(`, ingress: {enabled: true, host: llama.example.org, useVirtualService: true}`), `{ingress: {virtualServiceGateway: "`+mesh+`"}}`, "virtualServiceGateway")
	}
	for _, platform := range []string{`className: nginx`, `virtualServiceGateway: istio-system/public`, `gateway: {name: public}`} {
		graph := frontend("")
		graph.SetName("cluster")
		expect(graph, `{ingress: {`+platform+`}}`, "metadata.name")
	}
	for i, out := range binary.RenderAll(t, renders) {
		if out.Err == nil || !strings.Contains(out.Stderr, refusals[i]) {
			t.Errorf("graph %d: want it refused because of %s, got error %v: %s", i, refusals[i], out.Err, out.Stderr)
		}
	}
}

// TestHostsOfCorpus shows that places are all places in which composed objects have hosts, and what is in them: a host outside of the cluster,
// or the Service of the graph itself.
func TestHostsOfCorpus(t *testing.T) {
	known, unused := map[string]bool{}, map[string]bool{}
	for _, p := range places() {
		known[p.kind+": "+strings.Join(p.path, ".")] = true
	}
	maps.Copy(unused, known)
	for _, out := range harness.New(t).RenderAll(t, corpus.Renders(t, corpus.Manifests(t))) {
		for _, object := range out.Composed {
			found := map[string]bool{}
			hostFields(object.Object, "", found)
			for path := range found {
				name := object.GetKind() + ": " + path
				if !known[name] {
					t.Errorf("%s %s has a host at %s; add it to places", object.GetKind(), object.GetName(), path)
				}
				delete(unused, name)
			}
			for _, p := range places() {
				if p.kind != object.GetKind() {
					continue
				}
				for _, host := range texts(object.Object, p.path...) {
					if inside := !strings.Contains(host, "."); inside != p.own {
						t.Errorf("%s %s: %s is %s; want the Service of the graph: %t", object.GetKind(), object.GetName(), strings.Join(p.path, "."), host, p.own)
					}
				}
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("no object has a host at %v", slices.Sorted(maps.Keys(unused)))
	}
}
