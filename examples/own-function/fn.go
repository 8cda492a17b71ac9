package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

const (
	// serviceKey begins the keys of Services, which step foundation composes. budgetKey begins those of this function. Crossplane deletes an
	// object whose key changes, and no other step has keys that begin like this.
	serviceKey = "service-"
	budgetKey  = "example-budget-"

	// typeLabel tells frontends from other components.
	typeLabel    = "nvidia.com/dynamo-component-type"
	typeFrontend = "frontend"
)

// budgets composes a PodDisruptionBudget for each frontend, so that a node that is drained takes one of its pods at a time.
type budgets struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction passes on what the steps before have composed, and adds the budgets.
func (*budgets) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	// Without a TTL of its own, the graph is reconciled as often as the other steps ask for.
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
	}
	if err := addBudgets(rsp); err != nil {
		// Nothing is applied, and nothing is deleted.
		rsp.Results = append(rsp.Results, &fnv1.Result{Severity: fnv1.Severity_SEVERITY_FATAL, Message: err.Error()})
	}
	return rsp, nil
}

// addBudgets to the desired state. It composes the same objects each time: one that it left out would be deleted.
func addBudgets(rsp *fnv1.RunFunctionResponse) error {
	p, err := planOf(rsp.GetContext())
	if err != nil {
		return err
	}
	if p.Held != "" {
		// The desired state already has all objects as they are, the budgets too.
		return nil
	}
	desired := rsp.GetDesired().GetResources()
	for _, name := range slices.Sorted(maps.Keys(p.Services)) {
		key := strings.ToLower(name)
		service := &corev1.Service{}
		if err := decode(desired[serviceKey+key].GetResource(), service); err != nil {
			return fmt.Errorf("cannot read the Service of %s: %w", name, err)
		}
		if service.Spec.Selector[typeLabel] != typeFrontend {
			continue
		}
		budget, err := encode(budgetOf(service))
		if err != nil {
			return fmt.Errorf("cannot encode the budget of %s: %w", name, err)
		}
		desired[budgetKey+key] = &fnv1.Resource{Resource: budget}
	}
	return nil
}

// budgetOf the pods of a Service.
func budgetOf(service *corev1.Service) *policyv1.PodDisruptionBudget {
	one := intstr.FromInt32(1)
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Name: service.Name, Namespace: service.Namespace},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &one,
			Selector:       &metav1.LabelSelector{MatchLabels: service.Spec.Selector},
		},
	}
}

// decode an object. One that does not exist is empty.
func decode(from *structpb.Struct, into any) error {
	data, err := protojson.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// encode an object without status, which belongs to its controller.
func encode(budget *policyv1.PodDisruptionBudget) (*structpb.Struct, error) {
	data, err := json.Marshal(budget)
	if err != nil {
		return nil, err
	}
	out := &structpb.Struct{}
	if err := protojson.Unmarshal(data, out); err != nil {
		return nil, err
	}
	delete(out.GetFields(), "status")
	delete(out.GetFields()["metadata"].GetStructValue().GetFields(), "creationTimestamp")
	return out, nil
}
