package playground

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// followPause is the time between two looks at a graph.
const followPause = 500 * time.Millisecond

// follow applies the graphs in a file, and says how far each is until it is ready. A graph that is refused is followed until it is interrupted:
// its user may correct it.
func (p *Playground) follow(ctx context.Context, path string) error {
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
			object.SetNamespace(Namespace)
		}
		p.sayf("applying %s %s in namespace %s", object.GetKind(), object.GetName(), object.GetNamespace())
		if _, err := p.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot apply %s: %w", controlplane.RefOf(object), err)
		}
	}
	for _, object := range objects {
		if object.GetKind() == "DynamoGraphDeployment" {
			if err := p.followOne(ctx, controlplane.RefOf(object)); err != nil {
				return err
			}
		}
	}
	return nil
}

// followOne says each change of the conditions of a graph until it is ready, or its user has deleted it.
func (p *Playground) followOne(ctx context.Context, ref controlplane.Ref) error {
	said := map[string]string{}
	for {
		graph, err := p.Client.Get(ctx, ref)
		if err != nil {
			p.sayf("cannot read %s: %v", ref, err)
			return nil
		}
		for _, conditionType := range []string{"Accepted", "Synced", "ServicesReady", "Ready"} {
			status, message := controlplane.Condition(graph, conditionType)
			text := fmt.Sprintf("%s=%s", conditionType, status)
			if message != "" && status != "True" {
				text += ": " + message
			}
			if status != "" && said[conditionType] != text {
				said[conditionType] = text
				p.sayf("  %s", text)
			}
		}
		if status, _ := controlplane.Condition(graph, "Ready"); status == "True" {
			p.sayf("%s is ready", graph.GetName())
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", ref, context.Cause(ctx))
		case <-time.After(followPause):
		}
	}
}
