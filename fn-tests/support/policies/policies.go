// Package policies evaluates the policies in package/admission, as an API server does.
package policies

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A Policy as the API server evaluates it.
type Policy struct {
	Object *admissionv1.ValidatingAdmissionPolicy
	// Parameters that the policy comes with. nil if it has none.
	Parameters *corev1.ConfigMap

	// conditions have to be met for the validations to be evaluated, which messages belong to.
	conditions, validations, messages cel.ConditionEvaluator
}

// An expression of a policy, with the type of its values.
type expression struct {
	name, text string
	kind       *celgo.Type
}

// GetName of a variable.
func (e *expression) GetName() string { return e.name }

// GetExpression is its text.
func (e *expression) GetExpression() string { return e.text }

// ReturnTypes are those that it may have.
func (e *expression) ReturnTypes() []*celgo.Type { return []*celgo.Type{e.kind} }

// Load the policy of a manifest in package/admission.
func Load(t testing.TB, name string) *Policy {
	t.Helper()
	data := harness.File(t, filepath.Join("package", "admission", name))
	objects, err := harness.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p := &Policy{}
	for _, object := range objects {
		switch object.GetKind() {
		case "ValidatingAdmissionPolicy":
			p.Object = &admissionv1.ValidatingAdmissionPolicy{}
			into(t, object, p.Object)
		case "ConfigMap":
			p.Parameters = &corev1.ConfigMap{}
			into(t, object, p.Parameters)
		}
	}
	p.compile(t)
	return p
}

func into(t testing.TB, object *unstructured.Unstructured, typed any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
		t.Fatalf("cannot decode %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

// compile the expressions in the environment of the oldest Kubernetes that has ValidatingAdmissionPolicies.
// https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/plugin.go
func (p *Policy) compile(t testing.TB) {
	t.Helper()
	spec := p.Object.Spec
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 30)))
	if err != nil {
		t.Fatal(err)
	}
	declared := cel.OptionalVariableDeclarations{HasParams: p.hasParameters(), HasAuthorizer: true}
	for _, v := range spec.Variables {
		compiled := compiler.CompileAndStoreVariable(&expression{v.Name, v.Expression, celgo.AnyType}, declared, environment.NewExpressions)
		if compiled.Error != nil {
			t.Fatalf("%s: variable %s: %v\n%s", p, v.Name, compiled.Error, v.Expression)
		}
	}
	var conditions, validations, messages []cel.ExpressionAccessor
	for _, c := range spec.MatchConditions {
		conditions = append(conditions, &expression{c.Name, c.Expression, celgo.BoolType})
	}
	for _, v := range spec.Validations {
		validations = append(validations, &expression{"", v.Expression, celgo.BoolType})
		messages = append(messages, &expression{"", v.MessageExpression, celgo.StringType})
	}
	evaluator := func(expressions []cel.ExpressionAccessor) cel.ConditionEvaluator {
		e := compiler.CompileCondition(expressions, declared, environment.NewExpressions)
		for _, err := range e.CompilationErrors() {
			t.Fatalf("%s: %v", p, err)
		}
		return e
	}
	p.conditions, p.validations, p.messages = evaluator(conditions), evaluator(validations), evaluator(messages)
}

func (p *Policy) hasParameters() bool { return p.Object.Spec.ParamKind != nil }

// Refuses returns why a graph of a tenant is refused when it is created, or changed from an old one. Empty if it is not. No expression may
// fail, or cost more than the API server allows.
func (p *Policy) Refuses(t testing.TB, graph, old *unstructured.Unstructured, parameters map[string]string) string {
	t.Helper()
	return p.RefusesUser(t, graph, old, parameters, false)
}

// RefusesUser does the same for a user who may do everything, or for a tenant, who may do nothing to objects of other kinds.
func (p *Policy) RefusesUser(t testing.TB, graph, old *unstructured.Unstructured, parameters map[string]string, mayDoEverything bool) string {
	t.Helper()
	gvk := graph.GroupVersionKind()
	gvr := gvk.GroupVersion().WithResource("dynamographdeployments")
	operation, versioned := admission.Create, &admission.VersionedAttributes{VersionedKind: gvk, VersionedObject: graph}
	var previous runtime.Object
	if old != nil {
		operation, versioned.VersionedOldObject, previous = admission.Update, old, old
	}
	versioned.Attributes = admission.NewAttributesRecord(
		graph, previous, gvk, graph.GetNamespace(), graph.GetName(), gvr, "", operation, nil, false, &user.DefaultInfo{},
	)
	bindings := cel.OptionalVariableBindings{Authorizer: authorizerfactory.NewAlwaysDenyAuthorizer()}
	if mayDoEverything {
		bindings.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	}
	if p.hasParameters() {
		bindings.VersionedParams = &corev1.ConfigMap{Data: parameters}
	}
	request := cel.CreateAdmissionRequest(versioned.Attributes, metav1.GroupVersionResource(gvr), metav1.GroupVersionKind(gvk))
	evaluate := func(e cel.ConditionEvaluator) []cel.EvaluationResult {
		results, _, err := e.ForInput(t.Context(), versioned, request, bindings, nil, celconfig.RuntimeCELCostBudget)
		if err != nil {
			t.Fatalf("%s: %s: %v", p, graph.GetName(), err)
		}
		for _, r := range results {
			if r.Error != nil {
				t.Fatalf("%s: %s: %v", p, graph.GetName(), r.Error)
			}
		}
		return results
	}
	if slices.ContainsFunc(evaluate(p.conditions), func(r cel.EvaluationResult) bool { return r.EvalResult != celtypes.True }) {
		return ""
	}
	messages := evaluate(p.messages)
	var all []string
	for i, r := range evaluate(p.validations) {
		if r.EvalResult != celtypes.True {
			all = append(all, fmt.Sprint(messages[i].EvalResult.Value()))
		}
	}
	return strings.Join(all, "\n")
}

// String is the name of the policy.
func (p *Policy) String() string { return "policy " + p.Object.Name }
