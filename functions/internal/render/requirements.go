package render

import (
	"context"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxRequirementsIterations is how often Crossplane resolves the requirements
// of a function before it gives up. The first call is iteration zero.
const maxRequirementsIterations = 5

// runStep calls a function until its requirements no longer change, handing it
// what it required last time and the context that it returned.
//
// It stops early where Crossplane does since 2.4: when the first call already
// held all that the function asks for, and when the function returned a Fatal.
func runStep(
	ctx context.Context,
	fn fnv1.FunctionRunnerServiceServer,
	req *fnv1.RunFunctionRequest,
	available []unstructured.Unstructured,
) (*fnv1.RunFunctionResponse, error) {
	bootstrap := maps.Clone(req.GetRequiredResources())

	var previous *fnv1.Requirements
	for i := 0; i <= maxRequirementsIterations; i++ {
		rsp, err := call(ctx, fn, req)
		if err != nil {
			return nil, err
		}

		requirements := rsp.GetRequirements()
		if fatal(rsp) != nil || proto.Equal(requirements, previous) {
			return rsp, nil
		}

		next, err := required(requirements, bootstrap, available)
		if err != nil {
			return nil, err
		}
		if i == 0 && next.sameAs(req) {
			return rsp, nil
		}

		previous = requirements
		req.RequiredResources = next.resources
		req.ExtraResources = next.extra //nolint:staticcheck // Crossplane answers in the field that was asked in.
		req.Context = rsp.GetContext()
	}

	return nil, errors.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxRequirementsIterations)
}

// resolved requirements of a function.
type resolved struct {
	resources map[string]*fnv1.Resources
	extra     map[string]*fnv1.Resources
}

// required resources of a function, with those that it was given up front.
func required(r *fnv1.Requirements, bootstrap map[string]*fnv1.Resources, available []unstructured.Unstructured) (*resolved, error) {
	resources, err := resolve(r.GetResources(), available)
	if err != nil {
		return nil, err
	}
	extra, err := resolve(r.GetExtraResources(), available) //nolint:staticcheck // Crossplane resolves the deprecated field too.
	if err != nil {
		return nil, err
	}
	for name, res := range bootstrap {
		if _, ok := resources[name]; !ok {
			resources[name] = res
		}
	}
	return &resolved{resources: resources, extra: extra}, nil
}

// sameAs tells whether a request holds the same resources.
func (r *resolved) sameAs(req *fnv1.RunFunctionRequest) bool {
	same := func(a, b *fnv1.Resources) bool { return proto.Equal(a, b) }
	return maps.EqualFunc(r.resources, req.GetRequiredResources(), same) &&
		maps.EqualFunc(r.extra, req.GetExtraResources(), same) //nolint:staticcheck // As above.
}

// call a function as it would be called over gRPC: what it is given and what it
// gives back share no memory with the caller, and what the wire does not carry
// (the difference between an empty and a missing map) is not there.
func call(ctx context.Context, fn fnv1.FunctionRunnerServiceServer, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	received := &fnv1.RunFunctionRequest{}
	if err := overTheWire(req, received); err != nil {
		return nil, errors.Wrap(err, "cannot encode request")
	}
	rsp, err := fn.RunFunction(ctx, received)
	if err != nil {
		return nil, err
	}
	out := &fnv1.RunFunctionResponse{}
	return out, errors.Wrap(overTheWire(rsp, out), "cannot encode response")
}

func overTheWire(from, to proto.Message) error {
	data, err := proto.Marshal(from)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, to)
}

// fatal result of a response, or nil.
func fatal(rsp *fnv1.RunFunctionResponse) *fnv1.Result {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r
		}
	}
	return nil
}

// resolve required resources by the name of the requirement. There is an entry
// for every requirement: an empty one says that nothing was found.
func resolve(selectors map[string]*fnv1.ResourceSelector, available []unstructured.Unstructured) (map[string]*fnv1.Resources, error) {
	out := make(map[string]*fnv1.Resources, len(selectors))
	for name, s := range selectors {
		found, err := find(s, available)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot resolve requirement %q", name)
		}
		out[name] = found
	}
	return out, nil
}

// find what a selector selects, in the order of namespace and name.
func find(s *fnv1.ResourceSelector, available []unstructured.Unstructured) (*fnv1.Resources, error) {
	var matching []unstructured.Unstructured
	for _, o := range available {
		if selects(s, o) {
			matching = append(matching, o)
		}
	}
	slices.SortStableFunc(matching, func(a, b unstructured.Unstructured) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})

	out := &fnv1.Resources{}
	for _, o := range matching {
		data, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode %s %q", o.GetKind(), o.GetName())
		}
		out.Items = append(out.Items, &fnv1.Resource{Resource: data})
	}
	return out, nil
}

// selects tells whether a selector selects an object. By name it means one
// object, whose namespace must be the selector's; by labels, or by neither, it
// means the objects of its namespace, or those of all where it names none.
func selects(s *fnv1.ResourceSelector, o unstructured.Unstructured) bool {
	if s.GetApiVersion() != o.GetAPIVersion() || s.GetKind() != o.GetKind() {
		return false
	}
	switch match := s.GetMatch().(type) {
	case *fnv1.ResourceSelector_MatchName:
		return match.MatchName == o.GetName() && s.GetNamespace() == o.GetNamespace()
	case *fnv1.ResourceSelector_MatchLabels:
		if !labels.SelectorFromSet(match.MatchLabels.GetLabels()).Matches(labels.Set(o.GetLabels())) {
			return false
		}
	}
	return s.GetNamespace() == "" || s.GetNamespace() == o.GetNamespace()
}
