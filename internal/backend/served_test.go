package backend

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestServedModelName shows which flag names the model that a container serves.
func TestServedModelName(t *testing.T) {
	cases := map[string]struct {
		reason  string
		command []string
		args    []string
		env     []corev1.EnvVar
		want    string
	}{
		"None":       {reason: "A program without a flag serves a model that only its image knows.", args: []string{"python3", "-m", "dynamo.vllm"}},
		"Served":     {reason: "The name for clients comes before the model.", args: []string{"--model", "org/model", "--served-model-name", "name"}, want: "name"},
		"ModelName":  {reason: "The mocker and the frontend have another flag for it.", args: []string{"--model-path", "/models/a", "--model-name", "name"}, want: "name"},
		"Model":      {reason: "Without a name the model is its own.", args: []string{"--model", "org/model"}, want: "org/model"},
		"ModelPath":  {reason: "SGLang and TensorRT-LLM have the model in another flag.", args: []string{"--model-path", "org/model"}, want: "org/model"},
		"Order":      {reason: "The order of the flags in the command does not matter, except that the last of two equal ones counts.", args: []string{"--model-path", "c", "--model", "a", "--model", "b"}, want: "b"},
		"Password":   {reason: "An address with a password is no name, and the status is for more readers than the command.", args: []string{"--model", "s3://key:secret@bucket/model"}},
		"Joined":     {reason: "An equals sign joins a flag and its value.", args: []string{"--served-model-name=name=1"}, want: "name=1"},
		"Underscore": {reason: "Engines take underscores for dashes.", args: []string{"--served_model_name", "name"}, want: "name"},
		"Several":    {reason: "The first of several names is that in metrics.", args: []string{"--served-model-name", "name", "alias", "--model", "m"}, want: "name"},
		"Command":    {reason: "A command may have all arguments.", command: []string{"python3", "-m", "dynamo.vllm", "--model", "m"}, want: "m"},
		"Script":     {reason: "A script is split into words.", command: []string{"sh", "-c"}, args: []string{`exec python3 -m dynamo.vllm --model "my model" # --served-model-name b`}, want: "my model"},
		"ScriptBoth": {reason: "A script of several programs names the model of one.", command: []string{"bash", "-c"}, args: []string{"python3 -m dynamo.frontend &\npython3 -m dynamo.sglang --model-path a --served-model-name=b"}, want: "b"},
		"Inner":      {reason: "A script within a script is split as well.", command: []string{"bash", "-c"}, args: []string{`mpirun -np 2 bash -c "python3 -m dynamo.trtllm --model-path a"`}, want: "a"},
		"Passed":     {reason: "A script may pass on its arguments.", command: []string{"sh", "-c", `exec "$@"`, "sh"}, args: []string{"python3", "-m", "dynamo.vllm", "--model", "m"}, want: "m"},
		"Lost":       {reason: "Arguments after a script that reads none are lost.", command: []string{"sh", "-c", "python3 -m dynamo.vllm"}, args: []string{"--model", "m"}},
		"NoValue":    {reason: "A flag at the end has no value.", args: []string{"--model-path", "a", "--model"}},
		"NextFlag":   {reason: "A flag is not the value of another.", args: []string{"--model", "--trust-remote-code", "a"}},
		"Other":      {reason: "The beginning of a flag's name is another flag.", args: []string{"--model-type", "a", "-model", "b"}},
		"Variable":   {reason: "The value of a variable is in the graph.", args: []string{"--model", "$(MODEL)"}, env: []corev1.EnvVar{{Name: "MODEL", Value: "m"}}, want: "m"},
		"Unknown":    {reason: "The value of a variable may be elsewhere, and then no other flag has the name.", args: []string{"--model", "m", "--served-model-name", "$NAME"}},
		"Secret":     {reason: "The value of a Secret is not looked up.", args: []string{"--model", "$(MODEL)"}, env: []corev1.EnvVar{{Name: "MODEL", ValueFrom: &corev1.EnvVarSource{}}}},
		"Part":       {reason: "A part of a value may be in a variable.", args: []string{"--model", "/models/$(MODEL)"}, env: []corev1.EnvVar{{Name: "MODEL", Value: "m"}}},
		"Long":       {reason: "No name is as long as a script.", args: []string{"--model", strings.Repeat("m", longestName+1)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := (*Texts)(nil).ServedModelName(&corev1.Container{Command: tc.command, Args: tc.args, Env: tc.env})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nServedModelName(%q, %q): -want, +got:\n%s", tc.reason, tc.command, tc.args, diff)
			}
		})
	}
}

// TestRuntimeComponentName shows what part of an endpoint is the component.
func TestRuntimeComponentName(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		env    []corev1.EnvVar
		want   string
	}{
		"None":      {reason: "Without an endpoint the engine decides.", args: []string{"python3", "-m", "dynamo.vllm"}},
		"Scheme":    {reason: "An endpoint may have the scheme of Dynamo.", args: []string{"--endpoint", "dyn://ns.decode.generate"}, want: "decode"},
		"NoScheme":  {reason: "The scheme may be left out.", args: []string{"--endpoint", "ns.decode.generate"}, want: "decode"},
		"Joined":    {reason: "An equals sign joins a flag and its value.", args: []string{"--endpoint=dyn://ns.decode.generate"}, want: "decode"},
		"Script":    {reason: "A script is split into words.", args: []string{"sh", "-c", "python3 -m dynamo.vllm --endpoint 'dyn://ns.decode.generate'"}, want: "decode"},
		"Namespace": {reason: "The namespace may be in a variable.", args: []string{"--endpoint", "dyn://$(DYN_NAMESPACE).decode.generate"}, want: "decode"},
		"InScript":  {reason: "A variable in a script may be written in another way.", args: []string{"sh", "-c", `main --endpoint "dyn://${DYN_NAMESPACE}.decode.generate"`}, want: "decode"},
		"Variable":  {reason: "The endpoint may be in a variable.", args: []string{"--endpoint", "$(ENDPOINT)"}, env: []corev1.EnvVar{{Name: "ENDPOINT", Value: "ns.decode.generate"}}, want: "decode"},
		"Unknown":   {reason: "The component may be in a variable that is not in the graph.", args: []string{"--endpoint", "ns.$(COMPONENT).generate"}},
		"Short":     {reason: "An endpoint has three parts.", args: []string{"--endpoint", "decode.generate"}},
		"Long":      {reason: "An endpoint has no more than three parts.", args: []string{"--endpoint", "a.b.c.d"}},
		"Empty":     {reason: "No part is empty.", args: []string{"--endpoint", "ns..generate"}},
		"URL":       {reason: "The address of another server is not an endpoint of Dynamo.", args: []string{"--endpoint", "http://server.example.org"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := (*Texts)(nil).RuntimeComponentName(&corev1.Container{Args: tc.args, Env: tc.env})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRuntimeComponentName(%q): -want, +got:\n%s", tc.reason, tc.args, diff)
			}
		})
	}
}
