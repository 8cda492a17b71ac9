package revision

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

type fields = map[string]any

// object of JSON values.
func object(t *testing.T, values fields) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(values)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// podsWith an image, and with the mark of a restart unless it is empty.
func podsWith(image, mark string, labels fields) fields {
	meta := fields{"labels": labels}
	if mark != "" {
		meta["annotations"] = fields{metadata.AnnotationRestartAt: mark}
	}
	return fields{"metadata": meta, "spec": fields{"containers": []any{fields{"name": "main", "image": image}}}}
}

func deployment(image, mark string) fields {
	return fields{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": fields{"name": "llama-worker"},
		"spec": fields{"replicas": 2, "template": podsWith(image, mark, fields{"app": "worker"})},
	}
}

// groupMember is a pod of a LeaderWorkerSet.
func groupMember(i int, image, mark string) fields {
	annotations := fields{metadata.AnnotationGroupName: "llama-worker-" + strconv.Itoa(i)}
	if mark != "" {
		annotations[metadata.AnnotationRestartAt] = mark
	}
	pods := podsWith(image, "", nil)
	pods["metadata"] = fields{"labels": fields{metadata.LabelInstance: strconv.Itoa(i)}, "annotations": annotations}
	return pods
}

func leaderWorkerSet(i int, image, mark string) fields {
	pods := groupMember(i, image, mark)
	return fields{
		"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": fields{"name": "llama-worker-" + strconv.Itoa(i)},
		"spec": fields{"replicas": 1, "leaderWorkerTemplate": fields{"size": 2, leaderTemplate: pods, workerTemplate: pods}},
	}
}

func podCliqueSet(image, mark string, cliqueNames ...string) fields {
	var list []any
	for _, name := range cliqueNames {
		pods := podsWith(image, mark, fields{"app": "worker"})
		clique := fields{"name": name, "labels": fields{"app": "worker"}, "spec": fields{"replicas": 2, "podSpec": pods["spec"]}}
		if mark != "" {
			clique["annotations"] = fields{metadata.AnnotationRestartAt: mark}
		}
		list = append(list, clique)
	}
	return fields{
		"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "metadata": fields{"name": "llama"},
		"spec": fields{"replicas": 1, "template": fields{"cliques": list}},
	}
}

// cluster with graph llama, whose component Worker one kind of workload runs.
type cluster struct {
	t *testing.T

	orchestrator string
	// spec of the component, and its number of workloads.
	spec      fields
	workloads int
	// render a workload: the steps before this one.
	render func(i int, image, mark string) (key string, object fields)

	// observed objects by key, and the status.
	observed map[string]*fnv1.Resource
	status   *structpb.Struct

	// generation of the graph.
	generation int
}

// clusters with each kind of workload.
func clusters(t *testing.T) map[string]*cluster {
	t.Helper()
	all := map[string]*cluster{
		"Deployment": {orchestrator: "Deployment", workloads: 1, spec: fields{}, render: func(_ int, image, mark string) (string, fields) {
			return "deployment-worker", deployment(image, mark)
		}},
		"LeaderWorkerSets": {orchestrator: "LeaderWorkerSet", workloads: 2, spec: fields{"replicas": 2, "multinode": fields{"nodeCount": 2}}, render: func(i int, image, mark string) (string, fields) {
			return "leaderworkerset-worker-" + strconv.Itoa(i), leaderWorkerSet(i, image, mark)
		}},
		"PodClique": {orchestrator: "Grove", workloads: 1, spec: fields{}, render: func(_ int, image, mark string) (string, fields) {
			return "podcliqueset", podCliqueSet(image, mark, "worker", "another")
		}},
		"PodCliqueScalingGroup": {orchestrator: "Grove", workloads: 1, spec: fields{"multinode": fields{"nodeCount": 2}}, render: func(_ int, image, mark string) (string, fields) {
			return "podcliqueset", podCliqueSet(image, mark, "worker-ldr", "worker-wkr", "another")
		}},
	}
	for _, c := range all {
		c.t, c.generation, c.observed = t, 1, map[string]*fnv1.Resource{}
	}
	return all
}

// rendering is what the steps before this one make of a graph.
type rendering struct {
	// written is the hash of what the user wrote.
	written string
	// image that the rules of the release choose, and mark of the last restart.
	image, mark string
}

// request of Crossplane after the steps before this one.
func (c *cluster) request(r rendering) *fnv1.RunFunctionRequest {
	c.t.Helper()
	plan := fields{
		"version": 2, "release": "development", "orchestrator": c.orchestrator, "totalGPUs": 0,
		"services": fields{"Worker": fields{"discovery": "kubernetes", "dynamoNamespace": "d", "written": r.written}},
	}
	switch c.orchestrator {
	case "Grove":
		plan["grove"] = fields{"terminationDelay": "15m0s"}
	case "LeaderWorkerSet":
		plan["lws"] = fields{"gang": fields{"provider": "PodGroup", "schedulerName": "volcano", "queue": "default"}}
	}
	graph := object(c.t, fields{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
		"metadata": fields{"name": "llama", "namespace": "inference", "generation": c.generation},
		"spec":     fields{"services": fields{"Worker": c.spec}},
	})
	if c.status != nil {
		graph.Fields["status"] = structpb.NewStructValue(c.status)
	}
	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: graph}, Resources: c.observed},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{}},
		Context:  object(c.t, fields{"plan.dynamo.nvidia.com": plan}),
	}
	for i := range c.workloads {
		key, workload := c.render(i, r.image, r.mark)
		req.Desired.Resources[key] = &fnv1.Resource{Resource: object(c.t, workload)}
	}
	return req
}

// run the step, and apply what it desires.
func (c *cluster) run(r rendering) *fnv1.RunFunctionResponse {
	c.t.Helper()
	rsp := steptest.Run(c.t, NewFunction(logging.NewNopLogger()), c.request(r))
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			c.t.Fatal(result.GetMessage())
		}
	}
	c.observed = map[string]*fnv1.Resource{}
	for key, resource := range rsp.GetDesired().GetResources() {
		c.observed[key] = proto.CloneOf(resource)
	}
	c.status = tree.At(rsp.GetDesired().GetComposite().GetResource(), "status")
	c.status.Fields["observedGeneration"] = structpb.NewNumberValue(float64(c.generation))
	return rsp
}

// runs is what the pods of each workload of the component run: the image and the mark of the last restart.
func runs(resources map[string]*fnv1.Resource) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		if names.IsRevisionKey(key) {
			continue
		}
		var image, mark string
		eachText(resources[key].GetResource(), func(key string, text *structpb.Value_StringValue) {
			switch key {
			case "image":
				if !strings.Contains(image, text.StringValue) {
					image += text.StringValue
				}
			case metadata.AnnotationRestartAt:
				mark = "@" + text.StringValue
			}
		})
		all = append(all, image+mark)
	}
	return all
}

// eachText calls a function for each text in an object, with its key. The function may change it. A text in a list has the key of the list.
func eachText(object *structpb.Struct, do func(key string, text *structpb.Value_StringValue)) {
	var visit func(key string, value *structpb.Value)
	visit = func(key string, value *structpb.Value) {
		switch kind := value.GetKind().(type) {
		case *structpb.Value_StringValue:
			do(key, kind)
		case *structpb.Value_StructValue:
			eachText(kind.StructValue, do)
		case *structpb.Value_ListValue:
			for _, element := range kind.ListValue.GetValues() {
				visit(key, element)
			}
		}
	}
	for key, value := range object.GetFields() {
		visit(key, value)
	}
}

// revisions that exist, the oldest first: what they say of the component.
func revisions(resources map[string]*fnv1.Resource) []string {
	byNumber := map[int]string{}
	for key, resource := range resources {
		if names.IsRevisionKey(key) {
			component := tree.At(resource.GetResource(), "data", "components", "Worker")
			byNumber[int(resource.GetResource().GetFields()["revision"].GetNumberValue())] = tree.Text(component, "written")
		}
	}
	var all []string
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		all = append(all, strconv.Itoa(number)+" "+byNumber[number])
	}
	return all
}
