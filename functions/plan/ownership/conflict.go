package ownership

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/adoption"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/computedomain/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	planadoption "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/adoption"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// nameCheck judges the objects that exist under names of the graph.
type nameCheck struct {
	facts *subject.Facts

	// taken are the objects that are in the way.
	taken map[conflict][]string

	// adopted are the objects that the graph takes over, by their keys, and held are those that it would take over if nobody
	// controlled them.
	adopted lost.Objects
	held    []string

	// waits say what has to go first.
	waits []string

	// domains are the UIDs of the graph's own ComputeDomains, by name.
	domains map[string]string
}

// conflict is why objects are in the way, and of what.
type conflict struct {
	// service that gives the objects their names. Empty: the graph.
	service string

	// reason is a sentence about the service without its subject.
	reason string

	// orphans says that nobody controls the objects.
	orphans bool
}

func newNameCheck(f *subject.Facts) *nameCheck {
	return &nameCheck{facts: f, taken: map[conflict][]string{}, adopted: lost.Objects{}, domains: map[string]string{}}
}

// judge an object that exists under the name of one that the graph is to have. What the graph controls is its own: the
// observed state may be late, or the references to it were lost.
func (c *nameCheck) judge(o inventory.Object, object *structpb.Struct) {
	owner, controlled := require.Controller(object)
	own, deleting := c.isOwn(o, object), require.IsDeleting(object)
	adoptable := adoption.Requested(c.facts.Graph) && o.Maker == ""
	switch {
	case own && (!deleting || o.Kind != computedomainv1beta1.Kind):
	case deleting:
		// Also a domain of the graph's own: new pods would claim channels of a domain that is being deleted.
		c.waits = append(c.waits, fmt.Sprintf("waiting for the deletion of %s %s to complete", o.Kind, o.Name))
	case adoptable && !controlled:
		c.adopted[string(o.Key)] = object
	case adoptable && c.isOperators(owner, object):
		c.held = append(c.held, planadoption.Controlled(o.Kind, o.Name, owner))
	case c.facts.Observed.Succeeds(object):
		c.waits = append(c.waits, fmt.Sprintf("waiting for the deletion of %s %s, which belongs to an earlier graph of the same name", o.Kind, o.Name))
	case !controlled && o.Maker != "" && o.Kind == inventory.KindServiceAccount:
		// Grove takes an account that the user made for the pods.
	default:
		c.conflict(o, owner.String())
	}
}

// isOperators reports whether an object is that of a graph of the Dynamo operator, or of what the operator makes of one.
func (c *nameCheck) isOperators(owner require.Owner, object *structpb.Struct) bool {
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return group == v1alpha1.Group && owner.Kind != v1alpha1.Kind || c.facts.Observed.Succeeds(object)
}

// isOwn reports whether an object is the graph's, or is made of an object that is.
func (c *nameCheck) isOwn(o inventory.Object, object *structpb.Struct) bool {
	if c.facts.Observed.Controls(object) {
		if o.Kind == computedomainv1beta1.Kind {
			c.domains[o.Name] = tree.At(object, "metadata").GetFields()["uid"].GetStringValue()
		}
		return true
	}
	owner, _ := require.Controller(object)
	switch o.Maker {
	case inventory.MakerGrove:
		return owner.Kind == grovev1alpha1.KindPodCliqueSet && owner.Name == c.facts.Graph.Names().PodCliqueSet()
	case inventory.MakerLWS:
		return owner.Kind == inventory.KindLeaderWorkerSet && owner.Name == o.Name
	case inventory.MakerDriver:
		domain := tree.At(object, "metadata", "labels").GetFields()[metadata.LabelComputeDomain].GetStringValue()
		return domain != "" && domain == c.domains[o.Name]
	default:
		return false
	}
}

// conflict with an object of an owner, who is nobody when empty.
func (c *nameCheck) conflict(o inventory.Object, owner string) {
	in := conflict{service: o.Service, orphans: owner == ""}
	whose := cmp.Or(owner, "another owner")
	switch {
	case o.Maker != "" && (o.Kind == inventory.KindLeaderWorkerSet || o.Kind == grovev1alpha1.KindPodCliqueSet):
		in.reason = fmt.Sprintf("%s would create objects with the same names as those that it creates for %s", o.Maker, whose)
	case o.Maker != "":
		in.reason = fmt.Sprintf("%s would create objects with names that are already used by %s", o.Maker, whose)
	case in.orphans:
		in.reason = "would take over existing objects that have no controller, and delete them together with the graph"
	default:
		in.reason = fmt.Sprintf("its objects would have names that are already used by %s", whose)
	}
	c.taken[in] = append(c.taken[in], o.Kind+" "+o.Name)
}

// errors say what is in the way, and what to do.
func (c *nameCheck) errors() field.ErrorList {
	var errs field.ErrorList
	for _, held := range c.held {
		errs = append(errs, planadoption.Invalid(c.facts, held))
	}
	for in, objects := range c.taken {
		path, value := field.NewPath("metadata", "name"), c.facts.Graph.Name
		if in.service != "" {
			path, value = field.NewPath("spec", "services").Key(in.service), in.service
		}
		errs = append(errs, field.Invalid(path, value, fmt.Sprintf("%s: %s; %s", in.reason, enumerate(objects), in.remedy())))
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}

func (in conflict) remedy() string {
	remedy := "rename the graph"
	if in.service != "" {
		remedy = "rename the service or the graph"
	}
	if in.orphans {
		remedy += ", or delete the existing objects"
	}
	return remedy
}

// shownObjects is how many objects a message names.
const shownObjects = 5

func enumerate(objects []string) string {
	shown := strings.Join(objects[:min(len(objects), shownObjects)], ", ")
	if more := len(objects) - shownObjects; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}
