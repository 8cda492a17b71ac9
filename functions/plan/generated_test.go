package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// workerOf is a graph, YAML, of a worker with these fields.
func workerOf(t *testing.T, fields string) string {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(fields))
	if err != nil {
		t.Fatal(err)
	}
	return plantest.GraphOf(`{"services":{"Worker":` + string(encoded) + `}}`)
}

// TestCheckGenerated takes names of parts that the chain adds to pods, where it does and where it does not.
func TestCheckGenerated(t *testing.T) {
	const (
		mpi = `{componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: 4}}, extraPodSpec: {mainContainer: {image: x, command: [python3, -m, dynamo.trtllm],
			args: [--tensor-parallel-size, "8"], volumeMounts: [MOUNTS]}, volumes: [VOLUMES]}, volumeMounts: [CLAIMS]}`
		waiting = `{componentType: worker, annotations: {nvidia.com/vllm-distributed-executor-backend: EXECUTOR}, multinode: {nodeCount: 2}, resources: {limits: {gpu: 4}},
			extraPodSpec: {mainContainer: {image: x, command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, "8"]},
			initContainers: [{name: wait-for-leader-mp, image: x}], volumes: [{name: wait-leader-script, emptyDir: {}}]}}`
		sharing = `{componentType: worker, resources: {limits: {gpu: 1}}, gpuMemoryService: {enabled: ENABLED}, volumeMounts: [{name: gms-intrapod-control, mountPoint: /a}],
			extraPodSpec: {mainContainer: {image: x, command: [python3, -m, dynamo.vllm], volumeMounts: [{name: scratch, mountPath: /gms-intrapod-control/}]},
			initContainers: [{name: gms-server, image: x}], volumes: [{name: scratch, emptyDir: {}}], resourceClaims: [{name: intrapod-shared-gpu, resourceClaimName: a}]}}`
		picking = `{componentType: epp, eppConfig: {configMapRef: {name: a, key: b}}, volumeMounts: [CLAIMS], extraPodSpec: {mainContainer: {image: x}, volumes: [VOLUMES]}}`
		worker  = "spec.services[Worker]."
	)
	with := func(worker string, replacements ...string) string {
		worker = strings.NewReplacer(replacements...).Replace(worker)
		return strings.NewReplacer("MOUNTS", "", "VOLUMES", "", "CLAIMS", "").Replace(worker)
	}
	cases := map[string]struct {
		reason string
		worker string
		want   []string
	}{
		"None": {reason: "A service that takes none of the generated names is accepted.", worker: with(mpi)},
		"SSHVolume": {
			reason: "The pods would have two volumes of one name.",
			worker: with(mpi, "VOLUMES", "{name: mpi-run-ssh-secret, secret: {secretName: mine}}"),
			want: []string{worker + `extraPodSpec.volumes[0].name: Invalid value: "mpi-run-ssh-secret": is the name of the volume of the MPI key pair, which is added to the pods of this service; ` +
				"rename it, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"SSHMount": {
			reason: "Two volumes cannot be mounted at one path.",
			worker: with(mpi, "VOLUMES", "{name: a, emptyDir: {}}", "MOUNTS", "{name: a, mountPath: /ssh-pk}"),
			want: []string{worker + `extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "/ssh-pk": is where the MPI key pair is mounted in the pods of this service; ` +
				"choose another path, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"SSHClaim": {
			reason: "A claim that the service mounts becomes a volume of its name.",
			worker: with(mpi, "CLAIMS", "{name: mpi-run-ssh-secret, mountPoint: /a}"),
			want: []string{worker + `volumeMounts[0].name: Invalid value: "mpi-run-ssh-secret": is the name of the volume of the MPI key pair, which is added to the pods of this service; ` +
				"rename it, or specify your own Secret in annotation nvidia.com/mpi-ssh-secret"},
		},
		"OneNode": {
			reason: "The pods of one node get no key pair.",
			worker: strings.Replace(with(mpi, "VOLUMES", "{name: mpi-run-ssh-secret, emptyDir: {}}", `"8"`, `"4"`), "multinode: {nodeCount: 2}, ", "", 1),
		},
		"Waiting": {
			reason: "The names for waiting are reserved, although only the workers wait and their leader does not.",
			worker: with(waiting, "EXECUTOR", "mp"),
			want: []string{
				worker + `extraPodSpec.initContainers[0].name: Invalid value: "wait-for-leader-mp": is the name of the init container that waits for the leader, which is added to the pods of this service; rename it`,
				worker + `extraPodSpec.volumes[0].name: Invalid value: "wait-leader-script": is the name of the volume of the script that makes workers wait for their leader, which is added to the pods of this service; rename it`,
			},
		},
		"NotWaiting": {reason: "Workers of Ray do not wait.", worker: with(waiting, "EXECUTOR", "ray")},
		"Sharing": {
			reason: "The GPU memory service has a server, a volume and a claim.",
			worker: with(sharing, "ENABLED", "true"),
			want: []string{
				worker + `extraPodSpec.initContainers[0].name: Invalid value: "gms-server": is the name of the server of the GPU memory service, which is added to the pods of this service; rename it`,
				worker + `extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "/gms-intrapod-control": is where the volume of the GPU memory service is mounted in the pods of this service; choose another path`,
				worker + `extraPodSpec.resourceClaims[0].name: Invalid value: "intrapod-shared-gpu": is the name of the claim of the GPU memory service, which is added to the pods of this service; rename it`,
				worker + `volumeMounts[0].name: Invalid value: "gms-intrapod-control": is the name of a volume of the GPU memory service, which is added to the pods of this service; rename it`,
			},
		},
		"NotSharing": {reason: "Without the GPU memory service, its names are free.", worker: with(sharing, "ENABLED", "false")},
		"OwnPickerVolumes": {
			reason: "A volume of the user's own takes the place of the picker's.",
			worker: with(picking, "VOLUMES", "{name: epp-config, configMap: {name: a}}, {name: hf-cache, emptyDir: {}}"),
		},
		"PickerClaim": {
			reason: "A claim would be passed over for the picker's volume.",
			worker: with(picking, "CLAIMS", "{name: hf-cache, mountPoint: /a}"),
			want: []string{worker + `volumeMounts[0].name: Invalid value: "hf-cache": is the name of the cache volume of the Endpoint Picker, which is added to the pods of this service; ` +
				"rename it, or define a volume of this name in extraPodSpec.volumes"},
		},
		"SharedMemoryVolume": {
			reason: "The shared memory replaces a volume named shared-memory, and a warning says so.",
			worker: `{componentType: worker, extraPodSpec: {mainContainer: {image: x, command: [serve]}, volumes: [{name: shared-memory, emptyDir: {}}]}}`,
		},
		"SharedMemoryClaim": {
			reason: "A claim named shared-memory would be mounted nowhere.",
			worker: `{componentType: worker, volumeMounts: [{name: shared-memory, mountPoint: /a}], extraPodSpec: {mainContainer: {image: x, command: [serve]}}}`,
			want: []string{worker + `volumeMounts[0].name: Invalid value: "shared-memory": is the name of the shared memory volume, which is added to the pods of this service; ` +
				"rename it, or set sharedMemory.disabled: true"},
		},
		"SidecarPort": {
			reason: "Services and probes could not tell two ports of one name apart.",
			worker: `{componentType: worker, extraPodSpec: {mainContainer: {image: x, command: [serve]}, containers: [{name: exporter, image: x, ports: [{containerPort: 1}, {name: system, containerPort: 9091}]}]}}`,
			want:   []string{worker + `extraPodSpec.containers[0].ports[1].name: Invalid value: "system": is the name of a port of container main, which is added to the pods of this service; rename it`},
		},
		"PortOfFrontendSidecar": {
			reason: "The frontend beside a worker has a port as well.",
			worker: `{componentType: worker, frontendSidecar: {image: x}, extraPodSpec: {mainContainer: {image: x, command: [serve], ports: [{name: http, containerPort: 81}]}}}`,
			want:   []string{worker + `extraPodSpec.mainContainer.ports[0].name: Invalid value: "http": is the name of a port of container sidecar-frontend, which is added to the pods of this service; rename it`},
		},
		"OwnPorts": {
			reason: "Ports of the user's own take the place of those of the main container.",
			worker: `{componentType: worker, extraPodSpec: {mainContainer: {image: x, command: [serve], ports: [{name: api, containerPort: 81}]}, containers: [{name: exporter, image: x, ports: [{name: system, containerPort: 9091}]}]}}`,
		},
		"NoSharedMemory": {
			reason: "Without shared memory, the name shared-memory is free.",
			worker: `{componentType: worker, sharedMemory: {disabled: true}, volumeMounts: [{name: shared-memory, mountPoint: /a}], extraPodSpec: {mainContainer: {image: x, command: [serve]}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := workerOf(t, tc.worker)
			for orchestrator, groups := range map[string][]string{"Grove": {"grove"}, "LWS": {"lws", "volcano"}} {
				req := plantest.Request(xr, plantest.WithGroups(groups...), withVolcanoQueue("Open"), withoutObject("apiservice-inference"))
				var got []string
				for _, message := range fatalsOf(respond(t, withFreeNames(t, req))) {
					got = strings.Split(strings.ReplaceAll(message, "; spec.", "\nspec."), "\n")
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
	xr := workerOf(t, `{componentType: worker, volumeMounts: [{name: shared-memory, mountPoint: /a}],
		extraPodSpec: {mainContainer: {image: "x:1.5.0", command: [serve]}, containers: [{name: exporter, image: x, ports: [{name: system, containerPort: 9091}]}]}}`)
	rsp := respond(t, withFreeNames(t, plantest.Request(xr, plantest.WithGroups("grove"),
		plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("worker"))))))
	if fatal := fatalsOf(rsp); len(fatal) > 0 {
		t.Errorf("A live graph with such pods, which run, can still be edited: want no fatal result, got %v", fatal)
	}
	if diff := cmp.Diff(port+"; "+memory, rsp.GetConditions()[0].GetMessage()); diff != "" {
		t.Errorf("The user is told which names are taken: message of condition Accepted: -want, +got:\n%s", diff)
	}
}
