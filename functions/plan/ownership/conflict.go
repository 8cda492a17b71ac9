package ownership

import (
	"cmp"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// nameCheck evaluates objects that have names of the graph.
type nameCheck struct {
	facts *subject.Facts

	// taken are objects that conflict with the graph.
	taken map[conflict][]string

	// adopted are the objects that the graph takes over, by their keys. held is why it does not take over others, which have a controller, or of
	// which nothing proves that the operator has made them.
	adopted lost.Objects
	held    []message.Text

	// waits are messages about objects that must be deleted first.
	waits message.List

	// domains are the UIDs of the graph's own ComputeDomains, by name.
	domains map[string]string
}

// conflict is the reason why objects conflict with the graph, and the source of their names.
type conflict struct {
	// component from which the names of the objects are derived. An empty text stands for the graph.
	component string

	// reason is the predicate of a sentence about the component.
	reason string

	// orphans is true if the objects have no controller.
	orphans bool
}

func newNameCheck(f *subject.Facts) *nameCheck {
	return &nameCheck{facts: f, taken: map[conflict][]string{}, adopted: lost.Objects{}, domains: map[string]string{}}
}

// judge an object with a name that the graph needs. An object that the graph controls is its own object: the observed state may be
// outdated, or references may be lost.
func (c *nameCheck) judge(o inventory.Object, object *structpb.Struct) {
	owner, controlled := require.Controller(object)
	own, deleting := c.isOwn(o, object), require.IsDeleting(object)
	adoptable := takeover.Requested(c.facts.Graph) && o.Maker == ""
	switch {
	case own && (!deleting || o.Kind != computedomainv1beta1.Kind):
	case deleting:
		// This includes the domain of the graph itself: new pods would claim channels of a domain that is being deleted.
		c.waits = append(c.waits, message.Because("waiting for the deletion of %s %s to complete%s", o.Kind, o.Name, finalizerOf(o)))
	case adoptable && !controlled:
		if problem := takeover.Unproven(c.facts.Graph, c.facts.Observed, object); !problem.IsZero() {
			c.held = append(c.held, problem)
			return
		}
		c.adopted[string(o.Key)] = object
	case adoptable && c.isOperators(owner, object):
		c.held = append(c.held, takeover.Controlled(o.Kind, o.Name, owner))
	case c.facts.Observed.Succeeds(object):
		c.waits = append(c.waits, message.Because("waiting for the deletion of %s %s, which belongs to an earlier graph of the same name", o.Kind, o.Name))
	case !controlled && o.Maker != "" && o.Kind == inventory.KindServiceAccount:
		// Grove uses a ServiceAccount that the user has created for the pods.
	default:
		c.conflict(o, owner.String())
	}
}

// finalizerOf an object that is being deleted is what holds it if a part of Kubernetes is not turned on, as the end of a sentence. It is empty if
// nothing is known to.
func finalizerOf(o inventory.Object) string {
	if !schedulingv1beta1.Has(o.APIVersion) {
		return ""
	}
	return fmt.Sprintf("; if its pods are gone and finalizer %s stays, let the platform turn on feature gate %s in the controller manager",
		schedulingv1beta1.Finalizer, schedulingv1beta1.GateGangs)
}

// isOperators reports whether an object belongs to a graph of the Dynamo operator.
func (c *nameCheck) isOperators(owner require.Owner, object *structpb.Struct) bool {
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return group == v1alpha1.Group && owner.Kind != v1alpha1.Kind || c.facts.Observed.Succeeds(object)
}

// isOwn reports whether an object belongs to the graph, directly or through another object.
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

// conflict with an object of an owner. If owner is empty, the object has no owner.
func (c *nameCheck) conflict(o inventory.Object, owner string) {
	in := conflict{component: o.Component, orphans: owner == ""}
	whose := cmp.Or(owner, "another owner")
	switch {
	case o.Maker != "" && (o.Kind == inventory.KindLeaderWorkerSet || o.Kind == grovev1alpha1.KindPodCliqueSet):
		in.reason = fmt.Sprintf("%s would create objects with the same names as the objects that it creates for %s", o.Maker, whose)
	case o.Maker != "":
		in.reason = fmt.Sprintf("%s would create objects with names that are already used by %s", o.Maker, whose)
	case in.orphans:
		in.reason = "would take over existing objects that have no controller, and delete them together with the graph"
	default:
		in.reason = fmt.Sprintf("its objects would have names that are already used by %s", whose)
	}
	c.taken[in] = append(c.taken[in], o.Kind+" "+o.Name)
}

// errors describe the conflicts, and how to resolve them.
func (c *nameCheck) errors() message.List {
	var errs message.List
	for _, held := range c.held {
		errs = append(errs, takeover.Invalid(c.facts.Graph, held))
	}
	for in, objects := range c.taken {
		path, value := field.NewPath("metadata", "name"), c.facts.Graph.Name
		if in.component != "" {
			path, value = graph.ComponentPath(in.component), in.component
		}
		errs = append(errs, message.Invalid(path, value, "%s: %s; %s", in.reason, enumerate(objects), in.remedy()))
	}
	return errs.Sorted(c.facts.Graph)
}

func (in conflict) remedy() message.Text {
	remedy := message.Format("rename the graph")
	if in.component != "" {
		remedy = message.Format("rename the {{component}} or the graph")
	}
	if in.orphans {
		return message.Format("%s, or delete the existing objects", remedy)
	}
	return remedy
}

// shownObjects is the number of objects in a message.
const shownObjects = 5

func enumerate(objects []string) string {
	shown := strings.Join(objects[:min(len(objects), shownObjects)], ", ")
	if more := len(objects) - shownObjects; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}
