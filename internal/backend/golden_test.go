package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// commandLines are the command lines of the operator with which this package is compared.
const commandLines = 108

// The command lines of the operator for the leaders and workers of real manifests, if they are correct: they are the same byte for byte,
// except for the setup of SSH.
func TestOperatorsCommandLines(t *testing.T) {
	shared.SkipShort(t)
	compared := 0
	for orchestrator, folder := range map[string]string{"Grove": "grove", "LWS": "lws"} {
		files, err := filepath.Glob(filepath.Join(shared.Path(t, commandLines, "golden", folder), "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			manifest := graphOf(t, shared.Path(t, commandLines, "corpus", filepath.Base(file)))
			pods := podsOf(t, file)
			for name, component := range manifest.Spec.Components {
				if component.Multinode == nil || component.Failover != nil {
					continue // Failover makes two engines of one container, which is not the backend's doing.
				}
				if slices.Contains(component.ExtraPodSpec.MainContainer.Args, "--"+elasticFlag) {
					continue // This operator does not know elastic engines.
				}
				for _, role := range []Role{RoleLeader, RoleWorker} {
					pod, ok := pods[podName(orchestrator, manifest.Metadata.Name, name, role)]
					if !ok {
						continue
					}
					compared++
					t.Run(orchestrator+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+name+"/"+string(role), func(t *testing.T) {
						want := pod.Containers[len(pod.Containers)-1]
						got := configured(t, orchestrator, name, role, manifest, component, want.Env)
						compareCommands(t, want, got)
					})
				}
			}
		}
	}
	if compared != commandLines {
		t.Errorf("want %d command lines compared, got %d", commandLines, compared)
	}
}

// graphManifest contains the parts of a manifest that affect command lines.
type graphManifest struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		BackendFramework v1alpha1.BackendFramework `json:"backendFramework"`
		Components       map[string]graphComponent `json:"services"`
	} `json:"spec"`
}

type graphComponent struct {
	ComponentType string `json:"componentType"`
	Multinode     *struct {
		NodeCount int32 `json:"nodeCount"`
	} `json:"multinode"`
	Failover  *struct{} `json:"failover"`
	Resources struct {
		Limits   struct{ GPU string } `json:"limits"`
		Requests struct{ GPU string } `json:"requests"`
	} `json:"resources"`
	ExtraPodSpec struct {
		MainContainer struct {
			Command []string `json:"command"`
			Args    []string `json:"args"`
		} `json:"mainContainer"`
	} `json:"extraPodSpec"`
}

func configured(t *testing.T, orchestrator, name string, role Role, manifest graphManifest, component graphComponent, env []corev1.EnvVar) corev1.Container {
	t.Helper()
	main := component.ExtraPodSpec.MainContainer
	c := corev1.Container{Command: main.Command, Args: main.Args, Env: env}
	if len(c.Command) == 0 {
		c.Command = []string{"/bin/sh", "-c"}
	}
	framework, err := new(Texts).Detect(manifest.Spec.BackendFramework, component.ComponentType, c.Command, c.Args)
	if err != nil {
		t.Fatal(err)
	}
	limit, _ := strconv.ParseInt(component.Resources.Limits.GPU, 10, 64)
	request, _ := strconv.ParseInt(component.Resources.Requests.GPU, 10, 64)
	hosts := orchestrators[orchestrator]
	if orchestrator == "Grove" {
		hosts = GroveHosts{Component: strings.ToLower(name)}
	}
	ConfigureContainer(&c, Settings{
		Framework: framework, Role: role, NodeCount: component.Multinode.NodeCount, Hosts: hosts, Executor: ExecutorRay, GPULimit: limit, GPURequest: request,
		// The release of that operator.
		RuntimeVersion: "1.1.0",
	})
	return c
}

func compareCommands(t *testing.T, want, got corev1.Container) {
	t.Helper()
	type command struct{ Command, Args []string }
	line := func(c corev1.Container) command {
		args := slices.Clone(c.Args)
		for i, arg := range args {
			if !strings.Contains(arg, SSHKeyPath) {
				continue
			}
			_, mpirun, _ := strings.Cut(arg, "mpirun")
			// The operator adds this variable for its rolling updates. It is not part of the env in these files.
			args[i] = "ssh set-up" + strings.Replace(mpirun, " -x DYN_NAMESPACE_WORKER_SUFFIX", "", 1)
		}
		return command{Command: c.Command, Args: args}
	}
	if diff := cmp.Diff(line(want), line(got)); diff != "" {
		t.Errorf("-operator, +ours:\n%s", diff)
	}
}

func graphOf(t *testing.T, file string) graphManifest {
	t.Helper()
	var graph graphManifest
	for _, document := range documents(t, file) {
		if strings.Contains(document, "kind: DynamoGraphDeployment\n") {
			if err := yaml.Unmarshal([]byte(document), &graph); err != nil {
				t.Fatalf("cannot read %s: %v", file, err)
			}
		}
	}
	return graph
}

// podsOf are the pod specs of multinode components in a file of reference output, by podName.
func podsOf(t *testing.T, file string) map[string]corev1.PodSpec {
	t.Helper()
	pods := map[string]corev1.PodSpec{}
	for _, document := range documents(t, file) {
		var object struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Spec struct {
				Template struct {
					Cliques []struct {
						Name string `json:"name"`
						Spec struct {
							PodSpec corev1.PodSpec `json:"podSpec"`
						} `json:"spec"`
					} `json:"cliques"`
				} `json:"template"`
				LeaderWorkerTemplate struct {
					LeaderTemplate corev1.PodTemplateSpec `json:"leaderTemplate"`
					WorkerTemplate corev1.PodTemplateSpec `json:"workerTemplate"`
				} `json:"leaderWorkerTemplate"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			continue // Of another shape, and so none of these.
		}
		switch object.Kind {
		case "PodCliqueSet":
			for _, clique := range object.Spec.Template.Cliques {
				pods[clique.Name] = clique.Spec.PodSpec
			}
		case "LeaderWorkerSet":
			pods[object.Metadata.Name+"/leader"] = object.Spec.LeaderWorkerTemplate.LeaderTemplate.Spec
			pods[object.Metadata.Name+"/worker"] = object.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec
		}
	}
	return pods
}

func podName(orchestrator, graph, component string, role Role) string {
	component = strings.ToLower(component)
	switch {
	case orchestrator == "LWS":
		return graph + "-" + component + "-0/" + string(role)
	case role == RoleLeader:
		return component + "-ldr"
	default:
		return component + "-wkr"
	}
}

func documents(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n---\n")
}
