package backend

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// poolName is the flag without which an Endpoint Picker does not start, and which no other program has.
// https://github.com/kubernetes-sigs/gateway-api-inference-extension/blob/main/cmd/epp/runner/runner.go
const poolName = "pool-name"

// ComponentType is the type of a component that runs a command line, and the program that says it: a module, or an Endpoint Picker. A worker for one
// phase of inference is a worker. Both are empty if programs of different types run, or none that is known.
func (t *Texts) ComponentType(argv []string) (componentType, program string) {
	if BeginsWithModule(argv) {
		argv = slices.Concat([]string{"python3"}, argv)
	}
	for _, module := range t.Modules(argv) {
		found := typeOfModule(module)
		switch {
		case found == "" || found == componentType:
		case componentType != "":
			return "", ""
		default:
			componentType, program = found, module
		}
	}
	if componentType == "" && slices.ContainsFunc(t.tokens(argv), isPoolName) {
		return v1alpha1.ComponentEPP, "an Endpoint Picker"
	}
	return componentType, program
}

// typeOfModule is the type of a component that runs a module of Dynamo. Modules that a script calls beside it have none, and neither has the Prometheus
// of early planners.
func typeOfModule(module string) string {
	program, tool, _ := strings.Cut(strings.TrimPrefix(module, dynamo), ".")
	switch {
	case strings.HasPrefix(tool, "utils"):
		return ""
	case program == "frontend":
		return v1alpha1.ComponentFrontend
	case program == "planner" && !strings.HasPrefix(tool, "prometheus"):
		return v1alpha1.ComponentPlanner
	case program == "mocker" || slices.Contains(engine.Frameworks(), program):
		return v1alpha1.ComponentWorker
	default:
		return ""
	}
}

func isPoolName(token string) bool {
	name, isFlag := strings.CutPrefix(token, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	return isFlag && name == poolName
}
