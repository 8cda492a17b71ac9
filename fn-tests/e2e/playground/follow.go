package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// follow applies the graphs in a file, and says how far each is until it is ready. A graph that is refused is followed until it is interrupted:
// its user may correct it.
func (c *cluster) follow(ctx context.Context, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the graph: %w", err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("cannot read the graph in %s: %w", path, err)
	}
	for _, object := range objects {
		if object.GetNamespace() == "" {
			object.SetNamespace(namespace)
		}
		sayf("applying %s %s in namespace %s", object.GetKind(), object.GetName(), object.GetNamespace())
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot apply %s: %w", controlplane.RefOf(object), err)
		}
	}
	for _, object := range objects {
		if object.GetKind() == "DynamoGraphDeployment" {
			c.followOne(ctx, controlplane.RefOf(object))
		}
	}
	return nil
}

// followOne says each change of the conditions of a graph until it is ready.
func (c *cluster) followOne(ctx context.Context, ref controlplane.Ref) {
	said := map[string]string{}
	for ctx.Err() == nil {
		graph, err := c.Client.Get(ctx, ref)
		if err != nil {
			sayf("cannot read %s: %v", ref, err)
			return
		}
		for _, conditionType := range []string{"Accepted", "Synced", "ServicesReady", "Ready"} {
			status, message := controlplane.Condition(graph, conditionType)
			text := fmt.Sprintf("%s=%s", conditionType, status)
			if message != "" && status != "True" {
				text += ": " + message
			}
			if status != "" && said[conditionType] != text {
				said[conditionType] = text
				sayf("  %s", text)
			}
		}
		if status, _ := controlplane.Condition(graph, "Ready"); status == "True" {
			sayf("%s is ready", graph.GetName())
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(turnPause):
		}
	}
}
