// Package admission contains rules for graphs in the form of ValidatingAdmissionPolicies, so that the API server refuses a graph before it is
// stored. Step plan has all rules, and says more: the policies are for what a platform does not want to see stored at all, and for users who
// look at what kubectl says rather than at conditions. They need no webhook.
//
// A policy must refuse no graph that step plan accepts. It sees one graph, and neither the cluster nor the input of step plan, so it may be
// more lenient. fn-tests/platform holds the policies to that.
package admission

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// A Manifest that users apply.
type Manifest struct {
	// Name of the file.
	Name string
	// Comment at its beginning, without the hash signs.
	Comment string
	// Objects in it.
	Objects []any
}

// Manifests with the policies.
func Manifests() []Manifest {
	return []Manifest{graphNames(), groveNames(), guardRails(), compositions()}
}

// resource of graphs in both flavors of the API: in that with claims, users write claims of this name.
const resource = "dynamographdeployments"

// policy for graphs, evaluated when they are written with these operations.
func policy(name string, operations ...admissionv1.OperationType) *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: partOf()},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations,
					Rule: admissionv1.Rule{
						APIGroups: []string{v1alpha1.Group}, APIVersions: []string{v1alpha1.Version, v1beta1.Version}, Resources: []string{resource},
					},
				},
			}}},
		},
	}
}

// binding of a policy, with the same name.
func binding(name string) *admissionv1.ValidatingAdmissionPolicyBinding {
	return &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: partOf()},
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
}

func partOf() map[string]string {
	return map[string]string{"app.kubernetes.io/part-of": "configuration-dynamo"}
}

// notAdopted is the condition that the objects of a graph get their names from the graph, and not from another controller.
func notAdopted() admissionv1.MatchCondition {
	return admissionv1.MatchCondition{Name: "not-adopted", Expression: "!(" + hasAnnotation("object", metadata.AnnotationAdoptFrom) + ")"}
}

// hasAnnotation is the expression that an object has an annotation.
func hasAnnotation(root, annotation string) string {
	return "has(" + root + ".metadata.annotations) && " + quoted(annotation) + " in " + root + ".metadata.annotations"
}

func variable(name, expression string) admissionv1.Variable {
	return admissionv1.Variable{Name: name, Expression: oneLine(expression)}
}

// rule with an expression for the message, which names the values.
func rule(expression, message string) admissionv1.Validation {
	reason := metav1.StatusReasonForbidden
	return admissionv1.Validation{Expression: oneLine(expression), MessageExpression: oneLine(message), Reason: &reason}
}

// oneLine is an expression without line breaks, as the schema of the API has them.
func oneLine(expression string) string { return strings.Join(strings.Fields(expression), " ") }

// quoted is a text in an expression. None contains a quote.
func quoted(text string) string { return "'" + text + "'" }

// quotedList is a list of texts in an expression.
func quotedList(texts []string) string {
	all := slices.Clone(texts)
	for i, text := range all {
		all[i] = quoted(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
