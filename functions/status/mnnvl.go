package status

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// mnnvlOf a graph, for step plan to remember: the status names a mode also where there is no domain.
func mnnvlOf(p *graphplan.Plan) *v1alpha1.MNNVLStatus {
	return &v1alpha1.MNNVLStatus{Mode: string(cmp.Or(p.MNNVL.Mode, graphplan.MNNVLDisabled)), Scope: string(p.MNNVL.Scope)}
}
