package components

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

const (
	envNamespace       = "DYN_NAMESPACE"
	envNamespacePrefix = "DYN_NAMESPACE_PREFIX"
	envStrictPrefix    = "DYN_NAMESPACE_PREFIX_STRICT"
)

// NamespaceWarnings name workers that register in a Dynamo namespace in which no frontend of the graph looks for them. A frontend looks in all
// namespaces that begin with its prefix, and a strict one in those that have only a suffix after it. A component of another type may forward
// requests between namespaces, so a graph with one is not judged.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/frontend/frontend_args.py
func NamespaceWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var workers, prefixes []string
	strict := true
	for _, name := range f.Graph.ComponentNames() {
		switch componentType := f.Graph.Component(name).Type; {
		case componentType == v1beta1.ComponentFrontend || componentType == v1beta1.ComponentEPP:
			prefix := namespacePrefix(f, components, name)
			if prefix == "" {
				return nil
			}
			prefixes, strict = append(prefixes, prefix), strict && isStrict(f, components, name)
		case graph.IsWorkerType(componentType):
			workers = append(workers, name)
		case componentType != v1beta1.ComponentPlanner:
			return nil
		}
	}
	var warnings message.List
	for _, name := range workers {
		if len(prefixes) == 0 || mayHaveFlag(f, name, "namespace", "endpoint") {
			continue
		}
		if told, _ := toldTo(f, name, envNamespace, ""); told.Referred {
			warnings = append(warnings, message.About(graph.ComponentPath(name), "registers in the Dynamo namespace in variable %s, whose value is not in the graph, and the frontend looks for workers in %s; remove the variable, or make sure that its value begins with that, or set %s of the frontend", envNamespace, shownNamespaces(prefixes), envNamespacePrefix))
			continue
		}
		namespace := setting(f, name, envNamespace, "", components[name].DynamoNamespace)
		found := slices.ContainsFunc(prefixes, func(prefix string) bool {
			rest, ok := strings.CutPrefix(namespace, prefix)
			return ok && (!strict || rest == "" || rest[0] == '-')
		})
		if namespace == "" || found {
			continue
		}
		warnings = append(warnings, message.About(graph.ComponentPath(name), "registers in %s, but the frontend looks for workers in %s, so it sends no requests to this worker; remove variable %s, or set %s of the frontend", shownNamespace("Dynamo namespace ", namespace), shownNamespaces(prefixes), envNamespace, envNamespacePrefix))
	}
	return warnings
}

// shownNamespaces are what messages say of some Dynamo namespaces.
func shownNamespaces(namespaces []string) string {
	shown := make([]string, 0, len(namespaces))
	for _, namespace := range namespaces {
		shown = append(shown, shownNamespace("", namespace))
	}
	return strings.Join(shown, ", ")
}

// shownNamespace is a Dynamo namespace after a noun. The value of a variable that cannot be the name of one is not said.
func shownNamespace(noun, namespace string) string {
	if !names.IsPlain(namespace) {
		return "another namespace"
	}
	return noun + namespace
}

// namespacePrefix of the Dynamo namespaces in which a frontend looks. It is empty if it is not known.
func namespacePrefix(f *subject.Facts, components map[string]graphplan.Component, name string) string {
	if mayHaveFlag(f, name, "namespace", "namespace-prefix") {
		return ""
	}
	return setting(f, name, envNamespacePrefix, "", components[name].DynamoNamespace)
}

// isStrict reports whether what a frontend looks for after its prefix is a suffix. If it may not be, it is not.
func isStrict(f *subject.Facts, components map[string]graphplan.Component, name string) bool {
	own := setting(f, name, envStrictPrefix, "", strconv.FormatBool(components[name].RuntimeVersion.Has(runtime.StrictPrefix)))
	strict, err := strconv.ParseBool(own)
	return err == nil && strict
}

// mayHaveFlag reports whether the command of a component has one of some flags, or flags that are not in the graph.
func mayHaveFlag(f *subject.Facts, name string, wanted ...string) bool {
	main := pod.RuntimeOf(f.Graph.Component(name))
	flags, complete := f.Graph.CommandLines.Flags(slices.Concat(main.Command, main.Args))
	return !complete || slices.ContainsFunc(wanted, func(flag string) bool { return flags[flag] })
}
