package strict

import "testing"

func TestIsSecretPath(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   string
		want   bool
	}{
		"Last":   {reason: "A command line may contain a password.", path: "spec.components[a].podTemplate.spec.containers[main].args", want: true},
		"Within": {reason: "Everything below a list of variables may contain a password.", path: "spec.services[a].envs[0].value", want: true},
		"First":  {reason: "Paths may begin anywhere.", path: "env[A].value", want: true},
		"Other":  {reason: "Other fields are shown.", path: "spec.components[a].replicas"},
		"Part":   {reason: "A field whose name only begins in the same way is another one.", path: "spec.environment"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsSecretPath(tc.path); got != tc.want {
				t.Errorf("%s\nIsSecretPath(%q): want %t, got %t", tc.reason, tc.path, tc.want, got)
			}
		})
	}
}
