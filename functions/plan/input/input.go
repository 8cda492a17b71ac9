// Package input reads the policy of the platform: the input of step plan in the Composition, and the EnvironmentConfig over it.
package input

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// maxReadySeconds is the longest time that a new pod of a Deployment has to be ready. Rollouts hold old pods by longer ones.
const maxReadySeconds = 3600

// Read decodes and validates an input, which may be nil, for a graph in a namespace. A field that the platform does not set is empty: what that
// means is decided where the field is used.
func Read(given *structpb.Struct, namespace string) (*v1alpha1.Input, field.ErrorList) {
	in := &v1alpha1.Input{}
	if given == nil {
		return in, nil
	}
	root := inputPath()
	errs := strict.Decode(structpb.NewStructValue(given), in, root, strict.Options{})
	errs = append(errs, validateInput(in, root)...)
	if len(errs) == 0 {
		errs = validateNamespaces(in.Namespaces, root.Child("namespaces"))
	}
	if len(errs) > 0 {
		return in, errs
	}
	return in, narrow(&in.Policy, given, root, namespace)
}

// validateInput checks the rules of the schema, because the API server does not validate the input in a Composition.
func validateInput(in *v1alpha1.Input, root *field.Path) field.ErrorList {
	var errs field.ErrorList
	if in.APIVersion != v1alpha1.APIVersion {
		errs = append(errs, field.NotSupported(root.Child("apiVersion"), in.APIVersion, []string{v1alpha1.APIVersion}))
	}
	if in.Kind != v1alpha1.Kind {
		errs = append(errs, field.NotSupported(root.Child("kind"), in.Kind, []string{v1alpha1.Kind}))
	}
	errs = append(errs, oneOf(root.Child("environmentConfig", "mode"), in.EnvironmentConfig.Mode, []v1alpha1.EnvironmentConfigMode{
		v1alpha1.EnvironmentConfigEnabled, v1alpha1.EnvironmentConfigDisabled,
	})...)
	errs = append(errs, objectName(root.Child("environmentConfig", "name"), in.EnvironmentConfig.Name)...)
	return append(errs, validatePolicy(&in.Policy, root)...)
}

func validatePolicy(in *v1alpha1.Policy, root *field.Path) field.ErrorList {
	var errs field.ErrorList
	modes := []v1alpha1.Mode{v1alpha1.ModeAuto, v1alpha1.ModeEnabled, v1alpha1.ModeDisabled}
	errs = append(errs, oneOf(root.Child("grove", "mode"), in.Grove.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("kai", "mode"), in.KAI.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("lws", "mode"), in.LWS.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("volcano", "mode"), in.Volcano.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("scalingAdapter", "mode"), in.ScalingAdapter.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("istio", "mode"), in.Istio.Mode, modes)...)
	if tls := in.Istio.EndpointPickers; tls != nil {
		errs = append(errs, oneOf(root.Child("istio", "endpointPickers", "tlsMode"), tls.TLSMode, []v1alpha1.IstioTLSMode{
			v1alpha1.IstioTLSDisable, v1alpha1.IstioTLSIstioMutual, v1alpha1.IstioTLSSimple,
		})...)
	}
	errs = append(errs, oneOf(root.Child("gatewayAPI", "mode"), in.GatewayAPI.Mode, modes)...)
	errs = append(errs, oneOf(root.Child("inferenceExtension", "mode"), in.InferenceExtension.Mode, modes)...)
	errs = append(errs, validateInfrastructure(root.Child("infrastructure"), in.Infrastructure)...)
	errs = append(errs, validateIngress(root.Child("ingress"), in.Ingress)...)
	errs = append(errs, validatePullSecrets(root.Child("imagePullSecrets"), in.ImagePullSecrets)...)
	errs = append(errs, oneOf(root.Child("grove", "topologyDialect"), in.Grove.TopologyDialect, []v1alpha1.TopologyDialect{
		v1alpha1.DialectAuto, v1alpha1.DialectPack, v1alpha1.DialectPackDomain, v1alpha1.DialectPackDomainWithTopologyName,
	})...)
	errs = append(errs, oneOf(root.Child("grove", "scheduler"), in.Grove.Scheduler, []v1alpha1.GroveScheduler{
		v1alpha1.GroveSchedulerAuto, v1alpha1.GroveSchedulerVolcano,
	})...)
	errs = append(errs, oneOf(root.Child("lws", "gangProvider"), in.LWS.GangProvider, []v1alpha1.GangProvider{
		v1alpha1.GangProviderPodGroup, v1alpha1.GangProviderLWS, v1alpha1.GangProviderKubernetes,
	})...)
	errs = append(errs, oneOf(root.Child("discovery", "backend"), in.Discovery.Backend, []v1alpha1.DiscoveryBackend{
		v1alpha1.DiscoveryKubernetes, v1alpha1.DiscoveryEtcd,
	})...)
	errs = append(errs, oneOf(root.Child("workers", "generations"), in.Workers.Generations, []v1alpha1.WorkerGenerations{
		v1alpha1.GenerationsSeparate, v1alpha1.GenerationsShared,
	})...)
	if seconds := in.Deployments.MinReadySeconds; seconds < 0 || seconds > maxReadySeconds {
		errs = append(errs, field.Invalid(root.Child("deployments", "minReadySeconds"), seconds, fmt.Sprintf("must be from 0 to %d", maxReadySeconds)))
	}
	errs = append(errs, oneOf(root.Child("vllm", "distributedExecutor"), in.VLLM.DistributedExecutor, []v1alpha1.VLLMExecutor{
		v1alpha1.VLLMExecutorRay, v1alpha1.VLLMExecutorMP,
	})...)
	errs = append(errs, validateRuntime(root.Child("runtime"), in.Runtime)...)
	errs = append(errs, validateMNNVL(&in.MNNVL, root.Child("mnnvl"), modes)...)
	if delay := in.Grove.TerminationDelay; delay != nil && delay.Duration <= 0 {
		errs = append(errs, field.Invalid(root.Child("grove", "terminationDelay"), delay.Duration.String(), "must be greater than 0; Grove cannot turn off gang termination, so set a long delay instead"))
	}
	errs = append(errs, objectName(root.Child("kai", "queue"), in.KAI.Queue)...)
	if problem := validate.LabelProblem(in.KAI.Queue); problem != "" {
		errs = append(errs, field.Invalid(root.Child("kai", "queue"), in.KAI.Queue, problem))
	}
	errs = append(errs, objectName(root.Child("volcano", "queue"), in.Volcano.Queue)...)
	errs = append(errs, validateKueue(root.Child("kueue"), &in.Kueue, modes)...)
	errs = append(errs, validatePodLabels(root.Child("topology", "podLabels"), in.Topology.PodLabels)...)
	errs = append(errs, validateCheckpoints(root.Child("checkpoints"), in.Checkpoints, modes)...)
	errs = append(errs, validateVolcanoTopology(root.Child("volcano"), &in.Volcano)...)
	errs = append(errs, validateGuardRails(root.Child("guardRails"), &in.GuardRails)...)
	errs = append(errs, validateDefaultResources(root.Child("defaultResources"), &in.DefaultResources)...)
	errs = append(errs, validatePodSecurityContext(root.Child("podSecurityContext"), &in.PodSecurityContext)...)
	return append(errs, validateProfiles(root.Child("topology", "profiles"), in.Topology.Profiles)...)
}

func validateKueue(path *field.Path, in *v1alpha1.Kueue, modes []v1alpha1.Mode) field.ErrorList {
	errs := oneOf(path.Child("mode"), in.Mode, modes)
	errs = append(errs, objectName(path.Child("queue"), in.Queue)...)
	if problem := validate.LabelProblem(in.Queue); problem != "" {
		errs = append(errs, field.Invalid(path.Child("queue"), in.Queue, problem))
	}
	return errs
}

func validateMNNVL(in *v1alpha1.MNNVL, path *field.Path, modes []v1alpha1.Mode) field.ErrorList {
	errs := oneOf(path.Child("mode"), in.Mode, []v1alpha1.MNNVLMode{v1alpha1.MNNVLAuto, v1alpha1.MNNVLDisabled, v1alpha1.MNNVLGrove})
	errs = append(errs, oneOf(path.Child("scope"), in.Scope, []v1alpha1.MNNVLScope{v1alpha1.MNNVLScopeGraph, v1alpha1.MNNVLScopeReplica})...)
	errs = append(errs, oneOf(path.Child("driver"), in.Driver, modes)...)
	if n := in.GPUsPerNode; n != nil && *n < 1 {
		errs = append(errs, field.Invalid(path.Child("gpusPerNode"), *n, "must be at least 1; remove it to use the default of 4"))
	}
	return errs
}

// oneOf accepts an empty value, which means the default.
func oneOf[T ~string](path *field.Path, value T, allowed []T) field.ErrorList {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}

// malformed is a value with which Kubernetes has problems.
func malformed(path *field.Path, value string, problems []string) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range problems {
		errs = append(errs, field.Invalid(path, value, message.WithoutPattern(problem)))
	}
	return errs
}

// objectName is an error unless a name can be that of an object, or is empty.
func objectName(path *field.Path, name string) field.ErrorList {
	return validate.ObjectName(path, name).ErrorsIn(message.Components{})
}
