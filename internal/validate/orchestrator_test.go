package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestGroveWarnings(t *testing.T) {
	ephemeral := func(meta metav1.ObjectMeta) corev1.VolumeSource {
		return corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{ObjectMeta: meta},
		}}
	}
	cases := map[string]struct {
		reason  string
		volumes []corev1.Volume
		want    []string
	}{
		"NoVolumes": {reason: "Without volumes, Grove drops nothing."},
		"OtherVolumes": {
			reason:  "Grove keeps every other volume as it is.",
			volumes: []corev1.Volume{{Name: "a"}, {Name: "b", VolumeSource: ephemeral(metav1.ObjectMeta{})}},
		},
		"MetadataOfClaim": {
			reason: "Labels and annotations of the claim get lost, which nothing else says.",
			volumes: []corev1.Volume{
				{Name: "a", VolumeSource: ephemeral(metav1.ObjectMeta{Labels: map[string]string{"a": "b"}})},
				{Name: "b", VolumeSource: ephemeral(metav1.ObjectMeta{Annotations: map[string]string{"a": "b"}})},
			},
			want: []string{
				"spec.services[S].extraPodSpec.volumes[0].ephemeral.volumeClaimTemplate.metadata: has no effect on Grove, which does not support it; create the claim separately and mount it through volumeMounts",
				"spec.services[S].extraPodSpec.volumes[1].ephemeral.volumeClaimTemplate.metadata: has no effect on Grove, which does not support it; create the claim separately and mount it through volumeMounts",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
				"S": {ExtraPodSpec: &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{Volumes: tc.volumes}}},
				"T": {},
			}})
			if diff := cmp.Diff(tc.want, validate.GroveWarnings(g).Texts(g)); diff != "" {
				t.Errorf("%s\nvalidate.GroveWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCoherentWarnings shows which components are told to be down during an update.
func TestCoherentWarnings(t *testing.T) {
	component := func(fields string) string {
		return `{"services":{"S":{"componentType":"frontend",` + fields + `},"Planner":{"componentType":"planner"}}}`
	}
	limited := func(n string) string {
		return `"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"rollingUpdate":{"maxUnavailable":` + n + `}}}`
	}
	warning := func(replicas string) []string {
		return []string{"metadata.annotations[nvidia.com/grove-update-strategy]: strategy Coherent removes old replicas before it creates new ones, and an update removes all replicas of some services at once, " +
			"which are down until the new replicas are ready: S (" + replicas + "); raise their replicas above minAvailable and maxUnavailable"}
	}
	cases := map[string]struct {
		reason, spec, strategy string
		want                   []string
	}{
		"Only":     {reason: "The only replica is replaced.", strategy: "Coherent", spec: component(`"replicas":1`), want: warning("1 of 1")},
		"Minimum":  {reason: "Replicas that serve together are replaced together.", strategy: "Coherent", spec: component(`"replicas":2,"minAvailable":2`), want: warning("2 of 2")},
		"Limits":   {reason: "The graph may ask for more replicas at once.", strategy: "Coherent", spec: component(`"replicas":3,` + limited("3")), want: warning("3 of 3")},
		"Others":   {reason: "Others serve meanwhile.", strategy: "Coherent", spec: component(`"replicas":3,"minAvailable":2`)},
		"Rolling":  {reason: "Other strategies are not meant.", strategy: "RollingRecreate", spec: component(`"replicas":1`)},
		"Strategy": {reason: "By default the strategy is another.", spec: component(`"replicas":1`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := plantest.Decoded(t, plantest.GraphOf(tc.spec))
			g.Annotations = map[string]string{"nvidia.com/grove-update-strategy": tc.strategy}
			if diff := cmp.Diff(tc.want, validate.GroveWarnings(g).Texts(g)); diff != "" {
				t.Errorf("%s\nvalidate.GroveWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOffGroveWarningsOfComponents shows what only components have and only Grove supports.
func TestOffGroveWarningsOfComponents(t *testing.T) {
	g := plantest.Decoded(t, plantest.GraphOf(`{"components":[{"name":"A","experimental":{"grove":{"forceScalingGroup":true}}},{"name":"B","experimental":{"grove":{"forceScalingGroup":false}}}]}`))
	want := []string{"spec.components[A].experimental.grove.forceScalingGroup: has no effect on Deployment, where there are no scaling groups"}
	if diff := cmp.Diff(want, validate.OffGroveWarnings(g, graphplan.Deployment).Texts(g)); diff != "" {
		t.Errorf("There are no scaling groups without Grove.\nvalidate.OffGroveWarnings(...): -want, +got:\n%s", diff)
	}
}

func TestOffGroveWarnings(t *testing.T) {
	twice := &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 2}
	cases := map[string]struct {
		reason string
		graph  []plantest.GraphChange
		on     graphplan.Orchestrator
		want   []string
	}{
		"UpdateStrategy": {
			reason: "The strategy of Grove is not that of Deployments.",
			graph:  []plantest.GraphChange{plantest.Frontend, plantest.Annotated("nvidia.com/grove-update-strategy", "OnDelete")},
			on:     graphplan.Deployment,
			want:   []string{"metadata.annotations[nvidia.com/grove-update-strategy]: has no effect on Deployment; set nvidia.com/deployment-strategy in spec.annotations instead"},
		},
		"Nothing": {reason: "Most graphs ask for nothing of Grove's.", graph: []plantest.GraphChange{plantest.Frontend, plantest.Multinode}, on: graphplan.LeaderWorkerSet},
		"PriorityClass": {
			reason: "The class of the graph is that of its PodCliqueSet.",
			graph:  []plantest.GraphChange{plantest.Component("A", &v1alpha1.Service{}), func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.PriorityClassName = "high" }}, on: graphplan.Deployment,
			want: []string{"spec.priorityClassName: has no effect on Deployment; set the class in extraPodSpec of each service"},
		},
		"MinAvailable": {
			reason: "Only Grove makes a gang of replicas. One replica is a gang anyway.",
			graph: []plantest.GraphChange{
				plantest.Component("A", &v1alpha1.Service{Replicas: new(int32(2)), MinAvailable: new(int32(2))}), plantest.Component("B", &v1alpha1.Service{MinAvailable: new(int32(1))}),
			}, on: graphplan.LeaderWorkerSet,
			want: []string{"spec.services[A].minAvailable: has no effect on LeaderWorkerSet: each replica is scheduled separately"},
		},
		"Autoscaling": {
			reason: "An autoscaler scales one object, and here each replica that spans nodes is one.",
			graph:  []plantest.GraphChange{plantest.Component("A", &v1alpha1.Service{Autoscaling: twice}, plantest.WithNodes(2)), plantest.Component("B", &v1alpha1.Service{Autoscaling: twice})},
			on:     graphplan.LeaderWorkerSet,
			want:   []string{"spec.services[A].autoscaling: has no effect on a service that spans nodes on LeaderWorkerSet, where each replica is a separate object; set replicas, or run the graph on Grove"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := plantest.Decoded(t, plantest.Graph(tc.graph...))
			got := validate.OffGroveWarnings(g, tc.on).Texts(g)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nvalidate.OffGroveWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDisaggregatedSetWarnings(t *testing.T) {
	const message = "metadata.annotations[nvidia.com/enable-disaggregatedset]: has no effect, because DisaggregatedSets are not supported; the graph runs "
	cases := map[string]struct {
		reason, value string
		orchestrator  graphplan.Orchestrator
		want          []string
	}{
		"Grove":   {reason: "The message says what runs the graph instead.", value: "true", orchestrator: graphplan.Grove, want: []string{message + "on Grove, and its phases are updated separately: remove the annotation"}},
		"LWS":     {reason: "A graph on LeaderWorkerSets has Deployments too.", value: "True", orchestrator: graphplan.LeaderWorkerSet, want: []string{message + "on LeaderWorkerSets and Deployments, and its phases are updated separately: remove the annotation"}},
		"Off":     {reason: "Nobody asks for a set.", value: "false", orchestrator: graphplan.Grove},
		"Unknown": {reason: "What runs the graph is not known yet.", value: "true"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := &graph.Graph{Annotations: map[string]string{"nvidia.com/enable-disaggregatedset": tc.value}}
			if diff := cmp.Diff(tc.want, validate.DisaggregatedSetWarnings(g, tc.orchestrator).Texts(g)); diff != "" {
				t.Errorf("%s\nDisaggregatedSetWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
