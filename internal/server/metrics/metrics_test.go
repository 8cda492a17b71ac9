package metrics

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
)

// values of all series with a number other than zero: those of histograms are their number of observations.
func values(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(m); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := []string{family.GetName()}
			for _, label := range metric.GetLabel() {
				name = append(name, label.GetName()+"="+label.GetValue())
			}
			value := metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
			if value != 0 {
				found[strings.Join(name, ",")] = value
			}
		}
	}
	return found
}

func TestMetrics(t *testing.T) {
	m := New("graph", "v1.2.3")
	m.Call(transition.Refused, time.Second)
	m.Step("plan", time.Second)
	m.Verdict(transition.Transition{Condition: "Accepted", Status: "False", Reason: "Invalid"})
	m.Refuses()
	m.Refusal(transition.Codes{"DGD205", "DGD313", "DGD999"})
	m.Refusal(transition.Codes{"DGD313"})
	m.Request(5)
	m.Response(6)
	small, large := m.Class("small"), m.Class("large")
	small.Wait()()
	large.Wait()
	want := map[string]float64{
		"configuration_dynamo_build_info,function=graph,release=v1.2.3":                                     1,
		"configuration_dynamo_call_duration_seconds,function=graph":                                         1,
		"configuration_dynamo_calls_total,function=graph,outcome=refused":                                   1,
		"configuration_dynamo_calls_waiting,class=large,function=graph":                                     1,
		"configuration_dynamo_refusals_total,code=DGD205,function=graph":                                    1,
		"configuration_dynamo_refusals_total,code=DGD313,function=graph":                                    2,
		"configuration_dynamo_request_bytes,function=graph":                                                 1,
		"configuration_dynamo_response_bytes,function=graph":                                                1,
		"configuration_dynamo_step_duration_seconds,function=graph,step=plan":                               1,
		"configuration_dynamo_verdicts_total,condition=Accepted,function=graph,reason=Invalid,status=False": 1,
		"configuration_dynamo_wait_duration_seconds,class=small,function=graph":                             1,
	}
	if diff := cmp.Diff(want, values(t, m)); diff != "" {
		t.Errorf("values: -want, +got:\n%s", diff)
	}
}

// TestRefuses shows that there is a series for each rule from the beginning, and none for anything else.
func TestRefuses(t *testing.T) {
	m := New("plan", "v1.2.3")
	count := func() int {
		registry := prometheus.NewPedanticRegistry()
		if err := registry.Register(m.refusals); err != nil {
			t.Fatal(err)
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if len(families) == 0 {
			return 0
		}
		return len(families[0].GetMetric())
	}
	if got := count(); got != 0 {
		t.Errorf("A function that refuses no graphs has no series, got %d", got)
	}
	m.Refuses()
	m.Refusal(transition.Codes{rule.GuardRails, "DGD999", ""})
	if want, got := len(rule.Rules()), count(); got != want {
		t.Errorf("want a series for each of %d rules, got %d", want, got)
	}
}

// TestCost shows that nothing is allocated for what each call measures.
func TestCost(t *testing.T) {
	m := New("graph", "v1.2.3")
	if got := math.Round(testing.AllocsPerRun(100, func() {
		m.Call(transition.Answered, time.Second)
		m.Step("plan", time.Second)
		m.Request(5)
		m.Response(6)
	})); got > 0 {
		t.Errorf("want no allocation for a call, got %g", got)
	}
}
