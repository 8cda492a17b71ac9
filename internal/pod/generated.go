package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Generated is a part of pods that the user has not written.
type Generated struct {
	// What the part is. Empty if pods get no such part.
	What string

	// Instead is what users can do to get their own part instead. Empty if there is nothing.
	Instead message.Text

	// Replaces says that the part replaces one of the user, so that the pods run without that one.
	Replaces bool
}

func ownSSHSecret() message.Text {
	return message.Format("specify your own Secret in annotation %s", metadata.AnnotationSSHSecret)
}

func ownVolume() message.Text {
	return message.Format("define a volume of this name in {{podTemplate.spec.volumes}}")
}

// GeneratedVolume with this name.
func GeneratedVolume(name string) Generated {
	switch name {
	case backend.SSHVolume:
		return Generated{What: "the volume of the MPI key pair", Instead: ownSSHSecret()}
	case backend.WaitVolume:
		return Generated{What: "the volume of the script that makes workers wait for their leader"}
	case GPUMemoryVolume, WeightsVolume:
		return Generated{What: "a volume of the GPU memory service"}
	case topologyVolume:
		return Generated{What: "the volume with the topology domains of kvTransferPolicy"}
	case eppCacheVolume:
		return Generated{What: "the cache volume of the Endpoint Picker", Instead: ownVolume(), Replaces: true}
	case eppConfigVolume:
		return Generated{What: "the configuration volume of the Endpoint Picker", Instead: ownVolume(), Replaces: true}
	case SharedMemoryVolume:
		return Generated{What: "the shared memory volume", Instead: message.Format("set {{sharedMemorySize: \"0\"}}"), Replaces: true}
	default:
		return Generated{}
	}
}

// GeneratedContainer with this name, in addition to the main container and the frontend sidecar.
func GeneratedContainer(name string) Generated {
	switch name {
	case backend.WaitContainer:
		return Generated{What: "the init container that waits for the leader"}
	case backend.RayWaitContainer:
		return Generated{What: "the init container that waits for the head of the Ray cluster"}
	case GPUMemoryContainer:
		return Generated{What: "the server of the GPU memory service"}
	case WeightsContainer:
		return Generated{What: "the init container that makes the sockets of the weight server accessible"}
	case engines()[0], engines()[1]:
		return Generated{What: "an engine of failover"}
	default:
		return Generated{}
	}
}

// GeneratedClaim with this name.
func GeneratedClaim(name string) Generated {
	if name == SharedGPUClaim {
		return Generated{What: "the claim of the GPU memory service"}
	}
	return Generated{}
}

// GeneratedMount of a container of the user at this path.
func GeneratedMount(path string) Generated {
	switch path {
	case backend.SSHKeyPath:
		return Generated{What: "the MPI key pair", Instead: ownSSHSecret()}
	case gpuMemoryFolder, weightsFolder:
		return Generated{What: "the volume of the GPU memory service"}
	case topologyFolder:
		return Generated{What: "the volume with the topology domains of kvTransferPolicy"}
	default:
		return Generated{}
	}
}

// GeneratedPorts are the names of the containers of a component whose ports the user does not define.
func GeneratedPorts(s *graph.Component) []string {
	var containers []string
	if s.Main().Ports == nil || s.HasStandby() {
		containers = append(containers, MainContainers(s)...)
	}
	if s.Sidecar != nil {
		containers = append(containers, SidecarContainer)
	}
	return containers
}
