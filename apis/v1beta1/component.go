package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// MainContainer is the name of the container of a podTemplate that runs the component itself.
const MainContainer = "main"

// ComponentType is the role of a component.
//
// +kubebuilder:validation:Enum=frontend;worker;prefill;decode;planner;epp
type ComponentType string

// The component types.
const (
	ComponentFrontend ComponentType = v1alpha1.ComponentFrontend
	ComponentWorker   ComponentType = v1alpha1.ComponentWorker
	ComponentPrefill  ComponentType = v1alpha1.ComponentPrefill
	ComponentDecode   ComponentType = v1alpha1.ComponentDecode
	ComponentPlanner  ComponentType = v1alpha1.ComponentPlanner
	ComponentEPP      ComponentType = v1alpha1.ComponentEPP
)

// Component is one component of the graph: its pods, and their number.
type Component struct {
	// Name of the component. Unique in the graph regardless of case.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name"`

	// Type is the role of the component: frontend, worker, prefill, decode, planner or epp. Without a type, the pods get no
	// defaults.
	Type ComponentType `json:"type,omitempty"`

	// GlobalDynamoNamespace adds the component to the shared Dynamo namespace "dynamo".
	GlobalDynamoNamespace bool `json:"globalDynamoNamespace,omitempty"`

	// PodTemplate is merged over the generated pods. The container named main is merged over the generated main container; all
	// other containers are added as they are.
	PodTemplate *corev1.PodTemplateSpec `json:"podTemplate,omitempty"`

	// Replicas of the component. For a multinode component, the number of groups of nodes.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// MinAvailable is the number of replicas that the gang scheduler must place together on Grove. Defaults to 1. Immutable.
	//
	// +kubebuilder:validation:Minimum=1
	MinAvailable *int32 `json:"minAvailable,omitempty"`

	// Multinode makes each replica span several nodes. Only for type worker, prefill or decode.
	Multinode *v1alpha1.Multinode `json:"multinode,omitempty"`

	// Roles of the pods of a multinode component: leader and worker. If set, both are required.
	//
	// +listType=map
	// +listMapKey=name
	Roles []v1alpha1.ComponentRole `json:"roles,omitempty"`

	// SharedMemorySize is the size of the tmpfs at /dev/shm in bytes, as a quantity such as 16Gi. It counts toward the memory
	// limit of the pod. Defaults to 8Gi. With 0, the pod keeps the /dev/shm of the container runtime, usually 64Mi.
	SharedMemorySize *resource.Quantity `json:"sharedMemorySize,omitempty"`

	// ModelRef is the model that the component serves. A headless Service is created that selects all pods of the model.
	ModelRef *v1alpha1.ModelReference `json:"modelRef,omitempty"`

	// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter set the replicas. Set it to {} to turn the adapter on.
	ScalingAdapter *ScalingAdapter `json:"scalingAdapter,omitempty"`

	// EPPConfig configures the Endpoint Picker. Required when type is epp and the image contains a release before 1.5.0, and not allowed otherwise.
	EPPConfig *v1alpha1.EPPConfig `json:"eppConfig,omitempty"`

	// FrontendSidecar is the name of the container of the podTemplate that runs a frontend next to the main container. The
	// container gets the defaults of a frontend.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	FrontendSidecar string `json:"frontendSidecar,omitempty"`

	// CompilationCache lets the engine store compiled kernels in a volume, so that later starts are faster.
	CompilationCache *CompilationCache `json:"compilationCache,omitempty"`

	// TopologyConstraint of the component. Its level must be the level of the graph or a narrower one. Immutable.
	TopologyConstraint *v1alpha1.TopologyConstraint `json:"topologyConstraint,omitempty"`

	// ProviderOverride replaces the topology constraint of the clique or scaling group that runs the component on Grove, and sets its
	// minAvailable and rollingUpdate.
	ProviderOverride *v1alpha1.ProviderOverride `json:"providerOverride,omitempty"`

	// RuntimeVersionOverride is the version of the Dynamo runtime, if it cannot be read from the image tag.
	//
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`
	RuntimeVersionOverride string `json:"runtimeVersionOverride,omitempty"`

	// Experimental holds settings that are experimental upstream.
	Experimental *ComponentExperimental `json:"experimental,omitempty"`
}

// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter set the replicas of the component. It has no settings.
type ScalingAdapter struct{}

// CompilationCache is the volume in which the engine stores compiled kernels.
type CompilationCache struct {
	// PVCName is the name of an existing PersistentVolumeClaim.
	//
	// +kubebuilder:validation:MinLength=1
	PVCName string `json:"pvcName"`

	// MountPath is the path in the main container. Defaults to /root/.cache/vllm for vLLM, and is required otherwise.
	MountPath string `json:"mountPath,omitempty"`
}
