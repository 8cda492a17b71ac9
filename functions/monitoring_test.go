package functions

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

var (
	// named is how a metric is recognized in a text.
	named = regexp.MustCompile(`\b(?:configuration_dynamo|kube_dynamographdeployment|grpc_server|process|go)_[a-z0-9_]+\b`)
	// described is the name of a metric in its description.
	described = regexp.MustCompile(`fqName: "([^"]+)"`)
)

// TestMetricsExist holds each metric that is named in package/monitoring and in the pages about it to those that the functions serve, and
// that kube-state-metrics is configured to serve. The page about metrics lists all of them.
func TestMetricsExist(t *testing.T) {
	served := append(ofFunctions(), ofGraphs(t)...)
	for _, pattern := range []string{"package/monitoring/*.json", "package/monitoring/rules.yaml", "docs/monitoring.md", "docs/runbooks/*.md", "fn-tests/monitoring/testdata/*"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("there are no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			for _, name := range named.FindAllString(string(read(t, strings.TrimPrefix(path, "../"))), -1) {
				if !slices.Contains(served, series(name)) {
					t.Errorf("%s names metric %s, which nothing serves", filepath.Base(path), name)
				}
			}
		}
	}
	page := string(read(t, "docs/monitoring.md"))
	for _, name := range served {
		own := strings.HasPrefix(name, "configuration_dynamo_") || strings.HasPrefix(name, "kube_")
		if own && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/monitoring.md does not list metric %s", name)
		}
	}
}

// TestGraphsHaveMetrics holds the golden file of the real kube-state-metrics to its configuration: each metric has a value there.
func TestGraphsHaveMetrics(t *testing.T) {
	golden := string(read(t, "fn-tests/monitoring/testdata/graphs.golden"))
	found := map[string]bool{}
	for line := range strings.Lines(golden) {
		name, _, _ := strings.Cut(line, "{")
		found[name] = true
	}
	if diff := cmp.Diff(ofGraphs(t), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("metrics of graphs: -configured, +golden:\n%s", diff)
	}
}

// series without what Prometheus adds to the name of a histogram.
func series(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// ofFunctions are the metrics in the registry of a function.
func ofFunctions() []string {
	var names []string
	for _, collector := range []prometheus.Collector{
		metrics.New("graph", "test"), grpcprometheus.NewServerMetrics(), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		descriptions := make(chan *prometheus.Desc)
		go func() {
			collector.Describe(descriptions)
			close(descriptions)
		}()
		for description := range descriptions {
			names = append(names, described.FindStringSubmatch(description.String())[1])
		}
	}
	return names
}

// ofGraphs are the metrics in the configuration of kube-state-metrics, sorted.
func ofGraphs(t *testing.T) []string {
	t.Helper()
	encoded, err := yaml.YAMLToJSON(read(t, "package/monitoring/kube-state-metrics.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		CustomResourceState struct {
			Config struct {
				Spec struct {
					Resources []struct {
						Prefix  string `json:"metricNamePrefix"`
						Metrics []struct {
							Name string `json:"name"`
						} `json:"metrics"`
					} `json:"resources"`
				} `json:"spec"`
			} `json:"config"`
		} `json:"customResourceState"`
	}
	if err := json.Unmarshal(encoded, &values); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, resource := range values.CustomResourceState.Config.Spec.Resources {
		for _, metric := range resource.Metrics {
			names = append(names, resource.Prefix+"_"+metric.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
