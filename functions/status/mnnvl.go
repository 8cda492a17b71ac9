package status

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// mnnvlDisabled is how the status says that a graph has no NVLink domain. It says so in any case: step plan reads there
// that this is decided.
const mnnvlDisabled = "Disabled"

// mnnvlOf a graph, for step plan to remember.
func mnnvlOf(p *graphplan.Plan) *v1alpha1.MNNVLStatus {
	return &v1alpha1.MNNVLStatus{Mode: cmp.Or(string(p.MNNVL.Mode), mnnvlDisabled), Scope: string(p.MNNVL.Scope)}
}
