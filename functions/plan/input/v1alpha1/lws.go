package v1alpha1

// GangProvider is who creates the gang of a LeaderWorkerSet, and who schedules it.
//
// +kubebuilder:validation:Enum=PodGroup;LWS;Kubernetes
type GangProvider string

// The gang providers.
const (
	// GangProviderPodGroup composes a PodGroup of Volcano for each LeaderWorkerSet.
	GangProviderPodGroup GangProvider = "PodGroup"
	// GangProviderLWS leaves it to the LWS operator, which must run with schedulerProvider volcano (LWS 0.7 or later).
	GangProviderLWS GangProvider = "LWS"
	// GangProviderKubernetes composes a PodGroup of Kubernetes, which its own scheduler reads, also if Volcano or KAI is installed.
	GangProviderKubernetes GangProvider = "Kubernetes"
)

// LWS holds detection and settings of LeaderWorkerSet.
type LWS struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// GangProvider of LeaderWorkerSets: on Volcano PodGroup (the default), or LWS if the LWS operator creates the PodGroups. With
	// Kubernetes, the scheduler of Kubernetes 1.37 or later makes the gangs, which is the default if neither Volcano nor KAI is installed.
	// Running graphs keep their gang provider.
	GangProvider GangProvider `json:"gangProvider,omitempty"`
}
