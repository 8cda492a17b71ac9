package components_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/components"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPoolByClass(t *testing.T) {
	workers := []plantest.GraphChange{
		plantest.Component("Pick", plantest.ComponentOf("epp")), plantest.Component("Prefill", plantest.ComponentOf("prefill")), plantest.Component("Decode", plantest.ComponentOf("decode")),
	}
	pool := func(selector string) plantest.RequestOption {
		return plantest.WithObserved("epp-inferencepool", `{"apiVersion":"inference.networking.k8s.io/v1","kind":"InferencePool","metadata":{"name":"llama-pool"},
			"spec":{"selector":{"matchLabels":`+selector+`}}}`)
	}
	running := func(component, labels string) plantest.RequestOption {
		return plantest.WithObserved("deployment-"+component, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-`+component+`"},
			"spec":{"template":{"metadata":{"labels":`+labels+`}}}}`)
	}
	const classed, typed = `{"nvidia.com/dynamo-component-class":"worker"}`, `{"nvidia.com/dynamo-component-type":"worker"}`
	cases := map[string]struct {
		reason  string
		graph   []plantest.GraphChange
		release runtime.Version
		options []plantest.RequestOption
		want    bool
	}{
		"New":       {reason: "The pool of a new graph selects by class in releases that do so.", graph: workers, release: "1.5.0", want: true},
		"OldImages": {reason: "Pods for older releases have no class.", graph: workers, release: "1.1.0"},
		"NoPicker":  {reason: "A graph without a picker has no pool.", graph: workers[1:], release: "1.5.0"},
		"NoWorkers": {reason: "Workers of other graphs may have no class.", graph: workers[:1], release: "1.5.0"},
		"LivePool": {
			reason: "A pool that selects by class stays as it is, also with older images.", graph: workers, release: "1.1.0",
			options: []plantest.RequestOption{pool(classed), running("decode", typed)}, want: true,
		},
		"LivePoolByType": {
			reason: "A pool that selects by type stays as it is, because pods may run without a class.", graph: workers, release: "1.5.0",
			options: []plantest.RequestOption{pool(typed), running("decode", classed)},
		},
		"LivePods": {
			reason: "A pool that comes later selects running pods, all of which have a class.", graph: workers, release: "1.1.0",
			options: []plantest.RequestOption{running("decode", classed), running("prefill", classed)}, want: true,
		},
		"LivePodsByType": {
			reason: "A pool that comes later selects running pods, one of which has no class.", graph: workers, release: "1.5.0",
			options: []plantest.RequestOption{running("decode", classed), running("prefill", typed)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(tc.graph...), tc.options...))
			decided := map[string]graphplan.Component{}
			for _, name := range f.Graph.ComponentNames() {
				decided[name] = graphplan.Component{RuntimeVersion: tc.release}
			}
			if got := components.PoolByClass(f, decided); got != tc.want {
				t.Errorf("%s\nPoolByClass(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
