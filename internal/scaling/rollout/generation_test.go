package rollout

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Members by what is seen of them. All of them have room, apart from those that are tight.
func before(name string) member {
	return member{name: name, generation: "new", exists: true, changes: true, old: true, room: true}
}

func started(name string) member {
	m := before(name)
	m.served = true
	return m
}

func tight(m member) member {
	m.room = false
	return m
}

func added(name string) member { return member{name: name, generation: "new", room: true} }

func TestChangeOf(t *testing.T) {
	cases := map[string]struct {
		reason  string
		members []member
		want    generationChange
	}{
		"Nothing": {
			reason:  "Workers whose generation does not change roll as they always do.",
			members: []member{{name: "P", exists: true, served: true}, {name: "D", exists: true, served: true}},
		},
		"Alone": {reason: "A worker that works with no other one keeps nothing for it.", members: []member{before("W")}},
		"Begins": {
			reason: "Each worker keeps an old replica until all have a new one.", members: []member{before("D"), before("P")},
			want: generationChange{restraints: map[string]restraint{"D": keepsOne, "P": keepsOne}, lacking: []string{"D", "P"}},
		},
		"OneStarted": {
			reason: "A worker with a new replica keeps an old one for those that have none.", members: []member{before("D"), started("P")},
			want: generationChange{restraints: map[string]restraint{"D": keepsOne, "P": keepsOne}, lacking: []string{"D"}},
		},
		"AllStarted": {reason: "The new generation is complete.", members: []member{started("D"), started("P")}},
		"OldIsGone": {
			reason:  "An old generation that does not serve any more is not kept.",
			members: []member{before("D"), {name: "P", generation: "new", exists: true, changes: true, room: true}},
		},
		"TightWaits": {
			reason: "A worker that has to stop before it starts again waits until the others have started.", members: []member{tight(before("D")), before("P")},
			want: generationChange{restraints: map[string]restraint{"D": keepsAll, "P": keepsOne}, lacking: []string{"D", "P"}},
		},
		"TightGoes": {
			reason: "A worker that has to stop before it starts again goes last.", members: []member{tight(before("D")), started("P")},
			want: generationChange{restraints: map[string]restraint{"P": keepsOne}, lacking: []string{"D"}},
		},
		"AllTight": {
			reason: "Workers that all have to stop do so at the same time.", members: []member{tight(before("D")), tight(before("P"))},
			want: generationChange{restraints: map[string]restraint{}, lacking: []string{"D", "P"}},
		},
		"Added": {
			reason: "A worker that is added belongs to the new generation only.", members: []member{before("D"), added("P")},
			want: generationChange{restraints: map[string]restraint{"D": keepsOne, "P": keepsOne}, lacking: []string{"D", "P"}},
		},
		"AddedBesideTight": {
			reason: "A worker that has to stop waits for one that is added.", members: []member{tight(before("D")), added("P")},
			want: generationChange{restraints: map[string]restraint{"D": keepsAll, "P": keepsOne}, lacking: []string{"D", "P"}},
		},
		"AddedTightly": {
			reason: "A worker that is added stops nothing, so it waits for none.", members: []member{tight(before("D")), tight(added("P"))},
			want: generationChange{restraints: map[string]restraint{"D": keepsAll, "P": keepsOne}, lacking: []string{"D", "P"}},
		},
		"AddedStarted": {
			reason:  "A worker that is added has nothing of the old generation to lose.",
			members: []member{before("D"), {name: "P", generation: "new", exists: true, served: true, room: true}},
			want:    generationChange{restraints: map[string]restraint{"D": keepsOne, "P": keepsOne}, lacking: []string{"D"}},
		},
		"OfTheirOwn": {
			reason:  "Workers of an adopted graph that have no generation in common change independently of each other.",
			members: []member{before("D"), {name: "P", generation: "operator", exists: true, room: true}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, changeOf(tc.members), cmp.AllowUnexported(generationChange{})); diff != "" {
				t.Errorf("%s\nchangeOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRestraint(t *testing.T) {
	cases := map[string]struct {
		reason            string
		restraint         restraint
		replicas          []replica
		updating, waiting []int
		want              [][]int
	}{
		"None":       {reason: "Nothing is restrained.", replicas: []replica{sound()}, updating: []int{0}, want: [][]int{{0}, nil}},
		"All":        {reason: "All replicas wait.", restraint: keepsAll, replicas: []replica{broken(), sound()}, updating: []int{0}, waiting: []int{1}, want: [][]int{nil, {0, 1}}},
		"One":        {reason: "Another replica serves.", restraint: keepsOne, replicas: []replica{sound(), sound()}, updating: []int{0}, waiting: []int{1}, want: [][]int{{0}, {1}}},
		"Last":       {reason: "The last replica that serves waits.", restraint: keepsOne, replicas: []replica{done(), sound()}, updating: []int{1}, want: [][]int{nil, {1}}},
		"LastOfMany": {reason: "Only the last of them waits.", restraint: keepsOne, replicas: []replica{sound(), sound(), broken()}, updating: []int{2, 0, 1}, want: [][]int{{2, 0}, {1}}},
		"Broken": {
			reason:    "A replica that is down serves nobody, so the one that serves waits.",
			restraint: keepsOne, replicas: []replica{broken(), sound()}, updating: []int{0, 1}, want: [][]int{{0}, {1}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			updating, waiting := tc.restraint.apply(tc.replicas, tc.updating, tc.waiting)
			if diff := cmp.Diff(tc.want, [][]int{updating, waiting}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\napply(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// simulated is a worker on a cluster that behaves as the controllers of Deployments and LeaderWorkerSets do.
type simulated struct {
	name string
	// nodes of a replica: more than one are LeaderWorkerSets.
	nodes    int32
	replicas int
	// surge and unavailable of a Deployment.
	surge, unavailable int

	// generation that was applied, and whether that holds old pods.
	generation string
	held       bool
	pods       []simulatedPod

	// added is true for a worker of the new generation only, and absent until its object is applied.
	added, absent bool
}

type simulatedPod struct {
	generation string
	ready      bool
}

// count the pods that are so.
func (s *simulated) count(is func(simulatedPod) bool) int {
	return len(slices.DeleteFunc(slices.Clone(s.pods), func(p simulatedPod) bool { return !is(p) }))
}

func (s *simulated) serves(generation string) bool {
	return s.count(func(p simulatedPod) bool { return p.ready && p.generation == generation }) > 0
}

// available pods count when the controller removes old ones.
func (s *simulated) available() int {
	return s.count(func(p simulatedPod) bool { return p.ready && (p.generation != s.generation || !s.held) })
}

// act as the controller, or as the kubelet.
func (s *simulated) act(random *rand.Rand) {
	if s.absent {
		return
	}
	if len(s.pods) == 0 {
		s.pods = []simulatedPod{{generation: s.generation}}
	}
	isOld := func(p simulatedPod) bool { return p.generation != s.generation }
	old := slices.IndexFunc(s.pods, isOld)
	fresh := len(s.pods) - s.count(isOld)
	switch i := random.IntN(len(s.pods)); {
	case !s.pods[i].ready:
		s.pods[i].ready = true
	case s.nodes > 1:
	case fresh < s.replicas && len(s.pods) < s.replicas+s.surge:
		s.pods = append(s.pods, simulatedPod{generation: s.generation})
	case old >= 0 && s.available() > s.replicas-s.unavailable:
		s.pods = slices.Delete(s.pods, old, old+1)
	}
}

// object of a replica.
func (s *simulated) object(generation string, i int, observed bool) (key string, object *structpb.Struct) {
	template := fmt.Sprintf(`{"metadata":{"labels":{"nvidia.com/dynamo-worker-hash":%q}}}`, generation)
	if s.nodes > 1 {
		status := `{}`
		if observed && s.pods[i].ready {
			status = `{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]}`
		}
		return fmt.Sprintf("leaderworkerset-%s-%d", s.name, i), resource.MustStructJSON(fmt.Sprintf(
			`{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"%s-%d","generation":1},"spec":{"replicas":1,"leaderWorkerTemplate":{"leaderTemplate":%s,"workerTemplate":%s}},"status":%s}`,
			s.name, i, template, template, status))
	}
	held, status := "", "{}"
	if observed {
		status = fmt.Sprintf(`{"observedGeneration":1,"replicas":%d,"updatedReplicas":%d,"readyReplicas":%d,"availableReplicas":%d}`,
			len(s.pods), s.count(func(p simulatedPod) bool { return p.generation == s.generation }), s.count(func(p simulatedPod) bool { return p.ready }), s.available())
		if s.held {
			held = fmt.Sprintf(`"minReadySeconds":%d,`, HoldSeconds)
		}
	}
	return "deployment-" + s.name, resource.MustStructJSON(fmt.Sprintf(
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"generation":1},"spec":{%s"replicas":%d,"strategy":{"rollingUpdate":{"maxSurge":%d,"maxUnavailable":%d}},"template":%s},"status":%s}`,
		s.name, held, s.replicas, s.surge, s.unavailable, template, status))
}

func (s *simulated) objects(generation string, observed bool) map[string]*fnv1.Resource {
	all, n := map[string]*fnv1.Resource{}, 1
	if s.nodes > 1 {
		n = s.replicas
	}
	if observed && s.absent {
		return all
	}
	for i := range n {
		its := generation
		if observed {
			its = s.generation
			if s.nodes > 1 {
				its = s.pods[i].generation
			}
		}
		key, object := s.object(its, i, observed)
		all[key] = &fnv1.Resource{Resource: object}
	}
	return all
}

// apply what is desired.
func (s *simulated) apply(desired map[string]*fnv1.Resource) {
	if s.nodes == 1 {
		object := desired["deployment-"+s.name].GetResource()
		s.generation, s.held = generationIn(podsOf(object)), tree.At(object, "spec").GetFields()[minReadySeconds].GetNumberValue() == HoldSeconds
		s.absent = false
		return
	}
	if s.absent {
		s.pods = make([]simulatedPod, s.replicas)
	}
	s.absent = false
	for i := range s.pods {
		object := desired[fmt.Sprintf("leaderworkerset-%s-%d", s.name, i)].GetResource()
		if generation := generationIn(tree.At(templateOf(object), "workerTemplate")); generation != s.pods[i].generation {
			s.pods[i] = simulatedPod{generation: generation}
		}
	}
}

// TestGenerationsAlways holds for random workers, one of which may be added, and any order in which controllers act and objects are applied, that
// a rollout ends, and that some generation is complete at every moment if all workers have room for a replica more. If one has none, the new
// generation lacks nothing but such workers when it stops.
func TestGenerationsAlways(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // The same cases each time.
		var workers []*simulated
		g := &graph.Graph{Name: "llama", Namespace: "inference"}
		roomy := true
		for i := range 2 + random.IntN(2) {
			s := &simulated{name: fmt.Sprintf("w%d", i), nodes: 1 + random.Int32N(2), replicas: 1 + random.IntN(3), generation: "old"}
			s.unavailable = random.IntN(s.replicas)
			s.surge = random.IntN(2)
			if s.unavailable == 0 {
				s.surge = 1
			}
			for range s.replicas {
				s.pods = append(s.pods, simulatedPod{generation: "old", ready: true})
			}
			service := v1alpha1.Service{ComponentType: "worker", Replicas: new(int32(s.replicas))} //nolint:gosec // At most three.
			if s.nodes > 1 {
				service.Multinode = &v1alpha1.Multinode{NodeCount: s.nodes}
			}
			if i == 0 && seed%3 == 0 {
				s.added, s.absent, s.pods = true, true, nil
			}
			g.Add(s.name, service)
			workers = append(workers, s)
			roomy = roomy && (s.added || s.nodes == 1 || s.replicas > 1)
		}
		complete := func(generation string) bool {
			return !slices.ContainsFunc(workers, func(s *simulated) bool { return !s.serves(generation) && (!s.added || generation == "new") })
		}
		var log []string
		for step := 0; ; step++ {
			if step == 20_000 {
				t.Fatalf("seed %d: the rollout does not end: %v", seed, log)
			}
			if random.IntN(3) > 0 {
				workers[random.IntN(len(workers))].act(random)
			} else {
				req, rsp := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}, &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
				for _, s := range workers {
					maps.Copy(req.GetObserved().GetResources(), s.objects("new", true))
					maps.Copy(rsp.GetDesired().GetResources(), s.objects("new", false))
				}
				if _, err := Pace(req, rsp, g, &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet}); err != nil {
					t.Fatal(err)
				}
				for _, s := range workers {
					// Crossplane may fail to apply any of them.
					if random.IntN(4) > 0 {
						s.apply(rsp.GetDesired().GetResources())
					}
				}
			}
			log = append(log, fmt.Sprintf("%+v", workers[0].pods))
			if roomy && !complete("old") && !complete("new") {
				t.Fatalf("seed %d: no generation is complete after %d steps: %s", seed, step, strings.Join(log, "\n"))
			}
			if !roomy && !complete("old") && !complete("new") {
				for _, s := range workers {
					if (s.nodes == 1 || s.replicas > 1) && !s.serves("new") {
						t.Fatalf("seed %d: a worker has stopped, and %s has not started", seed, s.name)
					}
				}
			}
			if !slices.ContainsFunc(workers, func(s *simulated) bool {
				return s.held || s.absent || len(s.pods) != s.replicas || s.count(func(p simulatedPod) bool { return p.ready && p.generation == "new" }) != s.replicas
			}) {
				break
			}
		}
	}
}

// TestPaceDeployments compares what is desired of the Deployment of worker P, beside that of worker D.
func TestPaceDeployments(t *testing.T) {
	const healthy = `"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1`
	deployment := func(generation, spec, status string) *fnv1.Resource {
		return &fnv1.Resource{Resource: resource.MustStructJSON(fmt.Sprintf(
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"p","generation":1,"annotations":{"dynamo.nvidia.com/revision":%q}},"spec":{"replicas":1,%s"template":{"metadata":{"labels":{"nvidia.com/dynamo-worker-hash":%q}}}},"status":{%s}}`,
			generation, spec, generation, status))}
	}
	restarted := func(r *fnv1.Resource) *fnv1.Resource {
		return &fnv1.Resource{Resource: tree.WithText(r.GetResource(), "r1", metadata.AnnotationRestartAt, "spec", "template", "metadata", "annotations")}
	}
	const held, recreate = `"minReadySeconds":2147483646,"progressDeadlineSeconds":2147483647,`, `"strategy":{"type":"Recreate"},`
	cases := map[string]struct {
		reason        string
		p, d          *fnv1.Resource
		desired, want *fnv1.Resource
		rollout       *Rollout
	}{
		"Created": {reason: "New Deployments wait for nothing.", desired: deployment("new", "", ""), want: deployment("new", "", "")},
		"Added": {
			reason: "A Deployment that is added while old pods stay is held with them, because they wait for it too.", d: deployment("old", "", healthy),
			desired: deployment("new", "", ""), want: deployment("new", held, ""),
			rollout: &Rollout{Replicas: 1, Old: 1, Lacking: []string{"D", "P"}},
		},
		"AddedStarts": {
			reason: "A Deployment that was added is waited for until it is ready.", p: deployment("new", held, `"observedGeneration":1,"replicas":1,"updatedReplicas":1`),
			d:       deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			desired: deployment("new", "", ""), want: deployment("new", held, ""),
			rollout: &Rollout{Replicas: 1, Lacking: []string{"P"}},
		},
		"AddedUnseen": {
			reason: "Nothing is known of a Deployment that was added just now.", p: deployment("new", held, `"observedGeneration":0`),
			d:       deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			desired: deployment("new", recreate, ""), want: deployment("new", recreate+held, ""),
			rollout: &Rollout{Replicas: 1, Old: 1, Lacking: []string{"P"}},
		},
		"AddedServes": {
			reason: "A Deployment that was added is let go with the others.", p: deployment("new", held, `"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1`),
			d:       deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			desired: deployment("new", "", ""), want: deployment("new", "", ""),
		},
		"Same": {reason: "A Deployment that keeps its generation is as desired.", p: deployment("new", "", healthy), d: deployment("new", "", healthy), desired: deployment("new", "", ""), want: deployment("new", "", "")},
		"Changed": {
			reason: "Old pods stay when the generation changes.", p: deployment("old", "", healthy), d: deployment("old", "", healthy),
			desired: deployment("new", "", ""), want: deployment("new", held, ""),
			rollout: &Rollout{Replicas: 1, Old: 1, Lacking: []string{"D", "P"}},
		},
		"Held": {
			reason: "Old pods stay until the other worker has started.",
			p:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			d:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1`),

			desired: deployment("new", "", ""), want: deployment("new", held, ""),
			rollout: &Rollout{Replicas: 1, Lacking: []string{"D"}},
		},
		"LetGo": {
			reason: "Old pods go when both workers have started.",
			p:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			d:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),

			desired: deployment("new", "", ""), want: deployment("new", "", ""),
		},
		"Unseen": {
			reason: "What its controller has not seen says nothing of new pods.",
			p:      deployment("new", held, `"observedGeneration":0,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			d:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),

			desired: deployment("new", "", ""), want: deployment("new", held, ""),
			rollout: &Rollout{Replicas: 1, Lacking: []string{"P"}},
		},
		"OldFails": {
			reason: "An old generation that fails is replaced at once.", p: deployment("old", "", healthy), d: deployment("old", "", `"observedGeneration":1,"replicas":1`),
			desired: deployment("new", "", ""), want: deployment("new", "", ""),
		},
		"Recreate": {
			reason: "A Deployment that removes its pods first keeps its pod template until the other worker has started.", p: deployment("old", recreate, healthy), d: deployment("old", "", healthy),
			desired: deployment("new", recreate, ""), want: deployment("old", recreate, ""),
			rollout: &Rollout{Replicas: 1, Old: 1, Outdated: []string{"deployment-p"}, Lacking: []string{"D", "P"}},
		},
		"Restarted": {
			reason: "New pods that are to be restarted are no reason to let old ones go: a Deployment that holds these removes those first.",
			p:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			d:      deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),

			desired: restarted(deployment("new", "", "")), want: restarted(deployment("new", held, "")),
			rollout: &Rollout{Replicas: 1, Lacking: []string{"P"}},
		},
		"RecreateHeld": {
			reason: "A Deployment that is to remove its pods first keeps those that it holds until the other worker has started.",
			p:      deployment("mistaken", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1`), d: deployment("old", "", healthy),
			desired: deployment("new", recreate, ""), want: deployment("mistaken", held, ""),
			rollout: &Rollout{Replicas: 1, Old: 1, Outdated: []string{"deployment-p"}, Lacking: []string{"D", "P"}},
		},
		"RecreateLast": {
			reason: "A Deployment that removes its pods first goes last.", p: deployment("old", recreate, healthy),
			d:       deployment("new", held, `"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":1`),
			desired: deployment("new", recreate, ""), want: deployment("new", recreate, ""),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
				"P": {ComponentType: "prefill"}, "D": {ComponentType: "decode"}, "Frontend": {ComponentType: "frontend"},
			}})
			observed := map[string]*fnv1.Resource{}
			for key, r := range map[string]*fnv1.Resource{"deployment-p": tc.p, "deployment-d": tc.d} {
				if r != nil {
					observed[key] = r
				}
			}
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: observed}}
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{
				"deployment-p": tc.desired, "deployment-d": deployment("new", "", ""),
			}}}
			rollouts, err := Pace(req, rsp, g, &graphplan.Plan{Orchestrator: graphplan.Deployment})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, rsp.GetDesired().GetResources()["deployment-p"], protocmp.Transform()); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
			var got *Rollout
			if r, ok := rollouts["P"]; ok {
				got = &r
			}
			if diff := cmp.Diff(tc.rollout, got); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
