package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestEndWarnings shows which ports no object can lead to.
func TestEndWarnings(t *testing.T) {
	worker := func(name, port string) plantest.GraphChange {
		return plantest.Component(name, plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), func(s *v1alpha1.Service) {
			s.FrontendSidecar = &v1alpha1.FrontendSidecar{Image: "i", Args: []string{"--http-port", port}}
		})
	}
	head := func(flags string) plantest.GraphChange {
		script := "ray start --head " + flags + " & exec python3 -m dynamo.vllm --data-parallel-backend ray --enable-elastic-ep"
		return plantest.Component("Head", plantest.ComponentOf("worker", "sh", "-c", script), func(s *v1alpha1.Service) {
			s.Envs = []corev1.EnvVar{{Name: "P", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k"}}}}
		})
	}
	serving := func(name string) plantest.GraphChange {
		return plantest.Component(name, plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), func(s *v1alpha1.Service) { s.ModelRef = &v1alpha1.ModelReference{Name: "m"} })
	}
	named, other := graphplan.Endpoints{Port: intstr.FromString("system"), Number: 9090}, graphplan.Endpoints{Port: intstr.FromInt32(8181), Number: 8181}
	pool := &graphplan.Pool{Port: 8000}
	cases := map[string]struct {
		reason string
		graph  []plantest.GraphChange
		pool   *graphplan.Pool
		ends   map[string]graphplan.Endpoints
		want   []string
	}{
		"OnePort": {reason: "The pool leads to all frontends.", graph: []plantest.GraphChange{worker("A", "8080"), worker("B", "8080")}, pool: pool},
		"TwoPorts": {
			reason: "The pool has one port.", graph: []plantest.GraphChange{worker("A", "8000"), worker("B", "8080"), worker("C", "8000")}, pool: pool,
			want: []string{"spec.services: frontends listen on port 8000 beside A, C and 8080 beside B, but an InferencePool has one port, which is 8000, so requests for the other frontends fail; set --http-port of all frontends to one port"},
		},
		"OneModel": {reason: "All listen on one port.", graph: []plantest.GraphChange{serving("A"), serving("B")}, ends: map[string]graphplan.Endpoints{"A": other, "B": other}},
		"TwoOfModel": {
			reason: "The name of a port leads to the number of each component.", graph: []plantest.GraphChange{serving("A"), serving("B")}, ends: map[string]graphplan.Endpoints{"A": named, "B": other},
			want: []string{"spec.services[B].extraPodSpec.mainContainer.ports: do not name port 8181, on which the program listens, but the Service of model m can only lead to different ports of its services by their name; declare port system with this number"},
		},
		"NoPool": {reason: "Nothing leads to the frontends.", graph: []plantest.GraphChange{worker("A", "8000"), worker("B", "8080")}},
		"Ray":    {reason: "The Service has the port of the head.", graph: []plantest.GraphChange{head("--port=6380")}},
		"RaySecret": {
			reason: "The Service has a number.", graph: []plantest.GraphChange{head("--port=$P")},
			want: []string{"spec.services[Head].extraPodSpec.mainContainer.args: the value of --port of ray start is not in the graph, so Service llama-head-ray leads to port 6379; write the port as value"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(tc.graph...)))
			plan := &graphplan.Plan{Orchestrator: graphplan.Grove, Pool: tc.pool, Components: map[string]graphplan.Component{}}
			for _, component := range f.Graph.ComponentNames() {
				plan.Components[component] = graphplan.Component{Framework: "vllm", Endpoints: tc.ends[component]}
			}
			if diff := cmp.Diff(tc.want, EndWarnings(f, plan, Of(f, plan)).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nEndWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
