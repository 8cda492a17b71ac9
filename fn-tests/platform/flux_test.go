package platform

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Statuses of an object in Flux.
const (
	current    = "Current"
	inProgress = "InProgress"
	failed     = "Failed"
	// unknown is the status of an object of which an expression cannot be evaluated. Flux waits, as if it were in progress.
	unknown = "Unknown"
)

// A check of one kind: its expressions in spec.healthCheckExprs of a Kustomization.
type check struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	InProgress string `json:"inProgress"`
	Failed     string `json:"failed"`
	Current    string `json:"current"`
}

// checks that users install.
func checks(t *testing.T) []check {
	t.Helper()
	text := harness.File(t, filepath.Join("package", "gitops", "flux-health.yaml"))
	var kustomization struct {
		Spec struct {
			HealthCheckExprs []check `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &kustomization); err != nil {
		t.Fatal(err)
	}
	return kustomization.Spec.HealthCheckExprs
}

// inFlux evaluates a check as Flux does: generations first, and then the expressions in their order.
// https://github.com/fluxcd/pkg/blob/main/runtime/cel/status_evaluator.go
func inFlux(c check, object *unstructured.Unstructured) (string, error) {
	observed, ok, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if err != nil {
		return "", fmt.Errorf("cannot read status.observedGeneration: %w", err)
	}
	if ok && observed != object.GetGeneration() {
		return inProgress, nil
	}
	for _, e := range []struct{ expression, status string }{{c.InProgress, inProgress}, {c.Failed, failed}, {c.Current, current}} {
		program, err := compile(e.expression)
		if err != nil {
			return "", err
		}
		value, _, err := program.Eval(object.Object)
		if err != nil {
			return unknown, nil //nolint:nilerr // Flux logs it and waits.
		}
		if value == types.True {
			return e.status, nil
		}
	}
	return inProgress, nil
}

// compile an expression in the environment of Flux, which only parses it.
// https://github.com/fluxcd/pkg/blob/main/runtime/cel/expression.go
func compile(expression string) (cel.Program, error) {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		return nil, fmt.Errorf("cannot create the environment: %w", err)
	}
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", expression, issues.Err())
	}
	program, err := env.Program(parsed, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("cannot compile %s: %w", expression, err)
	}
	return program, nil
}
