package health

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
)

func TestPodCliqueSet(t *testing.T) {
	const (
		available = `{"kind":"PodCliqueSet","spec":{"replicas":1},"status":{"observedGeneration":0,"availableReplicas":1}}`
		short     = `{"kind":"PodCliqueSet","spec":{"replicas":1},"status":{"observedGeneration":0}}`
		rolling   = `{"kind":"PodCliqueSet","spec":{"replicas":1},"status":{"observedGeneration":0,"availableReplicas":1,"updateProgress":{}}}`
	)
	up, down := workload.Workload{Ready: true}, workload.Workload{}
	cases := map[string]struct {
		reason     string
		observed   string
		components []workload.Workload
		want       Health
	}{
		"Up":                {reason: "A PodCliqueSet is ready when all its services are.", observed: available, components: []workload.Workload{up, up}, want: Health{Ready: true}},
		"UpBeforeItSaysSo":  {reason: "A PodCliqueSet whose services are ready is ready, whatever it says of itself.", observed: short, components: []workload.Workload{up}, want: Health{Ready: true}},
		"SaysSoTooEarly":    {reason: "A PodCliqueSet without one of its services is not ready, and the service says why.", observed: available, components: []workload.Workload{up, down}, want: Health{}},
		"Rolling":           {reason: "A rolling update keeps a PodCliqueSet from being ready, whatever its services are.", observed: rolling, components: []workload.Workload{up}, want: Health{Message: "a rolling update is in progress", Reason: "updating"}},
		"WithoutServices":   {reason: "Where no service is known, a PodCliqueSet is ready when it says so.", observed: available, want: Health{Ready: true}},
		"ShortWithoutThose": {reason: "Where no service is known, a PodCliqueSet is not ready when it says so.", observed: short, want: Health{Message: "0 of 1 replicas are available"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PodCliqueSet(resource.MustStructJSON(tc.observed), tc.components)); diff != "" {
				t.Errorf("%s\nPodCliqueSet(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
