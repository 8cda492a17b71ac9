package backend

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// Whatever the command is: nothing panics, the same in is the same out, and what the user wrote is all still there.
func FuzzConfigureContainer(f *testing.F) {
	for _, style := range commandStyles {
		for _, arguments := range argumentSets {
			command, args := style.build("dynamo.vllm", arguments)
			f.Add(strings.Join(command, "\x00"), strings.Join(args, "\x00"), "-tp 8")
		}
	}
	f.Add("sh\x00-c", "python3 -m 'dynamo.sglang' $(a <<X\n'\nX\n) `b \"c\"` # d", "--dp=4")
	f.Fuzz(func(t *testing.T, command, args, sizes string) {
		base := corev1.Container{Command: tokensOf(command), Args: append(tokensOf(args), tokensOf(sizes)...)}
		for _, framework := range []v1alpha1.BackendFramework{v1alpha1.BackendVLLM, v1alpha1.BackendSGLang, v1alpha1.BackendTRTLLM} {
			for _, role := range []Role{RoleLeader, RoleWorker} {
				for _, executor := range []Executor{ExecutorRay, ExecutorMP} {
					for _, hosts := range orchestrators {
						checkConfigured(t, base, Settings{Framework: framework, Role: role, NodeCount: 3, Hosts: hosts, Executor: executor, GPULimit: 4})
					}
				}
			}
		}
		_, _ = Detect("", v1alpha1.ComponentWorker, base.Command, base.Args)
	})
}

func tokensOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

func checkConfigured(t *testing.T, base corev1.Container, s Settings) {
	t.Helper()
	one, two := base.DeepCopy(), base.DeepCopy()
	warnings := ConfigureContainer(one, s)
	ConfigureContainer(two, s)
	if diff := cmp.Diff(one, two); diff != "" {
		t.Fatalf("%+v: configured twice: -first, +second:\n%s", s, diff)
	}
	if NeedsWaitScript(s, &base) != NeedsWaitScript(s, one) {
		t.Errorf("%+v: whether %q waits changes when it is configured to %q", s, slices.Concat(base.Command, base.Args), slices.Concat(one.Command, one.Args))
	}
	original, configured := slices.Concat(base.Command, base.Args), slices.Concat(one.Command, one.Args)
	if s.Framework == v1alpha1.BackendTRTLLM || (s.Role == RoleWorker && slices.ContainsFunc(configured, func(a string) bool { return strings.HasPrefix(a, "ray start --address") })) {
		return
	}
	if slices.Equal(original, configured) {
		if len(warnings) == 0 {
			t.Errorf("%+v: nothing changed in %q, and nothing is said", s, original)
		}
		return
	}
	// Either every token is there, whole or with flags in it, or all of them are quoted in one line.
	line, quoted := joinQuoted(original)
	for _, token := range original {
		if !slices.ContainsFunc(configured, func(c string) bool { return isWithin(token, c) }) && (!quoted || !isWithin(line, strings.Join(configured, " "))) {
			t.Errorf("%+v: %q is lost in %q", s, token, configured)
		}
	}
}

// isWithin reports whether text is left when something is taken out of whole.
func isWithin(text, whole string) bool {
	for _, r := range []byte(whole) {
		if text != "" && text[0] == r {
			text = text[1:]
		}
	}
	return text == ""
}
