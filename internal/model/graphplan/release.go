package graphplan

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/crossplane/function-sdk-go/errors"
)

// CheckRelease refuses a plan of a release other than that of the step. During an update, the packages of the functions become active one
// after the other, and steps of two releases may interpret a plan differently even if they can read it. One step may refer to objects of
// another, so no step can continue on its own: the error ends the pipeline, and the graph stays unchanged until all steps have the same
// release.
func (p *Plan) CheckRelease(own string) error {
	if p.Release == own {
		return nil
	}
	return errors.Errorf("step plan has release %s, but this step has release %s; %s; nothing is changed until then", cmp.Or(p.Release, "unknown"), own, remedy(p.Release, own))
}

// remedy for steps of two releases: the older step has to be updated.
func remedy(planned, own string) string {
	ofPlan, err := version.ParseSemantic(planned)
	if err != nil {
		return oneBuild
	}
	ofStep, err := version.ParseSemantic(own)
	if err != nil {
		return oneBuild
	}
	switch {
	case ofStep.LessThan(ofPlan):
		return fmt.Sprintf("update this step to %s", tag(planned))
	case ofPlan.LessThan(ofStep):
		return fmt.Sprintf("update step plan to %s", tag(own))
	default:
		return oneBuild
	}
}

const oneBuild = "install packages of the same build for all steps"

// tag of a release, without the build metadata.
func tag(release string) string {
	tag, _, _ := strings.Cut(release, "+")
	return tag
}
