package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Kinds of workloads, and of claims.
const (
	kindDeployment      = "Deployment"
	kindLeaderWorkerSet = "LeaderWorkerSet"
	kindPodCliqueSet    = grovev1alpha1.KindPodCliqueSet
	kindClaim           = "PersistentVolumeClaim"
)

// workload is the part of an object that runs a component.
type workload struct {
	// pods as a template.
	pods *structpb.Struct

	// replicas, and the number of pods of each.
	replicas, size int64
}

// workloadsOf a component by their keys.
func (s *side) workloadsOf(component string) map[string]workload {
	if component == "" {
		return nil
	}
	found := map[string]workload{}
	for key, pods := range revision.PodsOf(s.graph, component, s.encoded) {
		w := workload{pods: pods, size: 1}
		switch object := s.live[key]; object.GetKind() {
		case kindPodCliqueSet:
			w.replicas, _ = s.state.Replicas(s.graph.Names().GroveChild(component))
			w.size = 0
			for _, clique := range pod.Cliques(s.graph.Component(component)) {
				w.size += int64(clique.Replicas)
			}
		case kindLeaderWorkerSet:
			w.replicas, w.size = preview.IntegerOrOne(object.Object, "spec", "replicas"), preview.IntegerOrOne(object.Object, "spec", "leaderWorkerTemplate", "size")
		default:
			w.replicas = preview.IntegerOrOne(object.Object, "spec", "replicas")
		}
		found[key] = w
	}
	return found
}

// componentsOf both sides, the most important first.
func componentsOf(before, after *side) []Component {
	was, is := before.components(), after.components()
	both := maps.Clone(was)
	maps.Copy(both, is)
	var all []Component
	for lower, name := range both {
		c := componentOf(name, before.workloadsOf(was[lower]), after.workloadsOf(is[lower]))
		c.Executor = executorsOf(before.executor(was[lower]), after.executor(is[lower]))
		c.adapt(before, after)
		c.word(after.howPodsRestart(lower))
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Component) int {
		return cmp.Or(a.Effect.compareTo(b.Effect), strings.Compare(a.Name, b.Name))
	})
	return all
}

// executor of a component, as the status reports it. It is nil if it has none.
func (s *side) executor(component string) *v1alpha1.ServiceExecutor {
	if component == "" || s.state == nil || s.state.CompositeResource == nil {
		return nil
	}
	fields, found, err := unstructured.NestedMap(s.state.CompositeResource.Object, "status", s.graph.Form.Key(), component, "executor")
	if err != nil || !found {
		return nil
	}
	executor := &v1alpha1.ServiceExecutor{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(fields, executor) != nil {
		return nil
	}
	return executor
}

// executorsOf a component before and after. It is nil if it is the same, or it has none on one of the sides.
func executorsOf(before, after *v1alpha1.ServiceExecutor) *Executors {
	if before == nil || after == nil || before.Name == after.Name {
		return nil
	}
	return &Executors{Before: before.Name, After: after.Name, Reason: after.Reason}
}

func componentOf(name string, before, after map[string]workload) Component {
	c := Component{Name: name, Effect: Nothing}
	for key, old := range before {
		c.Replicas.Before += old.replicas
		c.Pods.Before += old.replicas * old.size
		if now, stays := after[key]; stays {
			c.compare(old, now)
		}
	}
	for _, now := range after {
		c.Replicas.After += now.replicas
		c.Pods.After += now.replicas * now.size
	}
	slices.SortFunc(c.Fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	c.Fields = slices.CompactFunc(c.Fields, func(a, b Field) bool { return a.Path == b.Path })
	c.Reasons = reasons(c.Fields)
	switch {
	case len(before) == 0 && len(after) > 0:
		c.Effect = Created
	case len(after) == 0 && len(before) > 0:
		c.Effect = Deleted
	case c.Restarting > 0:
		c.Effect = Restarts
	case c.Replicas.Before != c.Replicas.After:
		c.Effect = Scales
	case len(c.Fields) > 0:
		c.Effect = Changed
	}
	return c
}

// adapt a component to its adapter: it has a number of units, and may hide the number in the graph.
func (c *Component) adapt(before, after *side) {
	if after.graph == nil || c.Effect == Created || c.Effect == Deleted {
		return
	}
	component := after.graph.Component(c.Name)
	adapter, ok := component.Adapter()
	replicas, scaled := after.graph.Scaled[c.Name]
	if !ok || !scaled {
		return
	}
	if adapter.Component() == "" {
		c.Units = int64(adapter.Units((*graph.Component).Replicas))
	}
	written, chosen := after.graph.WrittenReplicas(c.Name)
	if !chosen || written == replicas {
		return
	}
	c.hidden = fmt.Sprintf("keeps %s, because %s %s has the number; %d in the graph has no effect", output.Count(replicas, "replica"), scaling.KindAdapter, adapter.Name, written)
	if earlier, _ := before.graph.WrittenReplicas(c.Name); c.Effect == Nothing && earlier != written {
		c.Effect = Kept
	}
}

// compare the pods of a workload. Those that a change of replicas stops do not restart.
func (c *Component) compare(old, now workload) {
	fields := differences(old.pods.AsMap(), now.pods.AsMap())
	if len(fields) == 0 {
		return
	}
	c.Fields = append(c.Fields, fields...)
	c.Restarting += min(old.replicas, now.replicas) * old.size
	c.Asked = c.Asked || slices.ContainsFunc(fields, func(f Field) bool { return strings.Contains(f.Path, metadata.AnnotationRestartAt) })
}

// How the pods of a workload restart.
type how string

const (
	rolling  how = ""
	atOnce   how = " at once"
	onDelete how = "on delete"
)

// howPodsRestart of a component, by its name in lower case.
func (s *side) howPodsRestart(lower string) how {
	strategy := func(key names.Resource, path ...string) string {
		object := s.objects[string(key)]
		if object == nil {
			return ""
		}
		text, _, _ := unstructured.NestedString(object.Object, path...)
		return text
	}
	switch {
	case strategy(names.KeyDeployment(lower), "spec", "strategy", "type") == string(appsv1.RecreateDeploymentStrategyType):
		return atOnce
	case strategy(names.KeyPodCliqueSet, "spec", "updateStrategy", "type") == grovev1alpha1.UpdateOnDelete:
		return onDelete
	default:
		return rolling
	}
}

// word the effect.
func (c *Component) word(h how) {
	why := ""
	if len(c.Reasons) > 0 {
		why = " (" + strings.Join(c.Reasons, ", ") + ")"
	}
	if c.Executor != nil {
		why += "; executor " + c.Executor.Before + " -> " + c.Executor.After + ", from " + c.Executor.Reason
	}
	if h == onDelete && c.Restarting > 0 {
		c.Restarting, c.Effect = 0, Changed
		if c.Replicas.Before != c.Replicas.After {
			c.Effect = Scales
		}
	}
	switch c.Effect {
	case Created:
		c.Text = "is created with " + output.Count(c.Pods.After, "pod")
	case Deleted:
		c.Text = "is deleted with " + itsPods(c.Pods.Before)
	case Restarts:
		c.Text = c.restart(h) + why
	case Scales:
		c.Text = c.scaling() + ", no pod restarts"
		if len(c.Fields) > 0 {
			c.Text += "; new pods differ" + why
		}
	case Changed:
		c.Text = "no pod restarts, new pods differ" + why
		if h == onDelete {
			c.Text = "pods keep running until they are deleted, new pods differ" + why
		}
	case Kept:
		c.Text = c.hidden
	default:
		c.Text = "nothing changes"
	}
	if c.hidden != "" && c.Effect != Kept {
		c.Text += "; " + c.hidden
	}
}

func (c *Component) restart(h how) string {
	subject := fmt.Sprintf("all %d pods restart", c.Restarting)
	switch {
	case c.Restarting == 1:
		subject = "its pod restarts"
	case c.Restarting < min(c.Pods.Before, c.Pods.After):
		subject = fmt.Sprintf("%d of %d pods restart", c.Restarting, c.Pods.Before)
	}
	subject += string(h)
	if c.Replicas.Before != c.Replicas.After {
		return c.scaling() + ", and " + strings.Replace(subject, "all ", "all remaining ", min(1, int(max(0, c.Pods.Before-c.Pods.After))))
	}
	return subject
}

func (c *Component) scaling() string {
	text := fmt.Sprintf("%d -> %s", c.Replicas.Before, output.Count(c.Replicas.After, "replica"))
	if c.Units > 0 {
		text += ", of " + output.Count(c.Units, "unit")
	}
	return text
}

func itsPods(n int64) string {
	if n == 1 {
		return "its pod"
	}
	return fmt.Sprintf("its %d pods", n)
}
