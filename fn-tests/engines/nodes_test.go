// Package engines shows that engines work as what runs them composes their pods, for the users who wait for them: the commands of all nodes of
// a replica find each other, an engine with failover is followed by the one that stands by, and pods are placed where topology constraints
// want them. There are no GPUs: the images have stub programs, which are started as the real ones, listen where these listen, and connect as
// they do.
package engines

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// podsOf a component on an orchestrator.
type podsOf func(t *testing.T, objects []*unstructured.Unstructured, component string) []pod

// TestCustomEngine runs the engine of the user in the example: each node learns its rank and the address of the first one, and the probes of
// all pods succeed.
func TestCustomEngine(t *testing.T) {
	cases := map[string]struct {
		reason  string
		example string
		cluster string
		pods    podsOf
		network string
	}{
		"Grove":               {reason: "Grove tells the nodes their ranks.", example: "examples/custom-engine.yaml", cluster: harness.GroveKAI, pods: podsOnGrove, network: "127.75.1."},
		"GroveServices":       {reason: "Grove tells the nodes of services their ranks too.", example: "examples/v1alpha1/custom-engine.yaml", cluster: harness.GroveKAI, pods: podsOnGrove, network: "127.75.2."},
		"LeaderWorkerSet":     {reason: "LWS tells the nodes their ranks.", example: "examples/custom-engine.yaml", cluster: harness.LWSVolcano, pods: podsOfLWS, network: "127.75.3."},
		"LeaderWorkerSetForm": {reason: "LWS tells the nodes of services their ranks too.", example: "examples/v1alpha1/custom-engine.yaml", cluster: harness.LWSVolcano, pods: podsOfLWS, network: "127.75.4."},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Three nodes have a worker whose rank is not that of its index.
			text := harness.File(t, tc.example)
			text = bytes.Replace(text, []byte("nodeCount: 2"), []byte("nodeCount: 3"), 1)
			example := filepath.Join(t.TempDir(), "example.yaml")
			if err := os.WriteFile(example, text, 0o600); err != nil {
				t.Fatal(err)
			}
			replica := start(t, tc.network, nil, tc.pods(t, render(t, binary, example, tc.cluster), "worker"))
			if len(replica) != 3 {
				t.Fatalf("%s\nwant 3 pods, got %d", tc.reason, len(replica))
			}
			for _, p := range replica {
				p.await(t, tc.reason)
			}
			for _, p := range replica[1:] {
				if p.main.StartupProbe != nil || p.main.LivenessProbe != nil || p.main.ReadinessProbe != nil {
					t.Errorf("%s\nwant no probes of %s, whose engine serves nothing", tc.reason, p.host)
				}
			}
		})
	}
}

// TestElasticEngine runs the commands of elastic engines: Ray is there before vLLM, and the other nodes join when vLLM serves.
func TestElasticEngine(t *testing.T) {
	const manifests = "fn-tests/support/corpus/manifests/"
	cases := map[string]struct {
		reason    string
		manifest  string
		cluster   string
		component string
		pods      podsOf
		network   string
		// later is the host by which a node of the user joins. Empty: the workers of the replica do.
		later string
	}{
		"Grove": {
			reason: "The worker joins the cluster of the leader.", manifest: "grove-kai/components-elastic.yaml", cluster: harness.GroveKAI, component: "nodes",
			pods: podsOnGrove, network: "127.76.1.",
		},
		"LeaderWorkerSet": {
			reason: "The worker of a LeaderWorkerSet joins the cluster of its leader.", manifest: "lws-volcano/elastic.yaml", cluster: harness.LWSVolcano, component: "worker", pods: podsOfLWS, network: "127.76.2.",
		},
		"OneNode": {
			reason: "Nodes can join an engine of one node by its Service.", manifest: "grove-kai/elastic.yaml", cluster: harness.GroveKAI, component: "worker",
			pods: podsOnGrove, network: "127.76.3.", later: "elastic-worker-ray",
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := render(t, binary, manifests+tc.manifest, tc.cluster)
			pods := tc.pods(t, objects, tc.component)
			hosts := map[string]string{}
			if tc.later != "" {
				service := &corev1.Service{}
				decode(t, objects, "Service", tc.later, service)
				hosts[service.Name] = tc.network + "1"
				pods = append(pods, pod{host: "later", spec: corev1.PodSpec{Containers: []corev1.Container{{
					Image: pods[0].spec.Containers[0].Image, Command: []string{"ray", "start", "--address=" + service.Name + ":" + strconv.Itoa(int(service.Spec.Ports[0].Port)), "--block"},
				}}}})
			}
			replica := start(t, tc.network, hosts, pods)
			if len(replica) != 2 {
				t.Fatalf("%s\nwant 2 pods, got %d", tc.reason, len(replica))
			}
			replica[0].await(t, tc.reason)
			eventually(t, tc.reason, replica, func() bool { return strings.Contains(replica[0].output(), joined) })
		})
	}
}

// TestExamplesOverNodes runs the commands of every example over nodes with the images that it names, as the images of that release are: the nodes form
// one engine, and the probes of the leader succeed. A command that starts Ray would end, as it does in a cluster.
func TestExamplesOverNodes(t *testing.T) {
	platforms := map[string]struct {
		cluster string
		pods    podsOf
	}{
		"Grove":           {harness.GroveKAI, podsOnGrove},
		"LeaderWorkerSet": {harness.LWSVolcano, podsOfLWS},
	}
	files := harness.Glob(t, filepath.Join("examples", "*.yaml"))
	binary := harness.New(t)
	network, engines := 0, map[string]bool{}
	for _, file := range files {
		for _, object := range harness.Read(t, file) {
			for _, c := range overNodes(object) {
				for name, platform := range platforms {
					network++
					prefix := fmt.Sprintf("127.77.%d.", network)
					t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+c.name+"/"+name, func(t *testing.T) {
						t.Parallel()
						pods := platform.pods(t, render(t, binary, file, platform.cluster), strings.ToLower(c.name))
						if len(pods) != c.nodes {
							t.Fatalf("want %d pods, got %d", c.nodes, len(pods))
						}
						replica := start(t, prefix, nil, pods)
						replica[0].await(t, "The nodes form one engine.")
					})
					engines[c.image] = true
				}
			}
		}
	}
	for _, engine := range []string{"vllm-runtime", "sglang-runtime", "tensorrtllm-runtime"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(engines)), func(image string) bool { return strings.Contains(image, "/"+engine+":") }) {
			t.Errorf("want an example over nodes with %s, got %v", engine, engines)
		}
	}
}

// spanning is a component over nodes.
type spanning struct {
	name, image string
	nodes       int
}

// overNodes are the components of a graph that span nodes.
func overNodes(graph *unstructured.Unstructured) []spanning {
	var all []spanning
	components, _, _ := unstructured.NestedSlice(graph.Object, "spec", "components")
	for _, item := range components {
		component, _ := item.(map[string]any)
		name, _, _ := unstructured.NestedString(component, "name")
		nodes, spans, _ := unstructured.NestedInt64(component, "multinode", "nodeCount")
		containers, _, _ := unstructured.NestedSlice(component, "podTemplate", "spec", "containers")
		if !spans || len(containers) == 0 {
			continue
		}
		main, _ := containers[0].(map[string]any)
		image, _ := main["image"].(string)
		all = append(all, spanning{name: name, image: image, nodes: int(nodes)})
	}
	return all
}

func render(t *testing.T, binary *harness.Binary, manifest, cluster string) []*unstructured.Unstructured {
	t.Helper()
	out := binary.RenderAccepted(t, harness.Render{XR: manifest, Cluster: cluster})
	return out.Composed
}

// running is a pod whose main container runs.
type running struct {
	host, address string
	main          corev1.Container
	// root is a folder in place of the home and the mounts of its containers.
	root string

	mutex sync.Mutex
	text  bytes.Buffer
}

// start the containers of pods until the test ends. The first pod has the first address of the network. Images contain what they do in their
// release.
func start(t *testing.T, network string, hosts map[string]string, pods []pod) []*running {
	t.Helper()
	var names []string
	for name, address := range hosts {
		names = append(names, name+"="+address)
	}
	for i, p := range pods {
		names = append(names, p.host+"="+network+strconv.Itoa(i+1))
	}
	all := make([]*running, 0, len(pods))
	for i, p := range pods {
		r := &running{host: p.host, address: network + strconv.Itoa(i+1), main: p.spec.Containers[0], root: t.TempDir()}
		all = append(all, r)
		injected := maps.Clone(p.injected)
		if injected == nil {
			injected = map[string]string{}
		}
		injected[stubHosts] = strings.Join(names, ",")
		for j := range p.spec.InitContainers {
			if err := r.command(t, &p.spec.InitContainers[j], injected).Run(); err != nil {
				t.Fatalf("%s: init container %s: %v: %s", p.host, p.spec.InitContainers[j].Name, err, r.output())
			}
		}
		r.start(t, r.command(t, &r.main, injected))
	}
	return all
}

// command of a container.
func (r *running) command(t *testing.T, c *corev1.Container, injected map[string]string) *exec.Cmd {
	t.Helper()
	programs := install(t, programsOf(t, c.Image))
	env := map[string]string{"PATH": programs + ":/usr/bin:/bin", "HOME": r.root, stubAddress: r.address}
	for _, v := range c.Env {
		env[v.Name] = v.Value
		if v.ValueFrom != nil && v.ValueFrom.FieldRef != nil && v.ValueFrom.FieldRef.FieldPath == "status.podIP" {
			env[v.Name] = r.address
		}
	}
	maps.Copy(env, injected)
	argv := expand(append(append([]string{}, c.Command...), c.Args...), env)
	keys := filepath.Join(r.root, "ssh-pk")
	for i := range argv {
		// What is at the root of the container is in a folder here.
		argv[i] = strings.NewReplacer("/ssh-pk/", keys+"/", "/usr/sbin/sshd", filepath.Join(programs, "sshd"), " /run/sshd", " "+filepath.Join(r.root, "run")).Replace(argv[i])
	}
	if err := os.MkdirAll(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"private.key", "private.key.pub"} {
		if err := os.WriteFile(filepath.Join(keys, key), []byte("key\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if own := filepath.Join(programs, argv[0]); !filepath.IsAbs(argv[0]) {
		if _, err := os.Stat(own); err == nil {
			argv[0] = own
		}
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = r, r
	return cmd
}

// programsOf an image, beside those of a Linux distribution: exactly what the image of that release contains of what commands start.
func programsOf(t *testing.T, image string) []string {
	t.Helper()
	if strings.HasPrefix(image, "registry.example.org/engines/my-engine:") {
		return []string{"my-engine"}
	}
	var major, minor int
	name, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if _, err := fmt.Sscanf(tag, "%d.%d.", &major, &minor); err != nil {
		t.Fatalf("image %s has no release, so what it contains is not known", image)
	}
	programs := []string{"python3"}
	switch {
	case name == "tensorrtllm-runtime":
		programs = append(programs, "mpirun", "sshd", "ssh-keygen", "trtllm-llmapi-launch")
	case strings.HasPrefix(name, "vllm") && (major < 1 || major == 1 && minor < 3):
		// https://github.com/ai-dynamo/dynamo/issues/14020
		programs = append(programs, "ray")
	}
	return programs
}

// install programs in a folder. The real sleep would take too long, and the real getent does not know the names of the pods.
func install(t *testing.T, programs []string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range append(programs, "getent", "sleep") {
		if err := os.Symlink(binary, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// start a command in a group of processes of its own, which ends with the test.
func (r *running) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
}

// Write output of the container.
func (r *running) Write(text []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.text.Write(text)
}

func (r *running) output() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.text.String()
}

var variable = regexp.MustCompile(`\$\(([A-Z_]+)\)`)

// expand variables as the kubelet does.
func expand(argv []string, env map[string]string) []string {
	for i := range argv {
		argv[i] = variable.ReplaceAllStringFunc(argv[i], func(match string) string {
			if value, ok := env[match[2:len(match)-1]]; ok {
				return value
			}
			return match
		})
	}
	return argv
}

// await the probes of a pod, in the order of the kubelet.
func (r *running) await(t *testing.T, reason string) {
	t.Helper()
	for _, probe := range []*corev1.Probe{r.main.StartupProbe, r.main.ReadinessProbe, r.main.LivenessProbe} {
		if probe != nil {
			eventually(t, reason, []*running{r}, func() bool { return r.succeeds(probe) })
		}
	}
}

func (r *running) succeeds(probe *corev1.Probe) bool {
	for _, port := range r.main.Ports {
		if port.Name == probe.HTTPGet.Port.StrVal {
			response, err := http.Get("http://" + net.JoinHostPort(r.address, strconv.Itoa(int(port.ContainerPort))) + probe.HTTPGet.Path)
			return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
		}
	}
	return false
}

// eventually a state is reached.
func eventually(t *testing.T, reason string, pods []*running, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !reached(); time.Sleep(moment) {
		if time.Now().Before(deadline) {
			continue
		}
		var outputs []string
		for _, p := range pods {
			outputs = append(outputs, p.host+": "+p.output())
		}
		t.Fatalf("%s It does not happen:\n%s", reason, strings.Join(outputs, "\n"))
	}
}
