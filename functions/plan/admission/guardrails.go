package admission

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// GuardRails is the name of the policy with guard rails, and of the ConfigMap with its parameters.
const GuardRails = "dynamo-graph-guard-rails"

const (
	// TenantLabel of a namespace applies the guard rails to its graphs.
	TenantLabel = "dynamo.nvidia.com/guard-rails"
	// Enforced is the value of TenantLabel.
	Enforced = "enforced"
	// parametersNamespace is the one of the ConfigMap. Tenants cannot write there.
	parametersNamespace = "crossplane-system"
)

// A guardRail allows values in a graph.
type guardRail struct {
	// key of the ConfigMap, as the input of step plan calls the guard rail.
	key guardrail.Rail
	// values of a graph: an expression for a list of lists of texts. OBJECT stands for the graph.
	values string
	// matches is the expression that an entry r allows a value v. It is empty if the key is true or false, and false allows nothing.
	matches string
	// message before the values that are not allowed, and the remedy after them.
	message, remedy string
}

// guardRails are those that follow from what users write in pods. They limit what is new: values that the graph had before stay, so that a
// tightened guard rail refuses neither other changes nor those that Crossplane writes.
func guardRails() Manifest {
	p := policy(GuardRails, admissionv1.Create, admissionv1.Update)
	p.Spec.ParamKind = &admissionv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"}
	p.Spec.Variables = []admissionv1.Variable{
		variable("rails", `has(params.data) ? params.data : {}`),
		variable("unchanged", unchanged()),
		variable("pods", pods("object")),
		variable("oldPods", before(pods("oldObject"))),
		variable("containers", containers("variables.pods")),
		variable("oldContainers", containers("variables.oldPods")),
	}
	for _, r := range rails() {
		p.Spec.Variables = append(p.Spec.Variables, r.variables()...)
		p.Spec.Validations = append(p.Spec.Validations, r.validation())
	}
	p.Spec.Validations = append(p.Spec.Validations, keptInAnnotation())

	b := binding(GuardRails)
	deny := admissionv1.DenyAction
	b.Spec.ParamRef = &admissionv1.ParamRef{Name: GuardRails, Namespace: parametersNamespace, ParameterNotFoundAction: &deny}
	b.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{TenantLabel: Enforced}}}
	return Manifest{
		Name: "guard-rails.yaml",
		Comment: `Guard rails for graphs in namespaces with label ` + TenantLabel + `: ` + Enforced + `. The ConfigMap has the values: edit
it, or bind the policy to another ConfigMap for other namespaces. Without a key there is no limit. In lists, entries are separated by
commas, an asterisk stands for any characters, in imageRegistries for any but slashes, and an empty list allows nothing. docs/policy.md describes each
of them.`,
		Objects: []any{parameters(), p, b},
	}
}

// parameters allow what graphs of tenants usually need.
func parameters() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: GuardRails, Namespace: parametersNamespace, Labels: partOf()},
		Data: map[string]string{
			string(guardrail.HostPath): "false", string(guardrail.HostNetwork): "false", string(guardrail.Privileged): "false",
			string(guardrail.Capabilities): "IPC_LOCK", string(guardrail.ImageRegistries): "nvcr.io/nvidia", string(guardrail.ServiceAccounts): "",
		},
	}
}

// Expressions that an entry r allows a value v.
const (
	matchesName = `r == v || v.matches('^' + r.replace('.', '[.]').replace('*', '.*') + '$')`
	// A colon after a host is followed by its port, and after anything else by a tag.
	// An asterisk stands for characters of one part of the path: a pattern for a host is about the host, whatever follows it.
	matchesRegistry = `v.matches('^' + r.replace('.', '[.]').replace('*', '[^/]*') + (r.contains('/') ? '([/:@].*)?$' : '/.*$'))`
)

// rails in the order of their keys in the documentation.
func rails() []guardRail {
	return append([]guardRail{
		{
			key:     guardrail.HostPath,
			values:  `PODS.map(p, has(p.spec.volumes) ? p.spec.volumes.filter(v, has(v.hostPath)).map(v, v.hostPath.path) : [])`,
			message: "volumes of type hostPath are not allowed here", remedy: "use a PersistentVolumeClaim or an emptyDir",
		},
		{
			key: guardrail.HostNetwork,
			values: `PODS.map(p, ['hostNetwork', 'hostPID', 'hostIPC'].filter(f,
				f == 'hostNetwork' && has(p.spec.hostNetwork) && p.spec.hostNetwork ||
				f == 'hostPID' && has(p.spec.hostPID) && p.spec.hostPID ||
				f == 'hostIPC' && has(p.spec.hostIPC) && p.spec.hostIPC).map(f, p.of + ': ' + f))`,
			message: "pods in namespaces of their node are not allowed here", remedy: "remove the field",
		},
		{
			key: guardrail.Privileged,
			values: `CONTAINERS.map(l, l.filter(c, has(c.spec.securityContext) && has(c.spec.securityContext.privileged) &&
				c.spec.securityContext.privileged || has(c.spec.securityContext) && has(c.spec.securityContext.windowsOptions) &&
				has(c.spec.securityContext.windowsOptions.hostProcess) && c.spec.securityContext.windowsOptions.hostProcess).map(c, c.of)) +
				[PODS.filter(p, has(p.spec.securityContext) && has(p.spec.securityContext.windowsOptions) &&
				has(p.spec.securityContext.windowsOptions.hostProcess) && p.spec.securityContext.windowsOptions.hostProcess).map(p, p.of)]`,
			message: "privileged containers are not allowed here", remedy: "remove securityContext.privileged, or windowsOptions.hostProcess there",
		},
		{
			key: guardrail.Capabilities,
			values: `CONTAINERS.map(l, l.filter(c, has(c.spec.securityContext) && has(c.spec.securityContext.capabilities) &&
				has(c.spec.securityContext.capabilities.add)).map(c, c.spec.securityContext.capabilities.add.join(' '))).map(l, l.join(' ').split(' ').filter(c, c != ''))`,
			matches: matchesName,
			message: "these capabilities may not be added here", remedy: "remove them from securityContext.capabilities.add",
		},
		{
			key: guardrail.ImageRegistries,
			values: `(CONTAINERS.map(l, l.filter(c, has(c.spec.image) && c.spec.image != '').map(c, c.spec.image)) +
				PODS.map(p, has(p.spec.volumes) ? p.spec.volumes.filter(v, has(v.image) && has(v.image.reference)).map(v, v.image.reference) : []) +
				[has(OBJECT.spec.services) ? OBJECT.spec.services.filter(n, has(OBJECT.spec.services[n].frontendSidecar) &&
				has(OBJECT.spec.services[n].frontendSidecar.image)).map(n, OBJECT.spec.services[n].frontendSidecar.image) : []]
				).map(l, l.map(i, !i.contains('/') ? 'docker.io/library/' + i :
				i.split('/')[0].matches('[.:A-Z]|^localhost$') ? i : 'docker.io/' + i))`,
			matches: matchesRegistry,
			message: "images from here are not allowed", remedy: "use an image from an allowed registry",
		},
		{
			key: guardrail.ServiceAccounts,
			values: `[PODS.filter(p, has(p.spec.serviceAccountName) && p.spec.serviceAccountName != '').map(p, p.spec.serviceAccountName),
				PODS.filter(p, has(p.spec.serviceAccount) && p.spec.serviceAccount != '').map(p, p.spec.serviceAccount)]`,
			matches: matchesName,
			message: "pods may not run as these ServiceAccounts", remedy: "remove serviceAccountName, and pods get a ServiceAccount of their own",
		},
		{
			key:     guardrail.Queues,
			values:  queues(),
			matches: matchesName,
			message: "these queues are not allowed here", remedy: "remove the label or annotation, or name a queue of your team",
		},
	}, exposed()...)
}

// exposed are the guard rails for what pods do not contain.
func exposed() []guardRail {
	return []guardRail{
		{
			key:     guardrail.StorageClasses,
			values:  storageClasses,
			matches: matchesName,
			message: "these StorageClasses are not allowed here", remedy: "remove the class to use the default of the cluster",
		},
		{
			key:     "ingressHostSuffixes",
			values:  hosts,
			matches: `v.matches('^.*[.]' + r.replace('.', '[.]').replace('*', '.*') + '$')`,
			message: "these hosts are not below a domain that is allowed here", remedy: "remove ingress.host and ingress.hostSuffix, or use such a domain",
		},
		{
			key:     "gateways",
			values:  gateways,
			matches: `v.matches('^' + r.replace('.', '[.]').replace('*', '[^/]*') + '$')`,
			message: "these gateways are not allowed here", remedy: "remove virtualServiceGateway to use the gateway of the platform",
		},
	}
}

// Expressions for what services and components name outside of their containers.
const (
	// storageClasses of the claims that a graph creates, and of those of its pods. Kubernetes still prefers the annotation to the field.
	storageClasses = `[has(OBJECT.spec.pvcs) ? OBJECT.spec.pvcs.filter(c, has(c.storageClass) && c.storageClass != '').map(c, c.storageClass) : []] +
		PODS.map(p, has(p.spec.volumes) ? p.spec.volumes.filter(v, has(v.ephemeral) && has(v.ephemeral.volumeClaimTemplate) &&
		has(v.ephemeral.volumeClaimTemplate.spec) && has(v.ephemeral.volumeClaimTemplate.spec.storageClassName) &&
		v.ephemeral.volumeClaimTemplate.spec.storageClassName != '').map(v, v.ephemeral.volumeClaimTemplate.spec.storageClassName) : []) +
		PODS.map(p, has(p.spec.volumes) ? p.spec.volumes.filter(v, has(v.ephemeral) && has(v.ephemeral.volumeClaimTemplate) &&
		has(v.ephemeral.volumeClaimTemplate.metadata) && has(v.ephemeral.volumeClaimTemplate.metadata.annotations) &&
		'volume.beta.kubernetes.io/storage-class' in v.ephemeral.volumeClaimTemplate.metadata.annotations).map(v,
		v.ephemeral.volumeClaimTemplate.metadata.annotations['volume.beta.kubernetes.io/storage-class']) : [])`

	// hosts with a domain of the user's: a host without dots and without a suffix is below the domain of the platform.
	hosts = `[has(OBJECT.spec.services) ? OBJECT.spec.services.filter(n, has(OBJECT.spec.services[n].ingress) &&
		has(OBJECT.spec.services[n].ingress.host) &&
		(OBJECT.spec.services[n].ingress.host.contains('.') || has(OBJECT.spec.services[n].ingress.hostSuffix))).map(n,
		(has(OBJECT.spec.services[n].ingress.hostPrefix) ? OBJECT.spec.services[n].ingress.hostPrefix : '') + OBJECT.spec.services[n].ingress.host +
		(has(OBJECT.spec.services[n].ingress.hostSuffix) && OBJECT.spec.services[n].ingress.hostSuffix != '' ?
		'.' + OBJECT.spec.services[n].ingress.hostSuffix : '')) : []]`

	// gateways as namespace/name. Istio also reads a name without a namespace, ./name, and the older name.namespace.
	// https://istio.io/latest/docs/reference/config/networking/virtual-service/#VirtualService
	gateways = `[has(OBJECT.spec.services) ? OBJECT.spec.services.filter(n, has(OBJECT.spec.services[n].ingress) &&
		has(OBJECT.spec.services[n].ingress.virtualServiceGateway) && OBJECT.spec.services[n].ingress.virtualServiceGateway != ''
		).map(n, OBJECT.spec.services[n].ingress.virtualServiceGateway).map(g,
		g.startsWith('./') ? OBJECT.metadata.namespace + g.substring(1) : g.contains('/') ? g :
		g.contains('.') ? g.split('.')[1] + '/' + g.split('.')[0] : OBJECT.metadata.namespace + '/' + g) : []]`
)

// queues is an expression for the queues that a graph names: in the annotations that step plan reads, and in all places of the table.
func queues() string {
	lists := []string{
		"[" + entries(quotedList(metadata.QueueAnnotations()), "OBJECT.metadata", "annotations") + "]",
		"[" + entries(quotedList(metadata.GraphQueueKeys()), "OBJECT.metadata", "labels") + "]",
	}
	keys, seen := quotedList(metadata.QueueKeys()), map[guardrail.Path]bool{}
	for _, place := range guardrail.Of(guardrail.Queues) {
		for _, path := range []guardrail.Path{place.Service, place.Component} {
			if path == "" {
				continue
			}
			// Most places only differ in the key, of which all are read together.
			at := guardrail.Path(string(path)[:strings.LastIndexByte(string(path), '[')])
			if !seen[at] {
				seen[at] = true
				lists = append(lists, entriesAt(keys, at.Parts()))
			}
		}
	}
	return strings.Join(append(lists, suffixed("services"), suffixed("components")), " + ")
}

// maxRoles is how many roles a component has. Expressions cannot join lists of lists, so each role is named by its index.
const maxRoles = 2

// way to what has the last part of a path, which is there if all conditions hold. If the path leads through roles, it is that of a role.
func way(object string, path []guardrail.Part, role int) (at, exists string) {
	var conditions []string
	for _, part := range path[:len(path)-1] {
		object += "." + part.Field
		conditions = append(conditions, "has("+object+")")
		if part.All {
			conditions = append(conditions, fmt.Sprintf("%s.size() > %d", object, role))
			object += fmt.Sprintf("[%d]", role)
		}
	}
	if len(conditions) == 0 {
		return object, "true"
	}
	return object, strings.Join(conditions, " && ")
}

// inEach is an expression for a list, which joins those of each role if a path leads through roles.
func inEach(path []guardrail.Part, list func(role int) string) string {
	if !slices.ContainsFunc(path, func(p guardrail.Part) bool { return p.All }) {
		return list(0)
	}
	var all []string
	for role := range maxRoles {
		all = append(all, list(role))
	}
	return strings.Join(all, " + ")
}

// suffixed is an expression for a list, for each of the services or components, of the queues that a project and a suffix name together. The values of
// labels contain no spaces.
func suffixed(field string) string {
	all := "OBJECT.spec." + field
	element := "c"
	if field == "services" {
		element = all + "[c]"
	}
	texts := func(places []guardrail.Place) string {
		var lists []string
		for _, place := range places {
			path := place.Service
			if field == "components" {
				path = place.Component
			}
			if place.Graph != "" {
				path = place.Graph
			}
			parts := path.Parts()
			if len(parts) == 0 {
				continue
			}
			root := "OBJECT.spec"
			switch {
			case place.Graph != "":
				root = "OBJECT"
			case parts[0].All:
				root, parts = element, parts[1:]
			}
			lists = append(lists, entryAt(root, parts))
		}
		return "(" + strings.Join(lists, " + ") + ")"
	}
	return "(has(" + all + ") ? " + all + ".map(c, " + texts(guardrail.Suffixes()) + ".map(n, " + texts(guardrail.Projects()) +
		".map(p, p + '-' + n).join(' ')).join(' ').split(' ').filter(q, q != '')) : [])"
}

// entryAt is an expression for a list of the text at a path below an object, which ends with the key of a map.
func entryAt(object string, path []guardrail.Part) string {
	last := path[len(path)-1]
	return inEach(path, func(role int) string {
		at, exists := way(object, path, role)
		return "(" + exists + " ? " + entries(quotedList([]string{last.Key}), at, last.Field) + " : [])"
	})
}

// entriesAt is an expression for a list of lists of the entries of maps at a path, which leads through at most one list or map.
func entriesAt(keys string, path []guardrail.Part) string {
	root, last := "OBJECT.spec", path[len(path)-1].Field
	if !path[0].All {
		return "[" + entries(keys, root, last) + "]"
	}
	all := root + "." + path[0].Field
	element := "c"
	if path[0].Field == "services" {
		element = all + "[c]"
	}
	return inEach(path[1:], func(role int) string {
		at, exists := way(element, path[1:], role)
		return "(has(" + all + ") ? " + all + ".filter(c, " + exists + ").map(c, " + entries(keys, at, last) + ") : [])"
	})
}

// entries is an expression for the texts of some keys in a map of an object.
func entries(keys, object, field string) string {
	texts := object + "." + field
	return "(has(" + texts + ") ? " + keys + ".filter(k, k in " + texts + ").map(k, " + texts + "[k].trim()).filter(q, q != '') : [])"
}

// variables with the values of the graph, those that it had before, and what is allowed: whether anything is, or a list.
func (r guardRail) variables() []admissionv1.Variable {
	key := string(r.key)
	now := strings.NewReplacer("PODS", "variables.pods", "CONTAINERS", "variables.containers", "OBJECT", "object").Replace(r.values)
	old := strings.NewReplacer("PODS", "variables.oldPods", "CONTAINERS", "variables.oldContainers", "OBJECT", "oldObject").Replace(r.values)
	if strings.Contains(r.values, "OBJECT") {
		old = before(old)
	}
	isSet, value := quoted(key)+` in variables.rails`, `variables.rails[`+quoted(key)+`]`
	allowed := `!(` + isSet + `) || ` + value + ` == 'true'`
	if r.matches != "" {
		allowed = isSet + ` ? ` + value + `.split(',').map(r, r.trim()).filter(r, r != '') : ['*']`
	}
	return []admissionv1.Variable{variable(key, now), variable(key+"Before", old), variable(key+"Allowed", allowed)}
}

// validation that all values are allowed, or were there before.
func (r guardRail) validation() admissionv1.Validation {
	key := string(r.key)
	known := `variables.` + key + `Before.exists(l, v in l)`
	refused := `!(` + known + `)`
	expression := `variables.` + key + `.all(l, l.all(v, ` + known + `))`
	if r.matches == "" {
		expression = `variables.unchanged || variables.` + key + `Allowed || ` + expression
	} else {
		allowed := `variables.` + key + `Allowed.exists(r, r == '*' || ` + r.matches + `)`
		refused = `!(` + allowed + `) && ` + refused
		expression = `variables.unchanged || variables.` + key + `.all(l, l.all(v, ` + allowed + ` || ` + known + `))`
	}
	// The API server evaluates the message also where it needs none.
	return rule(expression, `variables.unchanged ? '' : `+quoted(r.message+" ("+key+"): ")+` + variables.`+key+
		`.map(l, l.filter(v, `+refused+`).join(', ')).filter(t, t != '').join(', ') + `+quoted("; "+r.remedy))
}

// keptInAnnotation refuses the annotation in which the conversion keeps what the other version of the API has no fields for: containers can
// come from it, which expressions cannot read.
func keptInAnnotation() admissionv1.Validation {
	return rule(`size(variables.rails) == 0 || !(`+hasAnnotation("object", conversion.AnnotationSpec)+`) ||
		oldObject != null && `+hasAnnotation("oldObject", conversion.AnnotationSpec)+` &&
		oldObject.metadata.annotations[`+quoted(conversion.AnnotationSpec)+`] == object.metadata.annotations[`+quoted(conversion.AnnotationSpec)+`]`,
		quoted("annotation "+conversion.AnnotationSpec+" can contain parts of pods, which guard rails cannot read; remove it, and write what it contains into the spec"))
}

// unchanged is an expression for whether a graph has everything that rails limit as it had it before. To compare each value with all others takes
// more than the API server spends on an expression where a large graph has many that are not allowed any more, and nobody could write it, not
// even to delete it.
func unchanged() string {
	parts := []string{"oldObject != null"}
	for _, field := range []string{"metadata.labels", "metadata.annotations", "spec.annotations", "spec.components", "spec.labels", "spec.pvcs", "spec.services"} {
		now, old := "object."+field, "oldObject."+field
		parts = append(parts, "(has("+now+") ? ["+now+"] : []) == (has("+old+") ? ["+old+"] : [])")
	}
	return strings.Join(parts, " && ")
}

// pods is an expression for the pods of a graph, each with the name of its component. mainContainer is a field of the spec in services.
func pods(root string) string {
	components, services := root+".spec.components", root+".spec.services"
	of := func(all, variable, object, name string, path guardrail.Path) string {
		return inEach(path.Parts(), func(role int) string {
			at, exists := way(object, append(path.Parts(), guardrail.Part{}), role)
			return fmt.Sprintf("(has(%s) ? %s.filter(%s, %s).map(%s, {'of': dyn(%s), 'spec': dyn(%s)}) : [])", all, all, variable, exists, variable, name, at)
		})
	}
	const ofRole = guardrail.Path("roles[*].podTemplate.spec")
	return strings.Join([]string{
		of(components, "c", "c", "c.name", "podTemplate.spec"), of(components, "c", "c", "c.name", ofRole),
		of(services, "n", services+"[n]", "n", "extraPodSpec"), of(services, "n", services+"[n]", "n", ofRole),
	}, " + ")
}

// containers is an expression for the containers of pods, of each a list.
func containers(pods string) string {
	return pods + `.map(p, ((has(p.spec.containers) ? p.spec.containers : []) +
		(has(p.spec.initContainers) ? p.spec.initContainers : []) +
		(has(p.spec.ephemeralContainers) ? p.spec.ephemeralContainers : []) +
		(has(p.spec.mainContainer) ? [p.spec.mainContainer] : [])
		).map(c, {'of': dyn(p.of + '/' + (has(c.name) && c.name != '' ? c.name : 'main')), 'spec': dyn(c)}))`
}

// before is an expression about oldObject, which is null when a graph is created.
func before(expression string) string { return `oldObject == null ? [] : ` + expression }
