package doctor

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Source of facts, which the user may read or not.
type Source string

// The sources of facts. The first ones are resources, and the last ones what somebody may do.
const (
	Deployments     Source = "deployments"
	Webhooks        Source = "webhooks"
	CustomResources Source = "customresourcedefinitions"
	Definitions     Source = "compositeresourcedefinitions"
	Compositions    Source = "compositions"
	Configurations  Source = "configurations"
	Functions       Source = "functions"
	RuntimeConfigs  Source = "deploymentruntimeconfigs"
	Policy          Source = "environmentconfigs"
	Queues          Source = "queues"
	ConfigMaps      Source = "configmaps"

	CrossplaneAccess Source = "the access of Crossplane"
	GrouperAccess    Source = "the access of the pod grouper"
	OwnAccess        Source = "the access of the user"
)

// Facts about a cluster, as far as the user may read them.
type Facts struct {
	// Kubernetes is the version of the API server.
	Kubernetes string

	// Served are the kinds of each version of an API group that matters to graphs. A version that is not served has none.
	Served map[string][]string

	// Groups are all API groups that are served.
	Groups []string

	Deployments     []Deployment
	Webhooks        []Webhook
	CustomResources []Definition
	Definitions     []Definition
	Compositions    []Composition
	Configurations  []Package
	Functions       []Package
	RuntimeConfigs  []string
	Queues          []Queue

	// GroveTopology says whether topology is switched on in the configuration of Grove's operator. nil if this was not found.
	GroveTopology *bool

	// Refused are the accesses that somebody does not have, of those that were reviewed.
	Refused map[Source][]preview.Access

	// Forbidden is what the user may not read.
	Forbidden map[Source]preview.ForbiddenError

	// Namespace in which the access of the user was reviewed.
	Namespace string
}

// A Deployment of a controller.
type Deployment struct{ appsv1.Deployment }

func (d *Deployment) containers() []corev1.Container { return d.Spec.Template.Spec.Containers }

func (d *Deployment) replicas() int32 { return ptr.Deref(d.Spec.Replicas, 1) }

// A Webhook that admits graphs.
type Webhook struct {
	// Kind and Name of the configuration that it is in.
	Kind, Name string

	// Operator says that it is the Dynamo operator's.
	Operator bool
}

// A Definition of graphs or of what belongs to them, of Kubernetes or of Crossplane, has the fields of both kinds that are read.
type Definition struct {
	metav1.ObjectMeta `json:"metadata"`
	withConditions

	Spec struct {
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Conversion struct {
			Strategy string `json:"strategy"`
		} `json:"conversion"`
	} `json:"spec"`
}

// isConverted reports whether a webhook converts the objects between versions.
func (d *Definition) isConverted() bool { return d.Spec.Conversion.Strategy == "Webhook" }

// isCrossplanes reports whether Crossplane makes the definition of a CompositeResourceDefinition.
func (d *Definition) isCrossplanes() bool {
	return ptr.Deref(metav1.GetControllerOf(d), metav1.OwnerReference{}).Kind == kindDefinition
}

// A Composition of graphs.
type Composition struct {
	Name string

	// Functions that it calls, by their names.
	Functions []string

	// Policy of the platform for graphs, with what the EnvironmentConfig lays over it, and the errors in it.
	Policy *v1alpha1.Input
	Errors []string
}

// A Package that Crossplane has installed, such as a function, has the fields that are read.
type Package struct {
	metav1.ObjectMeta `json:"metadata"`
	withConditions

	Spec struct {
		Package          string `json:"package"`
		RuntimeConfigRef struct {
			Name string `json:"name"`
		} `json:"runtimeConfigRef"`
	} `json:"spec"`
}

// A Queue of KAI has the fields that are read.
type Queue struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		ParentQueue string `json:"parentQueue"`
	} `json:"spec"`
}

// installed reports whether graphs are installed, or an attempt was made.
func (f *Facts) installed() bool {
	if len(f.Definitions)+len(f.Configurations) > 0 || slices.ContainsFunc(f.Functions, func(p Package) bool { return p.isOurs() }) {
		return true
	}
	_, unknown := f.Forbidden[Definitions]
	return unknown && f.serves(graphVersion, kindGraph)
}

// notInstalled is the finding that install.yaml brings what is missing, or that nobody may see whether it did.
func (f *Facts) notInstalled() Finding {
	if unread, is := f.unread("", Definitions, Configurations, Functions); is {
		return unread
	}
	return skipped("It comes with install.yaml.")
}

// serves reports whether a kind is served.
func (f *Facts) serves(apiVersion, kind string) bool {
	return slices.Contains(f.Served[apiVersion], kind)
}

// runs are the Deployments with an image of one of these names.
func (f *Facts) runs(images ...string) []Deployment {
	var found []Deployment
	for _, d := range f.Deployments {
		if slices.ContainsFunc(d.containers(), func(c corev1.Container) bool { return slices.Contains(images, imageName(c.Image)) }) {
			found = append(found, d)
		}
	}
	return found
}

// crossplane is the Deployment of Crossplane itself, beside which its RBAC manager runs with the same image. nil if there is none.
func (f *Facts) crossplane() *Deployment {
	for _, d := range f.runs(imageCrossplane) {
		if slices.ContainsFunc(d.containers(), func(c corev1.Container) bool { return slices.Contains(c.Args, "core") }) {
			return &d
		}
	}
	return nil
}
