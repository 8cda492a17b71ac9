package backend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

func TestAwaitsRay(t *testing.T) {
	onRay := func(changes ...func(*Settings)) Settings {
		s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorRay, GPULimit: 4, RuntimeVersion: "1.6.0"}
		for _, change := range changes {
			change(&s)
		}
		return s
	}
	cases := map[string]struct {
		reason   string
		args     []string
		settings Settings
		want     bool
	}{
		"Worker":       {reason: "A worker joins the cluster when its head answers.", args: []string{"-tp", "8"}, settings: onRay(), want: true},
		"OnGrove":      {reason: "A worker on Grove does so too.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.Hosts = GroveHosts{Component: "decode"} }), want: true},
		"Leader":       {reason: "The leader is the head.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.Role = RoleLeader })},
		"Earlier":      {reason: "Pods of earlier releases stay as they are.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.RuntimeVersion = "1.5.1" })},
		"Processes":    {reason: "The processes of vLLM wait in another way.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.Executor = ExecutorMP })},
		"DataParallel": {reason: "Data-parallel engines are not on Ray.", args: []string{"-dp", "8"}, settings: onRay()},
		"Elastic":      {reason: "Workers of elastic engines wait until the engine serves.", args: []string{"-dp", "8", "--enable-elastic-ep"}, settings: onRay()},
		"NotSpanned":   {reason: "Nodes that form no engine form no cluster.", args: []string{"-tp", "2"}, settings: onRay()},
		"SGLang":       {reason: "Other engines need no Ray.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.Framework = "sglang" })},
		"OneNode":      {reason: "A single node has nothing to wait for.", args: []string{"-tp", "8"}, settings: onRay(func(s *Settings) { s.NodeCount = 1 })},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := AwaitsRay(tc.settings, engineContainer([]string{"python3", "-m", "dynamo.vllm"}, tc.args)); got != tc.want {
				t.Errorf("%s\nAwaitsRay(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	for script, reason := range map[string]string{
		"ray start --address=${LWS_LEADER_ADDRESS}:6379 --block": "A command that starts Ray connects the nodes by itself.",
		"serve --tp 8": "A command to which nothing is added starts no Ray.",
	} {
		if AwaitsRay(onRay(), &corev1.Container{Command: []string{"sh", "-c"}, Args: []string{script}}) {
			t.Errorf("%s\nAwaitsRay(...): want false for %q", reason, script)
		}
	}
}

func TestAwaitRay(t *testing.T) {
	main := engineContainer([]string{"python3", "-m", "dynamo.vllm"}, []string{"-tp", "8"}, func(c *corev1.Container) {
		c.SecurityContext = &corev1.SecurityContext{RunAsNonRoot: new(true)}
		c.Env = []corev1.EnvVar{{Name: "RAY_USE_TLS", Value: "1"}}
		c.EnvFrom = []corev1.EnvFromSource{{Prefix: "RAY_"}}
		c.VolumeMounts = []corev1.VolumeMount{{Name: "certificates", MountPath: "/certificates"}}
	})
	cases := map[string]struct {
		reason string
		hosts  Hosts
		head   string
	}{
		"LeaderWorkerSet": {reason: "LWS names the leader.", hosts: LWSHosts{}, head: "${LWS_LEADER_ADDRESS}:6379"},
		"Grove":           {reason: "Grove names what the leader's name consists of.", hosts: GroveHosts{Component: "decode"}, head: "${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-decode-ldr-0.${GROVE_HEADLESS_SERVICE}:6379"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := &corev1.PodSpec{InitContainers: []corev1.Container{{Name: "first"}}}
			AwaitRay(got, main, Settings{Hosts: tc.hosts})
			want := &corev1.PodSpec{InitContainers: []corev1.Container{{Name: "first"}, {
				Name: "wait-for-ray-head", Image: main.Image, ImagePullPolicy: main.ImagePullPolicy,
				Command: []string{"sh", "-c"}, Args: []string{`ray --version && until ray health-check --address "` + tc.head + `"; do sleep 2; done`},
				Env: main.Env, EnvFrom: main.EnvFrom, SecurityContext: main.SecurityContext, VolumeMounts: main.VolumeMounts,
			}}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nAwaitRay(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAwaitRayRuns runs the command under a real shell with programs in place of Ray.
func TestAwaitRayRuns(t *testing.T) {
	cases := map[string]struct {
		reason string
		// ray is the program; empty: the image has none.
		ray  string
		code int
		want string
	}{
		"Answers": {
			reason: "The command ends when the head at the address of the leader answers.",
			ray:    `#!/bin/sh` + "\n" + `echo "$@" >>"$LOG"; [ "$1" = --version ] || [ "$(wc -l <"$LOG")" -ge 3 ]` + "\n",
			want:   "--version\nhealth-check --address leader:6379\nhealth-check --address leader:6379\n",
		},
		"NoRay": {reason: "An image without Ray fails at once, so that its pod says so.", code: 127},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			log := filepath.Join(folder, "log")
			if tc.ray != "" {
				writeFile(t, filepath.Join(folder, "ray"), tc.ray, 0o700)
			}
			writeFile(t, filepath.Join(folder, "sleep"), "#!/bin/sh\n", 0o700)
			writeFile(t, log, "", 0o600)
			p := &corev1.PodSpec{}
			AwaitRay(p, &corev1.Container{}, Settings{Hosts: LWSHosts{}})
			cmd := exec.CommandContext(t.Context(), "/bin/sh", append(p.InitContainers[0].Command[1:], p.InitContainers[0].Args...)...)
			cmd.Env = []string{"PATH=" + folder + ":/usr/bin:/bin", "LOG=" + log, "LWS_LEADER_ADDRESS=leader"}
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code {
				t.Errorf("%s\nthe command ends with %d, %v: %s", tc.reason, code, err, out)
			}
			calls, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(calls)); diff != "" {
				t.Errorf("%s\ncalls of ray: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAwaitsRayInEveryStyle holds that a worker waits if the chain makes it join a cluster, and only then.
func TestAwaitsRayInEveryStyle(t *testing.T) {
	for styleName, style := range commandStyles {
		for orchestrator, hosts := range orchestrators {
			for _, sizes := range [][]string{{"-tp", "12"}, {"-dp", "12"}, {"-tp", "2"}} {
				c := containerOf(style, "dynamo.vllm", sizes)
				s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 3, Hosts: hosts, Executor: ExecutorRay, GPULimit: 4, RuntimeVersion: runtime.RayHeadWait.Since()}
				got := AwaitsRay(s, c)
				ConfigureContainer(c, s)
				if want := startsRay(c); got != want {
					t.Errorf("%s, %s, %s: AwaitsRay(...) = %t, want %t", styleName, orchestrator, fmt.Sprint(sizes), got, want)
				}
			}
		}
	}
}
