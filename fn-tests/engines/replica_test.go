package engines

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
)

// A pod of a replica, as its orchestrator creates it.
type pod struct {
	spec corev1.PodSpec
	// host is its name, and injected are the variables that the orchestrator adds to its containers.
	host     string
	injected map[string]string
}

// podCliqueSet is the part of Grove's kind that pods depend on.
type podCliqueSet struct {
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Template struct {
			Cliques []struct {
				Name string
				Spec struct {
					Replicas int
					PodSpec  corev1.PodSpec
				}
			}
			PodCliqueScalingGroups []struct {
				Name        string
				CliqueNames []string
			}
		}
	}
}

// podsOnGrove are the pods of the first replica of a component that spans nodes, or the only pod of another one. The names and variables are
// those of Grove's operator.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podclique/components/pod/pod.go
func podsOnGrove(t *testing.T, objects []*unstructured.Unstructured, component string) []pod {
	t.Helper()
	var set podCliqueSet
	decode(t, objects, "PodCliqueSet", "", &set)
	replica := set.Metadata.Name + "-0"
	headless := replica + "." + set.Metadata.Namespace + ".svc.cluster.local"
	group, members := "", []string{component}
	for _, g := range set.Spec.Template.PodCliqueScalingGroups {
		if g.Name == component {
			group, members = replica+"-"+component, g.CliqueNames
		}
	}
	var pods []pod
	for _, member := range members {
		for _, clique := range set.Spec.Template.Cliques {
			if clique.Name != member {
				continue
			}
			name := replica + "-" + member
			if group != "" {
				name = group + "-0-" + member
			}
			for i := range clique.Spec.Replicas {
				pods = append(pods, pod{spec: clique.Spec.PodSpec, host: fmt.Sprintf("%s-%d.%s", name, i, headless), injected: map[string]string{
					"GROVE_PCS_NAME": set.Metadata.Name, "GROVE_PCS_INDEX": "0", "GROVE_PCLQ_NAME": name, "GROVE_PCLQ_POD_INDEX": strconv.Itoa(i),
					"GROVE_HEADLESS_SERVICE": headless,
				}})
			}
		}
	}
	for _, p := range pods {
		if group != "" {
			p.injected["GROVE_PCSG_NAME"], p.injected["GROVE_PCSG_INDEX"] = group, "0"
			p.injected["GROVE_PCSG_TEMPLATE_NUM_PODS"] = strconv.Itoa(len(pods))
		}
	}
	return pods
}

// podsOfLWS are the pods of the first replica of a component that spans nodes. The names and variables are those of LWS.
// https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/pod/pod_utils.go
func podsOfLWS(t *testing.T, objects []*unstructured.Unstructured, component string) []pod {
	t.Helper()
	var set lwsv1.LeaderWorkerSet
	decode(t, objects, "LeaderWorkerSet", component, &set)
	leader := set.Name + "-0"
	domain := "." + set.Name + "." + set.Namespace
	size := int(*set.Spec.LeaderWorkerTemplate.Size)
	var pods []pod
	for i := range size {
		p := pod{spec: set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec, host: fmt.Sprintf("%s-%d%s", leader, i, domain), injected: map[string]string{
			"LWS_LEADER_ADDRESS": leader + domain, "LWS_WORKER_INDEX": strconv.Itoa(i), "LWS_GROUP_SIZE": strconv.Itoa(size),
		}}
		if i == 0 {
			p.spec, p.host = set.Spec.LeaderWorkerTemplate.LeaderTemplate.Spec, leader+domain
		}
		pods = append(pods, p)
	}
	return pods
}

// decode the first object of a kind whose name contains that of a component.
func decode(t *testing.T, objects []*unstructured.Unstructured, kind, component string, into any) {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() != kind || !strings.Contains(object.GetName(), component) {
			continue
		}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("there is no %s of service %s", kind, component)
}
