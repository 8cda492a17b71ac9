package admission

import (
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// Names of the policies about names.
const (
	GraphNames = "dynamo-graph-names"
	GroveNames = "dynamo-graph-names-on-grove"
)

// components is an expression for a list of what component is for each component, and service for each service, of those that meet a
// condition.
func components(condition, component, service string) string {
	const one = "object.spec.services[name]"
	return `has(object.spec.components)
		? object.spec.components.filter(c, ` + strings.ReplaceAll(condition, "SELF", "c") + `).map(c, ` + component + `)
		: has(object.spec.services)
		? object.spec.services.filter(name, ` + strings.ReplaceAll(condition, "SELF", one) + `).map(name, ` + service + `)
		: []`
}

// lowered are the names of components that meet a condition, in the form in which they are part of names of objects.
func lowered(condition string) string {
	return components(condition, "c.name.lowerAscii()", "name.lowerAscii()")
}

// graphNames are the rules of validate.componentNames. The names of a graph and of its components never change, so they are only checked when
// a graph is created: whatever is refused here, the controllers of graphs that exist are not affected.
func graphNames() Manifest {
	most := strconv.Itoa(validation.DNS1035LabelMaxLength)
	p := policy(GraphNames, admissionv1.Create)
	p.Spec.MatchConditions = []admissionv1.MatchCondition{notAdopted()}
	p.Spec.Variables = []admissionv1.Variable{
		variable("names", lowered("true")),
		variable("graph", `has(object.metadata.name) ? object.metadata.name.replace('.', '-') : ''`),
	}
	const (
		improper  = `!n.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`
		duplicate = `!variables.names.exists_one(m, m == n)`
	)
	long := `size(variables.graph) + 1 + size(n) > ` + most
	p.Spec.Validations = []admissionv1.Validation{
		rule(none("variables.names", improper),
			`'the name of a component must be a DNS label: letters, digits and dashes, beginning and ending with a letter or digit: ' + `+
				which("variables.names", improper)),
		rule(none("variables.names", duplicate),
			`'names of components differ only in case, but names of objects are lower case; rename one of the two: ' + `+which("variables.names", duplicate)),
		rule(none("variables.names", long),
			`'the Service of a component has the names of the graph (' + variables.graph + ') and of the component, and at most `+most+
				` characters; shorten one of them: ' + `+which("variables.names", long)),
		rule(`variables.graph.matches('^[a-z]')`,
			`'names of Services begin with the name of the graph, and have to begin with a letter; rename the graph ' + variables.graph`),
	}
	return Manifest{
		Name: "names.yaml",
		Comment: `Graphs that are refused because of their names whatever runs them: names of Services have at most ` + most + ` characters. Step plan
refuses these graphs as well, but after they are stored.`,
		Objects: []any{p, binding(GraphNames)},
	}
}

// groveNames are the rules of validate.grove and validate.identity about names, as far as they follow from the graph: weight servers and
// scaling groups take more of the length.
func groveNames() Manifest {
	const (
		multinode = `has(SELF.multinode) && (!has(SELF.multinode.nodeCount) || SELF.multinode.nodeCount > 1)`
		leader    = "-ldr"
	)
	most, shortest := strconv.Itoa(validate.MaxGroveName), strconv.Itoa(names.ShortestSet)
	p := policy(GroveNames, admissionv1.Create)
	p.Spec.MatchConditions = []admissionv1.MatchCondition{notAdopted(), {
		Name: "on-grove", Expression: oneLine(`!(` + hasAnnotation("object", metadata.AnnotationEnableGrove) + `) &&
			!(` + hasAnnotation("object", metadata.AnnotationWorkloadProvider) + `)`),
	}}
	p.Spec.Variables = []admissionv1.Variable{
		variable("single", lowered("!("+multinode+")")),
		variable("multi", lowered(multinode)),
		variable("cliques", `variables.single + variables.multi.map(n, n + '`+leader+`')`),
		variable("graph", `has(object.metadata.name) ? object.metadata.name : ''`),
		// A longer name is cut, but not below this length: names.FitPodCliqueSet.
		variable("set", `size(variables.graph) < `+shortest+` ? size(variables.graph) : `+shortest),
	}
	const (
		duplicate = `!variables.cliques.exists_one(m, m == n)`
		suffix    = `variables.cliques.exists(m, m != n && n.endsWith(m))`
	)
	long := `variables.set + size(n) > ` + most
	longGroup := `variables.set + 2 * size(n) + ` + strconv.Itoa(len(leader)) + ` > ` + most
	p.Spec.Validations = []admissionv1.Validation{
		rule(`variables.graph.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(variables.graph) <= `+strconv.Itoa(validation.DNS1035LabelMaxLength),
			`'the name of a graph must begin with a letter and contain no dots on Grove; rename the graph ' + variables.graph`),
		rule(none("variables.single", long),
			`'Grove allows at most `+most+` characters for the name of a graph, which is cut, and of a component together; shorten the name of the component: ' + `+
				which("variables.single", long)),
		rule(none("variables.multi", longGroup),
			`'Grove allows at most `+most+` characters for the name of a graph, which is cut, twice that of a multinode component, and its role; '+
				'shorten the name of the component: ' + `+which("variables.multi", longGroup)),
		rule(none("variables.cliques", duplicate),
			`'two components have the same clique on Grove; rename one of them: ' + `+which("variables.cliques", duplicate)),
		rule(none("variables.cliques", suffix),
			`'Grove mistakes a clique for another clique whose name is the end of its name; rename one of the two components: ' + `+which("variables.cliques", suffix)),
	}
	return Manifest{
		Name: "names-grove.yaml",
		Comment: `Graphs that are refused because of their names if they run on Grove. Apply this only if graphs run on Grove unless they have
annotation ` + metadata.AnnotationEnableGrove + `: graphs with this annotation are not checked.`,
		Objects: []any{p, binding(GroveNames)},
	}
}

// none is the expression that no element n of a list meets a condition.
func none(list, condition string) string { return list + ".all(n, !(" + condition + "))" }

// which are the elements of a list that meet a condition, as a text.
func which(list, condition string) string {
	return list + ".filter(n, " + condition + ").join(', ')"
}
