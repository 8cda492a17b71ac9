package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// TestRoles shows which releases may have pod templates of roles.
func TestRoles(t *testing.T) {
	pods := func(tag string) string {
		return `"podTemplate":{"spec":{"containers":[{"name":"main","image":"r:` + tag + `"}]}}`
	}
	planner := func(tag string) string { return `{"name":"Planner","type":"planner",` + pods(tag) + `}` }
	roles := func(tag string) string {
		return `{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader",` + pods(tag) + `},{"name":"worker",` + pods(tag) + `}]}`
	}
	forbidden := func(version string) string {
		return "spec.components[Worker].roles: Forbidden: pod templates of roles need Dynamo 1.6.0 or later, and the image has " + version +
			"; use a newer image, set runtimeVersionOverride if the tag of the image does not say its release, or write one podTemplate.spec for the pods of all roles"
	}
	cases := map[string]struct {
		reason     string
		components string
		platform   string
		want       []string
	}{
		"First":      {reason: "Dynamo 1.6.0 tells each node its place.", components: roles("1.6.0")},
		"PreRelease": {reason: "A pre-release is the release that it precedes.", components: roles("1.6.0-rc.1")},
		"Earlier":    {reason: "Earlier releases do not.", components: roles("1.5.1"), want: []string{forbidden("1.5.1")}},
		"Unknown":    {reason: "A release that is not known may be an earlier one.", components: roles("mine"), want: []string{forbidden("1.4.0")}},
		"Platform":   {reason: "The platform may know it.", components: roles("mine"), platform: "1.6.0"},
		"NoTemplate": {
			reason:     "Roles without pod templates are what earlier releases have, too.",
			components: `{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader"},{"name":"worker"}],` + pods("1.5.1") + `}`,
		},
		"Planner": {
			reason: "An earlier planner does not find pod templates in roles.", components: roles("1.6.0") + "," + planner("1.5.1"),
			want: []string{
				"spec.components[Planner]: Forbidden: a planner of a graph with pod templates of roles needs Dynamo 1.6.0 or later, and its image has 1.5.1; " +
					"use a newer image, or set runtimeVersionOverride if the tag of the image does not say its release",
			},
		},
		"PlannerOfOthers": {reason: "A planner without such workers may be of any release.", components: `{"name":"Worker","type":"worker",` + pods("1.5.1") + `},` + planner("1.5.1")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := inputv1alpha1.Policy{Runtime: inputv1alpha1.Runtime{Version: tc.platform}}
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(`{"components":[`+tc.components+`]}`), plantest.WithInput(policy)))
			_, outcome := Decide(f)
			var errs []string
			for _, r := range outcome.Refusals {
				errs = append(errs, r.In(f.Graph))
			}
			if diff := cmp.Diff(tc.want, errs); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
