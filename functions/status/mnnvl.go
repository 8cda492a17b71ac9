package status

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// mnnvlOf a graph is the part of the status from which step plan remembers its NVLink domain. It contains a mode even if there is no domain.
func mnnvlOf(p *graphplan.Plan) *v1alpha1.MNNVLStatus {
	return &v1alpha1.MNNVLStatus{Mode: string(cmp.Or(p.MNNVL.Mode, graphplan.MNNVLDisabled)), Scope: string(p.MNNVL.Scope)}
}
