package platform

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/policies"
)

// component is a graph with one component whose pod template has this spec.
func component(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	return graphOf(t, "v1beta1", map[string]any{"components": []any{map[string]any{
		"name": "Worker", "podTemplate": map[string]any{"spec": parse(t, spec)},
	}}})
}

// component is a graph with one component that has these fields.
func service(t *testing.T, fields string) *unstructured.Unstructured {
	t.Helper()
	return graphOf(t, "v1alpha1", map[string]any{"services": map[string]any{"Worker": parse(t, fields)}})
}

func graphOf(t *testing.T, version string, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	g := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "nvidia.com/" + version, "kind": "DynamoGraphDeployment", "spec": spec}}
	g.SetName("llama")
	g.SetNamespace("team")
	return g
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	tree := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func annotated(g *unstructured.Unstructured, key, value string) *unstructured.Unstructured {
	g = g.DeepCopy()
	g.SetAnnotations(map[string]string{key: value})
	return g
}

func TestGuardRails(t *testing.T) {
	image := func(image string) *unstructured.Unstructured {
		return component(t, "{containers: [{name: main, image: "+image+"}]}")
	}
	only := func(key, value string) map[string]string { return map[string]string{key: value} }
	hostPath := component(t, `{volumes: [{name: a, hostPath: {path: /var}}, {name: b, emptyDir: {}}]}`)
	privileged := component(t, `{initContainers: [{name: setup, securityContext: {privileged: true}}]}`)
	adds := component(t, `{containers: [{name: main, securityContext: {capabilities: {add: [IPC_LOCK, SYS_PTRACE]}}}]}`)
	account := component(t, `{serviceAccountName: admin}`)
	queue := annotated(component(t, `{}`), "nvidia.com/kai-scheduler-queue", "team-b")
	inSpec := graphOf(t, "v1beta1", map[string]any{"annotations": map[string]any{"scheduling.grove.io/volcano-queue": "team-b"}, "components": []any{}})
	labelled := component(t, `{}`)
	labelled.SetLabels(map[string]string{"kai.scheduler/queue": "team-b"})
	kept := annotated(component(t, `{}`), "nvidia.com/dgd-spec", `{"components":[]}`)
	cases := map[string]struct {
		reason string
		graph  *unstructured.Unstructured
		// old is the graph before an update. nil: the graph is created.
		old   *unstructured.Unstructured
		rails map[string]string
		want  string
	}{
		"NoRails": {reason: "Without a key there is no limit.", graph: hostPath},
		"HostPath": {
			reason: "The paths of volumes are named.", graph: hostPath, rails: only("allowHostPath", "false"),
			want: "volumes of type hostPath are not allowed here (allowHostPath): /var; use a PersistentVolumeClaim or an emptyDir",
		},
		"HostPathAllowed":  {reason: "What is allowed is accepted.", graph: hostPath, rails: only("allowHostPath", "true")},
		"HostPathMisspelt": {reason: "A value that is not true allows nothing.", graph: hostPath, rails: only("allowHostPath", "True"), want: "allowHostPath"},
		"HostPathOfService": {
			reason: "Pods of services have the same limits.", graph: service(t, `{extraPodSpec: {volumes: [{name: a, hostPath: {path: /etc}}]}}`),
			rails: only("allowHostPath", "false"), want: "/etc",
		},
		"HostPathOfTwo": {
			reason: "The values of all pods are one list.", rails: only("allowHostPath", "false"), want: ": /etc, /var;",
			graph: graphOf(t, "v1beta1", map[string]any{"components": []any{
				map[string]any{"name": "a", "podTemplate": parse(t, `{spec: {volumes: [{name: a, hostPath: {path: /etc}}]}}`)},
				map[string]any{"name": "b", "podTemplate": parse(t, `{spec: {volumes: [{name: a, hostPath: {path: /var}}]}}`)},
			}}),
		},
		"HostNetwork": {
			reason: "All namespaces of a node are limited together.", graph: component(t, `{hostNetwork: true, hostPID: true, hostIPC: false}`),
			rails: only("allowHostNetwork", "false"), want: "Worker: hostNetwork, Worker: hostPID; remove the field",
		},
		"Privileged": {
			reason: "Init containers are containers.", graph: privileged, rails: only("allowPrivileged", "false"),
			want: "privileged containers are not allowed here (allowPrivileged): Worker/setup; remove securityContext.privileged",
		},
		"PrivilegedMain": {
			reason: "The main container of a service is one, although it has no name.",
			graph:  service(t, `{extraPodSpec: {mainContainer: {securityContext: {privileged: true}}}}`), rails: only("allowPrivileged", "false"), want: "Worker/main",
		},
		"PrivilegedEphemeral": {
			reason: "Ephemeral containers are containers, too.", graph: component(t, `{ephemeralContainers: [{name: debug, securityContext: {privileged: true}}]}`),
			rails: only("allowPrivileged", "false"), want: "Worker/debug",
		},
		"Capabilities": {reason: "Only what is not in the list is refused.", graph: adds, rails: only("capabilities", "IPC_LOCK, NET_BIND_SERVICE"), want: "(capabilities): SYS_PTRACE;"},
		"NoCapability": {reason: "An empty list allows nothing.", graph: adds, rails: only("capabilities", ""), want: "(capabilities): IPC_LOCK, SYS_PTRACE;"},
		"Registry":     {reason: "An entry includes everything below it.", graph: image("nvcr.io/nvidia/ai-dynamo/vllm:1.5.0"), rails: only("imageRegistries", "ghcr.io, nvcr.io/nvidia")},
		"Repository":   {reason: "An entry can be a repository, with any tag.", graph: image("nvcr.io/nvidia/vllm:1.5.0"), rails: only("imageRegistries", "nvcr.io/nvidia/vllm")},
		"OtherFolder":  {reason: "An entry ends with a part of the path.", graph: image("nvcr.io/nvidia2/vllm"), rails: only("imageRegistries", "nvcr.io/nvidia"), want: "nvcr.io/nvidia2/vllm"},
		"OtherPort":    {reason: "A host with a port is another one.", graph: image("nvcr.io:5000/vllm"), rails: only("imageRegistries", "nvcr.io"), want: "nvcr.io:5000/vllm"},
		"OtherHost":    {reason: "Dots are dots.", graph: image("nvcrxio.example.org/vllm"), rails: only("imageRegistries", "nvcr.io"), want: "nvcrxio"},
		"DockerHub":    {reason: "Images without a host are from docker.io.", graph: image("vllm/vllm-openai"), rails: only("imageRegistries", "docker.io/vllm")},
		"Localhost":    {reason: "A host may have no dot.", graph: image("localhost/vllm"), rails: only("imageRegistries", "docker.io"), want: ": localhost/vllm;"},
		"UpperCase":    {reason: "Container runtimes take a name in upper case for a host, because no repository has one.", graph: image("EVIL/vllm"), rails: only("imageRegistries", "docker.io"), want: ": EVIL/vllm;"},
		"Library":      {reason: "Images without a slash are from docker.io/library.", graph: image("nginx:1"), rails: only("imageRegistries", "nvcr.io"), want: "docker.io/library/nginx:1"},
		"Asterisk":     {reason: "An asterisk stands for any characters.", graph: image("eu.mirror.example.org/a/b@sha256:1"), rails: only("imageRegistries", "*.mirror.example.org")},
		"Sidecar": {
			reason: "The sidecar of a service is a container.", graph: service(t, `{frontendSidecar: {image: evil.example.org/x}}`),
			rails: only("imageRegistries", "nvcr.io"), want: "evil.example.org/x",
		},
		"ImageVolume": {
			reason: "Images can be mounted.", graph: component(t, `{volumes: [{name: a, image: {reference: evil.example.org/x}}]}`),
			rails: only("imageRegistries", "nvcr.io"), want: "evil.example.org/x",
		},
		"Account":           {reason: "A ServiceAccount has permissions of its own.", graph: account, rails: only("serviceAccounts", "default,team-*"), want: "(serviceAccounts): admin;"},
		"DeprecatedAccount": {reason: "Its field has two names.", graph: component(t, `{serviceAccount: admin}`), rails: only("serviceAccounts", ""), want: "admin"},
		"AccountAllowed":    {reason: "An entry can be a pattern.", graph: account, rails: only("serviceAccounts", "adm*")},
		"NoAccount":         {reason: "The account that pods get without a name is always allowed.", graph: component(t, `{}`), rails: only("serviceAccounts", "")},
		"Queue":             {reason: "A queue is capacity.", graph: queue, rails: only("queues", "team-a,team-a-*"), want: "(queues): team-b;"},
		"QueueOfOwnerLive":  {reason: "That of a live graph stays.", graph: labelled, old: labelled, rails: only("queues", "team-a")},
		"QueueOfOwner":      {reason: "KAI reads one from the labels of the graph.", graph: labelled, rails: only("queues", "team-a"), want: "(queues): team-b;"},
		"QueueInSpec":       {reason: "Grove reads one from the annotations of the PodCliqueSet.", graph: inSpec, rails: only("queues", "team-a"), want: "team-b"},
		"Kept": {
			reason: "Pods can come from an annotation that expressions cannot read.", graph: kept, rails: only("allowHostPath", "false"),
			want: "annotation nvidia.com/dgd-spec can contain parts of pods",
		},
		"KeptBefore":      {reason: "The annotation of a live graph stays.", graph: kept, old: kept, rails: only("allowHostPath", "false")},
		"KeptChanged":     {reason: "It may not change.", graph: kept, old: annotated(kept, "nvidia.com/dgd-spec", "{}"), rails: only("allowHostPath", "false"), want: "nvidia.com/dgd-spec"},
		"Tightened":       {reason: "What a graph had before stays, whatever else changes.", graph: hostPath, old: component(t, `{volumes: [{name: c, hostPath: {path: /var}}]}`), rails: only("allowHostPath", "false")},
		"Worse":           {reason: "What is new is refused.", graph: hostPath, old: component(t, `{}`), rails: only("allowHostPath", "false"), want: "/var"},
		"OtherContainer":  {reason: "Another container of a graph is new.", graph: privileged, old: component(t, `{containers: [{name: main, securityContext: {privileged: true}}]}`), rails: only("allowPrivileged", "false"), want: "Worker/setup"},
		"OtherForm":       {reason: "A graph keeps what it had in its other form.", graph: hostPath, old: service(t, `{extraPodSpec: {volumes: [{name: a, hostPath: {path: /var}}]}}`), rails: only("allowHostPath", "false")},
		"SeveralMistakes": {reason: "All limits are checked.", graph: component(t, `{hostNetwork: true, serviceAccountName: admin}`), rails: map[string]string{"allowHostNetwork": "false", "serviceAccounts": ""}, want: "(serviceAccounts): admin"},
	}
	policy := policies.Load(t, "guard-rails.yaml")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := policy.Refuses(t, tc.graph, tc.old, tc.rails)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestGuardRailsShipped shows that the ConfigMap of the manifest limits everything that it names.
func TestGuardRailsShipped(t *testing.T) {
	policy := policies.Load(t, "guard-rails.yaml")
	graph := component(t, `
hostNetwork: true
serviceAccountName: admin
volumes: [{name: a, hostPath: {path: /var}}]
containers: [{name: main, image: evil.example.org/x, securityContext: {privileged: true, capabilities: {add: [SYS_ADMIN]}}}]`)
	message := policy.Refuses(t, graph, nil, policy.Parameters.Data)
	for key := range policy.Parameters.Data {
		if !strings.Contains(message, "("+key+")") {
			t.Errorf("want a graph refused because of %s, got: %s", key, message)
		}
	}
}

// TestGuardRailsOfLargestGraph shows that the policy stays within the budget of the API server, on a graph with as many components as there can be, and with
// more containers, volumes and entries than anybody writes.
func TestGuardRailsOfLargestGraph(t *testing.T) {
	const components, containers, entries = 25, 10, 20
	rails := map[string]string{"allowHostPath": "false", "allowPrivileged": "false", "allowHostNetwork": "false"}
	for _, key := range []string{"capabilities", "imageRegistries", "serviceAccounts", "queues"} {
		var list []string
		for i := range entries {
			list = append(list, fmt.Sprintf("mirror-%d.registry.example.org/team/*", i))
		}
		rails[key] = strings.Join(list, ",")
	}
	largest := func(tag string) *unstructured.Unstructured {
		var all []any
		for i := range components {
			var inPod, volumes []any
			for j := range containers {
				inPod = append(inPod, map[string]any{
					"name": fmt.Sprintf("container-%d", j), "image": fmt.Sprintf("mirror-%d.registry.example.org/team/runtime-%d-%d:%s", entries-1, i, j, tag),
				})
				volumes = append(volumes, map[string]any{"name": fmt.Sprintf("volume-%d", j), "emptyDir": map[string]any{}})
			}
			all = append(all, map[string]any{
				"name": fmt.Sprintf("component-%d", i), "podTemplate": map[string]any{"spec": map[string]any{"containers": inPod, "volumes": volumes}},
			})
		}
		return graphOf(t, "v1beta1", map[string]any{"components": all})
	}
	policy := policies.Load(t, "guard-rails.yaml")
	for _, old := range []*unstructured.Unstructured{nil, largest("1")} {
		if message := policy.Refuses(t, largest("2"), old, maps.Clone(rails)); message != "" {
			t.Errorf("want the largest graph accepted, got: %s", message)
		}
	}
}

// TestLargeLiveGraph shows that a graph with more values than the API server compares, none of which is allowed any more, can be written as long as
// its user changes none of them.
func TestLargeLiveGraph(t *testing.T) {
	policy := policies.Load(t, "guard-rails.yaml")
	const components, containers = 60, 20
	containersOf := func(component int) []any {
		var all []any
		for i := range containers {
			all = append(all, map[string]any{"name": fmt.Sprintf("c%d", i), "image": fmt.Sprintf("docker.io/team/tool-%d-%d", component, i)})
		}
		return all
	}
	var list []any
	services := map[string]any{}
	for i := range components {
		name := fmt.Sprintf("w%d", i)
		list = append(list, map[string]any{"name": name, "podTemplate": map[string]any{"spec": map[string]any{"containers": containersOf(i)}}})
		services[name] = map[string]any{"extraPodSpec": map[string]any{"containers": containersOf(i)}}
	}
	rails := map[string]string{"imageRegistries": "nvcr.io/nvidia"}
	for version, spec := range map[string]map[string]any{"v1beta1": {"components": list}, "v1alpha1": {"services": services}} {
		live := graphOf(t, version, spec)
		live.SetFinalizers([]string{"composite.apiextensions.crossplane.io"})
		deleted := live.DeepCopy()
		deleted.SetFinalizers(nil)
		if got := policy.Refuses(t, deleted, live, rails); got != "" {
			t.Errorf("%s: the finalizer cannot be removed: %.300s", version, got)
		}
	}
}
