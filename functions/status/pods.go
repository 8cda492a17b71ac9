package status

import (
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// template of the pods of a service, in an object that runs it.
type template struct {
	pod.Group

	annotations, spec *structpb.Struct
}

// templatesOf all pods of the first replica of a service in some objects. If only the first pods of an engine serve requests, they come before
// its other nodes. Those that are not there have no spec.
func templatesOf(objects map[string]*fnv1.Resource, g *graph.Graph, p *graphplan.Plan, name string) []template {
	service := g.Component(name)
	switch {
	case p.Orchestrator == graphplan.Grove:
		return inCliques(objects[string(names.KeyPodCliqueSet)].GetResource(), g, name)
	case service.IsMultinode():
		set := tree.At(objects[string(names.KeyLeaderWorkerSet(name, 0))].GetResource(), "spec", "leaderWorkerTemplate")
		return inGroup(set, int64(service.Nodes()))
	default:
		return []template{templateOf(tree.At(objects[string(names.KeyDeployment(name))].GetResource(), "spec", "template"), 1)}
	}
}

// inCliques of a PodCliqueSet are the templates of a service.
func inCliques(set *structpb.Struct, g *graph.Graph, name string) []template {
	cliques := map[string]*structpb.Struct{}
	for _, value := range tree.At(set, "spec", "template").GetFields()["cliques"].GetListValue().GetValues() {
		cliques[tree.Text(value.GetStructValue(), "name")] = value.GetStructValue()
	}
	var all []template
	for _, c := range pod.Cliques(g.Component(name)) {
		clique := cliques[c.Name]
		all = append(all, template{Group: pod.GroupOf(g.Component(name), c), annotations: tree.At(clique, "annotations"), spec: tree.At(clique, "spec", "podSpec")})
	}
	return all
}

// inGroup of a LeaderWorkerSet are the templates of its leader and its workers, which may be the same.
func inGroup(set *structpb.Struct, nodes int64) []template {
	worker := tree.At(set, "workerTemplate")
	if leader := tree.At(set, "leaderTemplate"); leader != nil {
		return []template{templateOf(leader, 1), templateOf(worker, nodes-1)}
	}
	return []template{templateOf(worker, nodes)}
}

// templateOf some pods, each of which is a node of the engine.
func templateOf(pods *structpb.Struct, nodes int64) template {
	return template{Group: pod.Group{Pods: nodes, Nodes: nodes}, annotations: tree.At(pods, "metadata", "annotations"), spec: tree.At(pods, "spec")}
}

// serving are the templates of the pods that serve requests. ok is false if they are not there.
func serving(all []template) (t template, ok bool) {
	for _, t := range all {
		if t.Nodes > 0 {
			return t, t.spec != nil
		}
	}
	return template{}, false
}

// decode what the status describes: containers and claims of pods. Pods have many other fields, and there may be many pods.
func (t template) decode() pod.GroupTemplate {
	spec := &corev1.PodSpec{Containers: containersOf(t.spec, "containers"), InitContainers: containersOf(t.spec, "initContainers")}
	for _, value := range t.spec.GetFields()["resourceClaims"].GetListValue().GetValues() {
		claim := corev1.PodResourceClaim{Name: tree.Text(value.GetStructValue(), "name")}
		if name := tree.Text(value.GetStructValue(), "resourceClaimTemplateName"); name != "" {
			claim.ResourceClaimTemplateName = &name
		}
		spec.ResourceClaims = append(spec.ResourceClaims, claim)
	}
	annotations := make(map[string]string, len(t.annotations.GetFields()))
	for key, value := range t.annotations.GetFields() {
		annotations[key] = value.GetStringValue()
	}
	return pod.GroupTemplate{Group: t.Group, Annotations: annotations, Spec: spec}
}

// containersOf pods in one of their lists, with their command line, their variables with a value, and their resources.
func containersOf(pods *structpb.Struct, list string) []corev1.Container {
	var all []corev1.Container
	for _, value := range pods.GetFields()[list].GetListValue().GetValues() {
		from := value.GetStructValue()
		c := corev1.Container{
			Name: tree.Text(from, "name"), Command: textsIn(from, "command"), Args: textsIn(from, "args"),
			Resources: corev1.ResourceRequirements{Limits: amountsIn(from, "limits"), Requests: amountsIn(from, "requests")},
		}
		if policy := corev1.ContainerRestartPolicy(tree.Text(from, "restartPolicy")); policy != "" {
			c.RestartPolicy = &policy
		}
		for _, variable := range from.GetFields()["env"].GetListValue().GetValues() {
			c.Env = append(c.Env, corev1.EnvVar{Name: tree.Text(variable.GetStructValue(), "name"), Value: tree.Text(variable.GetStructValue(), "value")})
		}
		for _, claim := range tree.At(from, "resources").GetFields()["claims"].GetListValue().GetValues() {
			c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: tree.Text(claim.GetStructValue(), "name")})
		}
		all = append(all, c)
	}
	return all
}

func textsIn(container *structpb.Struct, list string) []string {
	var all []string
	for _, value := range container.GetFields()[list].GetListValue().GetValues() {
		all = append(all, value.GetStringValue())
	}
	return all
}

// amountsIn the limits or requests of a container. An amount is a text, or a number as a user may write it.
func amountsIn(container *structpb.Struct, list string) corev1.ResourceList {
	all := corev1.ResourceList{}
	for name, value := range tree.At(container, "resources", list).GetFields() {
		text := value.GetStringValue()
		if text == "" {
			text = strconv.FormatFloat(value.GetNumberValue(), 'f', -1, 64)
		}
		if amount, err := resource.ParseQuantity(text); err == nil {
			all[corev1.ResourceName(name)] = amount
		}
	}
	return all
}
