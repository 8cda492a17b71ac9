package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const nvidiaV1beta1 = "nvidia.com/v1beta1"

// plannerClient makes the calls of the planner since August 2026, which only knows v1beta1 and graphs with components.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
type plannerClient struct {
	*controlplane.Client

	suite *suite
	graph controlplane.Ref
}

// plannerOfComponents runs a graph that is written with components, and scales it as its planner does.
func (s *suite) plannerOfComponents(t *T) {
	g := harness.Read(t, "fn-tests/e2e/testdata/planner-components.yaml")[0]
	s.apply(t, g)
	graph := controlplane.RefOf(g)
	s.eventually(t, graph.String()+" is ready", s.is(graph, "Synced", "True", "Ready", "True"))
	client, err := s.As(graph.Namespace, graph.Name+"-planner")
	if err != nil {
		t.Fatal(err)
	}
	planner := &plannerClient{Client: client, suite: s, graph: graph}

	if err := planner.validate(); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the planner finds the graph stable", planner.isStable)
	if _, err := planner.List(s.ctx, nvidia, "DynamoWorkerMetadata", graph.Namespace, ""); kerrors.IsForbidden(err) {
		t.Errorf("the planner may not list what workers publish: %v", err)
	}

	scalePrefill := func(replicas int64) {
		t.Helper()
		if err := planner.scale("prefill", replicas); err != nil {
			t.Fatal(err)
		}
		s.eventually(t, "the component without an adapter is scaled", s.hasReplicas(deploymentOf(graph, "prefill"), replicas))
	}
	scalePrefill(2)
	s.eventually(t, "the planner finds the graph stable after it was scaled", planner.isStable)
	s.scaledByOthers(t, "the component with an adapter is scaled", graph, planner.adapter("decode"), func() error {
		return errors.Join(planner.scale("decode", 3), s.hasReplicas(deploymentOf(graph, "decode"), 3)())
	}, func(attempt int) { scalePrefill(int64(1 + 2*(attempt%2))) })
	// The planner compares what runs with the number in the graph: docs/scaling.md.
	s.eventually(t, "the planner waits for the number in the graph", func() error {
		if planner.isStable() == nil {
			return errors.New("it finds the graph stable")
		}
		return nil
	})
	if err := planner.patch("decode", 3); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the planner finds the graph stable after the number of the adapter was copied", planner.isStable)
	s.remove(t, g)
}

// components of the graph, which the planner needs to have a number of replicas.
func (p *plannerClient) components() (*unstructured.Unstructured, []map[string]any, error) {
	graph, err := p.Get(p.suite.ctx, p.graph)
	if err != nil {
		return nil, nil, err
	}
	list, _, err := unstructured.NestedSlice(graph.Object, "spec", "components")
	if err != nil || len(list) == 0 {
		return nil, nil, fmt.Errorf("the graph has no v1beta1 spec.components (%w)", err)
	}
	components := make([]map[string]any, 0, len(list))
	for _, item := range list {
		component, _ := item.(map[string]any)
		components = append(components, component)
	}
	return graph, components, nil
}

// validate the graph when the planner starts: it needs a component of each role, with the name of the model.
func (p *plannerClient) validate() error {
	_, components, err := p.components()
	if err != nil {
		return err
	}
	for _, role := range []string{"prefill", "decode"} {
		i := slices.IndexFunc(components, func(c map[string]any) bool { return c["type"] == role })
		if i < 0 {
			return fmt.Errorf("no component of type %s", role)
		}
		containers, _, err := unstructured.NestedSlice(components[i], "podTemplate", "spec", "containers")
		if err != nil {
			return err
		}
		named := slices.ContainsFunc(containers, func(item any) bool {
			container, _ := item.(map[string]any)
			args, _, _ := unstructured.NestedStringSlice(container, "args")
			return container["name"] == "main" && slices.Contains(args, "--model")
		})
		if !named {
			return fmt.Errorf("the main container of component %s does not name its model", components[i]["name"])
		}
	}
	return nil
}

// isStable reports why the planner does not scale the graph yet: it is not ready, or a component is being scaled.
func (p *plannerClient) isStable() error {
	graph, components, err := p.components()
	if err != nil {
		return err
	}
	var errs []error
	if !isReady(graph) {
		errs = append(errs, errors.New("condition Ready is not True"))
	}
	for _, component := range components {
		name, _ := component["name"].(string)
		// The planner takes an absent number for 0.
		wanted, _, _ := unstructured.NestedInt64(component, "replicas")
		updated, _, _ := unstructured.NestedInt64(graph.Object, "status", "components", name, "updatedReplicas")
		available, found, _ := unstructured.NestedInt64(graph.Object, "status", "components", name, "availableReplicas")
		if !found {
			available, _, _ = unstructured.NestedInt64(graph.Object, "status", "components", name, "readyReplicas")
		}
		if wanted != updated || updated != available {
			errs = append(errs, fmt.Errorf("%s: want %d replicas, %d are updated, %d are available", name, wanted, updated, available))
		}
	}
	return errors.Join(errs...)
}

func isReady(graph *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(graph.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(item any) bool {
		condition, _ := item.(map[string]any)
		return condition["type"] == "Ready" && condition["status"] == "True"
	})
}

// scale a component by its adapter, or by the graph if it has none.
func (p *plannerClient) scale(component string, replicas int64) error {
	err := p.Scale(p.suite.ctx, p.adapter(component), replicas)
	if !isNotFound(err) {
		return err
	}
	return p.patch(component, replicas)
}

// patch the number of replicas of a component in the graph.
func (p *plannerClient) patch(component string, replicas int64) error {
	_, components, err := p.components()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(components, func(c map[string]any) bool { return c["name"] == component })
	if i < 0 {
		return fmt.Errorf("no component %s", component)
	}
	path := fmt.Sprintf("/spec/components/%d/", i)
	return p.PatchJSON(p.suite.ctx, p.graph,
		map[string]any{"op": "test", "path": path + "name", "value": component},
		map[string]any{"op": "add", "path": path + "replicas", "value": replicas})
}

func (p *plannerClient) adapter(component string) controlplane.Ref {
	ref := adapter(p.graph, strings.ToLower(component))
	ref.APIVersion = nvidiaV1beta1
	return ref
}
