package doctor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// The names of images, without their registries, which mirrors keep.
const (
	imageCrossplane = "crossplane"
	imageGrove      = "grove-operator"
	imageGrouper    = "podgrouper"
	imageScheduler  = "scheduler"
	imageBinder     = "binder"
)

// API versions and kinds that the functions use.
const (
	groveVersion   = "grove.io/v1alpha1"
	kaiVersion     = "scheduling.run.ai/v2"
	lwsVersion     = "leaderworkerset.x-k8s.io/v1"
	volcanoVersion = "scheduling.volcano.sh/v1beta1"
	claimsVersion  = "resource.k8s.io/v1"

	kindQueue           = "Queue"
	kindPodCliqueSet    = "PodCliqueSet"
	kindLeaderWorkerSet = "LeaderWorkerSet"
	kindPodGroup        = "PodGroup"
	kindClaimTemplate   = "ResourceClaimTemplate"
)

// A product that graphs run on.
type product struct {
	check string
	name  compatibility.Product

	// images of its controller, by which its version is found, and those of other programs without which it does nothing, in the same namespace.
	images, others []string

	// apiVersion and kinds that it has to serve. An empty version: it is not found by its kinds.
	apiVersion string
	kinds      []string

	// required says that no graph runs without it.
	required bool
}

// products in the order in which they are checked.
func products() []product {
	return []product{
		{check: "kubernetes", name: compatibility.Kubernetes, required: true},
		{
			check: "crossplane", name: compatibility.Crossplane, images: []string{imageCrossplane},
			apiVersion: apiextensions, kinds: []string{kindDefinition, kindComposition}, required: true,
		},
		{
			check: "grove", name: compatibility.Grove, images: []string{imageGrove},
			apiVersion: groveVersion, kinds: []string{kindPodCliqueSet, "PodClique", "PodCliqueScalingGroup"},
		},
		{
			check: "kai", name: compatibility.KAI, images: []string{imageGrouper}, others: []string{imageScheduler, imageBinder},
			apiVersion: kaiVersion, kinds: []string{kindQueue},
		},
		{
			check: "leaderworkerset", name: compatibility.LeaderWorkerSet, images: []string{"lws"},
			apiVersion: lwsVersion, kinds: []string{kindLeaderWorkerSet},
		},
		{
			check: "volcano", name: compatibility.Volcano, images: []string{"vc-scheduler"}, others: []string{"vc-controller-manager"},
			apiVersion: volcanoVersion, kinds: []string{kindPodGroup, kindQueue},
		},
		{
			check: "dra-driver", name: compatibility.DRADriver, images: []string{"dra-driver-nvidia-gpu", "k8s-dra-driver-gpu"},
			apiVersion: "resource.nvidia.com/v1beta1", kinds: []string{"ComputeDomain"},
		},
	}
}

// finding is whether the product is there, complete, and of a version that graphs run on.
func (p *product) finding(f *Facts) Finding {
	version := f.version(p)
	present := version != "" || f.hasGroup(p.apiVersion)
	missing := slices.DeleteFunc(slices.Clone(p.kinds), func(kind string) bool { return f.serves(p.apiVersion, kind) })
	switch {
	case !present && p.required:
		return problem(fmt.Sprintf("%s is not installed.", p.name), fmt.Sprintf("Install %s: see docs/install.md#what-the-cluster-needs.", p.name))
	case !present:
		return skipped(fmt.Sprintf("%s is not installed.", p.name))
	case len(missing) > 0:
		return problem(fmt.Sprintf("%s is installed, but the cluster does not serve %s of %s.", p.name, strings.Join(missing, " and "), p.apiVersion),
			fmt.Sprintf("Install the CustomResourceDefinitions of %s, in a version that serves %s.", p.name, p.apiVersion))
	case version != "":
		if idle := p.idle(f); idle != nil {
			return *idle
		}
		return ofVersion(p.name, version)
	}
	if unread, is := f.unread(fmt.Sprintf("%s is installed, but its version is not known. ", p.name), Deployments); is {
		return unread
	}
	return warning(fmt.Sprintf("The kinds of %s are served, but no Deployment has its image (%s).", p.name, strings.Join(p.images, " or ")),
		"Check that its controller runs. Compare its version with docs/install.md#what-the-cluster-needs.")
}

// idle is a program of the product that does not run. nil if all do.
func (p *product) idle(f *Facts) *Finding {
	controllers := f.controllers(p)
	for _, image := range p.others {
		found := f.beside(controllers, image)
		if len(found) == 0 {
			missing := problem(fmt.Sprintf("%s is installed, but no Deployment runs its %s.", p.name, image),
				fmt.Sprintf("Install %s again: see docs/install.md#what-the-cluster-needs.", p.name))
			return &missing
		}
		controllers = append(controllers, found...)
	}
	for i := range controllers {
		if idle := controllers[i].idle(); idle != nil {
			return idle
		}
	}
	return nil
}

// beside others are the Deployments with an image in their namespaces.
func (f *Facts) beside(others []Deployment, image string) []Deployment {
	return slices.DeleteFunc(f.runs(image), func(d Deployment) bool {
		return !slices.ContainsFunc(others, func(other Deployment) bool { return other.Namespace == d.Namespace })
	})
}

// idle is a Deployment that runs no pod. nil if one is ready.
func (d *Deployment) idle() *Finding {
	var idle Finding
	switch {
	case d.replicas() == 0:
		idle = problem(fmt.Sprintf("Deployment %s in namespace %s has 0 replicas.", d.Name, d.Namespace),
			fmt.Sprintf("kubectl scale deployment %s --namespace=%s --replicas=1", d.Name, d.Namespace))
	case d.Status.ReadyReplicas == 0:
		idle = problem(fmt.Sprintf("No pod of Deployment %s in namespace %s is ready.", d.Name, d.Namespace),
			fmt.Sprintf("kubectl describe deployment %s --namespace=%s", d.Name, d.Namespace))
	default:
		return nil
	}
	return &idle
}

// hasGroup reports whether any version of an API group is served.
func (f *Facts) hasGroup(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	return slices.Contains(f.Groups, group)
}

// version of a product. Empty if it is not known.
func (f *Facts) version(p *product) string {
	if p.name == compatibility.Kubernetes {
		return withoutBuild(f.Kubernetes)
	}
	for _, d := range f.controllers(p) {
		for _, c := range d.containers() {
			if slices.Contains(p.images, imageName(c.Image)) {
				return runtime.Tag(c.Image)
			}
		}
	}
	return ""
}

// controllers of a product. The RBAC manager of Crossplane, which has the same image, does nothing for graphs.
func (f *Facts) controllers(p *product) []Deployment {
	if p.name != compatibility.Crossplane {
		return f.runs(p.images...)
	}
	if crossplane := f.crossplane(); crossplane != nil {
		return []Deployment{*crossplane}
	}
	return nil
}

// versionOf a product, by its name.
func (f *Facts) versionOf(name compatibility.Product) string {
	all := products()
	return f.version(&all[slices.IndexFunc(all, func(p product) bool { return p.name == name })])
}

// ofVersion compares a version with the table of versions that work together.
func ofVersion(name compatibility.Product, version string) Finding {
	recommended, _ := compatibility.Of(compatibility.Recommended)
	runs, err := compatibility.Any().Allows(name, version)
	if err != nil {
		return skipped(fmt.Sprintf("%s %s cannot be compared with the versions that graphs need.", name, version))
	}
	if !runs {
		earliest := compatibility.Any().Earliest[name]
		return problem(fmt.Sprintf("%s %s is too old: graphs need %s or later.", name, version, earliest), fmt.Sprintf("Upgrade %s.", name))
	}
	if fits, err := recommended.Allows(name, version); err == nil && !fits {
		return warning(fmt.Sprintf("%s %s is older than %s, which release %s of Dynamo needs.", name, version, recommended.Earliest[name], recommended.Dynamo),
			fmt.Sprintf("Upgrade %s, unless all images are of earlier releases: see docs/dynamo-releases.md#versions-of-other-products.", name))
	}
	return ok(fmt.Sprintf("%s %s works with release %s of Dynamo.", name, version, recommended.Dynamo))
}

// built is what providers of clusters append to the version of Kubernetes, such as -gke.1080000.
var built = regexp.MustCompile(`^(v?\d+\.\d+\.\d+).*$`)

func withoutBuild(version string) string { return built.ReplaceAllString(version, "$1") }

// imageName is the last part of the repository of an image.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndex(image, "/")+1:]
	name, _, _ := strings.Cut(image, ":")
	return name
}

// orchestrator tells which graphs can run.
func orchestrator(f *Facts) Finding {
	grove := f.serves(groveVersion, kindPodCliqueSet)
	sets := f.serves(lwsVersion, kindLeaderWorkerSet)
	gangs := f.serves(volcanoVersion, kindPodGroup)
	native := f.serves(schedulingv1beta1.APIVersion, schedulingv1beta1.Kind) || f.serves(schedulingv1beta1.Stable, schedulingv1beta1.Kind)
	switch {
	case grove:
		return ok("Graphs run on Grove.")
	case sets && gangs:
		return ok("Components that span nodes run on LeaderWorkerSets, with gangs of Volcano.")
	case sets && native:
		return ok("Components that span nodes run on LeaderWorkerSets, with gangs of Kubernetes.")
	case sets:
		return warning("LeaderWorkerSet is installed without Volcano: graphs with components that span nodes are refused.",
			"Install Volcano, or Grove, or turn on the gangs of Kubernetes 1.37: see docs/schedulers.md.")
	default:
		return warning("Neither Grove nor LeaderWorkerSet is installed: graphs with components that span nodes are refused.",
			"Install Grove, or LeaderWorkerSet and Volcano, if you need such components: see docs/install.md#what-the-cluster-needs.")
	}
}

// groveTopology tells whether Grove packs pods.
func groveTopology(f *Facts) Finding {
	switch {
	case !f.serves(groveVersion, kindPodCliqueSet):
		return skipped("Grove is not installed.")
	case f.GroveTopology == nil:
		return skipped("The configuration of Grove's operator was not found.")
	case *f.GroveTopology:
		return ok("Grove packs pods into topology domains.")
	default:
		return warning("Topology is switched off in Grove: graphs with topology constraints are refused.",
			"Set config.topologyAwareScheduling.enabled=true in the chart of Grove if you need constraints: see docs/topology.md.")
	}
}

// resourceClaims tells whether the containers of a pod can share GPUs.
func resourceClaims(f *Facts) Finding {
	if f.serves(claimsVersion, kindClaimTemplate) {
		return ok("Containers can share the GPUs of their pod.")
	}
	return warning(fmt.Sprintf("The cluster does not serve %s of %s: pods of components with gpuMemoryService cannot be created.", kindClaimTemplate, claimsVersion),
		"Upgrade Kubernetes to 1.34 or later if you need gpuMemoryService.")
}
