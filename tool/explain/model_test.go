package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDownloaded(t *testing.T) {
	const model = "example/chat-70b"
	claim := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "models"}}
	mounted := func(source corev1.VolumeSource) corev1.PodSpec {
		return corev1.PodSpec{
			Volumes:    []corev1.Volume{{Name: "a", VolumeSource: source}},
			Containers: []corev1.Container{{VolumeMounts: []corev1.VolumeMount{{Name: "a", MountPath: "/a"}}}},
		}
	}
	cases := map[string]struct {
		reason string
		nodes  int32
		args   []string
		pod    corev1.PodSpec
		want   string
	}{
		"Hub":      {reason: "A name is that of a model that is downloaded.", nodes: 2, args: []string{"--model", model}, want: model},
		"Path":     {reason: "SGLang and TensorRT-LLM have another flag.", nodes: 2, args: []string{"--model-path=" + model}, want: model},
		"OneNode":  {reason: "One node downloads it once.", nodes: 1, args: []string{"--model", model}},
		"Folder":   {reason: "A folder is not downloaded.", nodes: 2, args: []string{"--model", "/models/chat"}},
		"Address":  {reason: "An address may be that of a cache.", nodes: 2, args: []string{"--model", "s3://models/chat"}},
		"Variable": {reason: "The value of a variable is not known.", nodes: 2, args: []string{"--model", "$(MODEL)"}},
		"Unnamed":  {reason: "The model may be in a file.", nodes: 2},
		"Claim":    {reason: "The model may be in a claim.", nodes: 2, args: []string{"--model", model}, pod: mounted(claim)},
		"Memory":   {reason: "An empty volume ends with its pod.", nodes: 2, args: []string{"--model", model}, pod: mounted(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}), want: model},
		"Express": {
			reason: "Model Express shares what it downloads.", nodes: 2, args: []string{"--model", model},
			pod: corev1.PodSpec{Containers: []corev1.Container{{Env: []corev1.EnvVar{{Name: "MODEL_EXPRESS_URL", Value: "http://express"}}}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := v1alpha1.Service{
				ComponentType: v1alpha1.ComponentWorker, Multinode: &v1alpha1.Multinode{NodeCount: tc.nodes},
				ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Command: []string{"python3", "-m", "dynamo.vllm"}, Args: tc.args}},
			}
			d := &describer{
				graph: graphtest.Of(&graph.Graph{CommandLines: &backend.Texts{}}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": service}}),
				plan:  &graphplan.Plan{Components: map[string]graphplan.Component{"Worker": {Framework: v1alpha1.BackendVLLM}}},
			}
			if got := d.downloaded("Worker", []corev1.PodTemplateSpec{{Spec: tc.pod}}); got != tc.want {
				t.Errorf("%s\ndownloaded(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
