package subject_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

func TestClaimedGPUs(t *testing.T) {
	gpus := func(more string) string {
		return `{"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com"` + more + `}}`
	}
	cases := map[string]struct {
		reason, requests string
		want             int64
	}{
		"Count":       {reason: "A request has a number of devices.", requests: gpus(`,"count":8`), want: 8},
		"Default":     {reason: "By default a request has one device.", requests: gpus(""), want: 1},
		"All":         {reason: "All devices of a node are at least one.", requests: gpus(`,"allocationMode":"All"`), want: 1},
		"Sum":         {reason: "A claim has all of its requests.", requests: gpus(`,"count":2`) + "," + gpus(`,"count":3`), want: 5},
		"Part":        {reason: "A part of a GPU counts as a GPU.", requests: `{"name":"r","exactly":{"deviceClassName":"mig.nvidia.com","count":2}}`, want: 2},
		"Alternative": {reason: "The largest of alternatives may be taken.", requests: `{"name":"r","firstAvailable":[{"name":"a","deviceClassName":"gpu.nvidia.com","count":1},{"name":"b","deviceClassName":"gpu.amd.com","count":2}]}`, want: 2},
		"Other":       {reason: "Other devices are no GPUs.", requests: `{"name":"r","exactly":{"deviceClassName":"compute-domain-default-channel.nvidia.com"}},{"name":"n","exactly":{"deviceClassName":"dranet.example.org","count":8}}`},
		"TooMany":     {reason: "No claim has more devices than Kubernetes allocates.", requests: gpus(`,"count":9000000000000000000`) + "," + gpus(`,"count":9000000000000000000`), want: 64},
		"Nothing":     {reason: "A claim without requests has nothing."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			const spec = `{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{"resourceClaims":[{"name":"c","resourceClaimTemplateName":"t"}],
				"containers":[{"name":"main","image":"i"}]}}}]}`
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(spec), plantest.WithServed("resource"),
				plantest.WithObject("claimtemplate-t", `{"metadata":{"name":"t"},"spec":{"spec":{"devices":{"requests":[`+tc.requests+`]}}}}`)))
			if got := f.ClaimedGPUs(f.Graph.Component("Worker").Pod()); got != tc.want {
				t.Errorf("%s\nClaimedGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
			if got := f.ClaimedGPUs(&corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: new("t")}}}); got != 0 {
				t.Errorf("a claim that exists already takes %d more GPUs", got)
			}
			existing := strings.ReplaceAll(spec, "resourceClaimTemplateName", "resourceClaimName")
			f = plantest.Facts(t, plantest.Request(plantest.GraphOf(existing), plantest.WithServed("resource"),
				plantest.WithObject("claim-t", `{"metadata":{"name":"t"},"spec":{"devices":{"requests":[`+tc.requests+`]}}}`)))
			if each, all := f.ClaimedGPUs(f.Graph.Component("Worker").Pod()), f.SharedGPUs(); each != 0 || all != tc.want {
				t.Errorf("%s\nSharedGPUs(): want %d and none for each pod, got %d and %d", tc.reason, tc.want, all, each)
			}
		})
	}
}

// TestClaimTemplatesAreRequired shows which templates are looked up.
func TestClaimTemplatesAreRequired(t *testing.T) {
	cases := map[string]struct {
		reason, template string
		served           bool
		want             []string
	}{
		"Served":    {reason: "A template is looked up by its name.", template: "eight", served: true, want: []string{"apiservice-resource", "claimtemplate-eight"}},
		"NotServed": {reason: "Crossplane cannot look up a kind that is not served.", template: "eight", want: []string{"apiservice-resource"}},
		"NoName":    {reason: "Crossplane cannot look up what is no name.", template: "Eight GPUs", served: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := `{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{"resourceClaims":[{"name":"c","resourceClaimTemplateName":"` + tc.template + `"}],
				"containers":[{"name":"main","image":"i"}]}}}]}`
			option := plantest.WithoutObject("apiservice-resource")
			if tc.served {
				option = plantest.WithServed("resource")
			}
			req, rsp, required := plantest.Request(plantest.GraphOf(spec), option), &fnv1.RunFunctionResponse{}, require.Requirements{}
			subject.Gather(plantest.Facts(t, req).Seen, input.Sources{}, &required)
			required.Write(req, rsp)
			got := slices.Sorted(maps.Keys(rsp.GetRequirements().GetResources()))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nrequirements: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
