package kubelet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podOf containers with images. The first is called main.
func podOf(images ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "inference", Name: "worker", UID: "uid"}, Spec: corev1.PodSpec{NodeName: "node"}}
	for i, image := range images {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: []string{"main", "sidecar"}[i], Image: image})
	}
	return pod
}

// shown of a pod: its phase, why containers wait, and the events.
type shown struct {
	Phase  corev1.PodPhase
	Waits  map[string]string
	Events []string
}

func shownBy(l *look) shown {
	s := shown{Phase: l.status.Phase, Waits: map[string]string{}}
	for _, statuses := range [][]corev1.ContainerStatus{l.status.InitContainerStatuses, l.status.ContainerStatuses} {
		for i := range statuses {
			if waiting := statuses[i].State.Waiting; waiting != nil {
				s.Waits[statuses[i].Name] = waiting.Reason + ": " + waiting.Message
			}
		}
	}
	for _, e := range l.events {
		s.Events = append(s.Events, e.eventType+" "+e.reason+" "+e.path+": "+e.message)
	}
	return s
}

// TestLookAt holds what is said of pods to the words of Kubernetes 1.36.
func TestLookAt(t *testing.T) {
	const (
		gone  = "registry.example.org/vllm:1.3.0-missing"
		cause = `rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.org/vllm:1.3.0-missing": failed to resolve reference ` +
			`"registry.example.org/vllm:1.3.0-missing": registry.example.org/vllm:1.3.0-missing: not found`
		present = `Container image "image:1" already present on machine and can be accessed by the pod`
	)
	token := corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "hf-token"}}}
	key := corev1.EnvVar{Name: "TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}, Key: "token",
	}}}
	cases := map[string]struct {
		reason  string
		pod     *corev1.Pod
		change  func(*corev1.Pod)
		running time.Duration
		want    shown
	}{
		"Runs": {
			reason: "A pod that lacks nothing runs, and nothing is said about it.",
			pod:    podOf("image:1"),
			want:   shown{Phase: corev1.PodRunning, Waits: map[string]string{}},
		},
		"Pulls": {
			reason: "An image that does not exist is not pulled, and the other container runs.",
			pod:    podOf(gone, "image:1"),
			want: shown{
				Phase: corev1.PodPending,
				Waits: map[string]string{"main": "ErrImagePull: " + cause},
				Events: []string{
					`Normal Pulling spec.containers{main}: Pulling image "` + gone + `"`,
					`Warning Failed spec.containers{main}: Failed to pull image "` + gone + `": ` + cause,
					"Warning Failed spec.containers{main}: Error: ErrImagePull",
				},
			},
		},
		"BacksOff": {
			reason:  "Then the kubelet waits, and remembers why.",
			pod:     podOf(gone),
			running: 5 * time.Second,
			want: shown{
				Phase: corev1.PodPending,
				Waits: map[string]string{"main": `ImagePullBackOff: Back-off pulling image "` + gone + `": ErrImagePull: ` + cause},
				Events: []string{
					`Normal BackOff spec.containers{main}: Back-off pulling image "` + gone + `"`,
					"Warning Failed spec.containers{main}: Error: ImagePullBackOff",
				},
			},
		},
		"NoSecret": {
			reason: "A variable needs its Secret.",
			pod:    podOf("image:1"),
			change: func(pod *corev1.Pod) { pod.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{token} },
			want: shown{
				Phase: corev1.PodPending,
				Waits: map[string]string{"main": `CreateContainerConfigError: secret "hf-token" not found`},
				Events: []string{
					"Normal Pulled spec.containers{main}: " + present,
					`Warning Failed spec.containers{main}: Error: secret "hf-token" not found`,
				},
			},
		},
		"NoKey": {
			reason: "A variable needs its key, and an init container comes first.",
			pod:    podOf("image:1"),
			change: func(pod *corev1.Pod) {
				pod.Spec.InitContainers = []corev1.Container{{Name: "fetch", Image: "image:1", Env: []corev1.EnvVar{key}}}
			},
			want: shown{
				Phase: corev1.PodPending,
				Waits: map[string]string{
					"fetch": "CreateContainerConfigError: couldn't find key token in Secret inference/keys", "main": "PodInitializing: ",
				},
				Events: []string{
					"Normal Pulled spec.initContainers{fetch}: " + present,
					"Warning Failed spec.initContainers{fetch}: Error: couldn't find key token in Secret inference/keys",
				},
			},
		},
		"NoVolume": {
			reason: "A volume needs its ConfigMap, before any image is pulled.",
			pod:    podOf(gone),
			change: func(pod *corev1.Pod) {
				pod.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: "engine"},
				}}}}
			},
			want: shown{
				Phase:  corev1.PodPending,
				Waits:  map[string]string{"main": "ContainerCreating: "},
				Events: []string{`Warning FailedMount : MountVolume.SetUp failed for volume "config" : configmap "engine" not found`},
			},
		},
		"NoSources": {
			reason: "A projected volume names all that it lacks.",
			pod:    podOf("image:1"),
			change: func(pod *corev1.Pod) {
				pod.Spec.Volumes = []corev1.Volume{{Name: "all", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
					Sources: []corev1.VolumeProjection{
						{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "engine"}}},
						{Secret: &corev1.SecretProjection{
							LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}, Items: []corev1.KeyToPath{{Key: "token", Path: "token"}},
						}},
					},
				}}}}
			},
			want: shown{
				Phase: corev1.PodPending,
				Waits: map[string]string{"main": "ContainerCreating: "},
				Events: []string{
					`Warning FailedMount : MountVolume.SetUp failed for volume "all" : [configmap "engine" not found, references non-existent secret key: token]`,
				},
			},
		},
		"Unready": {
			reason: "A container that does not serve fails its probe.",
			pod:    podOf("image" + TagUnready),
			want: shown{
				Phase: corev1.PodRunning, Waits: map[string]string{},
				Events: []string{"Warning Unhealthy spec.containers{main}: Readiness probe failed: HTTP probe failed with statuscode: 503"},
			},
		},
		"Crashes": {
			reason:  "A container that has crashed had run.",
			pod:     podOf("image" + TagCrashing),
			running: crashInterval,
			want:    shown{Phase: corev1.PodRunning, Waits: map[string]string{"main": "CrashLoopBackOff: back-off restarting failed container main"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.change != nil {
				tc.change(tc.pod)
			}
			find := objects{{"secret", "keys"}: {"other"}}.find
			l := lookAt(tc.pod, tc.running, find)
			if diff := cmp.Diff(tc.want, shownBy(l)); diff != "" {
				t.Errorf("%s\nlookAt(...): -want, +got:\n%s", tc.reason, diff)
			}
			// What is written is what is seen at the next look.
			tc.pod.Status = l.status
			if diff := cmp.Diff(l.status, lookAt(tc.pod, tc.running, find).status); diff != "" {
				t.Errorf("%s\nWant the same status at the next look: -first, +second:\n%s", tc.reason, diff)
			}
		})
	}
}
