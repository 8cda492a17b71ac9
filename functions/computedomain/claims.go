package computedomain

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// claimant is the template of a pod that claims a channel if it has GPUs.
type claimant struct {
	spec   *structpb.Struct
	member graphplan.MNNVLMember
}

// claim a channel of the domain for every container with GPUs. A pod without GPUs is not changed, nor is a pod with another claim of this
// name. Claiming twice has the same result as claiming once.
func (c claimant) claim(domain string) error {
	gpu, err := c.containers()
	if err != nil || len(gpu) == 0 {
		return err
	}
	claims, err := structs(c.spec, "resourceClaims")
	if err != nil {
		return err
	}
	switch i := slices.IndexFunc(claims, named(names.MNNVLClaim)); {
	case i < 0:
		add(c.spec, "resourceClaims", map[string]*structpb.Value{
			"name": structpb.NewStringValue(names.MNNVLClaim), "resourceClaimTemplateName": structpb.NewStringValue(domain),
		})
	case claims[i].GetFields()["resourceClaimTemplateName"].GetStringValue() != domain:
		return nil
	}
	for _, container := range gpu {
		resources, err := objectAt(container, "resources")
		if err != nil {
			return err
		}
		claims, err := structs(resources, "claims")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(claims, named(names.MNNVLClaim)) {
			add(resources, "claims", map[string]*structpb.Value{"name": structpb.NewStringValue(names.MNNVLClaim)})
		}
	}
	if c.member.RequireClique {
		return requireClique(c.spec)
	}
	return nil
}

// named reports whether an object in a list has a name.
func named(name string) func(*structpb.Struct) bool {
	return func(s *structpb.Struct) bool { return s.GetFields()["name"].GetStringValue() == name }
}

// containers with GPUs, including init containers.
func (c claimant) containers() ([]*structpb.Struct, error) {
	var gpu []*structpb.Struct
	for _, list := range []string{"containers", "initContainers"} {
		containers, err := structs(c.spec, list)
		if err != nil {
			return nil, err
		}
		for _, container := range containers {
			has, err := hasAny(container, c.member.GPUs)
			if err != nil {
				return nil, errors.Wrapf(err, "container %s", container.GetFields()["name"].GetStringValue())
			}
			if has || c.sharesGPUs(container) {
				gpu = append(gpu, container)
			}
		}
	}
	return gpu, nil
}

// sharesGPUs reports whether a container has GPUs through the claim that the containers of its pod share.
func (c claimant) sharesGPUs(container *structpb.Struct) bool {
	claims := container.GetFields()["resources"].GetStructValue().GetFields()["claims"].GetListValue().GetValues()
	return c.member.GPUClaim != "" && slices.ContainsFunc(claims, func(claim *structpb.Value) bool {
		return named(c.member.GPUClaim)(claim.GetStructValue())
	})
}

// hasAny reports whether a container requests, or is limited to, more than zero of any of the resources.
func hasAny(container *structpb.Struct, resources []string) (bool, error) {
	has := false
	for _, kind := range []string{"limits", "requests"} {
		amounts := container.GetFields()["resources"].GetStructValue().GetFields()[kind].GetStructValue().GetFields()
		for _, name := range resources {
			amount, err := quantity(amounts[name])
			if err != nil {
				return false, errors.Wrapf(err, "resources.%s[%s]", kind, name)
			}
			has = has || amount.Sign() > 0
		}
	}
	return has, nil
}

func quantity(value *structpb.Value) (resource.Quantity, error) {
	switch v := value.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return resource.Quantity{}, nil
	case *structpb.Value_NumberValue:
		amount := resource.Quantity{}
		if v.NumberValue > 0 {
			amount = resource.MustParse("1")
		}
		return amount, nil
	default:
		amount, err := resource.ParseQuantity(value.GetStringValue())
		return amount, errors.Wrapf(err, "%q is not a quantity", value.GetStringValue())
	}
}

// requireClique restricts a pod to nodes of an NVLink clique. The terms of a node selector are alternatives, so each of them must require
// it. An empty term matches no node, and would match some with the requirement.
func requireClique(spec *structpb.Struct) error {
	selector := spec
	for _, name := range []string{"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"} {
		next, err := child(selector, name)
		if err != nil {
			return err
		}
		selector = next
	}
	terms, err := structs(selector, "nodeSelectorTerms")
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		add(selector, "nodeSelectorTerms", map[string]*structpb.Value{})
		terms, err = structs(selector, "nodeSelectorTerms")
		if err != nil {
			return err
		}
		add(terms[0], "matchExpressions", inClique())
		return nil
	}
	for _, term := range terms {
		expressions, err := structs(term, "matchExpressions")
		if err != nil {
			return err
		}
		fields, err := structs(term, "matchFields")
		if err != nil {
			return err
		}
		if len(expressions)+len(fields) > 0 && !slices.ContainsFunc(expressions, requiresClique) {
			add(term, "matchExpressions", inClique())
		}
	}
	return nil
}

func inClique() map[string]*structpb.Value {
	return map[string]*structpb.Value{
		"key":      structpb.NewStringValue(metadata.LabelGPUClique),
		"operator": structpb.NewStringValue(string(corev1.NodeSelectorOpExists)),
	}
}

func requiresClique(expression *structpb.Struct) bool {
	fields := expression.GetFields()
	return fields["key"].GetStringValue() == metadata.LabelGPUClique && fields["operator"].GetStringValue() == string(corev1.NodeSelectorOpExists)
}
