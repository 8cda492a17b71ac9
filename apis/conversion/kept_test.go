package conversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKept holds that only what the live object cannot say is taken from its annotation.
func TestKept(t *testing.T) {
	annotated := func(annotation string, spec object) object {
		return object{"metadata": object{"annotations": object{AnnotationSpec: annotation}}, "spec": spec}
	}
	services, warnings := KeptServices(annotated(`{"version":1,"spec":{"pvcs":[{"name":"a"}],"services":{"w":{"labels":{"b":"c"},"resources":{}},"gone":{"labels":{"d":"e"}}}}}`,
		object{"components": []any{object{"name": "w"}}}))
	want := object{"pvcs": []any{object{"name": "a"}}, "services": object{"w": object{"labels": object{"b": "c"}}}}
	if diff := cmp.Diff(want, services); diff != "" || len(warnings) > 0 {
		t.Errorf("KeptServices(...): warnings %v, -want, +got:\n%s", warnings, diff)
	}
	components, warnings := KeptComponents(annotated(`{"version":1,"spec":{"components":[{"name":"w","experimental":{"grove":{"forceScalingGroup":true}}},{"name":"x"}]}}`,
		object{"services": object{"w": object{}, "x": object{}}}))
	more := []any{object{"name": "w", "experimental": object{"grove": object{"forceScalingGroup": true}}}}
	if diff := cmp.Diff(more, components); diff != "" || len(warnings) > 0 {
		t.Errorf("KeptComponents(...): warnings %v, -want, +got:\n%s", warnings, diff)
	}
}
