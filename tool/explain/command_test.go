package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestCommandText(t *testing.T) {
	cases := map[string]struct {
		reason    string
		container corev1.Container
		want      string
	}{
		"Flags": {
			reason:    "Each flag is a line, and what a shell would act on is quoted.",
			container: corev1.Container{Command: []string{"python3", "-m", "engine"}, Args: []string{"--name", "a b", "--leader=$(ADDRESS)"}},
			want:      "  python3 -m engine \\\n    --name 'a b' \\\n    '--leader=$(ADDRESS)'\n",
		},
		"Entrypoint": {
			reason:    "Arguments alone follow what the image runs.",
			container: corev1.Container{Image: "a:1", Args: []string{"--x"}}, want: "  (the entrypoint of a:1) \\\n    --x\n",
		},
		"Image":  {reason: "A container may run only that.", container: corev1.Container{Image: "a:1"}, want: "  (the entrypoint of a:1)\n"},
		"Script": {reason: "A script is as it is written.", container: corev1.Container{Command: []string{"/bin/sh", "-ec"}, Args: []string{"echo 'a'\nb\n"}}, want: "  /bin/sh -ec\n    echo 'a'\n    b\n"},
		"Long":   {reason: "A long line is broken.", container: corev1.Container{Command: []string{"sh", "-c", "exec a --b 1"}}, want: "  sh -c\n    exec a \\\n        --b 1\n"},
		"After": {
			reason: "A script may have arguments.", container: corev1.Container{Command: []string{"bash", "-c", "echo $0", "x y"}},
			want: "  bash -c\n    echo $0\n    argument of the script: 'x y'\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			command := commandOf(&tc.container)
			if diff := cmp.Diff(tc.want, command.text()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
