package admission

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Compositions is the name of the policy about who chooses the Composition of a graph.
const Compositions = "dynamo-graph-compositions"

// CompositionFields are the fields of a graph that choose its Composition, or the revision of it: in spec.crossplane, and with claims in spec.
// Crossplane takes the revision that a graph with update policy Manual names, of whichever Composition it is, even if the
// CompositeResourceDefinition enforces one.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/api.go#L143
func CompositionFields() []string {
	return []string{"compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector", "compositionUpdatePolicy"}
}

// compositions may only be chosen by those who may change Compositions: the platform, and Crossplane, which writes what it has selected.
// Whoever may not could choose an older revision, whose input has no guard rails.
func compositions() Manifest {
	p := policy(Compositions, admissionv1.Create, admissionv1.Update)
	var chosen []string
	for _, root := range []string{"spec.crossplane", "spec"} {
		for _, field := range CompositionFields() {
			chosen = append(chosen, chosenField(root, field))
		}
	}
	p.Spec.Variables = []admissionv1.Variable{
		variable("chosen", strings.Join(chosen, " + ")),
		variable("isPlatform", `authorizer.group('apiextensions.crossplane.io').resource('compositions').check('update').allowed()`),
	}
	p.Spec.Validations = []admissionv1.Validation{rule(
		`size(variables.chosen) == 0 || variables.isPlatform`,
		quoted("only the platform chooses the Composition of a graph; remove ")+` + variables.chosen.join(', ')`,
	)}
	b := binding(Compositions)
	b.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{TenantLabel: Enforced}}}
	return Manifest{
		Name: "compositions.yaml",
		Comment: `In namespaces with label ` + TenantLabel + `: ` + Enforced + `, only users who may change Compositions choose the
Composition of a graph or a revision of it. docs/policy.md says against whom guard rails hold with it.`,
		Objects: []any{p, b},
	}
}

// chosenField is an expression for the path of a field with a new value, in a list, or for an empty list.
func chosenField(root, field string) string {
	has := func(object string) string {
		all, names := []string{}, []string{object}
		for _, part := range append(strings.Split(root, "."), field) {
			names = append(names, part)
			all = append(all, "has("+strings.Join(names, ".")+")")
		}
		return strings.Join(all, " && ")
	}
	path := "." + root + "." + field
	return `(` + has("object") + ` && !(oldObject != null && ` + has("oldObject") + ` && oldObject` + path + ` == object` + path + `) ? [` + quoted(root+"."+field) + `] : [])`
}
