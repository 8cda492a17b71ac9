package input

import (
	"regexp"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Overlay reads an input over which the data of an EnvironmentConfig is laid, for a graph in a namespace. The errors are about the data.
func Overlay(given *structpb.Struct, data *structpb.Value, name, namespace string) (*v1alpha1.Input, field.ErrorList) {
	in, errs := Read(given, namespace)
	if len(errs) > 0 {
		return in, errs
	}
	root := overlayPath(name)
	overlay := &v1alpha1.Overlay{}
	errs = withoutValues(strict.Decode(data, overlay, root, strict.Options{}))
	if len(errs) == 0 {
		errs = validateNamespaces(overlay.Namespaces, root.Child("namespaces"))
	}
	if len(errs) > 0 {
		return in, errs
	}
	if errs = lay(&in.Policy, data.GetStructValue(), root); len(errs) > 0 {
		return in, errs
	}
	return in, narrow(&in.Policy, data.GetStructValue(), root, namespace)
}

// withoutValues are errors about what is no policy. The data may be for somebody else, who does not expect it in the status of graphs.
func withoutValues(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		e.BadValue = field.OmitValueType{}
	}
	return errs
}

// narrow a policy by the entries of a document that select a namespace, in their order. The values of the others are not checked, so that a bad
// policy of one tenant does not affect the graphs of others.
func narrow(p *v1alpha1.Policy, document *structpb.Struct, root *field.Path, namespace string) field.ErrorList {
	for path, entry := range selected(document, root, namespace) {
		if errs := lay(p, entry, path); len(errs) > 0 {
			return errs
		}
	}
	return nil
}

// lay a document over a policy. It is decoded over it, because a field that is absent differs from one with its zero value. The whole is
// checked, because a field may depend on one of the layer below.
func lay(p *v1alpha1.Policy, document *structpb.Struct, root *field.Path) field.ErrorList {
	errs := strict.Decode(structpb.NewStructValue(document), p, root, strict.Options{Ignored: []string{"namespaces", "selector"}})
	if len(errs) > 0 {
		return withoutValues(errs)
	}
	return validatePolicy(p, root)
}

func validateNamespaces(entries []v1alpha1.NamespacePolicy, path *field.Path) field.ErrorList {
	errs := atMost(path, len(entries))
	for i := range entries {
		fieldPath := path.Index(i).Child("selector", "matchNames")
		names := entries[i].Selector.MatchNames
		if len(names) == 0 {
			errs = append(errs, field.Required(fieldPath, "specify at least one name of a namespace, or *"))
		}
		errs = append(errs, atMost(fieldPath, len(names))...)
		for j, name := range names {
			if !namespacePattern().MatchString(name) {
				errs = append(errs, field.Invalid(fieldPath.Index(j), name, "must be the name of a namespace, in which an asterisk stands for any characters, such as team-*"))
			}
		}
	}
	return errs
}

// namespacePattern is what a name of a namespace may consist of, and asterisks.
func namespacePattern() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9*]([-a-z0-9*]{0,61}[a-z0-9*])?$`)
}

// atMost a number of entries that no platform needs.
func atMost(path *field.Path, n int) field.ErrorList {
	const most = 1000
	if n > most {
		return field.ErrorList{field.TooMany(path, n, most)}
	}
	return nil
}
