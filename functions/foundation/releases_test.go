package foundation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestReleases shows that the objects of this step do not depend on the release of Dynamo in the images. A selector that depended on it would
// not select the running pods.
func TestReleases(t *testing.T) {
	const spec = `{"services":{"Frontend":{"componentType":"frontend"},"Picker":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"mine","key":"k"}}},
		"Planner":{"componentType":"planner"},"Prefill":{"componentType":"prefill"},"Decode":{"componentType":"decode","multinode":{"nodeCount":2},
		"modelRef":{"name":"example/chat-8b"}}}}`
	desired := func(version runtime.Version) map[string]*fnv1.Resource {
		components := steptest.Components("kubernetes", "Frontend", "Picker", "Planner", "Prefill", "Decode")
		for name, component := range components {
			component.RuntimeVersion = version
			components[name] = component
		}
		serves := func(p *graphplan.Plan) { p.Serves = []string{networking.KindInferencePool} }
		return run(t, steptest.Request(spec, steptest.OnGrove(t, components, serves))).GetDesired().GetResources()
	}
	want := desired(runtime.NewestWithRules())
	for _, key := range []string{"service-decode", "service-frontend", "epp-inferencepool"} {
		if want[key] == nil {
			t.Errorf("%s is not composed", key)
		}
	}
	for _, change := range runtime.Changes() {
		for _, version := range []runtime.Version{"0.9.0", max(change.From, change.Until)} {
			if diff := cmp.Diff(want, desired(version), protocmp.Transform()); diff != "" {
				t.Errorf("composed resources of release %s: -newest, +got:\n%s", version, diff)
			}
		}
	}
}
