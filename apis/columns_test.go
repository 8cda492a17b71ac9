package apis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// refused is the status of a graph whose edit was refused while its pods are not ready. fn-tests/api shows how a graph gets there.
const refused = `
spec: {backendFramework: vllm}
status:
  state: pending
  orchestrator: Grove
  totalGPUs: 8
  readyComponents: 1/2
  runtimeVersion: 1.1.0, 1.5.0
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError, message: "cannot compose resources: admission webhook denied the request"}
    - {type: Ready, status: "True", reason: Available}
    - {type: Accepted, status: "False", reason: Invalid, message: "spec.components: Required value"}
    - {type: ServicesReady, status: "False", reason: updating, message: "Resources not ready: llama"}
    - {type: TopologyLevelsAvailable, status: "True", reason: AllTopologyLevelsAvailable}
`

// TestColumns checks what kubectl get shows of a graph, and with -o wide. Crossplane adds columns of its own after these.
func TestColumns(t *testing.T) {
	graph := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte(refused), &graph.Object); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"Accepted": "Invalid", "Components": "1/2", "GPUs": int64(8), "Orchestrator": "Grove",
		"State (wide)": "pending", "Backend (wide)": "vllm", "Runtime (wide)": "1.1.0, 1.5.0",
		"Topology (wide)": "AllTopologyLevelsAvailable", "Problems (wide)": "spec.components: Required value",
		"Message (wide)": "Resources not ready: llama", "Error (wide)": "cannot compose resources: admission webhook denied the request",
	}
	for name, path := range definitions {
		t.Run(name, func(t *testing.T) {
			crds, err := schema.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, crd := range crds {
				convertor, err := tableconvertor.New(crd.Spec.Versions[0].AdditionalPrinterColumns)
				if err != nil {
					t.Fatal(err)
				}
				table, err := convertor.ConvertToTable(t.Context(), graph, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]any{}
				for i, column := range table.ColumnDefinitions {
					key := column.Name
					if column.Priority > 0 {
						key += " (wide)"
					}
					if _, ours := want[key]; ours {
						got[key] = table.Rows[0].Cells[i]
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("columns of %s: -want, +got:\n%s", crd.Name, diff)
				}
			}
		})
	}
}
