package runtime

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"

// Need is what components of a type need of the workers of their graph, which older workers do not have.
type Need struct {
	// ComponentType of the component that has the need, since its own release Since.
	ComponentType v1beta1.ComponentType
	Since         Version

	// Rule that the pods of workers have to follow.
	Rule Rule

	// Component and Purpose say which component needs what for what, and Workers say what older workers lack.
	Component, Purpose, Workers string
}

// Needs are the combinations of releases that do not work together.
func Needs() []Need {
	return []Need{
		{
			ComponentType: v1beta1.ComponentEPP, Since: "1.3.0", Rule: ComponentClass,
			Component: "Endpoint Pickers", Purpose: "may find workers only by label nvidia.com/dynamo-component-class", Workers: "have the label",
		},
		{
			ComponentType: v1beta1.ComponentPlanner, Since: "1.2.0", Rule: ForwardPassMetrics,
			Component: "planners", Purpose: "need forward-pass metrics to scale by load", Workers: "publish them",
		},
	}
}
