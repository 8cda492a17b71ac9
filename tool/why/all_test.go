package why

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// TestAll checks that each graph of a cluster is in a line, with the code of what keeps it from being ready.
func TestAll(t *testing.T) {
	ready := graphWith(t, "Accepted=True", "Synced=True", "Ready=True")
	ready.SetNamespace("research")
	refused := graphWith(t, "Accepted=False/Invalid: spec.components: \x1b[31m", "Ready=False")
	held := graphWith(t, "Accepted=False/Invalid: spec.components: Required value", "Ready=True")
	held.SetNamespace("research")
	held.SetName("held")
	all, err := All(clusterWith(*refused, *held, *ready), "kubectl")
	if err != nil {
		t.Fatal(err)
	}
	var text, encoded bytes.Buffer
	for format, out := range map[string]*bytes.Buffer{output.FormatText: &text, output.FormatJSON: &encoded} {
		if err := WriteAll(out, all, format); err != nil {
			t.Fatal(err)
		}
	}
	const want = "inference/llama is not ready [GraphRefused]: The graph is refused, and nothing is changed: spec.components: [31m.\n" +
		"research/held is ready, but its latest change is not applied [GraphRefused]: The graph is refused, and nothing is changed: spec.components: Required value.\n" +
		"research/llama is ready\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("WriteAll(...): -want, +got:\n%s", diff)
	}
	var decoded []Diagnosis
	if err := json.Unmarshal(encoded.Bytes(), &decoded); err != nil || len(decoded) != 3 || decoded[0].Causes[0].Code != GraphRefused {
		t.Errorf("want all graphs in JSON, got %v, %v", decoded, err)
	}
	forbidden := clusterWith()
	forbidden.Forbidden = []string{"DynamoGraphDeployment"}
	if _, err := All(forbidden, "kubectl"); err == nil {
		t.Error("want an error if graphs may not be listed")
	}
	if _, err := All(clusterWith(), "kubectl"); err != nil {
		t.Errorf("want no error without graphs, got %v", err)
	}
	if err := WriteAll(broken{}, all, output.FormatText); err == nil {
		t.Error("want an error if nothing can be written")
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }
