package plan

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/computedomainv1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// maxReplicasOfRefused is how many replicas of each service are looked up for a graph that is refused anyway, which may ask
// for any number.
const maxReplicasOfRefused = 16

// checkNames looks up each object of the graph that is not there yet by its name. Graph a with service b-c and graph a-b
// with service c have objects of one name, and forced server-side apply would take over an object that nobody controls, and
// delete it with the graph. So nothing is created before all of its names are known to be free. What Crossplane observes is
// the graph's own and is not looked up.
func (d *decider) checkNames(out *decision, p *graphplan.Plan) field.ErrorList {
	// Without a namespace there is nothing to look up, and beyond all bounds there is no end.
	if d.graph.Namespace == "" || len(d.graph.Spec.Services) > validate.MaxServices {
		return nil
	}
	replicas := int32(math.MaxInt32)
	if len(out.errs) > 0 {
		replicas = maxReplicasOfRefused
	}
	missing := d.missing(p, replicas)
	if errs := d.checkLookups(out, missing); len(errs) > 0 {
		return errs
	}
	check := newNameCheck(d)
	for _, o := range missing {
		if object, _ := d.requirements.Get(d.requirementOf(o)); object != nil {
			check.judge(o, object)
		}
	}
	check.podCliqueSets(p, replicas)
	out.waits = append(out.waits, check.waits...)
	return check.errors()
}

func (d *decider) requirementOf(o inventory.Object) require.Object {
	return require.Object{Name: o.Requirement(), APIVersion: o.APIVersion, Kind: o.Kind, ObjectName: o.Name, Namespace: d.graph.Namespace}
}

// missing objects of the graph, of kinds that the cluster serves: Crossplane fails when it is asked for any other.
func (d *decider) missing(p *graphplan.Plan, replicas int32) []inventory.Object {
	lister := inventory.Lister{Graph: d.graph, Plan: p, Observed: d.memory.composed, Scaling: d.scaling(), MaxReplicas: replicas}
	return slices.DeleteFunc(lister.Missing(), func(o inventory.Object) bool { return !d.canLookUp(o) })
}

func (d *decider) canLookUp(o inventory.Object) bool {
	switch o.Kind {
	case computedomainv1beta1.Kind:
		return installed(d.requirements, d.input.MNNVL.Driver, requirementNVIDIA, "v1beta1.resource.nvidia.com")
	case inventory.KindClaimTemplate:
		return installed(d.requirements, v1alpha1.ModeAuto, requirementResource, "v1.resource.k8s.io")
	default:
		// A name that is none is refused for itself.
		return len(validation.IsDNS1123Subdomain(o.Name)) == 0
	}
}

// scaling are the services on Grove that a helper may bring to another number of replicas.
func (d *decider) scaling() []string {
	if d.memory.podCliqueSet == nil {
		return nil
	}
	var services []string
	inSet := d.memory.podCliqueSet.Spec.Template.ReplicasByName()
	for _, name := range d.graph.ServiceNames() {
		service := d.graph.Spec.Services[name]
		leaving := d.memory.composed[string(names.KeyAutoscaler(name))]
		if !autoscaling.Enabled(&service) && (leaving || inSet[names.Clique(name)] != pod.Replicas(&service)) {
			services = append(services, name)
		}
	}
	return services
}
