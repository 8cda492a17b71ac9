package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Reconciles is how often Crossplane has reconciled composite resources since it was started.
func (c *ControlPlane) Reconciles(ctx context.Context) (int, error) {
	crossplane, err := c.crossplaneMetrics(ctx)
	return crossplane.reconciles(), err
}

// ReconcilesOf the composite resources of a definition, since Crossplane was started.
func (c *ControlPlane) ReconcilesOf(ctx context.Context, definition string) (int, error) {
	crossplane, err := c.crossplaneMetrics(ctx)
	return crossplane.sum("controller_runtime_reconcile_total", func(m metric) bool { return m.label("controller") == "composite/"+definition }), err
}

// ReconcilesLeft is how many composite resources Crossplane is reconciling, or knows that it has to reconcile at once.
func (c *ControlPlane) ReconcilesLeft(ctx context.Context) (int, error) {
	crossplane, err := c.crossplaneMetrics(ctx)
	return crossplane.sum("controller_runtime_active_workers", metric.isOfComposites) + crossplane.sum("workqueue_depth", metric.isOfComposites), err
}

// CircuitBreakersOpened is how often a circuit breaker of a composite resource has opened since Crossplane was started.
func (c *ControlPlane) CircuitBreakersOpened(ctx context.Context) (int, error) {
	crossplane, err := c.crossplaneMetrics(ctx)
	return crossplane.sum("circuit_breaker_opens_total", metric.isOfComposites), err
}

// Counts of what a control plane has done since its parts were started.
type Counts struct {
	// Reconciles of composite resources, and Calls of functions, by Crossplane.
	Reconciles, Calls int
	// Requests to write an object, by anyone, and Changes of objects that came of them. Neither counts leases and events.
	Requests, Changes int
	// Events that were written.
	Events int
}

// Counts until now.
func (c *ControlPlane) Counts(ctx context.Context) (Counts, error) {
	crossplane, err := c.crossplaneMetrics(ctx)
	if err != nil {
		return Counts{}, err
	}
	client, err := rest.HTTPClientFor(c.admin)
	if err != nil {
		return Counts{}, fmt.Errorf("cannot make a client: %w", err)
	}
	apiServer, err := fetchMetrics(ctx, client, c.admin.Host)
	if err != nil {
		return Counts{}, err
	}
	caches, err := c.watchCaches(ctx)
	if err != nil {
		return Counts{}, err
	}
	return Counts{
		Reconciles: crossplane.reconciles(),
		Calls:      crossplane.sum("function_run_function_request_total", func(metric) bool { return true }),
		Requests:   apiServer.sum("apiserver_request_total", func(m metric) bool { return m.writes() && m.isOfObjects() }),
		Changes:    apiServer.changes(caches),
		Events:     apiServer.sum("apiserver_request_total", func(m metric) bool { return m.writes() && m.label("resource") == "events" }),
	}, nil
}

// watchCaches of custom resources, by their kind: the API server has one for each version.
func (c *ControlPlane) watchCaches(ctx context.Context) (map[schema.GroupResource]int, error) {
	definitions, err := c.Client.List(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "")
	if err != nil {
		return nil, fmt.Errorf("cannot count the versions of custom resources: %w", err)
	}
	caches := map[schema.GroupResource]int{}
	for _, definition := range definitions {
		versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
		if err != nil {
			return nil, fmt.Errorf("cannot count the versions of %s: %w", definition.GetName(), err)
		}
		caches[schema.ParseGroupResource(definition.GetName())] = len(versions)
	}
	return caches, nil
}

// A metric of a process.
type metric struct{ *model.Sample }

func (m metric) label(name model.LabelName) string { return string(m.Metric[name]) }

// writes reports whether requests of the metric do.
func (m metric) writes() bool {
	return slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}, m.label("verb"))
}

// isOfObjects reports whether a metric is neither of events, nor of what clients send without a lasting effect or to say that
// they live.
func (m metric) isOfObjects() bool {
	return !slices.Contains([]string{"", "events", "leases", "subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews"}, m.label("resource"))
}

// isOfComposites reports whether a metric is of a controller of composite resources.
func (m metric) isOfComposites() bool { return strings.HasPrefix(m.label("controller"), "composite/") }

type metrics []metric

func (c *ControlPlane) crossplaneMetrics(ctx context.Context) (metrics, error) {
	return fetchMetrics(ctx, http.DefaultClient, "http://"+address(c.metrics))
}

// fetchMetrics that a server has.
func fetchMetrics(ctx context.Context, client *http.Client, server string) (metrics, error) {
	data, err := fetch(ctx, client, server+"/metrics", "text/plain")
	if err != nil {
		return nil, err
	}
	return parseMetrics(data)
}

func parseMetrics(data []byte) (metrics, error) {
	decoder := expfmt.SampleDecoder{Dec: expfmt.NewDecoder(bytes.NewReader(data), expfmt.NewFormat(expfmt.TypeTextPlain)), Opts: &expfmt.DecodeOptions{}}
	var all metrics
	for {
		var samples model.Vector
		switch err := decoder.Decode(&samples); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read metrics: %w", err)
		}
		for _, sample := range samples {
			all = append(all, metric{sample})
		}
	}
}

func (all metrics) reconciles() int {
	return all.sum("controller_runtime_reconcile_total", metric.isOfComposites)
}

// changes of objects, which every watch cache of their kind has received. Any other kind than those listed has one cache.
func (all metrics) changes(caches map[schema.GroupResource]int) int {
	total := 0
	for _, m := range all {
		if m.label(model.MetricNameLabel) == "apiserver_watch_cache_events_received_total" && m.isOfObjects() {
			kind := schema.GroupResource{Group: m.label("group"), Resource: m.label("resource")}
			total += int(m.Value) / max(1, caches[kind])
		}
	}
	return total
}

// sum of the metrics of a name that are wanted.
func (all metrics) sum(name string, want func(metric) bool) int {
	total := 0.0
	for _, m := range all {
		if m.label(model.MetricNameLabel) == name && want(m) {
			total += float64(m.Value)
		}
	}
	return int(total)
}

// Usage of a process.
type Usage struct {
	// CPU time of user and system.
	CPU time.Duration
	// RSS and PeakRSS in bytes.
	RSS, PeakRSS int64
	// Anonymous part of RSS, in bytes: without the pages of the program's file, which processes on one node share.
	Anonymous int64
}

// Usage of the process until now.
func (p *Process) Usage() (Usage, error) {
	usage, err := UsageOf(p.PID())
	if err != nil {
		return usage, fmt.Errorf("cannot read the usage of %s: %w", p.Name, err)
	}
	return usage, nil
}

// UsageOf a process until now.
func UsageOf(pid int) (Usage, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, err //nolint:wrapcheck // It names the process.
	}
	stat, err := process.Stat()
	if err != nil {
		return Usage{}, err //nolint:wrapcheck // It names the file.
	}
	status, err := process.NewStatus()
	return Usage{
		CPU: time.Duration(stat.CPUTime() * float64(time.Second)),
		RSS: int64(status.VmRSS), PeakRSS: int64(status.VmHWM), Anonymous: int64(status.RssAnon), //nolint:gosec // No memory is that large.
	}, err //nolint:wrapcheck // It names the file.
}
