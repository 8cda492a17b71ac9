package engines

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// summary of a render: where constraints stand in its objects, what the condition says, and what the user is told.
func summary(t *testing.T, out harness.Output) string {
	t.Helper()
	if out.Err != nil {
		return "! " + refusal(out) + "\n"
	}
	var lines strings.Builder
	for _, object := range out.Composed {
		switch object.GetKind() {
		case "PodCliqueSet":
			summarizeSet(t, &lines, object)
		case "LeaderWorkerSet", "PodGroup", "Deployment":
			network := nested(object.Object, "spec", "networkTopology")
			annotations := placementAnnotations(object)
			if network == nil && annotations == nil && object.GetKind() != "PodGroup" {
				continue
			}
			fmt.Fprintf(&lines, "%s %s", object.GetKind(), object.GetName())
			if members := nested(object.Object, "spec", "minMember"); members != nil {
				fmt.Fprintf(&lines, " minMember=%v", members)
			}
			lines.WriteString(inline(t, annotations) + inline(t, network) + "\n")
		}
	}
	for _, condition := range conditions(out.Composite) {
		switch {
		case condition["type"] == "TopologyLevelsAvailable":
			message, _ := condition["message"].(string)
			lines.WriteString(strings.TrimSpace(fmt.Sprintf("? %s=%s %s %s", condition["type"], condition["status"], condition["reason"], message)) + "\n")
		case condition["type"] == "Accepted" && condition["message"] != nil:
			fmt.Fprintf(&lines, "? %s: %s\n", condition["reason"], condition["message"])
		}
	}
	return lines.String()
}

func summarizeSet(t *testing.T, lines *strings.Builder, set *unstructured.Unstructured) {
	t.Helper()
	template, _ := nested(set.Object, "spec", "template").(map[string]any)
	fmt.Fprintf(lines, "PodCliqueSet %s%s%s\n", set.GetName(), inline(t, placementAnnotations(set)), inline(t, template["topologyConstraint"]))
	for _, group := range slice(template["podCliqueScalingGroups"]) {
		fmt.Fprintf(lines, "  group %s replicas=%v minAvailable=%v%s\n", group["name"], group["replicas"], group["minAvailable"], inline(t, group["topologyConstraint"]))
	}
	for _, clique := range slice(template["cliques"]) {
		fmt.Fprintf(lines, "  clique %s replicas=%v minAvailable=%v%s\n", clique["name"], nested(clique, "spec", "replicas"), nested(clique, "spec", "minAvailable"), inline(t, clique["topologyConstraint"]))
	}
}

// placementAnnotations of an object; nil when it has none.
func placementAnnotations(object *unstructured.Unstructured) any {
	all := map[string]any{}
	for key, value := range object.GetAnnotations() {
		if strings.Contains(key, "topology") {
			all[key] = value
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// inline is a value as JSON, after a blank; empty for none.
func inline(t *testing.T, value any) string {
	t.Helper()
	if value == nil {
		return ""
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return " " + string(encoded)
}

func nested(object map[string]any, path ...string) any {
	value, _, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil {
		return nil
	}
	return value
}

func slice(value any) []map[string]any {
	list, _ := value.([]any)
	var all []map[string]any
	for _, item := range list {
		if item, ok := item.(map[string]any); ok {
			all = append(all, item)
		}
	}
	return all
}

// conditions of the composite resource, sorted by type.
func conditions(composite *unstructured.Unstructured) []map[string]any {
	all := slice(nested(composite.Object, "status", "conditions"))
	slices.SortFunc(all, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["type"]), fmt.Sprint(b["type"])) })
	return all
}

// refusal is the message of a render that was refused, without what the command says of every refusal.
func refusal(out harness.Output) string {
	_, message, found := strings.Cut(out.Stderr, "fatal result: ")
	if !found {
		message = out.Stderr
	}
	return strings.TrimSpace(message)
}
