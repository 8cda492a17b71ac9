package pod

import (
	"encoding/json"
	"maps"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// fields of an object as JSON shows them.
type fields = map[string]any

// decode the graph llama in namespace inference with this spec and these annotations, both JSON.
func decode(t *testing.T, spec, annotations string) *graph.Graph {
	t.Helper()
	return graphOf(t, parse(t, spec), parse(t, annotations))
}

// decodeComponent is decode for a graph of this one component, JSON.
func decodeComponent(t *testing.T, body string) *graph.Graph {
	t.Helper()
	return graphOf(t, fields{"services": fields{"S": parse(t, body)}}, fields{})
}

// decodeComponents is decode for a graph of these components, JSON.
func decodeComponents(t *testing.T, components string) *graph.Graph {
	t.Helper()
	return graphOf(t, fields{"services": parse(t, components)}, fields{})
}

func graphOf(t *testing.T, spec, annotations any) *graph.Graph {
	t.Helper()
	xr, err := structpb.NewStruct(fields{
		"kind": "DynamoGraphDeployment", "metadata": fields{"name": "llama", "namespace": "inference", "annotations": annotations}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	g, errs := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs)
	}
	return g
}

// planned makes the same decision for every component of a graph on Grove.
func planned(g *graph.Graph, decision graphplan.Component) *Builder {
	p := &graphplan.Plan{Orchestrator: graphplan.Grove, Components: map[string]graphplan.Component{}}
	decision.DynamoNamespace = "inference-llama"
	for _, name := range g.ComponentNames() {
		p.Components[name] = decision
	}
	return &Builder{Graph: g, Plan: p}
}

// onKubernetes is a builder for a graph whose components find each other through Kubernetes.
func onKubernetes(t *testing.T, spec string) *Builder {
	t.Helper()
	return planned(decode(t, spec, `{}`), graphplan.Component{Discovery: graphplan.Kubernetes})
}

// templateOf builds the pod of a graph of this one component, JSON, with nothing to be discovered.
func templateOf(t *testing.T, body string) corev1.PodTemplateSpec {
	t.Helper()
	return planned(decodeComponent(t, body), graphplan.Component{Discovery: "etcd"}).Build("S", backend.RoleMain, nil)
}

// main container of a pod, which is always the first.
func main(template corev1.PodTemplateSpec) corev1.Container { return template.Spec.Containers[0] }

// tree is a value as JSON shows it.
func tree(t *testing.T, value any) any {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("cannot encode: %v", err)
	}
	return parse(t, string(encoded))
}

// with further fields.
func with(object fields, further ...fields) fields {
	for _, more := range further {
		maps.Copy(object, more)
	}
	return object
}

// env is an environment variable as JSON shows it.
func env(name, value string) fields { return fields{"name": name, "value": value} }

// mount is a volume mount as JSON shows it.
func mount(name, path string) fields { return fields{"name": name, "mountPath": path} }

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
