package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	apiv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Names of what install.yaml brings, and of what it brings it for.
const (
	group        = v1beta1.Group
	graphVersion = group + "/" + v1beta1.Version

	kindGraph     = apiv1alpha1.Kind
	kindComposite = apiv1alpha1.CompositeKind

	resourceGraphs     = "dynamographdeployments"
	resourceComposites = "xdynamographdeployments"
	resourceAdapters   = "dynamographdeploymentscalingadapters"

	kindDefinition     = "CompositeResourceDefinition"
	kindComposition    = "Composition"
	kindWorkerMetadata = "DynamoWorkerMetadata"

	runtimeConfig = "configuration-dynamo"

	reinstall = "Apply install.yaml again, or the file of your flavor: see docs/install.md#two-commands."
)

// policies of the platform: those of its Compositions, or before there are any, the one that will be installed.
func (f *Facts) policies() []*v1alpha1.Input {
	var all []*v1alpha1.Input
	for _, c := range f.Compositions {
		if c.Policy != nil {
			all = append(all, c.Policy)
		}
	}
	if len(all) == 0 {
		return []*v1alpha1.Input{{}}
	}
	return all
}

// composite is the kind of the composite resources of graphs, and its resource: they own what graphs are made of.
func (f *Facts) composite() (kind, resource string) {
	if slices.ContainsFunc(f.Definitions, func(d Definition) bool { return d.Spec.Names.Kind == kindComposite }) {
		return kindComposite, resourceComposites
	}
	return kindGraph, resourceGraphs
}

// customResource with the name of a resource of graphs. nil if there is none.
func (f *Facts) customResource(resource string) *Definition {
	i := slices.IndexFunc(f.CustomResources, func(c Definition) bool { return c.Name == resource+"."+group })
	if i < 0 {
		return nil
	}
	return &f.CustomResources[i]
}

// graphDefinition is what serves graphs.
func graphDefinition(f *Facts) Finding {
	custom := f.customResource(resourceGraphs)
	if custom != nil && !custom.isCrossplanes() {
		return problem(fmt.Sprintf("CustomResourceDefinition %s belongs to the Dynamo operator. No CompositeResourceDefinition controls it, and Crossplane would take it over.", custom.Name),
			"Move or delete the graphs, and delete the definition before you install: see docs/moving-in.md.")
	}
	switch {
	case !f.installed():
		return f.notInstalled()
	case len(f.Definitions) == 0:
		return problem("There is no CompositeResourceDefinition of graphs.", reinstall)
	case len(f.Definitions) > 1:
		return problem("Both flavors are installed: namespaced graphs and claims. A cluster can have only one flavor.",
			"Uninstall the flavor that has no graphs: see docs/install.md#uninstall.")
	}
	d := &f.Definitions[0]
	switch {
	case !d.has("Established"):
		return problem(fmt.Sprintf("CompositeResourceDefinition %s is not established%s.", d.Name, d.because("Established")),
			output.Shell("kubectl", "describe", "compositeresourcedefinition", d.Name))
	case d.isConverted() || custom != nil && custom.isConverted():
		return problem("A webhook converts graphs between versions. Both versions have the same schema here, and need no webhook.", reinstall)
	case !f.serves(graphVersion, kindGraph):
		return problem(fmt.Sprintf("%s of %s is not served.", kindGraph, graphVersion), reinstall)
	default:
		return ok(fmt.Sprintf("CompositeResourceDefinition %s is established.", d.Name))
	}
}

// installAdapters makes scaling adapters composite resources, whatever defined them before.
const installAdapters = "kubectl apply --server-side -f apis/dynamographdeploymentscalingadapter/definition.yaml -f compositions/dynamographdeploymentscalingadapter.yaml"

// scalingAdapter is the definition of adapters, for graphs that have some.
func scalingAdapter(f *Facts) Finding {
	custom := f.customResource(resourceAdapters)
	switch {
	case custom != nil && custom.isConverted():
		return problem(fmt.Sprintf("A webhook of the Dynamo operator converts objects of CustomResourceDefinition %s.", custom.Name),
			installAdapters)
	case custom != nil && !custom.isCrossplanes():
		return warning("Scaling adapters have no status, so autoscalers cannot use them. With Crossplane 2.3 or later, scaling adapters can have a status.", installAdapters)
	case custom != nil:
		return ok("Components may have scaling adapters.")
	case !f.installed():
		return f.notInstalled()
	default:
		return warning("Scaling adapters are not served. Graphs that have scaling adapters are scaled by their replicas only.", installAdapters)
	}
}

// workerMetadata is the kind in which workers publish what they serve.
func workerMetadata(f *Facts) Finding {
	if f.serves(group+"/v1alpha1", kindWorkerMetadata) {
		return ok("Workers can publish what they serve.")
	}
	if unread, is := f.unread(kindWorkerMetadata+" is not served. Graphs with etcd do not need it. ", Compositions, Policy); is {
		return unread
	}
	message := fmt.Sprintf("%s is not served, so frontends do not find the workers of their graph.", kindWorkerMetadata)
	const remedy = "Install its CustomResourceDefinition from your release of Dynamo: see docs/install.md#what-the-cluster-needs."
	if slices.ContainsFunc(f.policies(), func(p *v1alpha1.Input) bool { return p.Discovery.BackendOrDefault() == v1alpha1.DiscoveryKubernetes }) {
		return problem(message, remedy)
	}
	return ok(fmt.Sprintf("%s is not served. Graphs use etcd, and do not need it.", kindWorkerMetadata))
}

// configuration is the package that brings the API.
func configuration(f *Facts) Finding {
	switch {
	case len(f.Configurations) == 0 && len(f.Definitions) > 0:
		return skipped("The API was installed without a Configuration.")
	case len(f.Configurations) == 0:
		if unread, is := f.unread("There is no Configuration of this project. ", Definitions); is {
			return unread
		}
		return problem("There is no Configuration of this project.", reinstall)
	case len(f.Configurations) > 1:
		return problem(fmt.Sprintf("There are two Configurations, %s and %s. A cluster can have only one.", f.Configurations[0].Name, f.Configurations[1].Name),
			"Delete the Configuration that has no graphs: see docs/install.md#uninstall.")
	}
	return f.Configurations[0].findingOf("Configuration")
}

// findingOf is whether a package works.
func (p *Package) findingOf(kind string) Finding {
	remedy := output.Shell("kubectl", "describe", strings.ToLower(kind)+".pkg.crossplane.io", p.Name)
	switch {
	case !p.has("Installed"):
		return problem(fmt.Sprintf("%s %s is not installed%s.", kind, p.Name, p.because("Installed")), remedy)
	case !p.has("Healthy"):
		return problem(fmt.Sprintf("%s %s is not healthy%s.", kind, p.Name, p.because("Healthy")), remedy)
	default:
		return ok(fmt.Sprintf("%s %s is healthy.", kind, p.Spec.Package))
	}
}

// functions that the Compositions of graphs call.
func functions(f *Facts) Finding {
	if len(f.Compositions) == 0 {
		return problem("There is no Composition of graphs.", reinstall)
	}
	called := map[string]bool{}
	for _, c := range f.Compositions {
		for _, name := range c.Functions {
			called[name] = true
			i := slices.IndexFunc(f.Functions, func(p Package) bool { return p.Name == name })
			if i < 0 {
				return problem(fmt.Sprintf("Function %s is not installed. Composition %s calls it.", name, c.Name), reinstall)
			}
			if finding := f.Functions[i].findingOf("Function"); finding.State != OK {
				return finding
			}
		}
	}
	if len(called) == 1 {
		return ok(fmt.Sprintf("Function %s is healthy.", f.Compositions[0].Functions[0]))
	}
	return ok(output.Count(len(called), "function") + " are healthy.")
}

// runtimeConfiguration of the functions.
func runtimeConfiguration(f *Facts) Finding {
	var without []string
	for _, p := range f.Functions {
		switch config := p.Spec.RuntimeConfigRef.Name; {
		case !p.isOurs():
		case config == "" || config == "default":
			without = append(without, p.Name)
		case !slices.Contains(f.RuntimeConfigs, config):
			return problem(fmt.Sprintf("Function %s refers to DeploymentRuntimeConfig %s, which does not exist.", p.Name, config),
				"kubectl apply -f package/runtime.yaml")
		}
	}
	if len(without) > 0 {
		return warning(fmt.Sprintf("Crossplane runs one pod without limits for %s.", strings.Join(without, ", ")),
			fmt.Sprintf("kubectl apply -f package/runtime.yaml, and set spec.runtimeConfigRef.name to %s.", runtimeConfig))
	}
	return ok("The functions have a runtime configuration.")
}

// functionReplicas tells whether there is always a pod of each function.
func functionReplicas(f *Facts) Finding {
	var single []string
	found := false
	for i := range f.Deployments {
		d := &f.Deployments[i]
		if !slices.ContainsFunc(d.containers(), func(c corev1.Container) bool { return strings.HasPrefix(imageName(c.Image), "function-dynamo-") }) {
			continue
		}
		found = true
		if idle := d.idle(); idle != nil {
			idle.Message += " No edit of a graph is applied."
			return *idle
		}
		if d.replicas() == 1 {
			single = append(single, d.Name)
		}
	}
	switch {
	case !found:
		return skipped("No Deployment of the functions was found.")
	case len(single) > 0:
		return warning(fmt.Sprintf("There is one pod of %s. Edits that are made while the pod is replaced may be applied minutes late.", strings.Join(single, ", ")),
			fmt.Sprintf("kubectl apply -f package/runtime.yaml, and set spec.runtimeConfigRef.name of the functions to %s.", runtimeConfig))
	default:
		return ok("Each function has more than one pod.")
	}
}

// isOurs reports whether a package is one of this project.
func (p *Package) isOurs() bool {
	return strings.HasPrefix(imageName(p.Spec.Package), "function-dynamo-") || strings.HasPrefix(imageName(p.Spec.Package), "configuration-dynamo")
}

// policy of the platform.
func policy(f *Facts) Finding {
	for _, c := range f.Compositions {
		if len(c.Errors) > 0 {
			return problem(fmt.Sprintf("The policy of Composition %s is not valid, so new graphs are refused: %s.", c.Name, strings.TrimSuffix(c.Errors[0], ".")),
				"Correct the policy: see docs/policy.md.")
		}
	}
	return ok("The policy of the platform is valid.")
}
