package ownership

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/inventory"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// requirementNeighbour is the prefix of requirements for PodCliqueSets of other graphs.
const requirementNeighbour = "names-beside-podcliqueset-"

// podCliqueSets looks up the PodCliqueSets of other graphs for which Grove could create objects with the same names as for this graph. The
// components of a live set are fixed, so a live set has no new conflicts.
func (c *nameCheck) podCliqueSets(r *require.Requirements, p *graphplan.Plan, replicas int32) {
	if p.Orchestrator != graphplan.Grove || c.facts.Observed.PodCliqueSet != nil {
		return
	}
	for _, name := range inventory.Neighbours(c.facts.Graph, replicas) {
		o := inventory.Object{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet, Name: name, Maker: inventory.MakerGrove}
		required := requirementOf(c.facts.Graph, o)
		required.Name = requirementNeighbour + name
		if object, _ := r.Get(c.facts.Answers, required); object != nil {
			c.judgeNeighbour(o, object)
		}
	}
}

func (c *nameCheck) judgeNeighbour(o inventory.Object, object *structpb.Struct) {
	set, err := observed.PodCliqueSet(object)
	// A set that cannot be read may conflict.
	if err != nil || inventory.CliquesOf(c.facts.Graph).Meet(inventory.CliquesOfSet(set)) {
		c.judge(o, object)
	}
}
