package docs

import (
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func blocks(t *testing.T) []page.Block {
	t.Helper()
	all, err := page.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMarked holds every block to a language and a place that some test knows. One that it would pass over is never run.
func TestMarked(t *testing.T) {
	known := map[string]bool{
		page.Bash: true, page.Bash + " " + page.Namespaced: true, page.Bash + " " + page.Claims: true, page.Bash + " " + page.Clone: true,
		page.Console: true, page.Console + " " + page.Cluster: true, page.YAML: true, page.Text: true, page.Mermaid: true,
	}
	for _, b := range blocks(t) {
		mark := b.Language
		if b.Where != "" {
			mark += " " + b.Where
		}
		if !known[mark] {
			t.Errorf("%s: no test knows a block of %q", b, mark)
		}
		if b.Where == page.Clone && b.Page != page.Upgrading {
			t.Errorf("%s: scripts for a clone are run of %s only", b, page.Upgrading)
		}
		if b.Where == page.Cluster && b.Page != page.Tutorial && b.Page != page.BreakIt {
			t.Errorf("%s: commands for a cluster are run of %s and %s only", b, page.Tutorial, page.BreakIt)
		}
		if b.Language == page.Text && b.NotRun != "" {
			t.Errorf("%s: text is not run anyway; remove the comment before it", b)
		}
	}
}

// TestYAML holds parts of manifests to fields that exist, with values of their types.
func TestYAML(t *testing.T) {
	for _, b := range blocks(t) {
		if b.Language != page.YAML || b.NotRun != "" {
			continue
		}
		t.Run(b.String(), func(t *testing.T) {
			if err := yaml.UnmarshalStrict([]byte(b.Text), typeOfBlock(t, b)); err != nil {
				t.Error(err)
			}
		})
	}
}

// typeOfBlock what a block is a part of: containers of a function's pod, a graph in the form that it has, an autoscaler, the input of step plan, or
// the EnvironmentConfig over it.
func typeOfBlock(t *testing.T, b page.Block) any {
	t.Helper()
	var tree any
	if err := yaml.Unmarshal([]byte(b.Text), &tree); err != nil {
		t.Fatal(err)
	}
	object, isObject := tree.(map[string]any)
	switch {
	case !isObject:
		return &[]corev1.Container{}
	case object["kind"] == "HorizontalPodAutoscaler":
		return &autoscalingv2.HorizontalPodAutoscaler{}
	case object["kind"] == "EnvironmentConfig":
		return &environmentConfig{}
	case ofComponents(object):
		return &v1alpha1.DynamoGraphDeployment{}
	case object["spec"] != nil || object["metadata"] != nil:
		return &v1beta1.DynamoGraphDeployment{}
	default:
		return &inputv1alpha1.Input{}
	}
}

// ofComponents reports whether a graph is in the form of v1alpha1.
func ofComponents(graph map[string]any) bool {
	_, is, err := unstructured.NestedFieldNoCopy(graph, "spec", "services")
	return is && err == nil
}
