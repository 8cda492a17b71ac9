package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest/whole"
)

// plainWorker is a worker that runs a command, with changes.
func plainWorker(changes ...plantest.ServiceChange) *v1alpha1.Service {
	return serviceWith(plantest.ServiceOf("worker", "serve"), changes...)
}

// serviceWith changes.
func serviceWith(service *v1alpha1.Service, changes ...plantest.ServiceChange) *v1alpha1.Service {
	for _, change := range changes {
		change(service)
	}
	return service
}

// withVolume adds an empty volume to the pods.
func withVolume(name string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
		s.ExtraPodSpec.Volumes = append(s.ExtraPodSpec.Volumes, corev1.Volume{Name: name, VolumeSource: empty})
	}
}

// withMount mounts a volume in the main container.
func withMount(name, path string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.VolumeMounts = append(s.ExtraPodSpec.MainContainer.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path})
	}
}

// mountingClaim mounts a PersistentVolumeClaim.
func mountingClaim(name string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.VolumeMounts = append(s.VolumeMounts, v1alpha1.VolumeMount{Name: name, MountPoint: "/a"})
	}
}

// withInitContainer adds an init container to the pods.
func withInitContainer(name string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.InitContainers = append(s.ExtraPodSpec.InitContainers, corev1.Container{Name: name, Image: "x"})
	}
}

// withExporter adds a container with these ports.
func withExporter(ports ...corev1.ContainerPort) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.Containers = []corev1.Container{{Name: "exporter", Image: "x", Ports: ports}}
	}
}

// withPort gives the main container a port.
func withPort(name string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.Ports = []corev1.ContainerPort{{Name: name, ContainerPort: 81}}
	}
}

// mpi is a worker whose nodes are started by mpirun.
func mpi(changes ...plantest.ServiceChange) *v1alpha1.Service {
	engine := plantest.ServiceOf("worker", "python3", "-m", "dynamo.trtllm")
	return serviceWith(serviceWith(engine, plantest.WithArgs("--tensor-parallel-size", "8"), plantest.WithNodes(2), plantest.WithGPUs("4")), changes...)
}

// awaitingLeader is a worker that has the names of the parts with which workers wait for their leader.
func awaitingLeader(executor string) *v1alpha1.Service {
	engine := plantest.ServiceOf("worker", "python3", "-m", "dynamo.vllm")
	return serviceWith(engine, plantest.WithArgs("--tensor-parallel-size", "8"), plantest.WithNodes(2), plantest.WithGPUs("4"),
		plantest.WithAnnotation("nvidia.com/vllm-distributed-executor-backend", executor), withInitContainer("wait-for-leader-mp"), withVolume("wait-leader-script"))
}

// sharing is a worker that has the names of the parts of the GPU memory service.
func sharing(enabled bool) *v1alpha1.Service {
	engine := plantest.ServiceOf("worker", "python3", "-m", "dynamo.vllm")
	return serviceWith(engine, plantest.WithGPUs("1"), mountingClaim("gms-intrapod-control"), withInitContainer("gms-server"), withVolume("scratch"),
		withMount("scratch", "/gms-intrapod-control/"), func(s *v1alpha1.Service) {
			s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: enabled}
			s.ExtraPodSpec.ResourceClaims = []corev1.PodResourceClaim{{Name: "intrapod-shared-gpu", ResourceClaimName: new("a")}}
		})
}

// picking is an Endpoint Picker.
func picking(changes ...plantest.ServiceChange) *v1alpha1.Service {
	picker := plantest.ServiceOf("epp")
	picker.EPPConfig = &v1alpha1.EPPConfig{ConfigMapRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "a"}, Key: "b"}}
	return serviceWith(picker, changes...)
}

// TestCheckGenerated takes names of parts that the chain adds to pods, where it does and where it does not.
func TestCheckGenerated(t *testing.T) {
	const worker = "spec.services[Worker]."
	system := corev1.ContainerPort{Name: "system", ContainerPort: 9091}
	cases := map[string]struct {
		reason string
		worker *v1alpha1.Service
		want   []string
	}{
		"None": {reason: "A service that takes none of the generated names is accepted.", worker: mpi()},
		"SSHVolume": {
			reason: "The pods would have two volumes of one name.",
			worker: mpi(withVolume("mpi-run-ssh-secret")),
			want: []string{worker + `extraPodSpec.volumes[0].name: Invalid value: "mpi-run-ssh-secret": is the name of the volume of the MPI key pair, which is added to the pods of this service; ` +
				"rename it, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"SSHMount": {
			reason: "Two volumes cannot be mounted at one path.",
			worker: mpi(withVolume("a"), withMount("a", "/ssh-pk")),
			want: []string{worker + `extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "/ssh-pk": is where the MPI key pair is mounted in the pods of this service; ` +
				"choose another path, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"SSHClaim": {
			reason: "A claim that the service mounts becomes a volume of its name.",
			worker: mpi(mountingClaim("mpi-run-ssh-secret")),
			want: []string{worker + `volumeMounts[0].name: Invalid value: "mpi-run-ssh-secret": is the name of the volume of the MPI key pair, which is added to the pods of this service; ` +
				"rename it, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"OneNode": {
			reason: "The pods of one node get no key pair.",
			worker: mpi(withVolume("mpi-run-ssh-secret"), plantest.WithArgs("--tensor-parallel-size", "4"), func(s *v1alpha1.Service) { s.Multinode = nil }),
		},
		"Waiting": {
			reason: "The names for waiting are reserved, although only the workers wait and their leader does not.",
			worker: awaitingLeader("mp"),
			want: []string{
				worker + `extraPodSpec.initContainers[0].name: Invalid value: "wait-for-leader-mp": is the name of the init container that waits for the leader, which is added to the pods of this service; rename it`,
				worker + `extraPodSpec.volumes[0].name: Invalid value: "wait-leader-script": is the name of the volume of the script that makes workers wait for their leader, which is added to the pods of this service; rename it`,
			},
		},
		"NotWaiting": {reason: "Workers of Ray do not wait in this way.", worker: awaitingLeader("ray")},
		"Sharing": {
			reason: "The GPU memory service has a server, a volume and a claim.",
			worker: sharing(true),
			want: []string{
				worker + `extraPodSpec.initContainers[0].name: Invalid value: "gms-server": is the name of the server of the GPU memory service, which is added to the pods of this service; rename it`,
				worker + `extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "/gms-intrapod-control": is where the volume of the GPU memory service is mounted in the pods of this service; choose another path`,
				worker + `extraPodSpec.resourceClaims[0].name: Invalid value: "intrapod-shared-gpu": is the name of the claim of the GPU memory service, which is added to the pods of this service; rename it`,
				worker + `volumeMounts[0].name: Invalid value: "gms-intrapod-control": is the name of a volume of the GPU memory service, which is added to the pods of this service; rename it`,
			},
		},
		"NotSharing": {reason: "Without the GPU memory service, its names are free.", worker: sharing(false)},
		"OwnPickerVolumes": {
			reason: "A volume of the user's own takes the place of the picker's.",
			worker: picking(withVolume("epp-config"), withVolume("hf-cache")),
		},
		"PickerClaim": {
			reason: "A claim would be passed over for the picker's volume.",
			worker: picking(mountingClaim("hf-cache")),
			want: []string{worker + `volumeMounts[0].name: Invalid value: "hf-cache": is the name of the cache volume of the Endpoint Picker, which is added to the pods of this service; ` +
				"rename it, or define a volume of this name in extraPodSpec.volumes"},
		},
		"SharedMemoryVolume": {
			reason: "The shared memory replaces a volume named shared-memory, and a warning says so.",
			worker: plainWorker(withVolume("shared-memory")),
		},
		"SharedMemoryClaim": {
			reason: "A claim named shared-memory would be mounted nowhere.",
			worker: plainWorker(mountingClaim("shared-memory")),
			want: []string{worker + `volumeMounts[0].name: Invalid value: "shared-memory": is the name of the shared memory volume, which is added to the pods of this service; ` +
				"rename it, or set sharedMemory.disabled: true"},
		},
		"SidecarPort": {
			reason: "Services and probes could not tell two ports of one name apart.",
			worker: plainWorker(withExporter(corev1.ContainerPort{ContainerPort: 1}, system)),
			want:   []string{worker + `extraPodSpec.containers[0].ports[1].name: Invalid value: "system": is the name of a port of container main, which is added to the pods of this service; rename it`},
		},
		"PortOfFrontendSidecar": {
			reason: "The frontend beside a worker has a port as well.",
			worker: plainWorker(withPort("http"), func(s *v1alpha1.Service) { s.FrontendSidecar = &v1alpha1.FrontendSidecar{Image: "x"} }),
			want:   []string{worker + `extraPodSpec.mainContainer.ports[0].name: Invalid value: "http": is the name of a port of container sidecar-frontend, which is added to the pods of this service; rename it`},
		},
		"OwnPorts": {
			reason: "Ports of the user's own take the place of those of the main container.",
			worker: plainWorker(withPort("api"), withExporter(system)),
		},
		"NoSharedMemory": {
			reason: "Without shared memory, the name shared-memory is free.",
			worker: plainWorker(mountingClaim("shared-memory"), func(s *v1alpha1.Service) { s.SharedMemory = &v1alpha1.SharedMemory{Disabled: true} }),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Service("Worker", tc.worker))
			for orchestrator, groups := range map[string][]string{"Grove": {"grove"}, "LWS": {"lws", "volcano"}} {
				req := plantest.Request(xr, plantest.WithGroups(groups...), plantest.WithVolcanoQueue("Open"), plantest.WithoutObject("apiservice-inference"))
				var got []string
				for _, message := range fatalsOf(respond(t, whole.WithFreeNames(t, req))) {
					got = strings.Split(message, "\n")
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n%s: RunFunction(...): -want messages, +got messages:\n%s", tc.reason, orchestrator, diff)
				}
			}
		})
	}
}

// TestGeneratedNamesOfLiveGraph takes names with which pods run all the same.
func TestGeneratedNamesOfLiveGraph(t *testing.T) {
	const (
		port   = "spec.services[Worker].extraPodSpec.containers[0].ports[0].name: is the name of a port of container main, which is added to the pods of this service; rename it"
		memory = "spec.services[Worker].volumeMounts[0].name: is the name of the shared memory volume, which is added to the pods of this service; rename it, or set sharedMemory.disabled: true"
	)
	worker := plainWorker(mountingClaim("shared-memory"), withExporter(corev1.ContainerPort{Name: "system", ContainerPort: 9091}))
	xr := plantest.Graph(plantest.Service("Worker", worker))
	rsp := respond(t, whole.WithFreeNames(t, plantest.Request(xr, plantest.WithGroups("grove"),
		plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("worker"))))))
	if fatal := fatalsOf(rsp); len(fatal) > 0 {
		t.Errorf("A live graph with such pods, which run, can still be edited: want no fatal result, got %v", fatal)
	}
	if diff := cmp.Diff(port+"\n"+memory, rsp.GetConditions()[0].GetMessage()); diff != "" {
		t.Errorf("The user is told which names are taken: message of condition Accepted: -want, +got:\n%s", diff)
	}
}
