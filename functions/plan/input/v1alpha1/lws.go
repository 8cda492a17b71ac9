package v1alpha1

// GangProvider is who creates the gang of a LeaderWorkerSet on Volcano.
//
// +kubebuilder:validation:Enum=PodGroup;LWS
type GangProvider string

// The gang providers.
const (
	// GangProviderPodGroup composes a PodGroup for each LeaderWorkerSet.
	GangProviderPodGroup GangProvider = "PodGroup"
	// GangProviderLWS leaves it to the LWS operator, which must run with schedulerProvider volcano (LWS 0.7 or later).
	GangProviderLWS GangProvider = "LWS"
)

// LWS holds detection and settings of LeaderWorkerSet.
type LWS struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// GangProvider of LeaderWorkerSets on Volcano: PodGroup (the default), or LWS if the LWS operator creates the PodGroups.
	// Running graphs keep their gang provider.
	GangProvider GangProvider `json:"gangProvider,omitempty"`
}
