package admission_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/policies"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// graphOf services, with their names. All else about them is left out.
func graphOf(name string, components map[string]any) *unstructured.Unstructured {
	g := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "spec": map[string]any{"services": components},
	}}
	g.SetName(name)
	g.SetNamespace("n")
	return g
}

// mistakes that step plan finds in the names of a graph, on Grove or elsewhere.
func mistakes(t *testing.T, object *unstructured.Unstructured, onGrove bool) []string {
	t.Helper()
	xr, err := structpb.NewStruct(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	g, errs := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
	if onGrove {
		g.AdoptedNames.PodCliqueSet = names.FitPodCliqueSet(g.Name, validate.RoomForPodCliqueSet(g))
	}
	var all []string
	for _, e := range append(errs, validate.Spec(g, validate.Options{Grove: onGrove})...) {
		all = append(all, e.String())
	}
	return all
}

// TestLengths holds the policies about names to step plan: with names of all lengths that matter, in graphs without any other mistake, both refuse the
// same.
func TestLengths(t *testing.T) {
	graphNames, groveNames := policies.Load(t, "names.yaml"), policies.Load(t, "names-grove.yaml")
	dotted := func(length int) string { return "g" + strings.Repeat(".g", length)[:length-1-(length+1)%2] }
	for form, component := range map[string]map[string]any{
		"Single": {"componentType": "worker"},
		"Multi":  {"componentType": "worker", "multinode": map[string]any{"nodeCount": int64(2)}},
	} {
		for _, length := range []int{1, 2, 7, 8, 9, 20, 36, 37, 38, 44, 45, 61, 62, 63} {
			for more := 1; more <= 63; more++ {
				for _, name := range []string{strings.Repeat("g", length), dotted(max(2, length)), "1" + strings.Repeat("g", length-1)} {
					object := graphOf(name, map[string]any{strings.Repeat("S", more): component})
					context := fmt.Sprintf("%s: graph %s with a service of %d characters", form, name, more)
					if !agree(t, context, mistakes(t, object, false), graphNames.Refuses(t, object, nil, nil)) {
						agree(t, context+" on Grove", mistakes(t, object, true), groveNames.Refuses(t, object, nil, nil))
					}
				}
			}
		}
	}
}

// agree reports whether both refuse a graph, and an error if only one does.
func agree(t *testing.T, context string, inPlan []string, byPolicy string) bool {
	t.Helper()
	if (len(inPlan) > 0) != (byPolicy != "") {
		t.Errorf("%s: step plan says %q, the policy %q", context, inPlan, byPolicy)
	}
	return len(inPlan) > 0
}

func TestCombinations(t *testing.T) {
	single, multi := map[string]any{}, map[string]any{"multinode": map[string]any{"nodeCount": int64(2)}}
	cases := map[string]struct {
		reason     string
		components map[string]any
		// refused are the policies that do.
		names, grove bool
	}{
		"Fine":          {reason: "Names that have nothing to do with each other are accepted.", components: map[string]any{"Frontend": single, "Worker": multi}},
		"Case":          {reason: "Names that differ only in case are one name.", components: map[string]any{"worker": single, "Worker": single}, names: true, grove: true},
		"Suffix":        {reason: "Grove mistakes a clique for one whose name is its end.", components: map[string]any{"decode": single, "predecode": single}, grove: true},
		"SuffixOfRoles": {reason: "Grove mistakes the clique of a role for one whose name is its end.", components: map[string]any{"decode": multi, "predecode": multi}, grove: true},
		"Role":          {reason: "A service can have the name of a role of another one.", components: map[string]any{"worker": multi, "worker-ldr": single}, grove: true},
		"DifferentRole": {reason: "A multinode service has no clique with its plain name.", components: map[string]any{"decode": multi, "predecode": single}},
		"Underscore":    {reason: "Names are parts of DNS labels.", components: map[string]any{"my_worker": single}, names: true},
	}
	graphNames, groveNames := policies.Load(t, "names.yaml"), policies.Load(t, "names-grove.yaml")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := graphOf("llama", tc.components)
			for _, p := range []struct {
				policy  *policies.Policy
				onGrove bool
				want    bool
			}{{graphNames, false, tc.names}, {groveNames, true, tc.grove}} {
				message := p.policy.Refuses(t, object, nil, nil)
				if (message != "") != p.want {
					t.Errorf("%s\n%s: want refused %t, got %q", tc.reason, p.policy, p.want, message)
				}
				if found := mistakes(t, object, p.onGrove); p.want && len(found) == 0 {
					t.Errorf("%s\n%s refuses what step plan accepts: %s", tc.reason, p.policy, message)
				}
			}
		})
	}
}

func TestNotChecked(t *testing.T) {
	long := map[string]any{strings.Repeat("s", 63): map[string]any{}}
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		policy      string
	}{
		"Adopted":   {reason: "Objects of an adopted graph have the names that they had.", annotations: map[string]string{"dynamo.nvidia.com/adopt-from": "dynamo-operator"}, policy: "names.yaml"},
		"NotGrove":  {reason: "A graph that names another orchestrator may get it.", annotations: map[string]string{"nvidia.com/enable-grove": "false"}, policy: "names-grove.yaml"},
		"Component": {reason: "A graph may get another orchestrator if the Dynamo operator chose it.", annotations: map[string]string{"nvidia.com/workload-provider": "component"}, policy: "names-grove.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, object := policies.Load(t, tc.policy), graphOf("llama", long)
			if p.Refuses(t, object, nil, nil) == "" {
				t.Fatalf("%s\nwant the graph refused without the annotation", tc.reason)
			}
			object.SetAnnotations(tc.annotations)
			if message := p.Refuses(t, object, nil, nil); message != "" {
				t.Errorf("%s\nwant it accepted, got: %s", tc.reason, message)
			}
		})
	}
}
