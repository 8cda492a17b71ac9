package controlplane

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestMetrics(t *testing.T) {
	const text = `# HELP controller_runtime_reconcile_total Total number of reconciliations.
# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_total{controller="composite/graphs",result="success"} 3
controller_runtime_reconcile_total{controller="composite/graphs",result="error"} 1
controller_runtime_reconcile_total{controller="packages",result="success"} 7
apiserver_request_total{code="200",resource="podcliquesets",verb="APPLY"} 2
apiserver_request_total{code="200",resource="podcliquesets",verb="GET"} 5
apiserver_request_total{code="201",resource="events",verb="POST"} 11
apiserver_request_total{code="200",resource="leases",verb="PUT"} 13
apiserver_watch_cache_events_received_total{group="nvidia.com",resource="dynamographdeployments"} 18
apiserver_watch_cache_events_received_total{group="grove.io",resource="podcliquesets"} 3
apiserver_watch_cache_events_received_total{group="",resource="services"} 2
apiserver_watch_cache_events_received_total{group="coordination.k8s.io",resource="leases"} 13
up 1.5e+01
`
	all, err := parseMetrics([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	caches := map[schema.GroupResource]int{{Group: "nvidia.com", Resource: "dynamographdeployments"}: 2, {Group: "grove.io", Resource: "podcliquesets"}: 1}
	cases := map[string]struct {
		reason    string
		got, want int
	}{
		"Reconciles": {reason: "Only composite resources count, however the reconcile ended.", got: all.reconciles(), want: 4},
		"Requests": {
			reason: "A write counts unless it is of an event or a lease.",
			got:    all.sum("apiserver_request_total", func(m metric) bool { return m.writes() && m.isOfObjects() }), want: 2,
		},
		"Changes": {
			reason: "A change counts once, however many versions its kind has, and not at all if it is one of a lease.",
			got:    all.changes(caches), want: 18/2 + 3 + 2,
		},
		"WithoutLabels": {
			reason: "A metric may have no labels.",
			got:    all.sum("up", func(metric) bool { return true }), want: 15,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.got != tc.want {
				t.Errorf("%s\nwant %d, got %d", tc.reason, tc.want, tc.got)
			}
		})
	}
	if _, err := parseMetrics([]byte("up many\n")); err == nil {
		t.Error("want an error for a value that is no number")
	}
}
