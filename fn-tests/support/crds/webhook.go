package crds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxResourceName is Grove's limit for the total length of the names of a set, a scaling group and a clique. The rest of a pod's name is
// generated.
const maxResourceName = 45

const startupExplicit = "CliqueStartupTypeExplicit"

// Webhook describes what Grove's admission webhook would refuse in a new PodCliqueSet, and what its controllers would misinterpret. These
// are rules that the CustomResourceDefinition does not contain.
func Webhook(object *unstructured.Unstructured, topology Topology) []string {
	set, err := decode(object)
	if err != nil {
		return []string{err.Error()}
	}
	var c checker
	c.set(set)
	for i := range set.Spec.Template.Cliques {
		c.clique(&set.Spec.Template.Cliques[i])
	}
	c.scalingGroups(set)
	c.nameLengths(set)
	c.suffixes(set)
	c.startup(set)
	c.schedulers(set)
	c.topology(set, topology)
	return c.broken
}

// checker collects violations of the rules.
type checker struct {
	broken []string
}

func (c *checker) requiref(holds bool, format string, args ...any) {
	if !holds {
		c.broken = append(c.broken, fmt.Sprintf(format, args...))
	}
}

func (c *checker) set(set *podCliqueSet) {
	template := set.Spec.Template
	c.requiref(len(validation.IsDNS1123Subdomain(set.Metadata.Name)) == 0, "metadata.name %q is no DNS subdomain", set.Metadata.Name)
	c.requiref(set.Spec.Replicas == nil || *set.Spec.Replicas >= 0, "replicas are negative")
	c.requiref(len(template.Cliques) > 0, "there is no clique")
	c.requiref(template.TerminationDelay == nil || template.TerminationDelay.Duration > 0, "terminationDelay is not more than 0")

	var cliques, roles, groups []string
	for _, clique := range template.Cliques {
		cliques, roles = append(cliques, clique.Name), append(roles, clique.Spec.RoleName)
	}
	for _, group := range template.ScalingGroups {
		groups = append(groups, group.Name)
	}
	c.unique("clique name", cliques)
	c.unique("role name", roles)
	c.unique("scaling group name", groups)
}

func (c *checker) unique(what string, names []string) {
	seen := map[string]bool{}
	for _, name := range names {
		c.requiref(name != "", "%s is empty", what)
		c.requiref(!seen[name], "%s %q is not unique", what, name)
		seen[name] = true
	}
}

func (c *checker) clique(clique *clique) {
	spec := clique.Spec
	// The defaulting webhook sets missing replicas to 1, and a missing minimum to the number of replicas in the manifest.
	minAvailable := spec.Replicas
	if spec.MinAvailable != nil {
		minAvailable = *spec.MinAvailable
	}
	replicas := cmp.Or(spec.Replicas, 1)
	c.requiref(replicas > 0, "clique %s: replicas %d are not more than 0", clique.Name, replicas)
	c.requiref(minAvailable > 0, "clique %s: minAvailable %d is not more than 0", clique.Name, minAvailable)
	c.requiref(minAvailable <= replicas, "clique %s: minAvailable %d is more than replicas %d", clique.Name, minAvailable, replicas)
	if scaling := spec.AutoScaling; scaling != nil {
		least := replicas
		if scaling.MinReplicas != nil {
			least = *scaling.MinReplicas
		}
		c.requiref(least >= minAvailable, "clique %s: autoScalingConfig.minReplicas %d is less than minAvailable", clique.Name, least)
		c.requiref(scaling.MaxReplicas >= max(least, replicas), "clique %s: autoScalingConfig.maxReplicas %d is too small", clique.Name, scaling.MaxReplicas)
	}
	c.pod(clique)
}

// pod contains Grove's rules for the pods of a clique.
func (c *checker) pod(clique *clique) {
	pod := clique.Spec.PodSpec
	c.requiref(len(pod.TopologySpreadConstraints) == 0, "clique %s: topologySpreadConstraints are set", clique.Name)
	c.requiref(pod.NodeName == "", "clique %s: nodeName is set", clique.Name)
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		seen := map[string]bool{}
		for _, env := range container.Env {
			c.requiref(len(validation.IsEnvVarName(env.Name)) == 0, "clique %s: container %s: env %q is no name", clique.Name, container.Name, env.Name)
			c.requiref(!seen[env.Name], "clique %s: container %s: env %s is not unique", clique.Name, container.Name, env.Name)
			seen[env.Name] = true
		}
	}
}

func (c *checker) scalingGroups(set *podCliqueSet) {
	memberOf := map[string]string{}
	for _, group := range set.Spec.Template.ScalingGroups {
		replicas, minAvailable := int32(1), int32(1)
		if group.Replicas != nil {
			replicas = *group.Replicas
		}
		if group.MinAvailable != nil {
			minAvailable = *group.MinAvailable
		}
		c.requiref(replicas > 0, "scaling group %s: replicas %d are not more than 0", group.Name, replicas)
		c.requiref(minAvailable > 0, "scaling group %s: minAvailable %d is not more than 0", group.Name, minAvailable)
		c.requiref(minAvailable <= replicas, "scaling group %s: minAvailable %d is more than replicas %d", group.Name, minAvailable, replicas)
		if scaling := group.ScaleConfig; scaling != nil && scaling.MinReplicas != nil {
			c.requiref(*scaling.MinReplicas >= minAvailable, "scaling group %s: scaleConfig.minReplicas is less than minAvailable", group.Name)
		}
		for _, name := range group.CliqueNames {
			member := set.clique(name)
			c.requiref(member != nil, "scaling group %s: there is no clique %q", group.Name, name)
			c.requiref(memberOf[name] == "", "scaling group %s: clique %s is in scaling group %s too", group.Name, name, memberOf[name])
			c.requiref(member == nil || member.Spec.AutoScaling == nil, "scaling group %s: clique %s has an autoScalingConfig of its own", group.Name, name)
			memberOf[name] = group.Name
		}
	}
}

func (s *podCliqueSet) clique(name string) *clique {
	i := slices.IndexFunc(s.Spec.Template.Cliques, func(c clique) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Spec.Template.Cliques[i]
}

// groupOf returns the scaling group of a clique, or nil.
func (s *podCliqueSet) groupOf(name string) *scalingGroup {
	i := slices.IndexFunc(s.Spec.Template.ScalingGroups, func(g scalingGroup) bool { return slices.Contains(g.CliqueNames, name) })
	if i < 0 {
		return nil
	}
	return &s.Spec.Template.ScalingGroups[i]
}

func (c *checker) nameLengths(set *podCliqueSet) {
	for _, clique := range set.Spec.Template.Cliques {
		length := len(set.Metadata.Name) + len(clique.Name)
		if group := set.groupOf(clique.Name); group != nil {
			length += len(group.Name)
		}
		c.requiref(length <= maxResourceName, "clique %s: combined resource name length %d exceeds %d", clique.Name, length, maxResourceName)
	}
}

// suffixes finds PodCliques that controllers would build from the template of another clique, because they use the first clique whose name
// is a suffix of the PodClique's name.
func (c *checker) suffixes(set *podCliqueSet) {
	for _, clique := range set.Spec.Template.Cliques {
		name := set.Metadata.Name + "-0-" + clique.Name
		if group := set.groupOf(clique.Name); group != nil {
			name = set.Metadata.Name + "-0-" + group.Name + "-0-" + clique.Name
		}
		for _, other := range set.Spec.Template.Cliques {
			if strings.HasSuffix(name, other.Name) {
				c.requiref(other.Name == clique.Name, "clique %s: PodClique %s would be built from clique %s", clique.Name, name, other.Name)
				break
			}
		}
	}
}

func (c *checker) startup(set *podCliqueSet) {
	if set.Spec.Template.StartupType != startupExplicit {
		return
	}
	after := map[string][]string{}
	for _, clique := range set.Spec.Template.Cliques {
		after[clique.Name] = clique.Spec.StartsAfter
		c.unique("clique "+clique.Name+": startsAfter", clique.Spec.StartsAfter)
		for _, name := range clique.Spec.StartsAfter {
			c.requiref(set.clique(name) != nil, "clique %s: startsAfter names no clique: %q", clique.Name, name)
		}
	}
	for _, clique := range set.Spec.Template.Cliques {
		c.requiref(!reaches(after, clique.Name, clique.Name, map[string]bool{}), "clique %s: startsAfter leads back to it", clique.Name)
	}
}

// reaches reports whether to follows from, over any number of steps.
func reaches(after map[string][]string, from, to string, seen map[string]bool) bool {
	return slices.ContainsFunc(after[from], func(next string) bool {
		if next == to {
			return true
		}
		if seen[next] {
			return false
		}
		seen[next] = true
		return reaches(after, next, to, seen)
	})
}

func (c *checker) schedulers(set *podCliqueSet) {
	var names []string
	for _, clique := range set.Spec.Template.Cliques {
		names = append(names, cmp.Or(clique.Spec.PodSpec.SchedulerName, corev1.DefaultSchedulerName))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	c.requiref(len(names) <= 1, "cliques have different schedulers: %s", strings.Join(names, ", "))
}
