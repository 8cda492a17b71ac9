package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// insteadOf an object of another kind of Dynamo is what to do, because only its controllers read it. It is empty if it is none.
// https://github.com/ai-dynamo/dynamo/tree/main/deploy/operator/api
func (o *Object) insteadOf() string {
	gvk := o.GroupVersionKind()
	if gvk.Group != v1beta1.Group {
		return ""
	}
	switch gvk.Kind {
	case "DynamoGraphDeploymentRequest":
		path := "status.profilingResults.selectedConfig"
		if gvk.Version == "v1alpha1" {
			path = "status.generatedDeployment"
		}
		name := o.GetName()
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			name = "NAME" // What is printed as a command must not contain another one.
		}
		return fmt.Sprintf("write the graph that it recommends: apply it with autoApply: false where the Dynamo operator runs, and save what kubectl get dynamographdeploymentrequest %s -o jsonpath='{.%s}' prints, or start from one of the examples", name, path)
	case "DynamoComponentDeployment":
		return "write its spec as an entry of spec.components of a DynamoGraphDeployment, with its name; leave out the DynamoComponentDeployments that the Dynamo operator has created, because they follow from their graph"
	case "DynamoModel":
		return "name the base model in modelRef of its workers; the functions load no adapters: run the controller of DynamoModel, or load them with a client, as " + compatibility.Page("modalities.md#lora") + " says"
	case "DynamoCheckpoint":
		return "let experimental.checkpoint of a component create a checkpoint, or name a PodSnapshot in its checkpointRef, as " + compatibility.Page("checkpoints.md#creation") + " says"
	default:
		return ""
	}
}
