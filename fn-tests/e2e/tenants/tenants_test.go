// Package tenants checks on a real API server what people with the roles of package/tenants.yaml can do, and what the policies of
// package/admission refuse.
//
// It needs no more than an API server, and runs with CONFIGURATION_DYNAMO_E2E=1 as the suite on a control plane does.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
)

const (
	// team is the namespace of package/tenant-namespace.yaml, and neighbor that of somebody else.
	team, neighbor = "team-a", "team-b"

	parameters = "dynamo-graph-guard-rails"
	crossplane = "crossplane-system"
)

// A suite is an API server with everything that a platform installs for tenants.
type suite struct {
	*controlplane.ControlPlane

	ctx context.Context //nolint:containedctx // A suite lives as long as its test.
	// editor may edit graphs in the namespace of the team, and viewer may look at them.
	editor, viewer *controlplane.Client
}

func TestTenants(t *testing.T) {
	s := start(t)
	t.Run("Allowed", s.allowed)
	t.Run("Forbidden", s.forbidden)
	t.Run("Compositions", s.compositions)
	t.Run("LiveGraph", s.liveGraph)
	t.Run("Quota", s.quota)
	// These remove what the others need.
	t.Run("WithoutParameters", s.withoutParameters)
}

// start an API server, and install what tenants have.
func start(t *testing.T) *suite {
	t.Helper()
	api := controlplane.StartAPI(t, controlplane.Options{CRDs: []string{definitions.Folder(t, "grove-v0.1.0-alpha.12-rc1")}})
	s := &suite{ControlPlane: api.ControlPlane, ctx: api.Context}
	for _, name := range []string{crossplane, neighbor} {
		s.apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+"}}")
	}
	for _, file := range []string{
		"package/scalingadapter-crd.yaml", "package/tenants.yaml", "package/tenant-namespace.yaml",
		"package/admission/names.yaml", "package/admission/names-grove.yaml", "package/admission/guard-rails.yaml",
		"package/admission/compositions.yaml",
	} {
		if err := s.ApplyFile(s.ctx, file); err != nil {
			t.Fatal(err)
		}
	}
	// No controller adds the roles to those of Kubernetes here, so that they are bound as they are.
	s.bind(t, "editors", "dgd-editor")
	s.bind(t, "editors", "dgd-viewer")
	s.bind(t, "viewers", "dgd-viewer")
	var err error
	if s.editor, err = s.AsUser("alice", "editors"); err != nil {
		t.Fatal(err)
	}
	if s.viewer, err = s.AsUser("bob", "viewers"); err != nil {
		t.Fatal(err)
	}
	// The API server learns of policies by watching them.
	s.eventually(t, "policies are enforced", func() error {
		for _, bad := range []*unstructured.Unstructured{
			graph("ready", "1bad"), component("ready", "hostNetwork: true"), graph("ready", strings.Repeat("g", 62)), component(strings.Repeat("w", 45), ""),
			choosing("compositionUpdatePolicy", "Manual"),
		} {
			if err := s.editor.DryRun(s.ctx, bad); err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
				return fmt.Errorf("%s: want it refused by a policy, got %w", bad.GetName(), err)
			}
		}
		return nil
	})
	return s
}

// bind a ClusterRole to a group in the namespace of the team.
func (s *suite) bind(t *testing.T, group, role string) {
	t.Helper()
	s.apply(t, fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s-%[2]s, namespace: %[3]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[2]s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: %[1]s}]`, group, role, team))
}

// apply an object with all permissions.
func (s *suite) apply(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	stored, err := s.Client.Apply(s.ctx, object(text))
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func (s *suite) eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-s.ctx.Done():
			t.Fatalf("waited in vain: %s: %v", what, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// object of a YAML text.
func object(text string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.UnmarshalStrict([]byte(text), &o.Object); err != nil {
		panic(fmt.Sprintf("cannot parse %s: %v", text, err))
	}
	return o
}

// component is a graph in v1beta1 whose component has this name, and a pod template with this spec, in which containers may be left out.
func component(name, spec string) *unstructured.Unstructured {
	if !strings.HasPrefix(spec, "containers:") {
		spec = strings.TrimSuffix("containers: [], "+spec, ", ")
	}
	g := object(fmt.Sprintf("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, spec: {components: [{name: %q, podTemplate: {spec: {%s}}}]}}", name, spec))
	g.SetName("llama")
	g.SetNamespace(team)
	return g
}

// graph in v1alpha1 with a service of a name.
func graph(service, name string) *unstructured.Unstructured {
	g := object(fmt.Sprintf("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, spec: {services: {%s: {}}}}", service))
	g.SetName(name)
	g.SetNamespace(team)
	return g
}

func named(apiVersion, kind, namespace, name string) controlplane.Ref {
	return controlplane.Ref{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}
}

// allowed is what an editor and a viewer need: graphs in both versions, the scale of their components, and why pods do not run.
func (s *suite) allowed(t *testing.T) {
	s.apply(t, "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentScalingAdapter, metadata: {name: llama-worker, namespace: "+team+"}, "+
		"spec: {replicas: 1, dgdRef: {name: llama, serviceName: Worker}}}")
	s.apply(t, "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: llama, namespace: "+team+"}, spec: {replicas: 1, template: "+
		"{cliques: [{name: a, spec: {roleName: a, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: a}]}}}]}}}")

	llama := component("Worker", `containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0"}]`)
	ref := controlplane.RefOf(llama)
	adapter := named("nvidia.com/v1beta1", "DynamoGraphDeploymentScalingAdapter", team, "llama-worker")
	steps := []struct {
		reason string
		run    func() error
	}{
		{"An editor creates graphs.", func() error { _, err := s.editor.Apply(s.ctx, llama); return err }},
		{"So in the other version.", func() error { _, err := s.editor.Apply(s.ctx, graph("Worker", "mistral")); return err }},
		{"An editor changes graphs.", func() error {
			return s.editor.Patch(s.ctx, ref, map[string]any{"spec": map[string]any{"restart": map[string]any{"id": "1"}}})
		}},
		{"An editor scales components.", func() error { return s.editor.Scale(s.ctx, adapter, 2) }},
		{"A viewer looks at graphs.", func() error { _, err := s.viewer.Get(s.ctx, ref); return err }},
		{"A viewer lists them.", func() error {
			_, err := s.viewer.List(s.ctx, "nvidia.com/v1beta1", "DynamoGraphDeployment", team, "")
			return err
		}},
		{"A viewer looks at adapters.", func() error { _, err := s.viewer.Get(s.ctx, adapter); return err }},
		{"A viewer looks at what Grove makes of a graph.", func() error {
			_, err := s.viewer.Get(s.ctx, named("grove.io/v1alpha1", "PodCliqueSet", team, "llama"))
			return err
		}},
		{"So does an editor.", func() error {
			_, err := s.editor.List(s.ctx, "grove.io/v1alpha1", "PodClique", team, "")
			return err
		}},
		{"An editor deletes graphs.", func() error { return s.editor.Delete(s.ctx, ref) }},
	}
	for _, step := range steps {
		if err := step.run(); err != nil {
			t.Errorf("%s\nwant it allowed, got: %v", step.reason, err)
		}
	}
}

// forbidden is what neither an editor nor a viewer may do.
func (s *suite) forbidden(t *testing.T) {
	s.apply(t, "{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: "+team+"}, stringData: {token: secret}}")
	mistral := named("nvidia.com/v1alpha1", "DynamoGraphDeployment", team, "mistral")
	adapter := named("nvidia.com/v1beta1", "DynamoGraphDeploymentScalingAdapter", team, "llama-worker")
	set := named("grove.io/v1alpha1", "PodCliqueSet", team, "llama")
	elsewhere := graph("Worker", "mistral")
	elsewhere.SetNamespace(neighbor)
	labels := func(value any) map[string]any {
		return map[string]any{"metadata": map[string]any{"labels": map[string]any{"dynamo.nvidia.com/guard-rails": value}}}
	}
	replicas := map[string]any{"spec": map[string]any{"replicas": int64(3)}}
	cases := map[string]struct {
		reason string
		run    func(*controlplane.Client) error
		// editor is true if an editor may do it.
		editor bool
	}{
		"Create": {reason: "To view is not to create.", editor: true, run: func(c *controlplane.Client) error { return c.DryRun(s.ctx, graph("Worker", "another")) }},
		"Change": {reason: "To view is not to change.", editor: true, run: func(c *controlplane.Client) error { return c.Patch(s.ctx, mistral, labels("x")) }},
		"Scale":  {reason: "To view is not to scale.", editor: true, run: func(c *controlplane.Client) error { return c.Scale(s.ctx, adapter, 3) }},
		"Status": {reason: "The status of a graph is the memory of the functions.", run: func(c *controlplane.Client) error {
			return c.PatchStatus(s.ctx, mistral, map[string]any{"state": "failed"})
		}},
		"Elsewhere": {reason: "The namespace of another team is out of reach.", run: func(c *controlplane.Client) error { return c.DryRun(s.ctx, elsewhere) }},
		"Everywhere": {reason: "Graphs of all namespaces are out of reach.", run: func(c *controlplane.Client) error {
			_, err := c.List(s.ctx, "nvidia.com/v1beta1", "DynamoGraphDeployment", "", "")
			return err
		}},
		"Secret": {reason: "Secrets are not needed to look at graphs.", run: func(c *controlplane.Client) error {
			_, err := c.Get(s.ctx, named("v1", "Secret", team, "token"))
			return err
		}},
		"Pod": {reason: "Pods are made by controllers.", run: func(c *controlplane.Client) error {
			return c.DryRun(s.ctx, object("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: "+team+"}, spec: {containers: [{name: a, image: a}]}}"))
		}},
		"Workload":      {reason: "Workloads are composed by the functions.", run: func(c *controlplane.Client) error { return c.Patch(s.ctx, set, replicas) }},
		"Adapter":       {reason: "Adapters are part of a graph.", run: func(c *controlplane.Client) error { return c.Patch(s.ctx, adapter, replicas) }},
		"DeleteAdapter": {reason: "A graph without its adapter is not scaled any more.", run: func(c *controlplane.Client) error { return c.Delete(s.ctx, adapter) }},
		"Parameters": {reason: "Guard rails are the platform's.", run: func(c *controlplane.Client) error {
			return c.Patch(s.ctx, named("v1", "ConfigMap", crossplane, parameters), map[string]any{"data": nil})
		}},
		"Policy": {reason: "Policies are the platform's, too.", run: func(c *controlplane.Client) error {
			return c.Delete(s.ctx, named("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "", parameters))
		}},
		"Label": {reason: "The label that applies the policies is the platform's.", run: func(c *controlplane.Client) error {
			return c.Patch(s.ctx, named("v1", "Namespace", "", team), labels(nil))
		}},
		"Quota": {reason: "A quota is set by the platform.", run: func(c *controlplane.Client) error { return c.Delete(s.ctx, named("v1", "ResourceQuota", team, team)) }},
		"NetworkPolicies": {reason: "Networks are the platform's.", run: func(c *controlplane.Client) error {
			return c.Delete(s.ctx, named("networking.k8s.io/v1", "NetworkPolicy", team, "default-deny"))
		}},
		"Roles": {reason: "Nobody may grant what they do not have.", run: func(c *controlplane.Client) error {
			return c.Patch(s.ctx, named("rbac.authorization.k8s.io/v1", "ClusterRole", "", "dgd-editor"), map[string]any{"rules": nil})
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := tc.run(s.viewer); !kerrors.IsForbidden(err) {
				t.Errorf("%s\nviewer: want it forbidden, got: %v", tc.reason, err)
			}
			switch err := tc.run(s.editor); {
			case tc.editor && err != nil:
				t.Errorf("%s\neditor: want it allowed, got: %v", tc.reason, err)
			case !tc.editor && !kerrors.IsForbidden(err):
				t.Errorf("%s\neditor: want it forbidden, got: %v", tc.reason, err)
			}
		})
	}
}

// choosing is a graph with a value for a field that chooses its Composition.
func choosing(field string, value any) *unstructured.Unstructured {
	g := component("Worker", "")
	g.SetName("choosing")
	// The graph only consists of maps, slices and strings.
	_ = unstructured.SetNestedField(g.Object, value, "spec", "crossplane", field)
	return g
}

// compositions shows that an editor cannot choose the Composition of a graph or a revision of it, such as one without guard rails, and that Crossplane
// and the platform can.
func (s *suite) compositions(t *testing.T) {
	fields := map[string]any{
		"compositionRef":              map[string]any{"name": "dynamographdeployment"},
		"compositionRevisionRef":      map[string]any{"name": "dynamographdeployment-0000001"},
		"compositionRevisionSelector": map[string]any{"matchLabels": map[string]any{"channel": "old"}},
		"compositionSelector":         map[string]any{"matchLabels": map[string]any{"channel": "old"}},
		"compositionUpdatePolicy":     "Manual",
	}
	for field, value := range fields {
		err := s.editor.DryRun(s.ctx, choosing(field, value))
		if want := "only the platform chooses the Composition of a graph; remove spec.crossplane." + field; !kerrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("an editor creates a graph with %s: want it refused with %q, got: %v", field, want, err)
		}
		if err := s.Client.DryRun(s.ctx, choosing(field, value)); err != nil {
			t.Errorf("the platform creates a graph with %s: want it allowed, got: %v", field, err)
		}
	}
	live := choosing("compositionUpdatePolicy", "Automatic")
	unstructured.RemoveNestedField(live.Object, "spec", "crossplane")
	stored, err := s.editor.Apply(s.ctx, live)
	if err != nil {
		t.Fatal(err)
	}
	ref := controlplane.RefOf(stored)
	set := func(field string, value any) map[string]any {
		return map[string]any{"spec": map[string]any{"crossplane": map[string]any{field: value}}}
	}
	for _, field := range []string{"compositionRef", "compositionRevisionRef"} {
		if err := s.Client.Patch(s.ctx, ref, set(field, fields[field])); err != nil {
			t.Errorf("Crossplane selects %s: want it allowed, got: %v", field, err)
		}
	}
	if err := s.editor.Patch(s.ctx, ref, map[string]any{"spec": map[string]any{"restart": map[string]any{"id": "1"}}}); err != nil {
		t.Errorf("an editor changes something else: want it allowed, got: %v", err)
	}
	for field, value := range map[string]any{"compositionUpdatePolicy": "Manual", "compositionRevisionRef": map[string]any{"name": "dynamographdeployment-0000000"}} {
		if err := s.editor.Patch(s.ctx, ref, set(field, value)); !kerrors.IsForbidden(err) {
			t.Errorf("an editor changes %s of a live graph: want it forbidden, got: %v", field, err)
		}
	}
	if err := s.Client.Delete(s.ctx, ref); err != nil {
		t.Error(err)
	}
}

// liveGraph shows that guard rails that are applied later leave a graph alone that breaks them, and refuse what makes it worse.
func (s *suite) liveGraph(t *testing.T) {
	live := component("Worker", "volumes: [{name: a, hostPath: {path: /models}}]")
	live.SetNamespace(neighbor)
	stored, err := s.Client.Apply(s.ctx, live)
	if err != nil {
		t.Fatalf("a namespace without the label has no guard rails: %v", err)
	}
	ref := controlplane.RefOf(stored)
	if err := s.Client.Patch(s.ctx, named("v1", "Namespace", "", neighbor), map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"dynamo.nvidia.com/guard-rails": "enforced"}},
	}); err != nil {
		t.Fatal(err)
	}
	another := live.DeepCopy()
	another.SetName("another")
	s.eventually(t, "guard rails are enforced", func() error {
		if err := s.Client.DryRun(s.ctx, another); err == nil {
			return errors.New("a new graph with the same volume is accepted")
		}
		return nil
	})
	// Crossplane writes finalizers and references, and the functions the status.
	if err := s.Client.Patch(s.ctx, ref, map[string]any{
		"metadata": map[string]any{"finalizers": []any{"composite.apiextensions.crossplane.io"}},
		"spec":     map[string]any{"crossplane": map[string]any{"resourceRefs": []any{map[string]any{"apiVersion": "v1", "kind": "Service", "name": "llama-worker"}}}},
	}); err != nil {
		t.Errorf("Crossplane writes to a graph that breaks guard rails: %v", err)
	}
	if err := s.Client.PatchStatus(s.ctx, ref, map[string]any{"state": "successful"}); err != nil {
		t.Errorf("the functions write to a graph that breaks guard rails: %v", err)
	}
	worse := component("Worker", "volumes: [{name: a, hostPath: {path: /models}}, {name: b, hostPath: {path: /etc}}]")
	worse.SetNamespace(neighbor)
	if _, err := s.Client.Apply(s.ctx, worse); err == nil || !strings.Contains(err.Error(), "(allowHostPath): /etc;") {
		t.Errorf("want only the new volume refused, got: %v", err)
	}
	if err := s.Client.Patch(s.ctx, ref, map[string]any{"metadata": map[string]any{"finalizers": nil}}); err != nil {
		t.Errorf("a graph that breaks guard rails is deleted: %v", err)
	}
}

// quota shows what an editor is told who has too many graphs. There is no controller here, so that the numbers of the quota are written here.
func (s *suite) quota(t *testing.T) {
	const graphs = "count/dynamographdeployments.nvidia.com"
	if err := s.Client.PatchStatus(s.ctx, named("v1", "ResourceQuota", team, team), map[string]any{
		"hard": map[string]any{graphs: "10"}, "used": map[string]any{graphs: "10"},
	}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the quota is enforced", func() error {
		err := s.editor.DryRun(s.ctx, component("Worker", ""))
		if !kerrors.IsForbidden(err) || !strings.Contains(err.Error(), "exceeded quota: "+team) {
			return fmt.Errorf("want the graph refused by the quota, got: %w", err)
		}
		return nil
	})
}

// withoutParameters shows that guard rails whose values are gone refuse graphs, rather than allow everything.
func (s *suite) withoutParameters(t *testing.T) {
	if err := s.Client.Delete(s.ctx, named("v1", "ConfigMap", crossplane, parameters)); err != nil {
		t.Fatal(err)
	}
	other := component("Worker", "")
	other.SetNamespace(neighbor)
	s.eventually(t, "graphs are refused", func() error {
		if err := s.Client.DryRun(s.ctx, other); err == nil || !strings.Contains(err.Error(), "no params found") {
			return fmt.Errorf("want the graph refused without parameters, got: %w", err)
		}
		return nil
	})
}
