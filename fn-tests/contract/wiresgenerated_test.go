package contract

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// wiredEngine is an engine over some nodes.
type wiredEngine struct {
	name, module, args string
	nodes              int
	// rendezvous are the names of the flag with the port at which the nodes meet, the first one without abbreviation. address says that the
	// value is an address.
	rendezvous []string
	address    bool
}

func wiredEngines() []wiredEngine {
	return []wiredEngine{
		{name: "vllm", module: "dynamo.vllm", args: "--model m -tp 8", nodes: 1},
		{name: "vllm-tensor", module: "dynamo.vllm", args: "--model m --tensor-parallel-size 16", nodes: 2, rendezvous: []string{"--master-port", "--master_port", "--master-po"}},
		{name: "vllm-pipeline", module: "dynamo.vllm", args: "--model m -tp=8 -pp 2", nodes: 2, rendezvous: []string{"--master-port"}},
		{name: "vllm-data", module: "dynamo.vllm", args: "--model m -dp 16", nodes: 2, rendezvous: []string{"--data-parallel-rpc-port", "--data_parallel_rpc_port", "-dpp", "--data-parallel-rpc"}},
		{name: "vllm-wide", module: "dynamo.vllm", args: "--model m -tp 8 -dp 2 --enable-expert-parallel", nodes: 2, rendezvous: []string{"--data-parallel-rpc-port"}},
		{name: "vllm-external", module: "dynamo.vllm", args: "--model m -tp 8 -dp 2 --data-parallel-external-lb", nodes: 2, rendezvous: []string{"--data-parallel-rpc-port"}},
		{name: "vllm-elastic", module: "dynamo.vllm", args: "--model m -dp 16 --enable-elastic-ep --data-parallel-backend ray", nodes: 2},
		{name: "sglang", module: "dynamo.sglang", args: "--model-path m --tp 8", nodes: 1},
		{name: "sglang-tensor", module: "dynamo.sglang", args: "--model-path m --tp 16", nodes: 2, rendezvous: []string{"--dist-init-addr", "--dist-i"}, address: true},
		{name: "sglang-attention", module: "dynamo.sglang", args: "--model-path m --tp 16 --dp-size 16 --enable-dp-attention", nodes: 2},
		{name: "trtllm", module: "dynamo.trtllm", args: "--model-path m --tensor-parallel-size 8", nodes: 1},
		{name: "trtllm-tensor", module: "dynamo.trtllm", args: "--model-path m --tensor-parallel-size 16", nodes: 2},
		{name: "mocker", module: "dynamo.mocker", args: "--model-path m", nodes: 1},
	}
}

// wiredGraph is a graph in which a user moves what listens, or sets what others need.
type wiredGraph struct {
	engine wiredEngine
	// frontend, worker and sidecar are added to the command line of each, and graph to the env of the graph.
	frontend, worker, sidecar string
	graphEnv, frontendEnv     string
	workerEnv, sidecarEnv     string
	script, containers, pool  bool
	picker                    string
	workerPod                 string
	replicas                  int
	// apart says that the sidecars of other workers stay where they are.
	apart bool
	gpus  string
}

// command of a container: arguments, or a script.
func (g *wiredGraph) command(module, args string) string {
	if g.script {
		before, after, found := strings.Cut(args, "!")
		if found {
			return fmt.Sprintf("command: [/bin/bash, -c], args: [%q]", before+"\nexec python3 -m "+module+" "+after)
		}
		return fmt.Sprintf("command: [/bin/bash, -c], args: [%q]", "set -u\nexec python3 -m "+module+" "+args)
	}
	_, after, found := strings.Cut(args, "!")
	if found {
		args = after
	}
	words := strings.Fields(args)
	for i := range words {
		words[i] = fmt.Sprintf("%q", words[i])
	}
	return fmt.Sprintf("command: [python3, -m, %s], args: [%s]", module, strings.Join(words, ", "))
}

func (g *wiredGraph) manifest() string {
	const image = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0"
	var b strings.Builder
	annotations := ""
	if g.containers {
		annotations = ", annotations: {nvidia.com/dynamo-kube-discovery-mode: container}"
	}
	fmt.Fprintf(&b, "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: wired, namespace: ns%s}\nspec:\n  env: [{name: %s, value: here}%s]\n  components:\n", annotations, siteVariable, g.graphEnv)
	fmt.Fprintf(&b, "    - {name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: %q, env: [%s], %s}]}}}\n", image, g.frontendEnv, g.command("dynamo.frontend", g.frontend))
	if g.pool {
		fmt.Fprintf(&b, "    - {name: Picker, type: epp%s}\n", g.picker)
	}
	// Prefill with one engine and decode with another share a pool.
	beside, reference := "", ""
	if g.pool {
		beside = fmt.Sprintf(", {name: front, image: %q, env: [%s], %s}", image, g.sidecarEnv, g.command("dynamo.frontend", g.sidecar))
		reference = ", frontendSidecar: front"
	}
	worker := func(name, kind string, e wiredEngine, more, env string) {
		multinode := ""
		if e.nodes > 1 {
			multinode = fmt.Sprintf(", multinode: {nodeCount: %d}", e.nodes)
		}
		args := e.args + " " + more
		if before, after, found := strings.Cut(more, "!"); found {
			args = before + "!" + e.args + " " + after
		}
		fmt.Fprintf(&b, "    - {name: %s, type: %s, replicas: %d, modelRef: {name: m}%s%s, podTemplate: {spec: {%scontainers: [{name: main, image: %q, env: [%s], resources: {limits: {nvidia.com/gpu: %q}}, %s}%s]}}}\n",
			name, kind, max(1, g.replicas), multinode, reference, g.workerPod, image, env, cmp.Or(g.gpus, "8"), g.command(e.module, args), beside)
	}
	worker("Prefill", "prefill", g.engine, g.worker, g.workerEnv)
	if g.apart {
		beside = strings.ReplaceAll(strings.ReplaceAll(beside, g.sidecarEnv, ""), g.command("dynamo.frontend", g.sidecar), g.command("dynamo.frontend", ""))
	}
	worker("Decode", "decode", wiredEngines()[1], "", "")
	return b.String()
}

// ways to move a port, by name, of a flag with some names and of a variable.
func wiredWays(flags []string, address bool, variable, port string) map[string]wiredGraph {
	value := port
	if address {
		value = "host:" + port
	}
	ways := map[string]wiredGraph{}
	for i, flag := range flags {
		ways[fmt.Sprintf("flag%d", i)] = wiredGraph{worker: flag + " " + value}
		ways[fmt.Sprintf("joined%d", i)] = wiredGraph{worker: flag + "=" + value}
		ways[fmt.Sprintf("script%d", i)] = wiredGraph{script: true, worker: flag + " " + value}
	}
	if len(flags) > 0 {
		other := strings.ReplaceAll(value, port, "1234")
		ways["last"] = wiredGraph{script: true, worker: flags[0] + " " + other + " " + flags[0] + "=" + value}
		ways["reference"] = wiredGraph{worker: flags[0] + "=" + strings.ReplaceAll(value, port, "$(MOVED)"), workerEnv: "{name: MOVED, value: " + fmt.Sprintf("%q", port) + "}"}
		ways["assigned"] = wiredGraph{script: true, worker: "MOVED=" + port + "!" + flags[0] + " " + strings.ReplaceAll(value, port, "$MOVED")}
		ways["otherwise"] = wiredGraph{script: true, worker: flags[0] + " " + strings.ReplaceAll(value, port, "${MOVED:-"+port+"}")}
		ways["file"] = wiredGraph{script: true, worker: flags[0] + ` "` + strings.ReplaceAll(value, port, "$(cat /etc/port)") + `"`}
		ways["secret"] = wiredGraph{script: true, worker: flags[0] + " " + strings.ReplaceAll(value, port, "$MOVED"), workerEnv: "{name: MOVED, valueFrom: {secretKeyRef: {name: s, key: k}}}"}
	}
	if variable != "" {
		entry := fmt.Sprintf("{name: %s, value: %q}", variable, port)
		ways["variable"] = wiredGraph{workerEnv: entry}
		ways["graph"] = wiredGraph{graphEnv: ", " + entry}
		ways["exported"] = wiredGraph{script: true, worker: "export " + variable + "=" + port + "!"}
		ways["from-secret"] = wiredGraph{workerEnv: fmt.Sprintf("{name: %s, valueFrom: {secretKeyRef: {name: s, key: k}}}", variable)}
	}
	return ways
}

// generatedWires are graphs of all engines, spans and orchestrators, with each way to move what listens.
func generatedWires() map[string]wiredGraph {
	all := map[string]wiredGraph{}
	for _, e := range wiredEngines() {
		for _, script := range []bool{false, true} {
			for _, containers := range []bool{false, true} {
				for _, pool := range []bool{false, true} {
					all[fmt.Sprintf("%s/plain/script=%t,containers=%t,pool=%t", e.name, script, containers, pool)] = wiredGraph{engine: e, script: script, containers: containers, pool: pool}
				}
			}
		}
		all[e.name+"/plain/envFrom"] = wiredGraph{engine: e, workerPod: "", workerEnv: `], envFrom: [{configMapRef: {name: fabric}}, {secretRef: {name: tokens}, prefix: SITE_}`}
		if e.nodes == 1 {
			all[e.name+"/plain/hostNetwork"] = wiredGraph{engine: e, workerPod: "hostNetwork: true, ", replicas: 2, gpus: "2"}
		}
		for way, g := range wiredWays(e.rendezvous, e.address, "", "29600") {
			g.engine = e
			all[e.name+"/rendezvous/"+way] = g
		}
		for way, g := range wiredWays(nil, false, "DYN_SYSTEM_PORT", "8181") {
			g.engine = e
			all[e.name+"/system/"+way] = g
			g.pool = true
			all[e.name+"/system-pool/"+way] = g
		}
		all[e.name+"/system/declared"] = wiredGraph{engine: e, workerEnv: `{name: DYN_SYSTEM_PORT, value: "8181"}], ports: [{containerPort: 8181}`}
	}
	head := wiredEngine{name: "vllm-head", module: "dynamo.vllm", args: "--model m -dp 8 --enable-elastic-ep --data-parallel-backend ray", nodes: 1}
	for way, g := range wiredWays([]string{"--port"}, false, "", "29600") {
		if !g.script {
			continue
		}
		before, flags, found := strings.Cut(g.worker, "!")
		if !found {
			before, flags = "", g.worker
		}
		g.engine, g.worker = head, before+"\nray start --head "+flags+" --block &!"
		all["vllm-head/ray/"+way] = g
	}
	// Scripts of users that tell the nodes of an engine apart.
	const onOthers = `case "${GROVE_PCLQ_NAME:-}${LWS_WORKER_INDEX:-}" in *-wkr|1) `
	for _, e := range wiredEngines() {
		switch e.name {
		case "vllm-data":
			all[e.name+"/own/headless"] = wiredGraph{engine: e, script: true, worker: onOthers + "exec python3 -m dynamo.vllm " + e.args + " --headless;; esac!"}
		case "vllm-external":
			all[e.name+"/own/rank"] = wiredGraph{engine: e, script: true, worker: onOthers + "R=1;; *) R=0;; esac!--nnodes 2 --node-rank $R"}
		}
	}
	one := wiredEngines()[0]
	for way, g := range wiredWays([]string{"--http-port", "--http-p"}, false, "DYN_HTTP_PORT", "8080") {
		asFrontend := wiredGraph{engine: one, script: g.script, frontend: g.worker, frontendEnv: g.workerEnv, graphEnv: g.graphEnv}
		all["frontend/http/"+way] = asFrontend
		for _, e := range wiredEngines() {
			moved := wiredGraph{engine: e, pool: true, script: g.script, sidecar: g.worker, sidecarEnv: g.workerEnv, graphEnv: g.graphEnv}
			all["sidecar/http/"+e.name+"/"+way] = moved
			moved.apart = true
			all["sidecar/apart/"+e.name+"/"+way] = moved
		}
	}
	// How programs answer at the port.
	for way, g := range wiredWays([]string{"--tls-cert-path"}, false, "DYN_TLS_CERT_PATH", "/tls/tls.crt") {
		all["frontend/https/"+way] = wiredGraph{engine: one, script: g.script, frontend: g.worker, frontendEnv: g.workerEnv}
		all["sidecar/https/"+way] = wiredGraph{engine: one, pool: true, script: g.script, sidecar: g.worker, sidecarEnv: g.workerEnv}
	}
	for _, path := range []string{"LIVE_PATH", "HEALTH_PATH"} {
		for way, g := range wiredWays(nil, false, "DYN_HTTP_SVC_"+path, "/moved") {
			all["frontend/"+path+"/"+way] = wiredGraph{engine: one, script: g.script, frontend: g.worker, frontendEnv: g.workerEnv, graphEnv: g.graphEnv}
			all["sidecar/"+path+"/"+way] = wiredGraph{engine: one, pool: true, script: g.script, sidecar: g.worker, sidecarEnv: g.workerEnv, graphEnv: g.graphEnv}
		}
		for _, e := range wiredEngines() {
			for way, g := range wiredWays(nil, false, "DYN_SYSTEM_"+path, "/moved") {
				g.engine = e
				all[e.name+"/"+path+"/"+way] = g
			}
		}
	}
	for way, g := range wiredWays([]string{"--grpc-port"}, false, "", "9102") {
		if g.script || way == "reference" {
			continue
		}
		words := strings.Fields(g.worker)
		for i := range words {
			words[i] = fmt.Sprintf("%q", words[i])
		}
		all["picker/grpc/"+way] = wiredGraph{engine: one, pool: true, picker: fmt.Sprintf(`, eppConfig: {config: {plugins: [{type: p}], schedulingProfiles: [{name: default, plugins: [{pluginRef: p}]}]}}, podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/frontend:1.4.0", args: [%s]}]}}`, strings.Join(words, ", "))}
	}
	for name, g := range all {
		if g.pool && g.picker == "" {
			g.picker = `, podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/frontend:1.5.0"}]}}`
			all[name] = g
		}
	}
	return all
}

// platformsOfWires have servers with certificates, which all processes of Dynamo need to reach.
func platformOfWires(t testing.TB) string {
	t.Helper()
	return harness.WithInput(t, harness.Composition, map[string]any{"infrastructure": map[string]any{
		"natsAddress": "tls://nats.platform:4222", "etcdAddress": "etcd.platform:2379", "natsTLSCAPath": "/etc/tls/ca.crt", "tcpTLSCertPath": "/etc/tls/tls.crt",
		"tcpTLSKeyPath": "/etc/tls/tls.key", "tcpTLSCAPath": "/etc/tls/ca.crt",
	}})
}

// withPools is a cluster that also serves InferencePools.
func withPools(t testing.TB, cluster string) string {
	t.Helper()
	objects := harness.Read(t, cluster)
	for _, o := range harness.Read(t, "examples/cluster/all.yaml") {
		if strings.Contains(o.GetName(), "inference.networking") {
			objects = append(objects, o)
		}
	}
	return harness.Write(t, objects...)
}

// TestGeneratedWires follows the wires of generated graphs from one end to the other.
func TestGeneratedWires(t *testing.T) {
	composition, folder := platformOfWires(t), t.TempDir()
	clusters := map[string]string{}
	for _, on := range []string{"grove-kai", "lws-volcano"} {
		clusters[on] = withPools(t, "examples/cluster/"+on+".yaml")
	}
	var names []string
	var renders []harness.Render
	graphs := generatedWires()
	for i, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]
		for j, on := range slices.Sorted(maps.Keys(clusters)) {
			if !harness.Sampled(2*i+j, 41) {
				continue
			}
			file := filepath.Join(folder, fmt.Sprintf("%d-%d.yaml", i, j))
			if err := os.WriteFile(file, []byte(g.manifest()), 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name+" on "+on)
			renders = append(renders, harness.Render{XR: file, Cluster: clusters[on], Composition: composition})
		}
	}
	check(t, names, harness.New(t).RenderAll(t, renders))
}

func check(t *testing.T, names []string, outputs []harness.Output) {
	t.Helper()
	for i, out := range outputs {
		if out.Err != nil {
			t.Errorf("%s is refused: %s", names[i], out.Stderr)
			continue
		}
		for _, problem := range problemsOf(t, out) {
			t.Errorf("%s: %s", names[i], problem)
		}
	}
}

// TestWiresOfManifests follows the wires of the examples and of the manifests of the repository.
func TestWiresOfManifests(t *testing.T) {
	var names []string
	var outputs []harness.Output
	manifests := corpus.Manifests(t)
	for i, out := range harness.New(t).RenderAll(t, corpus.Renders(t, manifests)) {
		if out.Err == nil {
			names, outputs = append(names, manifests[i].Name), append(outputs, out)
		}
	}
	check(t, names, outputs)
}

// TestWiresOfPublishedManifests follows those of manifests that were published.
func TestWiresOfPublishedManifests(t *testing.T) {
	manifests := append(shared.Corpus(t), shared.Autumn(t)...)
	for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
		var names []string
		var outputs []harness.Output
		for i, out := range harness.New(t).RenderAll(t, onCluster(manifests, cluster)) {
			if out.Err == nil {
				names, outputs = append(names, manifests[i].Name+" on "+filepath.Base(cluster)), append(outputs, out)
			}
		}
		check(t, names, outputs)
	}
}
