package doctor

import (
	"fmt"
	"strings"
)

// moving is where to read how to leave the operator.
const moving = "Uninstall the operator when its graphs are adopted or deleted: see docs/moving-in.md."

// operator of Dynamo, which handles the same graphs.
func operator(f *Facts) Finding {
	for i := range f.Deployments {
		if d := &f.Deployments[i]; isOperators(d) {
			return problem(fmt.Sprintf("The Dynamo operator runs as Deployment %s in namespace %s, and handles the same graphs.", d.Name, d.Namespace), moving)
		}
	}
	return ok("The Dynamo operator does not run.")
}

// webhooks that refuse or change graphs.
func webhooks(f *Facts) Finding {
	var operators, others []string
	for _, w := range f.Webhooks {
		object := w.Kind + " " + w.Name
		if w.Operator {
			operators = append(operators, object)
		} else {
			others = append(others, object)
		}
	}
	switch {
	case len(operators) > 0:
		return problem(fmt.Sprintf("Webhooks of the Dynamo operator refuse or change graphs: %s.", strings.Join(operators, ", ")),
			"Delete the webhooks, and everything else that is left of the operator: see docs/moving-in.md.")
	case len(others) > 0:
		return warning(fmt.Sprintf("Webhooks may refuse or change graphs: %s.", strings.Join(others, ", ")),
			"Check that the webhooks are yours. Delete webhooks of the Dynamo operator.")
	default:
		return ok("No webhook refuses or changes graphs.")
	}
}
