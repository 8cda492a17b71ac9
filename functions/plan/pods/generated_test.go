package pods_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// plainWorker is a worker that runs a command, with changes.
func plainWorker(changes ...plantest.ComponentChange) *v1alpha1.Service {
	return componentWith(plantest.ComponentOf("worker", "serve"), changes...)
}

// componentWith changes.
func componentWith(service *v1alpha1.Service, changes ...plantest.ComponentChange) *v1alpha1.Service {
	for _, change := range changes {
		change(service)
	}
	return service
}

// withVolume adds an empty volume to the pods.
func withVolume(name string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
		s.ExtraPodSpec.Volumes = append(s.ExtraPodSpec.Volumes, corev1.Volume{Name: name, VolumeSource: empty})
	}
}

// withMount mounts a volume in the main container.
func withMount(name, path string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.VolumeMounts = append(s.ExtraPodSpec.MainContainer.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path})
	}
}

// mountingClaim mounts a PersistentVolumeClaim.
func mountingClaim(name string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.VolumeMounts = append(s.VolumeMounts, v1alpha1.VolumeMount{Name: name, MountPoint: "/a"})
	}
}

// withInitContainer adds an init container to the pods.
func withInitContainer(name string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.InitContainers = append(s.ExtraPodSpec.InitContainers, corev1.Container{Name: name, Image: "x"})
	}
}

// withExporter adds a container with these ports.
func withExporter(ports ...corev1.ContainerPort) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.Containers = []corev1.Container{{Name: "exporter", Image: "x", Ports: ports}}
	}
}

// withPort gives the main container a port.
func withPort(name string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.Ports = []corev1.ContainerPort{{Name: name, ContainerPort: 81}}
	}
}

// mpi is a worker whose nodes are started by mpirun.
func mpi(changes ...plantest.ComponentChange) *v1alpha1.Service {
	engine := plantest.ComponentOf("worker", "python3", "-m", "dynamo.trtllm")
	return componentWith(componentWith(engine, plantest.WithArgs("--tensor-parallel-size", "8"), plantest.WithNodes(2), plantest.WithGPUs("4")), changes...)
}

// awaitingLeader is a worker that has the names of the parts with which workers wait for their leader.
func awaitingLeader(executor string) *v1alpha1.Service {
	engine := plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm")
	return componentWith(engine, plantest.WithArgs("--tensor-parallel-size", "8"), plantest.WithNodes(2), plantest.WithGPUs("4"),
		plantest.WithAnnotation("nvidia.com/vllm-distributed-executor-backend", executor), withInitContainer("wait-for-leader-mp"), withVolume("wait-leader-script"))
}

// sharing is a worker that has the names of the parts of the GPU memory service.
func sharing(enabled bool) *v1alpha1.Service {
	engine := plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm")
	return componentWith(engine, plantest.WithGPUs("1"), mountingClaim("gms-intrapod-control"), withInitContainer("gms-server"), withVolume("scratch"),
		withMount("scratch", "/gms-intrapod-control/"), func(s *v1alpha1.Service) {
			s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: enabled}
			s.ExtraPodSpec.ResourceClaims = []corev1.PodResourceClaim{{Name: "intrapod-shared-gpu", ResourceClaimName: new("a")}}
		})
}

// picking is an Endpoint Picker.
func picking(changes ...plantest.ComponentChange) *v1alpha1.Service {
	picker := plantest.ComponentOf("epp")
	picker.EPPConfig = &v1alpha1.EPPConfig{ConfigMapRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "a"}, Key: "b"}}
	return componentWith(picker, changes...)
}

// TestCheckGenerated takes names of parts that the chain adds to pods, where it does and where it does not.
func TestCheckGenerated(t *testing.T) {
	const worker = "spec.components[Worker]."
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
			want:   []string{worker + "podTemplate.spec.volumes[0].name"},
		},
		"SSHMount": {
			reason: "Two volumes cannot be mounted at one path.",
			worker: mpi(withVolume("a"), withMount("a", "/ssh-pk")),
			want:   []string{worker + "podTemplate.spec.containers[main].volumeMounts[0].mountPath"},
		},
		"SSHClaim": {
			reason: "A claim that the service mounts becomes a volume of its name.",
			worker: mpi(mountingClaim("mpi-run-ssh-secret")),
			want:   []string{worker + "volumeMounts[0].name"},
		},
		"OneNode": {
			reason: "The pods of one node get no key pair.",
			worker: mpi(withVolume("mpi-run-ssh-secret"), plantest.WithArgs("--tensor-parallel-size", "4"), func(s *v1alpha1.Service) { s.Multinode = nil }),
		},
		"Waiting": {
			reason: "The names for waiting are reserved, although only the workers wait and their leader does not.",
			worker: awaitingLeader("mp"),
			want:   []string{worker + "podTemplate.spec.initContainers[0].name", worker + "podTemplate.spec.volumes[0].name"},
		},
		"NotWaiting": {reason: "Workers of Ray do not wait in this way.", worker: awaitingLeader("ray")},
		"Sharing": {
			reason: "The GPU memory service has a server, a volume and a claim.",
			worker: sharing(true),
			want:   []string{worker + "podTemplate.spec.containers[main].volumeMounts[0].mountPath", worker + "podTemplate.spec.initContainers[0].name", worker + "podTemplate.spec.resourceClaims[0].name", worker + "volumeMounts[0].name"},
		},
		"NotSharing": {reason: "Without the GPU memory service, its names are free.", worker: sharing(false)},
		"OwnPickerVolumes": {
			reason: "A volume of the user's own takes the place of the picker's.",
			worker: picking(withVolume("epp-config"), withVolume("hf-cache")),
		},
		"PickerClaim": {
			reason: "A claim would be passed over for the picker's volume.",
			worker: picking(mountingClaim("hf-cache")),
			want:   []string{worker + "volumeMounts[0].name"},
		},
		"SharedMemoryVolume": {
			reason: "The shared memory replaces a volume named shared-memory, and a warning says so.",
			worker: plainWorker(withVolume("shared-memory")),
		},
		"SharedMemoryClaim": {
			reason: "A claim named shared-memory would be mounted nowhere.",
			worker: plainWorker(mountingClaim("shared-memory")),
			want:   []string{worker + "volumeMounts[0].name"},
		},
		"SidecarPort": {
			reason: "Services and probes could not tell two ports of one name apart.",
			worker: plainWorker(withExporter(corev1.ContainerPort{ContainerPort: 1}, system)),
			want:   []string{worker + "podTemplate.spec.containers[1].ports[1].name"},
		},
		"PortOfFrontendSidecar": {
			reason: "The frontend beside a worker has a port as well.",
			worker: plainWorker(withPort("http"), func(s *v1alpha1.Service) { s.FrontendSidecar = &v1alpha1.FrontendSidecar{Image: "x"} }),
			want:   []string{worker + "podTemplate.spec.containers[main].ports[0].name"},
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
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Component("Worker", tc.worker))
			for orchestrator, groups := range map[string][]string{"Grove": {"grove"}, "LWS": {"lws", "volcano"}} {
				req := plantest.Request(xr, plantest.WithGroups(groups...), plantest.WithVolcanoQueue("Open"), plantest.WithoutObject("apiservice-inference"), plantest.WithoutObject("pvc-mpi-run-ssh-secret"))
				out := whole.Run(t, req)
				if out.Plan != nil {
					out.Told = plantest.Told{}
				}
				words.Add(name, out.Texts...)
				if diff := cmp.Diff(plantest.Refused(subject.Mistake, rule.Containers, tc.want...), out.Said); diff != "" {
					t.Errorf("%s\n%s: RunFunction(...): -want, +got:\n%s", tc.reason, orchestrator, diff)
				}
			}
		})
	}
	words.Golden(t, len(cases))
}

// TestGeneratedNamesOfLiveGraph takes names with which pods run all the same.
func TestGeneratedNamesOfLiveGraph(t *testing.T) {
	worker := plainWorker(mountingClaim("shared-memory"), withExporter(corev1.ContainerPort{Name: "system", ContainerPort: 9091}))
	xr := plantest.Graph(plantest.Component("Worker", worker))
	out := whole.Run(t, plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("worker")))))
	want := plantest.Warned(rule.Containers, "spec.components[Worker].podTemplate.spec.containers[1].ports[0].name", "spec.components[Worker].volumeMounts[0].name")
	if diff := cmp.Diff(want, out.Said); diff != "" {
		t.Errorf("A live graph with such pods, which run, can still be edited, and its user is told which names are taken: -want, +got:\n%s", diff)
	}
}
