package ownership

import (
	"google.golang.org/protobuf/types/known/structpb"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// requirementNeighbour begins the names of the requirements of PodCliqueSets of other graphs.
const requirementNeighbour = "names-beside-podcliqueset-"

// podCliqueSets looks up those of other graphs from which Grove would make objects with the names of what it makes of this
// one. The services of a live set are fixed, so that it meets no other any more.
func (c *nameCheck) podCliqueSets(p *graphplan.Plan, replicas int32) {
	if p.Orchestrator != graphplan.Grove || c.facts.Observed.PodCliqueSet != nil {
		return
	}
	for _, name := range inventory.Neighbours(c.facts.Graph, replicas) {
		o := inventory.Object{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet, Name: name, Maker: inventory.MakerGrove}
		required := requirementOf(c.facts.Graph, o)
		required.Name = requirementNeighbour + name
		if object, _ := c.facts.Requirements.Get(required); object != nil {
			c.judgeNeighbour(o, object)
		}
	}
}

func (c *nameCheck) judgeNeighbour(o inventory.Object, object *structpb.Struct) {
	set, err := observed.PodCliqueSet(object)
	// What cannot be read of a set may be in the way.
	if err != nil || inventory.CliquesOf(c.facts.Graph).Meet(inventory.CliquesOfSet(set)) {
		c.judge(o, object)
	}
}
