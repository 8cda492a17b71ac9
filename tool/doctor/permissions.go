package doctor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"

	install "github.com/dynamo-crossplane/configuration-dynamo/package"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// roleViewer is the role of people who look at graphs.
const roleViewer = "dgd-viewer"

// rulesOf a ClusterRole in a manifest. An empty name: of the first one.
func rulesOf(manifest []byte, name string) ([]rbacv1.PolicyRule, error) {
	objects, err := render.Objects("-", bytes.NewReader(manifest))
	if err != nil {
		return nil, errors.Errorf("cannot read the ClusterRoles: %w", err)
	}
	for i := range objects {
		if name != "" && objects[i].GetName() != name {
			continue
		}
		role := rbacv1.ClusterRole{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[i].Object, &role); err != nil {
			return nil, errors.Errorf("cannot read ClusterRole %s: %w", objects[i].GetName(), err)
		}
		return role.Rules, nil
	}
	return nil, errors.Errorf("there is no ClusterRole %s", name)
}

// accessesOf rules, for API groups that are served. A rule for others is harmless, and nobody needs it.
func accessesOf(rules []rbacv1.PolicyRule, subject preview.Subject, namespace string, served []string) []preview.Access {
	var all []preview.Access
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			if !slices.Contains(served, group) {
				continue
			}
			for _, resource := range rule.Resources {
				name, subresource, _ := strings.Cut(resource, "/")
				for _, verb := range rule.Verbs {
					all = append(all, preview.Access{Subject: subject, Verb: verb, Group: group, Resource: name, Subresource: subresource, Namespace: namespace})
				}
			}
		}
	}
	return all
}

// crossplaneRules are what Crossplane needs in addition to its own ClusterRole.
func crossplaneRules() ([]rbacv1.PolicyRule, error) { return rulesOf(install.Permissions, "") }

// viewerRules are what somebody needs who looks at graphs.
func viewerRules() ([]rbacv1.PolicyRule, error) { return rulesOf(install.Tenants, roleViewer) }

// crossplanePermissions are those for the kinds that graphs are made of.
func crossplanePermissions(f *Facts) Finding {
	if f.crossplane() == nil {
		return skipped("No Deployment of Crossplane was found, so its ServiceAccount is not known.")
	}
	if refused := f.Refused[CrossplaneAccess]; len(refused) > 0 {
		return problem(fmt.Sprintf("Crossplane may not %s.", list(refused)), "kubectl apply -f package/rbac.yaml")
	}
	return ok("Crossplane has the permissions that graphs need.")
}

// yourPermissions are those of the person who runs the command.
func yourPermissions(f *Facts) Finding {
	if refused := f.Refused[OwnAccess]; len(refused) > 0 {
		return warning(fmt.Sprintf("In namespace %s you may not %s. Other commands, such as why, leave out what you may not read.", f.Namespace, list(refused)),
			fmt.Sprintf("Ask the platform to bind you to ClusterRoles view and %s of package/tenants.yaml.", roleViewer))
	}
	return ok(fmt.Sprintf("You may read graphs and what they are made of in namespace %s.", f.Namespace))
}

// list of accesses, such as get, list and watch podcliquesets.grove.io.
func list(accesses []preview.Access) string {
	const most = 3
	var resources []string
	verbs := map[string][]string{}
	for _, a := range accesses {
		resource := a.Resource
		if a.Subresource != "" {
			resource += "/" + a.Subresource
		}
		if a.Group != "" {
			resource += "." + a.Group
		}
		if verbs[resource] == nil {
			resources = append(resources, resource)
		}
		verbs[resource] = append(verbs[resource], a.Verb)
	}
	var parts []string
	for _, resource := range resources[:min(most, len(resources))] {
		parts = append(parts, strings.Join(verbs[resource], ", ")+" "+resource)
	}
	text := strings.Join(parts, "; ")
	if more := len(resources) - most; more > 0 {
		text += fmt.Sprintf("; and the same for %s", output.Count(more, "other kind"))
	}
	return text
}
