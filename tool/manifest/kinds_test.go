package manifest

import (
	"strings"
	"testing"
)

// TestInsteadOf shows that no kind of Dynamo is skipped without a word, and no other kind gets one.
func TestInsteadOf(t *testing.T) {
	cases := map[string]struct {
		reason, apiVersion, kind, name string
		want                           string
	}{
		"Request":      {reason: "A request has the graph in its status.", apiVersion: "nvidia.com/v1beta1", kind: "DynamoGraphDeploymentRequest", name: "ask", want: "dynamographdeploymentrequest ask -o jsonpath='{.status.profilingResults.selectedConfig}'"},
		"AlphaRequest": {reason: "A request of v1alpha1 has it in another field.", apiVersion: "nvidia.com/v1alpha1", kind: "DynamoGraphDeploymentRequest", name: "ask", want: "{.status.generatedDeployment}"},
		"Injection":    {reason: "A name that no object can have is in no command.", apiVersion: "nvidia.com/v1beta1", kind: "DynamoGraphDeploymentRequest", name: "a; reboot", want: "dynamographdeploymentrequest NAME -o"},
		"Component":    {reason: "Components are parts of graphs.", apiVersion: "nvidia.com/v1beta1", kind: "DynamoComponentDeployment", name: "one", want: "spec.components"},
		"Model":        {reason: "A model is loaded by others.", apiVersion: "nvidia.com/v1alpha1", kind: "DynamoModel", name: "adapter", want: "modelRef"},
		"Checkpoint":   {reason: "Checkpoints have another kind here.", apiVersion: "nvidia.com/v1alpha1", kind: "DynamoCheckpoint", name: "stored", want: "checkpointRef"},
		"Graph":        {reason: "A graph is none of them.", apiVersion: "nvidia.com/v1beta1", kind: "DynamoGraphDeployment", name: "g"},
		"OtherGroup":   {reason: "A kind of another group is none of them.", apiVersion: "example.com/v1", kind: "DynamoModel", name: "m"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: " + tc.apiVersion + "\nkind: " + tc.kind + "\nmetadata: {name: '" + tc.name + "'}\n"
			files, err := Reader{In: strings.NewReader(text)}.Read([]string{"-"})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Join(files.NotApplied(), "\n")
			if (lines == "") != (tc.want == "") || !strings.Contains(lines, tc.want) {
				t.Errorf("%s\nNotApplied(): want a line with %q, got %q", tc.reason, tc.want, lines)
			}
		})
	}
}
