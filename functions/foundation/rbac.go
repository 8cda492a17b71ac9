package foundation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// adapters are the scaling adapters of components.
const adapters = "dynamographdeploymentscalingadapters"

// discoveryRBAC allows pods to discover each other through Kubernetes: pods with the discovery ServiceAccount, pods with the
// ServiceAccounts of the planner and the Endpoint Picker, and pods with a ServiceAccount of the user.
func (f *foundation) discoveryRBAC() []composed {
	if !f.plan.UsesKubernetesDiscovery() {
		return nil
	}
	n := f.graph.Names()
	accounts := []string{n.DiscoveryServiceAccount()}
	if f.graph.HasComponent(v1beta1.ComponentPlanner) {
		accounts = append(accounts, n.Planner())
	}
	if f.graph.HasComponent(v1beta1.ComponentEPP) {
		accounts = append(accounts, n.EPP())
	}
	accounts = append(accounts, f.userAccounts(func(component string) bool {
		return f.plan.Components[component].Discovery == graphplan.Kubernetes
	})...)
	return []composed{
		{names.KeyDiscoveryServiceAccount, f.serviceAccount(n.DiscoveryServiceAccount())},
		{names.KeyDiscoveryRole, f.role(n.DiscoveryRole(), n.DiscoveryServiceAccount(),
			rule("", []string{"endpoints", "pods"}, "get", "list", "watch"),
			rule("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
			// Dynamo's runtime publishes in these objects what each worker serves.
			rule(v1alpha1.Group, []string{"dynamoworkermetadatas"}, "create", "get", "list", "watch", "update", "patch", "delete"),
		)},
		{names.KeyDiscoveryRoleBinding, f.roleBinding(n.DiscoveryRoleBinding(), n.DiscoveryRole(), accounts...)},
	}
}

// plannerRBAC allows the planner to read and scale the graph that it plans, and to read what workers publish. Only a global planner lists
// graphs, for which its administrator has to grant the permission. No planner changes pods.
func (f *foundation) plannerRBAC() []composed {
	if !f.graph.HasComponent(v1beta1.ComponentPlanner) {
		return nil
	}
	planned := f.planned()
	rules := []rbacv1.PolicyRule{ruleOn("dynamographdeployments", planned, "get", "patch")}
	if slices.Equal(planned, []string{f.graph.Name}) {
		rules = append(rules, f.adapterRules()...)
	} else {
		// Which components another graph has is not known, and the names of its adapters are made of theirs.
		rules = append(rules, rule(v1alpha1.Group, []string{adapters + "/scale"}, "get", "patch"), rule(v1alpha1.Group, []string{adapters}, "get"))
	}
	// The planner lists what workers publish about themselves. The role for discovery allows it where there is one.
	if !f.plan.UsesKubernetesDiscovery() {
		rules = append(rules, rule(v1alpha1.Group, []string{"dynamoworkermetadatas"}, "list"))
		if f.limitsPower() {
			rules = append(rules, rule("", []string{"pods"}, "list"))
		}
	}
	name := f.graph.Names().Planner()
	return []composed{
		{names.KeyPlannerServiceAccount, f.serviceAccount(name)},
		{names.KeyPlannerRole, f.role(name, name, rules...)},
		{names.KeyPlannerRoleBinding, f.roleBinding(name, name, append([]string{name}, f.userAccountsOf(v1beta1.ComponentPlanner)...)...)},
	}
}

// planned are the graphs that planners of this graph read and scale, sorted.
func (f *foundation) planned() []string {
	var graphs []string
	for _, name := range f.graph.ComponentNames() {
		if f.graph.Component(name).Type == v1beta1.ComponentPlanner {
			graphs = append(graphs, pod.PlannedBy(f.graph.Component(name)).Graph)
		}
	}
	slices.Sort(graphs)
	return slices.Compact(graphs)
}

// limitsPower reports whether the power of any GPU of the graph is limited. The planner then looks at the limits of pods.
func (f *foundation) limitsPower() bool {
	return slices.ContainsFunc(f.graph.ComponentNames(), func(name string) bool {
		return pod.WorkloadAnnotations(f.graph.Component(name))[metadata.AnnotationGPUPowerLimit] != ""
	})
}

// adapterRules allow the planner to scale through the adapters of the workers. The planner tries them first, and uses the graph only if it
// learns that there are none. Therefore it needs permission even if there are no adapters, or their kind is not installed.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
func (f *foundation) adapterRules() []rbacv1.PolicyRule {
	var scaled, adapted []string
	for _, component := range f.graph.ComponentsByName() {
		hasAdapter := component.HasScalingAdapter()
		if hasAdapter {
			adapted = append(adapted, f.graph.Names().ScalingAdapter(component.Name))
		}
		// The name of a worker without a type may be in the configuration of the planner.
		if hasAdapter || component.IsWorker() || component.Type == "" {
			scaled = append(scaled, f.graph.Names().ScalingAdapter(component.Name))
		}
	}
	var rules []rbacv1.PolicyRule
	// Without names, a rule would apply to all adapters of the namespace.
	if len(scaled) > 0 {
		rules = append(rules, ruleOn(adapters+"/scale", scaled, "get", "patch"))
	}
	if len(adapted) > 0 {
		rules = append(rules, ruleOn(adapters, adapted, "get"))
	}
	return rules
}

// eppRBAC allows the Endpoint Picker to watch its pool and the pods of the pool.
func (f *foundation) eppRBAC() []composed {
	if !f.graph.HasComponent(v1beta1.ComponentEPP) {
		return nil
	}
	name := f.graph.Names().EPP()
	return []composed{
		{names.KeyEPPServiceAccount, f.serviceAccount(name)},
		{names.KeyEPPRole, f.role(name, name, f.eppRules()...)},
		{names.KeyEPPRoleBinding, f.roleBinding(name, name, append([]string{name}, f.userAccountsOf(v1beta1.ComponentEPP)...)...)},
	}
}

// eppRules are what the Endpoint Picker reads. While a picker of the other kind is replaced, its pods read what they read before.
func (f *foundation) eppRules() []rbacv1.PolicyRule {
	native := f.hasNativeEPP()
	rules := rulesOfEPP(native)
	if !slices.ContainsFunc(f.graph.ComponentNames(), func(name string) bool {
		return f.graph.Component(name).Type == v1beta1.ComponentEPP && f.rolls(name)
	}) {
		return rules
	}
	live := &rbacv1.Role{}
	if err := require.Into(f.observed[string(names.KeyEPPRole)].GetResource(), live); err != nil {
		return rules
	}
	in := func(list []rbacv1.PolicyRule, r rbacv1.PolicyRule) bool {
		return slices.ContainsFunc(list, func(other rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(r, other) })
	}
	for _, before := range rulesOfEPP(!native) {
		if in(live.Rules, before) && !in(rules, before) {
			rules = append(rules, before)
		}
	}
	return rules
}

// rulesOfEPP are what one of the two kinds of Endpoint Pickers reads.
func rulesOfEPP(native bool) []rbacv1.PolicyRule {
	read := []string{"get", "list", "watch"}
	pods := rule("", []string{"pods"}, read...)
	if native {
		// https://github.com/ai-dynamo/dynamo/pull/14448
		return []rbacv1.PolicyRule{
			pods,
			rule("", []string{"services"}, "get"),
			rule("discovery.k8s.io", []string{"endpointslices"}, read...),
			rule(networking.InferenceGroup, []string{"inferencepools", "inferencepools/status"}, read...),
			rule(v1alpha1.Group, []string{"dynamoworkermetadatas"}, read...),
		}
	}
	return []rbacv1.PolicyRule{
		pods,
		rule(networking.InferenceGroup, []string{"inferencepools"}, read...),
		// The other objects that the picker reads are still experimental, and have a separate API group.
		rule("inference.networking.x-k8s.io", []string{"inferencemodelrewrites", "inferenceobjectives"}, read...),
	}
}

// hasNativeEPP reports whether the Endpoint Picker of the graph is that of the frontend image.
func (f *foundation) hasNativeEPP() bool {
	return slices.ContainsFunc(f.graph.ComponentNames(), func(name string) bool {
		component := f.graph.Component(name)
		return component.IsNativeEPP()
	})
}

// userAccountsOf the components of a component type.
func (f *foundation) userAccountsOf(componentType v1beta1.ComponentType) []string {
	return f.userAccounts(func(component string) bool { return f.graph.Component(component).Type == componentType })
}

// userAccounts are the ServiceAccounts of the user for matching components and the ServiceAccounts of their adopted pods, sorted. They
// replace the ServiceAccounts of the graph, and their pods need the same permissions.
func (f *foundation) userAccounts(match func(component string) bool) []string {
	var accounts []string
	for _, component := range f.graph.ComponentsByName() {
		for _, account := range []string{component.UserAccount(), takeover.Account(f.graph, f.observed, component.Name)} {
			if account != "" && match(component.Name) {
				accounts = append(accounts, account)
			}
		}
	}
	slices.Sort(accounts)
	return slices.Compact(accounts)
}

func (f *foundation) serviceAccount(name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: rbacv1.ServiceAccountKind},
		ObjectMeta: f.objectMeta(name, rbacLabels(name)),
	}
}

func (f *foundation) role(name, serviceAccount string, rules ...rbacv1.PolicyRule) *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: f.objectMeta(name, rbacLabels(serviceAccount)),
		Rules:      rules,
	}
}

// roleBinding binds ServiceAccounts to a role. The binding belongs to the first one.
func (f *foundation) roleBinding(name, role string, serviceAccounts ...string) *rbacv1.RoleBinding {
	binding := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: f.objectMeta(name, rbacLabels(serviceAccounts[0])),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
	}
	for _, account := range serviceAccounts {
		subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: f.graph.Namespace}
		// The user may specify a ServiceAccount of the graph.
		if !slices.Contains(binding.Subjects, subject) {
			binding.Subjects = append(binding.Subjects, subject)
		}
	}
	return binding
}

// keepSubjects of observed RoleBindings, if pods still use them.
func (f *foundation) keepSubjects(all []composed) error {
	for _, c := range all {
		observed, exists := f.observed[string(c.key)]
		binding, isBinding := c.object.(*rbacv1.RoleBinding)
		if !exists || !isBinding {
			continue
		}
		before := &rbacv1.RoleBinding{}
		if err := require.Into(observed.GetResource(), before); err != nil {
			return errors.Wrapf(err, "cannot read the subjects of composed resource %s", c.key)
		}
		for _, subject := range before.Subjects {
			if subject.Kind != rbacv1.ServiceAccountKind || slices.Contains(binding.Subjects, subject) {
				continue
			}
			used, err := f.keeper.UsesAccount(subject.Name)
			if err != nil {
				return errors.Wrapf(err, "cannot determine whether pods still run as ServiceAccount %s", subject.Name)
			}
			if used {
				binding.Subjects = append(binding.Subjects, subject)
			}
		}
	}
	return nil
}

func rbacLabels(serviceAccount string) map[string]string {
	return map[string]string{
		metadata.LabelManagedBy:    metadata.ManagedBy,
		metadata.LabelAppComponent: "rbac",
		metadata.LabelAppName:      metadata.LabelValue(serviceAccount),
	}
}

func rule(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// ruleOn is a rule about objects of the project's own API by name.
func ruleOn(resource string, objects []string, verbs ...string) rbacv1.PolicyRule {
	r := rule(v1alpha1.Group, []string{resource}, verbs...)
	r.ResourceNames = objects
	return r
}
