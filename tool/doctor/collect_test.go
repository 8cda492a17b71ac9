package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/clustertest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// fakeReader is a cluster in which everybody may do what is not refused. If Review is forbidden, nobody may ask for others. What fails may also be
// a part of the discovery.
type fakeReader struct {
	*clustertest.Cluster

	// refused accesses, as verb and resource.
	refused []string
}

func newReader(t *testing.T) *fakeReader {
	t.Helper()
	return &fakeReader{Cluster: clustertest.In(t, "tool/doctor/testdata/cluster.yaml")}
}

func (r *fakeReader) fails(name string) error {
	if r.Failing == name {
		return errors.New("connection refused")
	}
	return nil
}

func (r *fakeReader) Namespace() (string, error) { return "team-a", r.fails("namespace") }

func (r *fakeReader) ServerVersion() (string, error) { return "v1.34.1", r.fails("version") }

func (r *fakeReader) Groups() ([]string, error) {
	groups := []string{"authorization.k8s.io"}
	for i := range r.Objects {
		group, _, _ := strings.Cut(r.Objects[i].GetAPIVersion(), "/")
		groups = append(groups, group)
	}
	return slices.Compact(groups), r.fails("groups")
}

func (r *fakeReader) Kinds(apiVersion string) ([]string, error) {
	var kinds []string
	for i := range r.Objects {
		if r.Objects[i].GetAPIVersion() == apiVersion {
			kinds = append(kinds, r.Objects[i].GetKind())
		}
	}
	return kinds, r.fails(apiVersion)
}

func (r *fakeReader) Allowed(accesses []preview.Access) ([]bool, error) {
	var allowed []bool
	for _, a := range accesses {
		if a.Subject.Name != "" && slices.Contains(r.Forbidden, "Review") {
			return nil, &preview.ForbiddenError{Verb: "create", Resource: "subjectaccessreviews.authorization.k8s.io"}
		}
		allowed = append(allowed, !slices.Contains(r.refused, a.Verb+" "+a.Resource))
	}
	return allowed, r.fails("access")
}

// TestCollect checks what is taken out of the objects of a cluster.
func TestCollect(t *testing.T) {
	r := newReader(t)
	r.refused = []string{"patch roles", "get xdynamographdeployments", "watch resourceclaims"}
	got, err := Collect(r, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"v1.34.1 team-a topology=true [configuration-dynamo]",
		"Deployment crossplane-system/crossplane 1/2 operator=false crossplane [] xpkg.crossplane.io/crossplane/crossplane:v2.4.0 [core start --debug]",
		"Deployment grove-system/grove-operator 0/0 operator=false  [grove-operator-cm-0a] ghcr.io/ai-dynamo/grove/grove-operator:v0.1.0-alpha.13 [--config=/etc/grove-operator/config/config.yaml]",
		"Deployment kai-scheduler/pod-grouper 0/1 operator=false pod-grouper [] ghcr.io/kai-scheduler/kai-scheduler/podgrouper:v0.13.4 []",
		"Deployment dynamo-system/dynamo-platform-controller-manager 0/1 operator=true  [] nvcr.io/nvidia/ai-dynamo/kubernetes-operator:1.5.0 []",
		"MutatingWebhookConfiguration dynamo-platform-mutating operator=true",
		"MutatingWebhookConfiguration costs operator=false",
		"definition dynamographdeployments.nvidia.com DynamoGraphDeployment crossplane=true webhook=false established=false",
		"definition dynamographdeploymentscalingadapters.nvidia.com  crossplane=false webhook=true established=false",
		"definition dynamographdeployments.nvidia.com DynamoGraphDeployment crossplane=false webhook=false established=true: WatchingCompositeResource",
		"package configuration-dynamo xpkg.crossplane.io/dynamo-crossplane/configuration-dynamo:v0.2.0  installed=true healthy=false: cannot establish control of object",
		"package dynamo-crossplane-function-dynamo-graph xpkg.crossplane.io/dynamo-crossplane/function-dynamo-graph@sha256:0a configuration-dynamo installed=true healthy=false: UnhealthyPackageRevision",
		"queue research inference",
	}
	if diff := cmp.Diff(want, linesOf(got)); diff != "" {
		t.Errorf("Collect(...): -want, +got:\n%s", diff)
	}
	if len(got.Compositions) != 1 {
		t.Fatalf("want the Composition of graphs only, got %v", got.Compositions)
	}
	c := got.Compositions[0]
	if diff := cmp.Diff([]any{"research", []string{"dynamo-crossplane-function-dynamo-graph", "labels"}, 0}, []any{c.Policy.KAI.Queue, c.Functions, len(c.Errors)}); diff != "" {
		t.Errorf("Composition, whose queue an EnvironmentConfig sets: -want, +got:\n%s", diff)
	}
	crossplane := preview.Subject{Namespace: "crossplane-system", Name: "crossplane"}
	refused := map[Source][]preview.Access{
		GrouperAccess: {{Verb: "get", Group: group, Resource: resourceComposites, Subject: preview.Subject{Namespace: "kai-scheduler", Name: "pod-grouper"}}},
	}
	if diff := cmp.Diff(refused, got.Refused); diff != "" {
		t.Errorf("access, without that to groups that are not served, of %v: -want, +got:\n%s", crossplane, diff)
	}
	if slices.ContainsFunc(r.Asked, func(asked string) bool {
		return strings.HasSuffix(asked, " Secret") || strings.HasSuffix(asked, " Pod")
	}) {
		t.Errorf("want neither Secrets nor pods to be read, got %v", r.Asked)
	}
}

// linesOf what checks read of facts.
func linesOf(f *Facts) []string {
	lines := []string{fmt.Sprintf("%s %s topology=%t %v", f.Kubernetes, f.Namespace, *f.GroveTopology, f.RuntimeConfigs)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for i := range f.Deployments {
		d := &f.Deployments[i]
		pod := &d.Spec.Template.Spec
		add("Deployment %s/%s %d/%d operator=%t %s %v %s %v", d.Namespace, d.Name, d.Status.ReadyReplicas, d.replicas(), isOperators(d), pod.ServiceAccountName, configMaps(pod), d.containers()[0].Image, d.containers()[0].Args)
	}
	for _, w := range f.Webhooks {
		add("%s %s operator=%t", w.Kind, w.Name, w.Operator)
	}
	for _, d := range slices.Concat(f.CustomResources, f.Definitions) {
		add("definition %s %s crossplane=%t webhook=%t established=%t%s", d.Name, d.Spec.Names.Kind, d.isCrossplanes(), d.isConverted(), d.has("Established"), d.because("Established"))
	}
	for _, p := range slices.Concat(f.Configurations, f.Functions) {
		add("package %s %s %s installed=%t healthy=%t%s", p.Name, p.Spec.Package, p.Spec.RuntimeConfigRef.Name, p.has("Installed"), p.has("Healthy"), p.because("Healthy"))
	}
	for _, q := range f.Queues {
		add("queue %s %s", q.Name, q.Spec.ParentQueue)
	}
	return lines
}

// TestRules checks that the permissions that are reviewed are those of the manifests.
func TestRules(t *testing.T) {
	rules, err := crossplaneRules()
	if err != nil {
		t.Fatal(err)
	}
	crossplane := accessesOf(rules, preview.Subject{Name: "crossplane"}, "", []string{"grove.io", "nvidia.com"})
	viewer, err := viewerRules()
	if err != nil {
		t.Fatal(err)
	}
	own := accessesOf(viewer, preview.Subject{}, "team-a", []string{"grove.io"})
	for _, tc := range []struct {
		reason string
		all    []preview.Access
		want   preview.Access
	}{
		{"Crossplane patches workloads.", crossplane, preview.Access{Subject: preview.Subject{Name: "crossplane"}, Verb: "patch", Group: "grove.io", Resource: "podcliquesets"}},
		{"Crossplane grants what planners may do.", crossplane, preview.Access{Subject: preview.Subject{Name: "crossplane"}, Verb: "patch", Group: "nvidia.com", Resource: resourceAdapters, Subresource: "scale"}},
		{"People read workloads in their namespace.", own, preview.Access{Verb: "list", Group: "grove.io", Resource: "podcliques", Namespace: "team-a"}},
	} {
		if !slices.Contains(tc.all, tc.want) {
			t.Errorf("%s\nwant %+v among %+v", tc.reason, tc.want, tc.all)
		}
	}
	if slices.ContainsFunc(crossplane, func(a preview.Access) bool { return a.Group == "leaderworkerset.x-k8s.io" }) {
		t.Error("want no review of kinds that are not served")
	}
	for name, manifest := range map[string]string{"Absent": "kind: Role\nmetadata: {name: other}\n", "NoManifest": "a: [", "NoRole": "kind: ClusterRole\nmetadata: {name: role}\nrules: text\n"} {
		if got, err := rulesOf([]byte(manifest), "role"); err == nil {
			t.Errorf("%s: want an error, got %v", name, got)
		}
	}
}

// TestCollectForbidden checks that each source that may not be read is named, and that the others are read.
func TestCollectForbidden(t *testing.T) {
	for kind, source := range map[string]Source{
		"Deployment": Deployments, "ValidatingWebhookConfiguration": Webhooks, "CustomResourceDefinition": CustomResources, kindDefinition: Definitions, kindComposition: Compositions,
		"Configuration": Configurations, "Function": Functions, "DeploymentRuntimeConfig": RuntimeConfigs, "EnvironmentConfig": Policy, kindQueue: Queues, "ConfigMap": ConfigMaps, "Review": CrossplaneAccess,
	} {
		t.Run(kind, func(t *testing.T) {
			r := newReader(t)
			r.Forbidden = []string{kind}
			got, err := Collect(r, "team-a")
			if err != nil {
				t.Fatal(err)
			}
			if _, is := got.Forbidden[source]; !is {
				t.Errorf("want %s to be forbidden, got %v", source, got.Forbidden)
			}
			for _, f := range Examine(got).Findings {
				if f.Forbidden != nil && f.State != Skipped {
					t.Errorf("want a check that is not possible to be skipped, got %+v", f)
				}
			}
		})
	}
}

// TestCollectFails checks that a cluster that cannot be read is not taken for an empty one, whatever cannot be read.
func TestCollectFails(t *testing.T) {
	for _, failing := range []string{
		"version", "namespace", "groups", kaiVersion, "Deployment", "MutatingWebhookConfiguration", "CustomResourceDefinition", kindDefinition, kindComposition,
		"Configuration", "Function", "DeploymentRuntimeConfig", "EnvironmentConfig", kindQueue, "ConfigMap", "access",
	} {
		t.Run(failing, func(t *testing.T) {
			r := newReader(t)
			r.Failing = failing
			if got, err := Collect(r, ""); err == nil {
				t.Errorf("want an error, got %+v", got)
			}
		})
	}
}

// TestQueueManifest checks that the file with the default queue has what the check looks for.
func TestQueueManifest(t *testing.T) {
	facts := healthy()
	facts.Queues = nil
	for _, o := range harness.Read(t, "package/queue.yaml") {
		q := Queue{}
		if err := preview.Decode(o, &q); err != nil {
			t.Fatal(err)
		}
		facts.Queues = append(facts.Queues, q)
	}
	if got := queue(facts); got.State != OK {
		t.Errorf("want the queues of the file to be enough, got %+v", got)
	}
}
