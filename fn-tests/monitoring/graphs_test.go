package monitoring

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// patience with kube-state-metrics, which looks for definitions every three seconds.
const patience = time.Minute

// TestGraphs shows the metrics that kube-state-metrics makes of graphs.
func TestGraphs(t *testing.T) {
	binary := tool(t, "kube-state-metrics", 1)
	all := graphs(t)
	api := httptest.NewServer(serve(all))
	t.Cleanup(api.Close)
	lines := scrape(t, binary, api.URL, len(all))
	harness.Golden(t, "testdata/graphs.golden", []byte(strings.Join(lines, "\n")+"\n"))
}

// graphs as the API server has them: with components, with services, and one in which everything is wrong.
func graphs(t *testing.T) []any {
	t.Helper()
	binary := harness.New(t)
	render := func(manifest, name string, changes map[string]any) any {
		out := binary.RenderAccepted(t, harness.Render{XR: manifest, Cluster: harness.GroveKAI})
		graph := out.Composite
		graph.SetAPIVersion("nvidia.com/v1beta1")
		graph.SetName(name)
		graph.SetUID(types.UID(name))
		graph.SetGeneration(3)
		for path, value := range changes {
			if err := unstructured.SetNestedField(graph.Object, value, strings.Split(path, ".")...); err != nil {
				t.Fatal(err)
			}
		}
		return graph.Object
	}
	condition := func(kind, reason string) any {
		return map[string]any{"type": kind, "status": "False", "reason": reason, "lastTransitionTime": "2026-11-01T00:00:00Z"}
	}
	counts := func() any {
		return map[string]any{"replicas": int64(4), "updatedReplicas": int64(3), "readyReplicas": int64(2), "availableReplicas": int64(1)}
	}
	return []any{
		render("examples/disagg-vllm.yaml", "components", map[string]any{
			"status.components.Frontend": counts(), "status.observedGeneration": int64(2),
		}),
		render("examples/v1alpha1/disagg-vllm.yaml", "services", map[string]any{"status.services.Frontend": counts()}),
		render("examples/agg-vllm.yaml", "wrong", map[string]any{
			"status.conditions": []any{condition("Accepted", "Invalid"), condition("Responsive", "WatchCircuitOpen"), condition("ServicesReady", "updating")},
			"status.restart":    map[string]any{"phase": "Restarting"},
			"status.state":      "failed",
		}),
	}
}

// serve what kube-state-metrics asks an API server for: the definition of graphs, and graphs. Nothing changes.
func serve(graphs []any) http.Handler {
	definition := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "dynamographdeployments.nvidia.com", "resourceVersion": "1", "uid": "1"},
		"spec": map[string]any{
			"group": "nvidia.com", "names": map[string]any{"kind": "DynamoGraphDeployment", "plural": "dynamographdeployments"},
			"versions": []any{map[string]any{"name": "v1beta1"}},
		},
	}
	list := func(apiVersion, kind string, items ...any) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Query().Get("watch") != "" {
				watch(w, req)
				return
			}
			answer(w, map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"resourceVersion": "1"}, "items": items})
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"major": "1", "minor": "36", "gitVersion": "v1.36.0"})
	})
	mux.HandleFunc("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", list("apiextensions.k8s.io/v1", "CustomResourceDefinitionList", definition))
	mux.HandleFunc("/apis/nvidia.com/v1beta1/dynamographdeployments", list("nvidia.com/v1beta1", "DynamoGraphDeploymentList", graphs...))
	return mux
}

// watch until the client goes away. A watch that is to begin with all objects is refused, as by an API server that does not know it.
func watch(w http.ResponseWriter, req *http.Request) {
	if req.URL.Query().Get("sendInitialEvents") != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		answer(w, map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Invalid", "code": http.StatusUnprocessableEntity})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).Flush()
	<-req.Context().Done()
}

func answer(w http.ResponseWriter, object any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object) //nolint:errchkjson // A client that went away needs no answer.
}

// scrape what kube-state-metrics says about graphs, sorted, as soon as it knows so many of them.
func scrape(t *testing.T, binary, api string, graphs int) []string {
	t.Helper()
	var values struct {
		CustomResourceState struct {
			Config any `json:"config"`
		} `json:"customResourceState"`
	}
	decode(t, "kube-state-metrics.yaml", &values)
	config, err := yaml.Marshal(values.CustomResourceState.Config)
	if err != nil {
		t.Fatal(err)
	}
	port, telemetry := freePort(t), freePort(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "--custom-resource-state-only", "--apiserver="+api, "--host=127.0.0.1", "--telemetry-host=127.0.0.1",
		"--custom-resource-state-config-file="+write(t, t.TempDir(), "config.yaml", config),
		"--port="+port, "--telemetry-port="+telemetry)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		lines := series(ctx, "http://127.0.0.1:"+port+"/metrics")
		if strings.Count(strings.Join(lines, "\n"), "kube_dynamographdeployment_metadata_generation{") == graphs {
			cancel()
			_ = cmd.Wait()
			return lines
		}
		time.Sleep(200 * time.Millisecond)
	}
	_ = cmd.Wait()
	t.Fatalf("kube-state-metrics does not know all graphs:\n%s", log.String())
	return nil
}

// series of graphs at a URL, sorted. What names the kind is left out.
func series(ctx context.Context, url string) []string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil
	}
	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = rsp.Body.Close() }()
	body, err := io.ReadAll(rsp.Body)
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "kube_dynamographdeployment_") {
			line = strings.Replace(line, `customresource_group="nvidia.com",customresource_kind="DynamoGraphDeployment",customresource_version="v1beta1",`, "", 1)
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return lines
}

// freePort is a port that nothing listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lis.Close() }()
	_, port, err := net.SplitHostPort(lis.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
