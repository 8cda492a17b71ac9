package restart

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Objects that run a component, with the id of their last restart.
func atRest(id string) object {
	return object{live: true, mark: graphplan.RestartMark{At: id}, ready: true}
}

func atWork(id string) object {
	return object{live: true, mark: graphplan.RestartMark{At: id}}
}

func atDusk(id string) object {
	return object{live: true, mark: graphplan.RestartMark{At: id}, stale: true}
}

// threeComponents called a, b and c, each of one object.
func threeComponents(a, b, c object) []restartable {
	return []restartable{
		{name: "a", objects: []object{a}}, {name: "b", objects: []object{b}}, {name: "c", objects: []object{c}},
	}
}

// replicas of component a, and component b after it.
func replicasOf(a []object, b object) []restartable {
	return []restartable{{name: "a", objects: a}, {name: "b", objects: []object{b}}}
}

func ordered(id string, order ...string) *v1alpha1.Restart {
	return &v1alpha1.Restart{ID: id, Strategy: &v1alpha1.RestartStrategy{Type: v1alpha1.RestartSequential, Order: order}}
}

func inParallel() *v1alpha1.Restart {
	return &v1alpha1.Restart{ID: "one", Strategy: &v1alpha1.RestartStrategy{Type: v1alpha1.RestartParallel}}
}

func marks(ids ...string) []graphplan.RestartMark {
	var all []graphplan.RestartMark
	for _, id := range ids {
		all = append(all, graphplan.RestartMark{At: id})
	}
	return all
}

func TestRestart(t *testing.T) {
	var (
		one       = &v1alpha1.Restart{ID: "one"}
		two       = &v1alpha1.Restart{ID: "two"}
		running   = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting"}
		completed = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Completed"}
		missing   = object{}
	)
	type component = map[string][]graphplan.RestartMark
	restarting := func(id string, m component, components ...string) *graphplan.Restart {
		return &graphplan.Restart{ID: id, Phase: "Restarting", InProgress: components, Marks: m}
	}
	done := func(id string, m component) *graphplan.Restart {
		return &graphplan.Restart{ID: id, Phase: "Completed", Marks: m}
	}

	cases := map[string]struct {
		reason string
		in     restart
		want   *graphplan.Restart
	}{
		"NeverAsked": {
			reason: "A graph that was never restarted has nothing to say.",
			in:     restart{reported: true, components: threeComponents(atRest(""), atWork(""), missing)},
		},
		"Created": {
			reason: "A graph that is created with an id has nothing to restart.",
			in:     restart{request: one, components: threeComponents(missing, missing, missing)},
			want:   done("one", nil),
		},
		"CreatedByHalves": {
			reason: "A graph whose creation failed before there was a status has nothing to restart.",
			in:     restart{request: one, components: threeComponents(atWork(""), missing, missing)},
			want:   done("one", nil),
		},
		"OfAnOlderVersion": {
			reason: "An id from a version without support for restarts has no effect after the upgrade.",
			in:     restart{request: one, components: threeComponents(atRest(""), atRest(""), atRest(""))},
			want:   done("one", nil),
		},
		"FirstStep": {
			reason: "Without an order, the first service in the alphabet restarts, and the others stay as they were.",
			in:     restart{request: one, reported: true, components: threeComponents(atRest(""), atRest(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one")}, "a"),
		},
		"FirstStepTwice": {
			reason: "The first step is repeated until its mark has been applied.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atRest(""), atRest(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one")}, "a"),
		},
		"Waits": {
			reason: "The next service waits until the one before is ready again.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atWork("one"), atRest(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one")}, "a"),
		},
		"NextStep": {
			reason: "The next service restarts when the one before is ready, and the one before keeps its mark.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atRest("one"), atRest(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"LastIsReady": {
			reason: "When the last service is ready, the restart is complete.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atRest("one"), atRest("one"), atRest("one"))},
			want:   done("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}),
		},
		"Completed": {
			reason: "What happens to the pods after a restart does not change that it is complete.",
			in:     restart{request: one, status: completed, reported: true, components: threeComponents(atRest("one"), atWork("one"), missing)},
			want:   done("one", component{"a": marks("one"), "b": marks("one")}),
		},
		"StatusLost": {
			reason: "The pod templates tell where the restart is, also when the status was not written.",
			in:     restart{request: one, components: threeComponents(atRest("one"), atRest(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"StatusBehind": {
			reason: "A status of the step before is no reason to repeat that step.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"a"}}, reported: true,
				components: threeComponents(atRest("one"), atWork("one"), atRest("")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"NotReadyBefore": {
			reason: "A service need not be ready to be restarted: that may be why it is.",
			in:     restart{request: one, reported: true, components: threeComponents(atWork(""), atWork(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one")}, "a"),
		},
		"BrokenAfterwards": {
			reason: "A service that was restarted and is no longer ready holds up those after it.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atWork("one"), atRest("one"), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "a"),
		},
		"DoneAndBroken": {
			reason: "A service that breaks after it was done is not in progress again while the next one is.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"b"}}, reported: true,
				components: threeComponents(atWork("one"), atWork("one"), atRest("")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"DoneAndBrokenHoldsUp": {
			reason: "The sequence waits for a service that breaks after it was done.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"b"}}, reported: true,
				components: threeComponents(atWork("one"), atRest("one"), atRest("")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one")}, "a"),
		},
		"DoneAndBrokenAtTheEnd": {
			reason: "A service that breaks after it was done does not keep the restart from being complete.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"c"}}, reported: true,
				components: threeComponents(atWork("one"), atRest("one"), atRest("one")),
			},
			want: done("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}),
		},
		"DoneInParallelAndBroken": {
			reason: "In a parallel restart, a service that breaks after it was done is not in progress again.",
			in: restart{
				request: inParallel(), status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"b"}}, reported: true,
				components: threeComponents(atRest("one"), atWork("one"), atWork("one")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}, "b"),
		},
		"Order": {
			reason: "Services restart in the order that is asked for.",
			in:     restart{request: ordered("one", "c", "a", "b"), status: running, reported: true, components: threeComponents(atRest(""), atRest(""), atRest("one"))},
			want:   restarting("one", component{"a": marks("one"), "c": marks("one")}, "a"),
		},
		"OrderChanges": {
			reason: "In another order what is done stays done, and what has begun is waited for.",
			in:     restart{request: ordered("one", "c", "a", "b"), status: running, reported: true, components: threeComponents(atRest("one"), atWork("one"), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"Parallel": {
			reason: "In a parallel restart, all services restart at once.",
			in:     restart{request: inParallel(), reported: true, components: threeComponents(atRest(""), atWork(""), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}, "a", "b", "c"),
		},
		"ParallelByHalves": {
			reason: "In a parallel restart, each service is done when it is ready.",
			in:     restart{request: inParallel(), status: running, reported: true, components: threeComponents(atRest("one"), atWork("one"), atRest("one"))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}, "b"),
		},
		"BecomesParallel": {
			reason: "A restart that becomes parallel restarts all remaining services at once.",
			in:     restart{request: inParallel(), status: running, reported: true, components: threeComponents(atRest("one"), atWork("one"), atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}, "b", "c"),
		},
		"NewIDMidway": {
			reason: "A new id starts over with the first service; the others keep what they have.",
			in:     restart{request: two, status: running, reported: true, components: threeComponents(atRest("one"), atWork("one"), atRest(""))},
			want:   restarting("two", component{"a": marks("two"), "b": marks("one")}, "a"),
		},
		"NextRestart": {
			reason: "A new id starts another restart after a completed one.",
			in:     restart{request: two, status: completed, reported: true, components: threeComponents(atRest("one"), atRest("one"), atRest("one"))},
			want:   restarting("two", component{"a": marks("two"), "b": marks("one"), "c": marks("one")}, "a"),
		},
		"OlderID": {
			reason: "Pods that come from the id that is asked for are not restarted for it again.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "two", Phase: "Restarting"}, reported: true,
				components: threeComponents(atRest("two"), atRest("one"), atRest("one")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}, "a"),
		},
		"RemovedAfterwards": {
			reason: "To remove the request restarts nothing, and what became of it stays known.",
			in:     restart{status: completed, reported: true, components: threeComponents(atRest("one"), atRest("one"), atRest("one"))},
			want:   done("one", component{"a": marks("one"), "b": marks("one"), "c": marks("one")}),
		},
		"RemovedHalfWay": {
			reason: "A request that is taken back goes no further and undoes nothing.",
			in:     restart{status: running, reported: true, components: threeComponents(atRest("one"), atWork("one"), atRest(""))},
			want:   &graphplan.Restart{Marks: component{"a": marks("one"), "b": marks("one")}},
		},
		"OtherEnds": {
			reason: "A phase that only the Dynamo operator sets is kept.",
			in:     restart{request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Superseded"}, components: threeComponents(atRest(""), atRest(""), atRest(""))},
			want:   &graphplan.Restart{ID: "one", Phase: "Superseded"},
		},
		"NoPods": {
			reason: "A service without pods is done at once.",
			in:     restart{request: one, reported: true, components: []restartable{{name: "a"}, {name: "b", objects: []object{atRest("")}}}},
			want:   restarting("one", component{"b": marks("one")}, "b"),
		},
		"NoPodsAtAll": {
			reason: "When no service has pods, the restart is complete at once.",
			in:     restart{request: one, reported: true, components: []restartable{{name: "a"}}},
			want:   done("one", nil),
		},
		"Recreated": {
			reason: "What went away is created as if restarted, and waited for.",
			in:     restart{request: one, status: running, reported: true, components: threeComponents(atRest("one"), missing, atRest(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"Replicas": {
			reason: "All replicas of a service are to restart. How many of them do so at a time is the matter of their rollout.",
			in:     restart{request: one, reported: true, components: replicasOf([]object{atRest(""), atRest("")}, atRest(""))},
			want:   restarting("one", component{"a": marks("one", "one")}, "a"),
		},
		"NextReplica": {
			reason: "A service stays in progress while one of its replicas is not ready.",
			in:     restart{request: one, status: running, reported: true, components: replicasOf([]object{atWork("one"), atRest("")}, atRest(""))},
			want:   restarting("one", component{"a": marks("one", "one")}, "a"),
		},
		"LastReplica": {
			reason: "The next service waits until all replicas of the one before are ready.",
			in:     restart{request: one, status: running, reported: true, components: replicasOf([]object{atRest("one"), atWork("one")}, atRest(""))},
			want:   restarting("one", component{"a": marks("one", "one")}, "a"),
		},
		"ReplicasBehindAnotherService": {
			reason: "A service that waits for another one stays where it is, all but a replica that is new.",
			in: restart{
				request: ordered("one", "b", "a"), status: running, reported: true,
				components: replicasOf([]object{atRest("one"), atRest(""), missing}, atWork("one")),
			},
			want: restarting("one", component{"a": marks("one", "", "one"), "b": marks("one")}, "a", "b"),
		},
		"ScaledOutMidway": {
			reason: "A replica that is added during a restart need not be restarted afterwards.",
			in:     restart{request: one, status: running, reported: true, components: replicasOf([]object{atRest("one"), atRest(""), missing}, atRest(""))},
			want:   restarting("one", component{"a": marks("one", "one", "one")}, "a"),
		},
		"ScaledOutAfterwards": {
			reason: "A replica that is added after a restart is like the others.",
			in:     restart{status: completed, reported: true, components: replicasOf([]object{atRest("one"), missing}, atRest(""))},
			want:   done("one", component{"a": marks("one", "one")}),
		},
		"Obscured": {
			reason: "While Grove carries out a change, the services that were done stay so, and the one that was waited for is waited for.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"b"}}, reported: true,
				components: threeComponents(atDusk("one"), atDusk("one"), atDusk("")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one")}, "b"),
		},
		"ObscuredAndStatusBehind": {
			reason: "While Grove carries out a change, no step begins, even if the status is of the step before.",
			in: restart{
				request: one, status: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"a"}}, reported: true,
				components: threeComponents(atDusk("one"), atDusk("one"), atDusk("")),
			},
			want: restarting("one", component{"a": marks("one"), "b": marks("one")}, "a"),
		},
		"ObscuredAndStatusLost": {
			reason: "While Grove carries out a change, every service that was reached is waited for if there is no status.",
			in:     restart{request: one, reported: true, components: threeComponents(atDusk("one"), atDusk("one"), atDusk(""))},
			want:   restarting("one", component{"a": marks("one"), "b": marks("one")}, "a", "b"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.in.decide()); diff != "" {
				t.Errorf("%s\ndecide(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
