package graphplan

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"

// Restart is the progress of the last requested restart, and the marks of restarts in the pod templates of the components.
type Restart struct {
	// ID of the restart. Empty if none was requested.
	ID string `json:"id,omitempty"`

	// Phase of the restart.
	Phase string `json:"phase,omitempty"`

	// InProgress are the components that are restarting, sorted.
	InProgress []string `json:"inProgress,omitempty"`

	// Marks of the pod templates, by component: one for each object that runs it, in order. That is one for each replica of a multinode
	// component on LeaderWorkerSets, and otherwise one. Services without marks are not changed.
	Marks map[string][]RestartMark `json:"marks,omitempty"`
}

// UnderWay reports whether components restart now, or are about to.
func (r *Restart) UnderWay() bool { return r != nil && r.Phase == v1alpha1.RestartPhaseRestarting }

// RestartMark identifies the last restart of the pods of one object.
type RestartMark struct {
	// At is the id of the restart. Empty if there was none.
	At string `json:"at,omitempty"`
}

// RestartMark of object i that runs a component.
func (p *Plan) RestartMark(component string, i int32) RestartMark {
	if p.Restart == nil || int(i) >= len(p.Restart.Marks[component]) {
		return RestartMark{}
	}
	return p.Restart.Marks[component][i]
}
