// Package metrics measures the calls of one function, for Prometheus. Its labels only have values of small fixed sets: a function does not
// know which graphs exist, so a series for each graph would stay after the graph is gone. kube-state-metrics has the series for each graph.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
)

// namespace is the prefix of the names of all metrics.
const namespace = "configuration_dynamo"

// Metrics of a function. They are a collector for the registry of its server.
type Metrics struct {
	calls, verdicts, refusals   *prometheus.CounterVec
	duration, request, response prometheus.Histogram
	steps, waited               *prometheus.HistogramVec
	waiting                     *prometheus.GaugeVec
	build                       prometheus.Gauge
}

// New metrics of a function of a release.
func New(function, release string) *Metrics {
	own := prometheus.Labels{"function": function}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: own}, labels)
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: own}, []string{"class"})
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: own, Buckets: buckets}
	}
	m := &Metrics{
		calls: counter("calls_total",
			"Calls by outcome: answered, refused (the graph is refused), failed (another Fatal result) or error (no response).", "outcome"),
		verdicts: counter("verdicts_total",
			"Changes of condition Accepted or ServicesReady of any graph, by the new status and reason. A reconcile without a change is not counted.",
			"condition", "status", "reason"),
		refusals: counter("refusals_total",
			"New refusals of any graph, by the code of the rule that it breaks. A refusal for several rules is counted once for each of them.", "code"),
		duration: prometheus.NewHistogram(histogram("call_duration_seconds",
			"Time to run the function, without the time to receive the request, to wait for memory, and to send the response.", seconds())),
		steps: prometheus.NewHistogramVec(histogram("step_duration_seconds",
			"Time of each step of the single function. With the chain, each step is a function.", seconds()), []string{"step"}),
		request:  prometheus.NewHistogram(histogram("request_bytes", "Size of encoded requests.", sizes())),
		response: prometheus.NewHistogram(histogram("response_bytes", "Size of encoded responses.", sizes())),
		waited: prometheus.NewHistogramVec(histogram("wait_duration_seconds",
			"Time that requests wait for a processor and for memory, by the class of their size.", seconds()), []string{"class"}),
		waiting: gauge("calls_waiting", "Requests that wait for a processor or for memory."),
		build: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "build_info", Help: "Always 1; the label is the release of the functions.",
			ConstLabels: prometheus.Labels{"function": function, "release": release},
		}),
	}
	m.build.Set(1)
	// A counter that does not exist yet has no rate.
	for _, outcome := range transition.Outcomes() {
		m.calls.WithLabelValues(string(outcome))
	}
	return m
}

// seconds are buckets from 1 ms, which is less than the smallest graph takes, to 16 s, which is more than Crossplane waits.
func seconds() []float64 { return prometheus.ExponentialBuckets(0.001, 2, 15) }

// sizes are buckets from 4 KiB to 16 MiB, the limit for requests.
func sizes() []float64 { return prometheus.ExponentialBuckets(4<<10, 4, 7) }

// Describe the metrics.
func (m *Metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(descriptions)
	}
}

// Collect the metrics.
func (m *Metrics) Collect(collected chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(collected)
	}
}

func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		m.calls, m.verdicts, m.refusals, m.duration, m.steps, m.request, m.response, m.waited, m.waiting, m.build,
	}
}

// Call of the function that took some time.
func (m *Metrics) Call(outcome transition.Outcome, took time.Duration) {
	m.calls.WithLabelValues(string(outcome)).Inc()
	m.duration.Observe(took.Seconds())
}

// Step of the single function that took some time.
func (m *Metrics) Step(name string, took time.Duration) {
	m.steps.WithLabelValues(name).Observe(took.Seconds())
}

// Verdict on a graph that differs from the one before.
func (m *Metrics) Verdict(v transition.Transition) {
	m.verdicts.WithLabelValues(v.Condition, v.Status, v.Reason).Inc()
}

// Refuses says that the function can refuse graphs. A counter that does not exist yet has no rate.
func (m *Metrics) Refuses() {
	for _, r := range rule.Rules() {
		m.refusals.WithLabelValues(string(r.Code))
	}
}

// Refusal of a graph that was not refused before, or for something else, for rules with these codes.
func (m *Metrics) Refusal(codes transition.Codes) {
	for _, code := range codes {
		// A label only has values of the table.
		if r, ok := rule.Of(code); ok {
			m.refusals.WithLabelValues(string(r.Code)).Inc()
		}
	}
}

// Request that was received.
func (m *Metrics) Request(bytes int) { m.request.Observe(float64(bytes)) }

// Response that is sent.
func (m *Metrics) Response(bytes int) { m.response.Observe(float64(bytes)) }

// Class of requests that wait for each other.
type Class struct {
	waiting prometheus.Gauge
	waited  prometheus.Observer
}

// Class of requests by their size.
func (m *Metrics) Class(name string) Class {
	return Class{waiting: m.waiting.WithLabelValues(name), waited: m.waited.WithLabelValues(name)}
}

// Wait begins for a request. What is returned ends it.
func (c Class) Wait() (end func()) {
	begin := time.Now()
	c.waiting.Inc()
	return func() {
		c.waiting.Dec()
		c.waited.Observe(time.Since(begin).Seconds())
	}
}
