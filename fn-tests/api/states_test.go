package api

import "testing"

func TestNames(t *testing.T) {
	cases := map[string]struct {
		reason, message, field string
		want                   bool
	}{
		"Itself":       {"A message names its field.", "spec.services[A].replicas: Invalid value", "spec.services.*.replicas", true},
		"Above":        {"And all below.", "x; spec.services[A].checkpoint: has no effect", "spec.services.*.checkpoint.mode", true},
		"Below":        {"A part of the field is the field.", "spec.services[A].envs[0].name: Required", "spec.services.*.envs", true},
		"Item":         {"Items of a list are written without their number.", "spec.pvcs[12].name: is duplicated", "spec.pvcs[].name", true},
		"Key":          {"The key of a map is part of the map.", "spec.services[A].resources.limits.custom[rdma/ib]: b", "spec.services.*.resources.limits.custom", true},
		"DottedName":   {"The name of a service may have dots.", "spec.services[a.b].replicas: c", "spec.services.*.replicas", true},
		"Fatal":        {"A refusal comes after what the command says.", `error: cannot compose resources: step "plan": spec.restart.id: Required value`, "spec.restart.id", true},
		"Another":      {"Another field is another one.", "spec.services[A].checkpoint: no", "spec.services.*.failover.mode", false},
		"Prefix":       {"The beginning of a word is no field.", "spec.services[A].replica: no", "spec.services.*.replicas", false},
		"WholeService": {"A message about a service is about none of its fields.", "spec.services[A]: no", "spec.services.*.replicas", false},
		"Component":    {"A component is named as a service is.", "spec.components[A].podTemplate.spec.containers[main].image: Required", "spec.components[].podTemplate", true},
		"Nothing":      {"Text names nothing.", "the spec.restart is there", "spec.restart", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := names(tc.message, tc.field); got != tc.want {
				t.Errorf("%s\nnames(%q, %q): want %t, got %t", tc.reason, tc.message, tc.field, tc.want, got)
			}
		})
	}
}

func TestWorse(t *testing.T) {
	for _, tc := range []struct{ a, b, want State }{
		{NotThere, Works, Works}, {Works, Warned, Warned}, {Refused, Warned, Refused}, {Works, Silent, Silent}, {NotThere, NotThere, NotThere},
	} {
		if got := worse(tc.a, tc.b); got != tc.want {
			t.Errorf("worse(%s, %s): want %s, got %s", tc.a, tc.b, tc.want, got)
		}
		if got := worse(tc.b, tc.a); got != tc.want {
			t.Errorf("worse(%s, %s): want %s, got %s", tc.b, tc.a, tc.want, got)
		}
	}
}
