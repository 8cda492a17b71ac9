package api

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	model "github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// otherwiseMisplaced are annotations that others than the functions read where the table does not have them, or with messages of their own.
var otherwiseMisplaced = map[string]string{
	"nvidia.com/kai-scheduler-queue":       "TestQueues of tool/explain has them in each place.",
	"nvidia.com/volcano-queue":             "TestQueues of tool/explain has them in each place.",
	"scheduling.volcano.sh/queue-name":     "Volcano reads it from pods.",
	"nvidia.com/topology-preferred-domain": "The annotations of a component apply to it however they come to it.",
}

// TestMisplacedAnnotations writes each annotation of the table in each place. Its user is told, with the value and a remedy, in those places where
// the table does not have it.
func TestMisplacedAnnotations(t *testing.T) {
	table, err := ReadAnnotations(".")
	if err != nil {
		t.Fatal(err)
	}
	const value = "of its user"
	for _, annotation := range table {
		written := map[string]string{annotation.Name: value}
		for place, path := range map[string]*field.Path{
			"graph":        field.NewPath("metadata", "annotations"),
			"all":          field.NewPath("spec", "annotations"),
			"component":    model.ComponentPath("A").Child("annotations"),
			"pod template": model.PodMetadataPath(model.ComponentPath("A"), "annotations"),
		} {
			service := v1alpha1.Service{}
			switch place {
			case "component":
				service.Annotations = written
			case "pod template":
				service.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: written}
			}
			g, _ := model.Decode(steptest.Request(steptest.Spec(t, map[string]v1alpha1.Service{"A": service}), "{}"))
			switch place {
			case "graph":
				g.Annotations = written
			case "all":
				g.Spec.Annotations = written
			}
			where := strings.Replace(place, "pod template", "component", 1)
			_, read := otherwiseMisplaced[annotation.Name]
			read = read || slices.Contains(strings.Split(annotation.Where, ", "), where)
			var said []string
			for _, warning := range validate.MisplacedWarnings(g) {
				said = append(said, warning.Field)
			}
			switch want := path.Key(annotation.Name).String(); {
			case read && len(said) > 0:
				t.Errorf("%s of %s: want no warning, got one of %v", annotation.Name, place, said)
			case !read && !slices.Equal(said, []string{want}):
				t.Errorf("%s of %s: want a warning of %s, got %v", annotation.Name, place, want, said)
			}
		}
	}
}
