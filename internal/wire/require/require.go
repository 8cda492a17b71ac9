// Package require looks up objects through Crossplane that a step reads but does not own.
package require

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Object is one required object.
type Object struct {
	// Name of the requirement, unique within the step.
	Name string

	APIVersion, Kind string

	// ObjectName and Namespace of the object. A cluster-scoped object has no namespace.
	ObjectName, Namespace string
}

// Objects selects all objects of a kind that have certain labels.
type Objects struct {
	// Name of the requirement, unique within the step.
	Name string

	APIVersion, Kind string

	// Namespace of the objects. Cluster-scoped objects have none.
	Namespace string
	Labels    map[string]string
}

// Answers are what a request contains for look-ups. Nothing changes them, and only Requirements read them, so that what a decision depends on
// is required with it.
type Answers struct {
	req *fnv1.RunFunctionRequest
}

// AnswersIn a request.
func AnswersIn(req *fnv1.RunFunctionRequest) Answers { return Answers{req: req} }

// Requirements are the look-ups that a decision depends on. Those of several decisions are appended to each other. A function that looks up
// something for the decision of another one takes its requirements.
type Requirements []requirement

// requirement of one object, of several, or of a schema.
type requirement struct {
	name     string
	resource *fnv1.ResourceSelector
	schema   *fnv1.SchemaSelector

	// awaited says that Crossplane has not looked it up yet.
	awaited bool
}

// Get requires an object and returns it. resolved is false until Crossplane has looked it up. If it does not exist, it is nil and resolved.
func (r *Requirements) Get(from Answers, o Object) (object *structpb.Struct, resolved bool) {
	items, resolved := r.ask(from, o.Name, o.selector())
	if len(items) == 0 {
		return nil, resolved
	}
	return items[0], resolved
}

// Expect requires objects that do not matter yet, but will once what is composed now is observed. Nothing waits for them. Crossplane delivers
// what was required before with the first call of the next reconcile, which then needs no other call.
func (r *Requirements) Expect(objects ...Object) {
	for _, o := range objects {
		*r = append(*r, requirement{name: o.Name, resource: o.selector()})
	}
}

// selector of the object.
func (o Object) selector() *fnv1.ResourceSelector {
	selector := &fnv1.ResourceSelector{
		ApiVersion: o.APIVersion,
		Kind:       o.Kind,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: o.ObjectName},
	}
	if o.Namespace != "" {
		selector.Namespace = new(o.Namespace)
	}
	return selector
}

// List requires all objects with certain labels and returns them. resolved is false until Crossplane has looked them up. If there are none,
// the list is empty and resolved.
func (r *Requirements) List(from Answers, o Objects) (objects []*structpb.Struct, resolved bool) {
	selector := &fnv1.ResourceSelector{
		ApiVersion: o.APIVersion,
		Kind:       o.Kind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: o.Labels}},
	}
	if o.Namespace != "" {
		selector.Namespace = new(o.Namespace)
	}
	return r.ask(from, o.Name, selector)
}

// ask for the objects of a selector, under the name of a requirement, and return what has been delivered.
func (r *Requirements) ask(from Answers, name string, selector *fnv1.ResourceSelector) (items []*structpb.Struct, resolved bool) {
	delivered, ok := from.req.GetRequiredResources()[name]
	if !ok {
		// Crossplane before v2.0, and its render command, know only the older field.
		delivered, ok = from.req.GetExtraResources()[name] //nolint:staticcheck // See the comment above.
	}
	*r = append(*r, requirement{name: name, resource: selector, awaited: !ok})
	return objectsOf(delivered), ok
}

// Delivered are the objects that have been delivered, whoever asked for them, by the names of the requirements.
func Delivered(req *fnv1.RunFunctionRequest) map[string][]*structpb.Struct {
	delivered := map[string][]*structpb.Struct{}
	for _, answers := range []map[string]*fnv1.Resources{req.GetExtraResources(), req.GetRequiredResources()} { //nolint:staticcheck // As in ask.
		for name, resources := range answers {
			delivered[name] = objectsOf(resources)
		}
	}
	return delivered
}

func objectsOf(delivered *fnv1.Resources) []*structpb.Struct {
	var items []*structpb.Struct
	for _, item := range delivered.GetItems() {
		// A name that does not exist may arrive as an entry without an object.
		if len(item.GetResource().GetFields()) > 0 {
			items = append(items, item.GetResource())
		}
	}
	return items
}

// HasSchema asks whether the cluster serves a kind. known is false when the caller cannot tell. An object of the kind in the request shows that
// it does. This saves Crossplane a call and the OpenAPI document of the whole API group in each reconcile, because it does not remember required
// schemas. A schema that has been delivered is required again, because a call whose requirements have changed is repeated.
func (r *Requirements) HasSchema(from Answers, name, apiVersion, kind string) (served, known, resolved bool) {
	_, delivered := from.req.GetRequiredSchemas()[name]
	if !delivered && has(from.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) && from.Contain(apiVersion, kind) {
		return true, true, true
	}
	schema, known, resolved := r.Schema(from, name, apiVersion, kind)
	return len(schema.GetFields()) > 0, known, resolved
}

// Contain reports whether the request contains an object of a kind, observed or delivered.
func (a Answers) Contain(apiVersion, kind string) bool {
	is := func(object *fnv1.Resource) bool {
		fields := object.GetResource().GetFields()
		return fields["kind"].GetStringValue() == kind && fields["apiVersion"].GetStringValue() == apiVersion
	}
	for _, object := range a.req.GetObserved().GetResources() {
		if is(object) {
			return true
		}
	}
	for _, delivered := range a.req.GetRequiredResources() {
		if slices.ContainsFunc(delivered.GetItems(), is) {
			return true
		}
	}
	return false
}

// Schema asks for the OpenAPI schema of a kind, which is empty for one that the cluster does not serve. known is false when
// the caller cannot tell.
func (r *Requirements) Schema(from Answers, name, apiVersion, kind string) (schema *structpb.Struct, known, resolved bool) {
	if !has(from.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		return nil, false, true
	}
	delivered, ok := from.req.GetRequiredSchemas()[name]
	*r = append(*r, requirement{name: name, schema: &fnv1.SchemaSelector{ApiVersion: apiVersion, Kind: kind}, awaited: !ok})
	return delivered.GetOpenapiV3(), true, ok
}

// Property of a schema at a path. It is nil if the schema does not have it.
func Property(schema *structpb.Struct, path ...string) *structpb.Struct {
	for _, name := range path {
		schema = schema.GetFields()["properties"].GetStructValue().GetFields()[name].GetStructValue()
	}
	return schema
}

// Unresolved are the names of the requirements that Crossplane has not looked up yet, sorted.
func (r *Requirements) Unresolved() []string {
	var names []string
	for _, required := range *r {
		if required.awaited {
			names = append(names, required.name)
		}
	}
	slices.Sort(names)
	return names
}

// Write the requirements to the response to a request, in addition to what has been written to it before. Without any requirement the field
// stays nil: an empty message differs from none, and costs another call on older versions of Crossplane.
func (r *Requirements) Write(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	if len(*r) > 0 && rsp.GetRequirements() == nil {
		rsp.Requirements = &fnv1.Requirements{}
	}
	all := rsp.GetRequirements()
	for _, required := range *r {
		switch {
		case required.schema != nil:
			all.Schemas = with(all.GetSchemas(), required.name, required.schema)
		case has(req, fnv1.Capability_CAPABILITY_CAPABILITIES):
			all.Resources = with(all.GetResources(), required.name, required.resource)
		default:
			// Callers without capabilities all know extra_resources, and `beta render` of v1.16 must not get the other field: to
			// it that is an unknown field, whose bytes it compares, and a map's order on the wire differs from call to call. Its
			// requirements would never come to rest.
			all.ExtraResources = with(all.GetExtraResources(), required.name, required.resource) //nolint:staticcheck // See the comment above.
		}
	}
}

// with a selector under the name of a requirement. Selectors may be nil.
func with[S any](selectors map[string]S, name string, selector S) map[string]S {
	if selectors == nil {
		return map[string]S{name: selector}
	}
	selectors[name] = selector
	return selectors
}

// has reports whether Crossplane advertises a capability. It does since v2.2, that of advertising them among them.
func has(req *fnv1.RunFunctionRequest, capability fnv1.Capability) bool {
	return slices.Contains(req.GetMeta().GetCapabilities(), capability)
}

// Into decodes an object, leniently, because it belongs to another owner and may be of a newer version. Its managed fields are left out:
// they are half of it, and who needs them reads them where they are.
func Into(object *structpb.Struct, out any) error {
	if errs := strict.Decode(structpb.NewStructValue(object), out, nil, strict.Options{Lenient: true}); len(errs) > 0 {
		return errors.Wrapf(errs[0], "cannot read %s", called(object))
	}
	return nil
}

// called is what an object is called in messages: its kind and name.
func called(object *structpb.Struct) string {
	kind := cmp.Or(object.GetFields()["kind"].GetStringValue(), "an object")
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return strings.TrimSpace(kind + " " + name)
}
