package graphplan

// Restart is how far the restart is that was asked for last, and what the pod templates of the services say of restarts.
type Restart struct {
	// ID of the restart. Empty: none was asked for.
	ID string `json:"id,omitempty"`

	// Phase of the restart.
	Phase string `json:"phase,omitempty"`

	// InProgress are the services that are restarting, sorted.
	InProgress []string `json:"inProgress,omitempty"`

	// Marks of the pod templates, by service: one for each object that runs it, in their order. That is one for each replica
	// of a multinode service on LeaderWorkerSets, and else one. A service without marks is left as it is.
	Marks map[string][]RestartMark `json:"marks,omitempty"`
}

// RestartMark is by what the pods of one object were restarted last.
type RestartMark struct {
	// At is the id of the restart. Empty: they never were.
	At string `json:"at,omitempty"`
}

// RestartMark of object i that runs a service.
func (p *Plan) RestartMark(service string, i int32) RestartMark {
	if p.Restart == nil || int(i) >= len(p.Restart.Marks[service]) {
		return RestartMark{}
	}
	return p.Restart.Marks[service][i]
}
