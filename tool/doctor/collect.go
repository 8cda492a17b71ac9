package doctor

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Reader reads a cluster.
type Reader interface {
	// Namespace in which the user works.
	Namespace() (string, error)

	// ServerVersion is the version of Kubernetes.
	ServerVersion() (string, error)

	// Groups of the API that the cluster serves.
	Groups() ([]string, error)

	// Kinds that the cluster serves in a version of an API group.
	Kinds(apiVersion string) ([]string, error)

	// Get the objects that a query selects. Those that do not exist are left out. The error is a *preview.ForbiddenError if the user may not
	// read them.
	Get(q preview.Query) ([]unstructured.Unstructured, error)

	// Allowed tells for each access whether its subject has it. The error is a *preview.ForbiddenError if the user may not ask.
	Allowed(accesses []preview.Access) ([]bool, error)
}

// collector of facts.
type collector struct {
	reader Reader
	facts  *Facts
}

// Collect the facts about a cluster, for a user who works in a namespace. If empty, it is that of the kubeconfig.
func Collect(reader Reader, namespace string) (*Facts, error) {
	c := &collector{reader: reader, facts: &Facts{
		Namespace: namespace, Served: map[string][]string{}, Refused: map[Source][]preview.Access{}, Forbidden: map[Source]preview.ForbiddenError{},
	}}
	for _, collect := range []func() error{c.versions, c.cluster, c.definitions, c.packages, c.compositions, c.queues, c.grove, c.access} {
		if err := collect(); err != nil {
			return nil, err
		}
	}
	return c.facts, nil
}

// versions of Kubernetes and of what it serves.
func (c *collector) versions() error {
	// This comes first, because it best tells what is wrong with a cluster that cannot be reached.
	var err error
	if c.facts.Kubernetes, err = c.reader.ServerVersion(); err != nil {
		return err
	}
	if c.facts.Namespace == "" {
		if c.facts.Namespace, err = c.reader.Namespace(); err != nil {
			return err
		}
	}
	if c.facts.Groups, err = c.reader.Groups(); err != nil {
		return err
	}
	// The first group of Kubernetes has no name, and is not listed.
	c.facts.Groups = append(c.facts.Groups, "")
	versions := []string{graphVersion, group + "/v1alpha1", claimsVersion, schedulingv1beta1.APIVersion, schedulingv1beta1.Stable}
	for _, p := range products() {
		if p.apiVersion != "" {
			versions = append(versions, p.apiVersion)
		}
	}
	for _, version := range versions {
		if !c.facts.hasGroup(version) {
			continue
		}
		if c.facts.Served[version], err = c.reader.Kinds(version); err != nil {
			return err
		}
	}
	return nil
}

// get objects of a source. None if the user may not read them, or if their group is not served.
func (c *collector) get(source Source, q preview.Query) ([]unstructured.Unstructured, error) {
	if !c.facts.hasGroup(q.APIVersion) {
		return nil, nil
	}
	objects, err := c.reader.Get(q)
	if forbidden, is := preview.IsForbidden(err); is {
		c.facts.Forbidden[source] = *forbidden
		return nil, nil
	}
	return objects, err
}

// read the objects of a source, decoded.
func read[T any](c *collector, source Source, q preview.Query) ([]T, error) {
	objects, err := c.get(source, q)
	var all []T
	for i := range objects {
		decoded := new(T)
		if err := preview.Decode(&objects[i], decoded); err != nil {
			return nil, errors.Errorf("cannot read %s %s: %w", objects[i].GetKind(), objects[i].GetName(), err)
		}
		all = append(all, *decoded)
	}
	return all, err
}

// cluster reads what runs in the cluster and admits objects.
func (c *collector) cluster() error {
	var err error
	if c.facts.Deployments, err = read[Deployment](c, Deployments, preview.Query{APIVersion: "apps/v1", Kind: "Deployment"}); err != nil {
		return err
	}
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		found, err := read[webhookConfiguration](c, Webhooks, preview.Query{APIVersion: "admissionregistration.k8s.io/v1", Kind: kind})
		if err != nil {
			return err
		}
		for i := range found {
			if operators := isOperators(&found[i]); operators || found[i].isAboutGraphs() {
				c.facts.Webhooks = append(c.facts.Webhooks, Webhook{Kind: kind, Name: found[i].Name, Operator: operators})
			}
		}
	}
	return nil
}

// definitions of graphs and what belongs to them. They are read by their names, because those of a whole cluster may have many megabytes.
func (c *collector) definitions() error {
	names := []string{resourceGraphs + "." + group, resourceAdapters + "." + group}
	var err error
	c.facts.CustomResources, err = read[Definition](c, CustomResources, preview.Query{
		APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Names: names,
	})
	if err != nil {
		return err
	}
	names[1] = resourceComposites + "." + group
	c.facts.Definitions, err = read[Definition](c, Definitions, preview.Query{APIVersion: apiextensions, Kind: kindDefinition, Names: names})
	return err
}

// packages that Crossplane has installed.
func (c *collector) packages() error {
	configurations, err := read[Package](c, Configurations, preview.Query{APIVersion: pkg, Kind: "Configuration"})
	if err != nil {
		return err
	}
	c.facts.Configurations = slices.DeleteFunc(configurations, func(p Package) bool { return !p.isOurs() })
	if c.facts.Functions, err = read[Package](c, Functions, preview.Query{APIVersion: pkg, Kind: "Function"}); err != nil {
		return err
	}
	configs, err := c.get(RuntimeConfigs, preview.Query{APIVersion: "pkg.crossplane.io/v1beta1", Kind: "DeploymentRuntimeConfig"})
	for i := range configs {
		c.facts.RuntimeConfigs = append(c.facts.RuntimeConfigs, configs[i].GetName())
	}
	return err
}

// compositions of graphs, with their policies.
func (c *collector) compositions() error {
	found, err := c.get(Compositions, preview.Query{APIVersion: apiextensions, Kind: kindComposition})
	if err != nil {
		return err
	}
	for i := range found {
		composition, err := pipeline.CompositionOf(&found[i])
		if err != nil {
			return err
		}
		ref := composition.Spec.CompositeTypeRef
		if !strings.HasPrefix(ref.APIVersion, group+"/") || ref.Kind != kindGraph && ref.Kind != kindComposite {
			continue
		}
		read, err := c.composition(composition)
		if err != nil {
			return err
		}
		c.facts.Compositions = append(c.facts.Compositions, read)
	}
	return nil
}

// composition with its policy, over which an EnvironmentConfig may be laid.
func (c *collector) composition(composition *pipeline.Composition) (Composition, error) {
	out := Composition{Name: composition.Metadata.Name}
	for _, step := range composition.Spec.Pipeline {
		out.Functions = append(out.Functions, step.FunctionRef.Name)
		if step.Input["apiVersion"] != v1alpha1.APIVersion || step.Input["kind"] != v1alpha1.Kind {
			continue
		}
		given, err := structpb.NewStruct(step.Input)
		if err != nil {
			return out, errors.Errorf("cannot read the input of Composition %s: %w", out.Name, err)
		}
		policy, errs := input.Read(given, c.facts.Namespace)
		if len(errs) == 0 && policy.EnvironmentConfig.Mode != v1alpha1.EnvironmentConfigDisabled {
			data, err := c.environment(policy.EnvironmentConfig.NameOrDefault())
			if err != nil {
				return out, err
			}
			if data != nil {
				policy, errs = input.Overlay(given, data, policy.EnvironmentConfig.NameOrDefault(), c.facts.Namespace)
			}
		}
		out.Policy = policy
		for _, e := range errs {
			out.Errors = append(out.Errors, e.Error())
		}
	}
	return out, nil
}

// environment is the data of an EnvironmentConfig. nil if there is none.
func (c *collector) environment(name string) (*structpb.Value, error) {
	found, err := c.get(Policy, preview.Query{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Names: []string{name}})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	data, err := structpb.NewValue(found[0].Object["data"])
	if err != nil {
		return nil, errors.Errorf("cannot read EnvironmentConfig %s: %w", name, err)
	}
	return data, nil
}

// queues of KAI.
func (c *collector) queues() error {
	if !c.facts.serves(kaiVersion, kindQueue) {
		return nil
	}
	var err error
	c.facts.Queues, err = read[Queue](c, Queues, preview.Query{APIVersion: kaiVersion, Kind: kindQueue})
	return err
}

// grove reads the configuration of its operator.
func (c *collector) grove() error {
	for _, d := range c.facts.runs(imageGrove) {
		names := configMaps(&d.Spec.Template.Spec)
		if len(names) == 0 {
			continue
		}
		found, err := read[corev1.ConfigMap](c, ConfigMaps, preview.Query{APIVersion: "v1", Kind: "ConfigMap", Namespace: d.Namespace, Names: names})
		if err != nil {
			return err
		}
		for i := range found {
			config := groveConfig{}
			if text, has := found[i].Data["config.yaml"]; has && yaml.Unmarshal([]byte(text), &config) == nil {
				c.facts.GroveTopology = &config.TopologyAwareScheduling.Enabled
			}
		}
	}
	return nil
}

// access that Crossplane, the pod grouper and the user have.
func (c *collector) access() error {
	if crossplane := c.facts.crossplane(); crossplane != nil {
		if err := c.review(CrossplaneAccess, crossplaneRules, crossplane.subject(), ""); err != nil {
			return err
		}
	}
	if groupers := c.facts.runs(imageGrouper); len(groupers) > 0 {
		rules := func() ([]rbacv1.PolicyRule, error) {
			return []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resourceGraphs, resourceComposites}, Verbs: []string{"get"}}}, nil
		}
		if err := c.review(GrouperAccess, rules, groupers[0].subject(), ""); err != nil {
			return err
		}
	}
	return c.review(OwnAccess, viewerRules, preview.Subject{}, c.facts.Namespace)
}

// review whether a subject has the access that rules describe.
func (c *collector) review(source Source, rules func() ([]rbacv1.PolicyRule, error), subject preview.Subject, namespace string) error {
	wanted, err := rules()
	if err != nil {
		return err
	}
	// Graphs may be installed later than who may read them.
	accesses := accessesOf(wanted, subject, namespace, append(slices.Clone(c.facts.Groups), group))
	allowed, err := c.reader.Allowed(accesses)
	if forbidden, is := preview.IsForbidden(err); is {
		c.facts.Forbidden[source] = *forbidden
		return nil
	}
	if err != nil {
		return err
	}
	for i, is := range allowed {
		if !is {
			c.facts.Refused[source] = append(c.facts.Refused[source], accesses[i])
		}
	}
	return nil
}

// subject as which the Deployment runs.
func (d *Deployment) subject() preview.Subject {
	return preview.Subject{Namespace: d.Namespace, Name: d.Spec.Template.Spec.ServiceAccountName}
}
