package pod

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// decode the graph llama in namespace inference with this spec and these annotations, both JSON.
func decode(t *testing.T, spec, annotations string) *graph.Graph {
	t.Helper()
	xr := resource.MustStructJSON(`{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":` +
		annotations + `},"spec":` + spec + `}`)
	g, errs := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs.ToAggregate())
	}
	return g
}

// planned makes the same decision for every service of a graph on Grove.
func planned(g *graph.Graph, decision graphplan.Service) *Builder {
	p := &graphplan.Plan{Orchestrator: graphplan.Grove, Services: map[string]graphplan.Service{}}
	decision.DynamoNamespace = "inference-llama"
	for _, name := range g.ServiceNames() {
		p.Services[name] = decision
	}
	return &Builder{Graph: g, Plan: p}
}

// onKubernetes is a builder for a graph whose services find each other through Kubernetes.
func onKubernetes(t *testing.T, spec string) *Builder {
	t.Helper()
	return planned(decode(t, spec, `{}`), graphplan.Service{Discovery: graphplan.Kubernetes})
}

// service builds the pod of a graph of this one service, JSON, with nothing to be discovered.
func service(t *testing.T, body string) Template {
	t.Helper()
	return planned(decode(t, `{"services":{"S":`+body+`}}`, `{}`), graphplan.Service{Discovery: "etcd"}).Build("S", backend.RoleMain, nil)
}

// main container of a pod, which is always the first.
func main(template Template) corev1.Container { return template.Spec.Containers[0] }

// tree is a value as JSON shows it.
func tree(t *testing.T, value any) any {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("cannot encode: %v", err)
	}
	return parse(t, string(encoded))
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("cannot parse %s: %v", text, err)
	}
	return out
}

// envNames are the names of environment variables, in order.
func envNames(env []corev1.EnvVar) []string {
	all := make([]string, 0, len(env))
	for _, e := range env {
		all = append(all, e.Name)
	}
	return all
}

// values of environment variables by name.
func values(env []corev1.EnvVar) map[string]string {
	all := map[string]string{}
	for _, e := range env {
		all[e.Name] = e.Value
	}
	return all
}
