package foundation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	rbacv1 "k8s.io/api/rbac/v1"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// call of a planner to the API server, about a scaling adapter.
type call struct{ verb, version, subresource, component string }

// TestPlannerCalls checks that a planner of Dynamo 1.5 can make its calls about scaling adapters: it gets the adapter of a component, whose
// number it scales from, and patches its scale on the condition that the adapter has not changed since.
// https://github.com/ai-dynamo/dynamo/blob/7da481c7/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
func TestPlannerCalls(t *testing.T) {
	const spec = `{"components":[
		{"name":"planner","type":"planner"},{"name":"Frontend","type":"frontend"},
		{"name":"Decode-A","type":"decode","replicas":3,"scalingAdapter":{}},{"name":"Prefill-B","type":"prefill"}]}`
	components := steptest.Components("etcd", "planner", "Frontend", "Prefill-B")
	components["Decode-A"] = graphplan.Component{Discovery: "etcd", DynamoNamespace: "n", ScalingAdapter: true}
	composed := run(t, steptest.Request(spec, steptest.OnGrove(t, components))).GetDesired().GetResources()
	crd := scalingAdapterCRD(t)

	type answer struct {
		Served, Allowed bool
		// Replicas that the object of the call has. -1: there is none, or its number is no integer.
		Replicas float64
	}
	cases := map[string]struct {
		reason string
		call   call
		want   answer
	}{
		"Get":         {reason: "The number of a component with an adapter is that of the adapter.", call: call{"get", "v1beta1", "", "Decode-A"}, want: answer{true, true, 3}},
		"Scale":       {reason: "The adapter is scaled by its scale.", call: call{"patch", "v1beta1", "scale", "Decode-A"}, want: answer{true, true, 3}},
		"NoAdapter":   {reason: "A planner of an earlier release tries the adapter first, and has to be told that there is none.", call: call{"patch", "v1beta1", "scale", "Prefill-B"}, want: answer{true, true, -1}},
		"Earlier":     {reason: "The planners before v1beta1 use the earlier version.", call: call{"patch", "v1alpha1", "scale", "Decode-A"}, want: answer{true, true, 3}},
		"GetOfNone":   {reason: "A component without an adapter has nothing to get.", call: call{"get", "v1beta1", "", "Prefill-B"}, want: answer{true, false, -1}},
		"Spec":        {reason: "The scale is all that a planner changes.", call: call{"patch", "v1beta1", "", "Decode-A"}, want: answer{true, false, 3}},
		"Frontend":    {reason: "A frontend is not scaled by planners.", call: call{"patch", "v1beta1", "scale", "Frontend"}, want: answer{true, false, -1}},
		"OtherVerb":   {reason: "A planner deletes nothing.", call: call{"delete", "v1beta1", "", "Decode-A"}, want: answer{true, false, 3}},
		"NextVersion": {reason: "There is no version v1.", call: call{"get", "v1", "", "Decode-A"}, want: answer{false, true, 3}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := "llama-" + strings.ToLower(tc.call.component)
			got := answer{Served: isServed(crd, tc.call), Allowed: isAllowed(t, composed["planner-role"], tc.call, object), Replicas: replicasOf(composed, object)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%s of %s: -want, +got:\n%s", tc.reason, tc.call.verb, object, diff)
			}
		})
	}
}

// TestScalePaths checks that the scale of an adapter is its number of replicas, and that adapters are stored as planners read them.
func TestScalePaths(t *testing.T) {
	want := &extv1.CustomResourceSubresourceScale{
		SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: new(".status.selector"),
	}
	for _, version := range scalingAdapterCRD(t).Spec.Versions {
		if diff := cmp.Diff(want, version.Subresources.Scale); diff != "" {
			t.Errorf("scale of %s: -want, +got:\n%s", version.Name, diff)
		}
		if version.Storage != (version.Name == "v1beta1") {
			t.Errorf("want adapters stored in v1beta1 only, and %s says %t", version.Name, version.Storage)
		}
		number := version.Schema.OpenAPIV3Schema.Properties["spec"].Properties["replicas"]
		if number.Type != "integer" || number.Minimum == nil || *number.Minimum != 0 {
			t.Errorf("want spec.replicas of %s to be an integer that is not negative, got %+v", version.Name, number)
		}
	}
}

func scalingAdapterCRD(t *testing.T) *extv1.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(harness.Root(), "package/scalingadapter-crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crd := &extv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// isServed reports whether the definition serves the version of a call, with its subresource.
func isServed(crd *extv1.CustomResourceDefinition, c call) bool {
	return slices.ContainsFunc(crd.Spec.Versions, func(v extv1.CustomResourceDefinitionVersion) bool {
		return v.Name == c.version && v.Served && (c.subresource == "" || v.Subresources != nil && v.Subresources.Scale != nil)
	})
}

// TestPlannerOfAnotherGraph checks what a planner may do that is alone in its graph and plans another one, as that of a gateway for batches
// does: https://github.com/ai-dynamo/dynamo/blob/852d0599/examples/deployments/llm-d-batch-gateway/planner-scheduling/planner-poc.yaml
func TestPlannerOfAnotherGraph(t *testing.T) {
	const spec = `{"components":[{"name":"Planner","type":"planner","podTemplate":{"spec":{"containers":[{"name":"main","env":[
		{"name":"DYN_PARENT_DGD_K8S_NAME","value":"qwen"},{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"inference"}]}]}}}]}`
	composed := run(t, steptest.Request(spec, steptest.OnGrove(t, steptest.Components("etcd", "Planner")))).GetDesired().GetResources()
	const graphs, adapters = "dynamographdeployments", "dynamographdeploymentscalingadapters"
	cases := map[string]struct {
		reason                        string
		group, verb, resource, object string
		want                          bool
	}{
		"Get":          {reason: "The planner reads the graph that it plans.", group: "nvidia.com", verb: "get", resource: graphs, object: "qwen", want: true},
		"Patch":        {reason: "The planner scales a component without an adapter by the graph.", group: "nvidia.com", verb: "patch", resource: graphs, object: "qwen", want: true},
		"Adapter":      {reason: "The number of a component with an adapter is that of the adapter.", group: "nvidia.com", verb: "get", resource: adapters, object: "qwen-decode", want: true},
		"Scale":        {reason: "The planner tries to scale the adapter first.", group: "nvidia.com", verb: "patch", resource: adapters + "/scale", object: "qwen-decode", want: true},
		"Metadata":     {reason: "The planner reads what workers publish.", group: "nvidia.com", verb: "list", resource: "dynamoworkermetadatas", want: true},
		"Own":          {reason: "The planner does not look at its own graph.", group: "nvidia.com", verb: "get", resource: graphs, object: "llama"},
		"Neighbour":    {reason: "The planner was told one graph, and the others are not its.", group: "nvidia.com", verb: "patch", resource: graphs, object: "mistral"},
		"List":         {reason: "Only a global planner lists graphs.", group: "nvidia.com", verb: "list", resource: graphs},
		"PatchAdapter": {reason: "The scale is all of an adapter that a planner changes.", group: "nvidia.com", verb: "patch", resource: adapters, object: "qwen-decode"},
		"Status":       {reason: "A planner does not write the status of a graph.", group: "nvidia.com", verb: "patch", resource: graphs + "/status", object: "qwen"},
		"PatchPods":    {reason: "The limits of power are in the graph, and no planner writes them to pods.", verb: "patch", resource: "pods", object: "qwen-0-decode-abcde"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := allows(t, composed["planner-role"], tc.group, tc.verb, tc.resource, tc.object)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%s of %s %q: -want, +got:\n%s", tc.reason, tc.verb, tc.resource, tc.object, diff)
			}
		})
	}
}

// isAllowed reports whether a composed Role allows a call about an adapter.
func isAllowed(t *testing.T, role *fnv1.Resource, c call, object string) bool {
	t.Helper()
	resource := "dynamographdeploymentscalingadapters"
	if c.subresource != "" {
		resource += "/" + c.subresource
	}
	return allows(t, role, "nvidia.com", c.verb, resource, object)
}

// allows reports whether a composed Role allows a verb on an object. Without a name, it is about all objects.
func allows(t *testing.T, role *fnv1.Resource, group, verb, resource, object string) bool {
	t.Helper()
	rules := rbacv1.Role{}
	if err := require.Into(role.GetResource(), &rules); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(rules.Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb) &&
			(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, object))
	})
}

// replicasOf the composed adapter with a name. -1: there is none, or its number is no integer.
func replicasOf(composed map[string]*fnv1.Resource, name string) float64 {
	for key, object := range composed {
		fields := object.GetResource().GetFields()
		if !strings.HasPrefix(key, "scalingadapter-") || fields["metadata"].GetStructValue().GetFields()["name"].GetStringValue() != name {
			continue
		}
		number, ok := fields["spec"].GetStructValue().GetFields()["replicas"].GetKind().(*structpb.Value_NumberValue)
		if ok && number.NumberValue == float64(int64(number.NumberValue)) {
			return number.NumberValue
		}
	}
	return -1
}
