package explain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Keys of queues, as their readers document them.
const (
	kaiLabel         = "kai.scheduler/queue"
	kaiAnnotation    = "nvidia.com/kai-scheduler-queue"
	volcanoQueue     = "scheduling.volcano.sh/queue-name"
	volcanoOfDynamo  = "nvidia.com/volcano-queue"
	volcanoOfGrove   = "scheduling.grove.io/volcano-queue"
	kueueLabel       = "kueue.x-k8s.io/queue-name"
	volcanoGroupName = "scheduling.k8s.io/group-name"
)

// written is a queue in one place of a graph: in what, as labels or annotations, under a key.
type written struct{ in, as, key, queue string }

func (w *written) path(component string) string {
	switch w.in {
	case "metadata", "spec":
		return w.in + "." + w.as + "[" + w.key + "]"
	case "pods":
		return "spec.services[" + component + "].extraPodMetadata." + w.as + "[" + w.key + "]"
	default:
		return "spec.services[" + component + "]." + w.as + "[" + w.key + "]"
	}
}

// placesOfQueues are all places in which a key can be.
func placesOfQueues() []written {
	var all []written
	for _, key := range []string{kaiLabel, kaiAnnotation, volcanoQueue, volcanoOfDynamo, volcanoOfGrove, kueueLabel, "runai/queue", "volcano.sh/queue-name"} {
		for _, in := range []string{"metadata", "spec", "service", "pods"} {
			for _, as := range []string{"labels", "annotations"} {
				label := as == "labels"
				ofGraph := in == "metadata" && (label && slices.Contains([]string{kaiLabel, kueueLabel, "runai/queue"}, key) ||
					!label && slices.Contains([]string{kaiAnnotation, volcanoQueue, volcanoOfDynamo}, key))
				ofPods := in != "metadata" && (!label || !slices.Contains([]string{kaiAnnotation, volcanoOfDynamo}, key))
				if ofGraph || ofPods {
					all = append(all, written{in: in, as: as, key: key})
				}
			}
		}
	}
	return all
}

// a scene is a cluster and the scheduler that the pods name.
type scene struct {
	platform  corpus.Platform
	scheduler string

	// nodes of the worker.
	nodes int
}

func scenes() map[string]scene {
	disabled := map[string]any{"mode": "Disabled"}
	cluster := func(name string) string { return filepath.Join("examples", "cluster", name+".yaml") }
	onLWS := corpus.Platform{Cluster: cluster("all"), Input: map[string]any{"grove": disabled, "volcano": disabled}}
	return map[string]scene{
		"Grove and KAI":                 {platform: corpus.Platform{Cluster: cluster("grove-kai")}, nodes: 2},
		"Grove and KAI by name":         {platform: corpus.Platform{Cluster: cluster("grove-kai")}, nodes: 2, scheduler: "kai-scheduler"},
		"Grove and KAI of the user":     {platform: corpus.Platform{Cluster: cluster("grove")}, nodes: 2, scheduler: "kai-scheduler"},
		"Grove":                         {platform: corpus.Platform{Cluster: cluster("grove")}, nodes: 2},
		"Grove and Volcano":             {platform: corpus.Platform{Cluster: cluster("all")}, nodes: 2, scheduler: "volcano"},
		"Grove and Volcano by policy":   {platform: corpus.Platform{Cluster: cluster("all"), Input: map[string]any{"grove": map[string]any{"scheduler": "Volcano"}}}, nodes: 2},
		"LeaderWorkerSets and KAI":      {platform: onLWS, nodes: 2},
		"LeaderWorkerSets and Volcano":  {platform: corpus.Platform{Cluster: cluster("lws-volcano")}, nodes: 2},
		"LeaderWorkerSets, all Volcano": {platform: corpus.Platform{Cluster: cluster("lws-volcano")}, nodes: 2, scheduler: "volcano"},
		"LeaderWorkerSets, other":       {platform: corpus.Platform{Cluster: cluster("lws-volcano")}, nodes: 2, scheduler: "kai-scheduler"},
		"LeaderWorkerSets by LWS":       {platform: corpus.Platform{Cluster: cluster("lws-volcano"), Input: map[string]any{"lws": map[string]any{"gangProvider": "LWS"}}}, nodes: 2},
		"Kubernetes":                    {platform: corpus.Platform{Cluster: cluster("lws-kubernetes")}, nodes: 2},
		"Kueue":                         {platform: corpus.Platform{Cluster: cluster("kueue")}, nodes: 1},
		"Kueue by policy":               {platform: corpus.Platform{Cluster: cluster("kueue"), Input: map[string]any{"kueue": map[string]any{"queue": "team-queue"}}}, nodes: 2},
		"Deployments":                   {platform: corpus.Platform{Cluster: cluster("none")}, nodes: 1},
		"Deployments and KAI":           {platform: corpus.Platform{Cluster: cluster("none")}, nodes: 1, scheduler: "kai-scheduler"},
		"Deployments and Volcano":       {platform: corpus.Platform{Cluster: cluster("none")}, nodes: 1, scheduler: "volcano"},
	}
}

// TestQueues writes queues in each place of a graph, and in each pair of places, for each scheduler on each orchestrator, and follows what is composed as
// the scheduler does. The queue that a scheduler takes is the one that the explanation names, and each place that names another one gets a message.
func TestQueues(t *testing.T) {
	all := placesOfQueues()
	var cases [][]written
	for i, first := range all {
		first.queue = "team-a"
		cases = append(cases, []written{first})
		for _, second := range all[i+1:] {
			second.queue = "team-b"
			cases = append(cases, []written{first, second})
		}
	}
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := previews.On(t, s.platform)
			p.Objects = append(p.Objects, queuesOfTeams()...)
			for i, places := range cases {
				if harness.Sampled(i, 37) || len(places) == 1 {
					s.try(t, p, places)
				}
			}
		})
	}
}

// queuesOfTeams exist for each scheduler.
func queuesOfTeams() []unstructured.Unstructured {
	var all []unstructured.Unstructured
	for _, name := range []string{"team-a", "team-b", "team-queue"} {
		for _, apiVersion := range []string{"scheduling.run.ai/v2", "scheduling.volcano.sh/v1beta1", "kueue.x-k8s.io/v1beta2"} {
			o := unstructured.Unstructured{Object: map[string]any{
				"apiVersion": apiVersion, "kind": "Queue", "metadata": map[string]any{"name": name}, "status": map[string]any{"state": "Open"},
			}}
			if strings.HasPrefix(apiVersion, "kueue") {
				o.SetKind("LocalQueue")
				o.SetNamespace("ns")
			}
			all = append(all, o)
		}
	}
	return all
}

// graph with queues in places: those of components are those of Worker.
func (s scene) graph(places []written) string {
	engine := func(of string, more map[string]any) map[string]any {
		spec := map[string]any{"mainContainer": map[string]any{"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0"}}
		if s.scheduler != "" {
			spec["schedulerName"] = s.scheduler
		}
		more["componentType"], more["extraPodSpec"], more["replicas"] = of, spec, 1
		return more
	}
	worker := engine("worker", map[string]any{"resources": map[string]any{"limits": map[string]any{"gpu": "8"}}})
	pod, _ := worker["extraPodSpec"].(map[string]any)
	pod["mainContainer"] = map[string]any{
		"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0", "command": []string{"python3", "-m", "dynamo.vllm"},
		"args": []string{"--model", "m", "-tp", strconv.Itoa(8 * s.nodes)},
	}
	if s.nodes > 1 {
		worker["multinode"] = map[string]any{"nodeCount": s.nodes}
	}
	metadata := map[string]any{"name": "g", "namespace": "ns"}
	spec := map[string]any{"services": map[string]any{"Frontend": engine("frontend", map[string]any{}), "Worker": worker}}
	pods := map[string]any{}
	holders := map[string]map[string]any{"metadata": metadata, "spec": spec, "service": worker, "pods": pods}
	for _, w := range places {
		holder := holders[w.in]
		entries, ok := holder[w.as].(map[string]string)
		if !ok {
			entries = map[string]string{}
			holder[w.as] = entries
		}
		entries[w.key] = w.queue
	}
	if len(pods) > 0 {
		worker["extraPodMetadata"] = pods
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": metadata, "spec": spec})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (s scene) try(t *testing.T, p *preview.Previewer, places []written) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(s.graph(places)), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := manifest.Reader{}.Read([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Preview(t.Context(), files.Graphs()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Of(result, check.OfFunctions(result))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	aboutQueues := false
	for i := range e.Findings {
		told[e.Findings[i].Field]++
		aboutQueues = aboutQueues || e.Findings[i].Code == rule.Queues || strings.Contains(e.Findings[i].Message, "queue")
	}
	if e.Refused {
		if !slices.ContainsFunc(places, func(w written) bool { return told[w.path("Worker")] > 0 }) && !aboutQueues {
			t.Errorf("%v: refused because of no queue: %v", places, e.Findings)
		}
		return
	}
	taken := map[string]string{}
	for _, name := range []string{"Frontend", "Worker"} {
		queue, err := follow(result, name)
		if err != nil {
			t.Errorf("%v: %s: %v", places, name, err)
			return
		}
		taken[name] = queue
		c := e.Components[slices.IndexFunc(e.Components, func(c Component) bool { return c.Name == name })]
		if c.Queue != queue {
			t.Errorf("%v: %s is in queue %q, and the explanation says %q", places, name, queue, c.Queue)
		}
		names := func(w written) bool { return w.queue == queue }
		if slices.ContainsFunc(places, names) && !slices.ContainsFunc(places, func(w written) bool { return names(w) && c.QueueFrom == w.path(name) }) {
			t.Errorf("%v: %s is in queue %q, and the explanation says that %q names it", places, name, queue, c.QueueFrom)
		}
		for _, w := range places {
			if c.QueueFrom == w.path(name) && w.queue != queue {
				t.Errorf("%v: %s is said to be in queue %q because of %s", places, name, queue, c.QueueFrom)
			}
		}
	}
	for _, w := range places {
		reached := []string{"Worker"}
		if w.in == "metadata" || w.in == "spec" {
			reached = []string{"Frontend", "Worker"}
		}
		honoured := slices.ContainsFunc(reached, func(name string) bool { return taken[name] == w.queue })
		if n := told[w.path("Worker")]; honoured != (n == 0) || n > 1 {
			t.Errorf("%v: %s gets %d messages, and pods are in %v", places, w.path("Worker"), n, taken)
		}
	}
}

// follow what is composed to the queue of the pods of a component. Empty if they are in none.
func follow(result *preview.Result, component string) (string, error) {
	owner := result.CompositeResource.GetLabels()
	groups := map[string]string{}
	for i := range result.Rendered.ComposedResources {
		if o := result.Rendered.ComposedResources[i]; o.GetKind() == "PodGroup" {
			groups[o.GetName()], _, _ = unstructured.NestedString(o.Object, "spec", "queue")
		}
	}
	for i := range result.Rendered.ComposedResources {
		o := result.Rendered.ComposedResources[i]
		switch o.GetKind() {
		case "Deployment":
			var d appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &d); err != nil {
				return "", err
			}
			if isOf(component, d.Spec.Template.Labels) {
				return taken(owner, &d.ObjectMeta, &d.Spec.Template, groups)
			}
		case "LeaderWorkerSet":
			var l lwsv1.LeaderWorkerSet
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &l); err != nil {
				return "", err
			}
			worker := &l.Spec.LeaderWorkerTemplate.WorkerTemplate
			if !isOf(component, worker.Labels) {
				continue
			}
			leader, err := taken(owner, &l.ObjectMeta, l.Spec.LeaderWorkerTemplate.LeaderTemplate, groups)
			if err != nil {
				return "", err
			}
			queue, err := taken(owner, &l.ObjectMeta, worker, groups)
			if err == nil && queue != leader {
				err = fmt.Errorf("the leader is in queue %q, and the workers in %q", leader, queue)
			}
			return queue, err
		case "PodCliqueSet":
			var set grovev1alpha1.PodCliqueSet
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &set); err != nil {
				return "", err
			}
			return takenOnGrove(&set, component)
		}
	}
	return "", fmt.Errorf("%s has no pods", component)
}

func isOf(component string, labels map[string]string) bool {
	return labels["nvidia.com/dynamo-component"] == component
}

// taken is the queue that a scheduler takes for a pod of a workload. The last owner of all is the graph.
func taken(owner map[string]string, workload *metav1.ObjectMeta, pod *corev1.PodTemplateSpec, groups map[string]string) (string, error) {
	group := pod.Annotations[volcanoGroupName]
	switch {
	case pod.Spec.SchedulerName == "kai-scheduler":
		return firstOf(owner[kaiLabel], workload.Labels[kaiLabel], pod.Labels[kaiLabel], "default-queue"), nil
	case pod.Spec.SchedulerName == "volcano" && group != "":
		return groups[group], nil
	case pod.Spec.SchedulerName == "volcano" && workload.Annotations[volcanoQueue] != "" && pod.Labels["role"] != "":
		// The LWS operator creates the PodGroup, and reads the annotations of its workload.
		return workload.Annotations[volcanoQueue], nil
	case pod.Spec.SchedulerName == "volcano":
		return firstOf(pod.Annotations[volcanoQueue], "default"), nil
	default:
		return workload.Labels[kueueLabel], nil
	}
}

// takenOnGrove is the queue of the pods of a PodCliqueSet, which all are in one.
func takenOnGrove(set *grovev1alpha1.PodCliqueSet, component string) (string, error) {
	queues, scheduler := map[string]bool{}, ""
	own := firstOf(set.Labels[kaiLabel], set.Annotations[kaiLabel])
	for _, clique := range set.Spec.Template.Cliques {
		if isOf(component, clique.Labels) {
			scheduler = clique.Spec.PodSpec.SchedulerName
		}
		queues[firstOf(clique.Labels[kaiLabel], clique.Annotations[kaiLabel], own)] = true
		if other := clique.Annotations[volcanoOfGrove]; clique.Spec.PodSpec.SchedulerName == "volcano" && other != "" && other != firstOf(set.Annotations[volcanoOfGrove], "default") {
			return "", fmt.Errorf("Grove refuses clique %s in queue %s of Volcano", clique.Name, other)
		}
	}
	switch scheduler {
	case "kai-scheduler":
		delete(queues, "")
		if len(queues) != 1 || own != "" && !queues[own] {
			return "", fmt.Errorf("Grove refuses a set in queue %q with cliques in %v", own, queues)
		}
		for queue := range queues {
			return queue, nil
		}
		return "", nil
	case "volcano":
		return firstOf(set.Annotations[volcanoOfGrove], "default"), nil
	case "kueue":
		return set.Labels[kueueLabel], nil
	default:
		for _, clique := range set.Spec.Template.Cliques {
			if isOf(component, clique.Labels) {
				return clique.Labels[kueueLabel], nil
			}
		}
		return "", nil
	}
}

func firstOf(values ...string) string {
	if i := slices.IndexFunc(values, func(v string) bool { return v != "" }); i >= 0 {
		return values[i]
	}
	return ""
}
