package generations

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// state of a graph with a frontend and workers for prefill and decode.
type state struct {
	// args of the decode worker, and the release in the images.
	args    string
	release runtime.Version

	// annotation of the graph and input of the platform about generations, and the id of the last restart of the prefill worker.
	annotation string
	input      inputv1alpha1.WorkerGenerations
	restart    string

	changes []plantest.GraphChange
}

func (s state) graph() *v1alpha1.DynamoGraphDeployment {
	changes := []plantest.GraphChange{
		plantest.Frontend,
		plantest.Component("Decode", plantest.ComponentOf(v1alpha1.ComponentDecode, "python3"), plantest.WithArgs("-m", "dynamo.vllm", s.args)),
		plantest.Component("Prefill", plantest.ComponentOf(v1alpha1.ComponentPrefill, "python3"), plantest.WithArgs("-m", "dynamo.vllm")),
	}
	if s.annotation != "" {
		changes = append(changes, plantest.Annotated("dynamo.nvidia.com/worker-generations", s.annotation))
	}
	return plantest.Graph(append(changes, s.changes...)...)
}

func (s state) plan() *graphplan.Plan {
	p := &graphplan.Plan{Components: map[string]graphplan.Component{
		"Frontend": {}, "Decode": {RuntimeVersion: s.release}, "Prefill": {RuntimeVersion: s.release}, "Planner": {RuntimeVersion: s.release},
	}}
	if s.restart != "" {
		p.Restart = &graphplan.Restart{ID: s.restart, Marks: map[string][]graphplan.RestartMark{"Prefill": {{At: s.restart}}}}
	}
	return p
}

// request of the state, with what is observed.
func (s state) decide(t *testing.T, observed ...plantest.RequestOption) string {
	t.Helper()
	options := append([]plantest.RequestOption{
		plantest.WithInput(inputv1alpha1.Policy{Workers: inputv1alpha1.Workers{Generations: s.input}}),
	}, observed...)
	generation, err := Decide(plantest.Facts(t, plantest.Request(s.graph(), options...)), s.plan(), written.Current())
	if err != nil {
		t.Fatal(err)
	}
	return generation
}

// running is what is observed of the state when its workers have a generation.
func (s state) running(t *testing.T, generation string) []plantest.RequestOption {
	t.Helper()
	return append(s.pods(generation), s.revision(t, generation))
}

func (s state) pods(generation string) []plantest.RequestOption {
	pods := func(restart string) corev1.PodTemplateSpec {
		template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}, Annotations: map[string]string{}}}
		if generation != "" {
			template.Labels["nvidia.com/dynamo-worker-hash"] = generation
		}
		if restart != "" {
			template.Annotations["nvidia.com/restartAt"] = restart
		}
		return template
	}
	return []plantest.RequestOption{
		plantest.WithObserved("deployment-decode", plantest.Deployment("llama-decode", pods(""))),
		plantest.WithObserved("deployment-prefill", plantest.Deployment("llama-prefill", pods(s.restart))),
	}
}

func (s state) revision(t *testing.T, generation string) plantest.RequestOption {
	t.Helper()
	hashes, err := written.Current().Hash(plantest.Decoded(t, s.graph()), s.plan())
	if err != nil {
		t.Fatal(err)
	}
	components := map[string]any{}
	for name, hash := range hashes {
		components[name] = map[string]any{"written": string(hash)}
		if generation != "" && name != "Frontend" {
			components[name] = map[string]any{"written": string(hash), "generation": generation}
		}
	}
	return plantest.WithObserved("revision-0123456789", map[string]any{
		"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": map[string]any{"name": "llama-0123456789"}, "revision": 3,
		"data": map[string]any{"format": 1, "components": components},
	})
}

func TestDecide(t *testing.T) {
	newer, older := state{release: "1.5.0"}, state{release: "1.4.2"}
	changed, restarted := newer, newer
	changed.args, restarted.restart = "--enforce-eager", "r1"
	generation, next := newer.decide(t), changed.decide(t)
	if len(generation) != 8 || len(next) != 8 || generation == next {
		t.Fatalf("The generations %q and %q do not tell the workers apart.", generation, next)
	}
	as := func(s state, change func(*state)) state {
		change(&s)
		return s
	}
	shared := func(s *state) { s.annotation = "Shared" }
	separate := func(s *state) { s.annotation = "Separate" }
	platform := func(s *state) { s.input = inputv1alpha1.GenerationsShared }
	with := func(changes ...plantest.GraphChange) func(*state) {
		return func(s *state) { s.changes = append(s.changes, changes...) }
	}
	suffix := corev1.EnvVar{Name: "DYN_NAMESPACE_WORKER_SUFFIX", Value: "mine"}
	cases := map[string]struct {
		reason   string
		now      state
		observed []plantest.RequestOption
		want     string
	}{
		"New":               {reason: "The workers of a new graph have a generation.", now: newer, want: generation},
		"Older":             {reason: "Workers of earlier releases are not told apart.", now: older},
		"Platform":          {reason: "The platform lets all workers work together.", now: as(newer, platform)},
		"PlatformOverruled": {reason: "A graph takes precedence over the platform.", now: as(as(newer, platform), separate), want: as(newer, separate).decide(t)},
		"Shared":            {reason: "A graph lets its workers work together.", now: as(newer, shared)},
		"OwnSuffix": {
			reason: "The user tells the workers apart.",
			now:    as(newer, with(plantest.Changed("Decode", func(s *v1alpha1.Service) { s.ExtraPodSpec.MainContainer.Env = []corev1.EnvVar{suffix} }))),
		},
		"OwnSuffixOfAll": {
			reason: "The user tells the workers apart in the variables of the graph.",
			now:    as(newer, with(func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.Envs = []corev1.EnvVar{suffix} })),
		},
		"Restored": {
			reason: "A worker that is restored from a checkpoint has the variables with which it was captured.",
			now: as(newer, with(plantest.Changed("Decode", func(s *v1alpha1.Service) {
				s.Checkpoint = &v1alpha1.Checkpoint{Enabled: true, CheckpointRef: new("warm")}
			}))),
		},
		"OlderPlanner": {
			reason: "An earlier planner does not find workers with a generation.",
			now:    as(older, with(plantest.Component("Planner", plantest.ComponentOf(v1alpha1.ComponentPlanner)))),
		},
		"Unchanged": {reason: "Workers keep their generation.", now: newer, observed: newer.running(t, generation), want: generation},
		"Changed":   {reason: "All workers get another generation if one of them changes.", now: changed, observed: newer.running(t, generation), want: next},
		"Restarted": {reason: "A restart does not change the generation.", now: restarted, observed: newer.running(t, generation), want: generation},
		"RestartedTwice": {
			reason: "Neither does another one.", now: as(newer, func(s *state) { s.restart = "r2" }), observed: restarted.running(t, generation), want: generation,
		},
		"UnchangedWithout": {reason: "Workers that run without a generation get none while they do not change.", now: newer, observed: newer.running(t, "")},
		"ChangedWithout":   {reason: "They get one when one of them changes.", now: changed, observed: newer.running(t, ""), want: next},
		"RestartedWithout": {reason: "A restart is no change.", now: restarted, observed: newer.running(t, "")},
		"Replaced": {
			reason: "While pods without a generation are replaced, the revision knows that they get one.",
			now:    changed, observed: append(newer.pods(""), changed.revision(t, next)), want: next,
		},
		"Downgraded":      {reason: "Workers of an earlier release have no generation.", now: as(changed, func(s *state) { s.release = older.release }), observed: newer.running(t, generation)},
		"TakenForEarlier": {reason: "Workers keep their generation although the platform takes their image for an earlier release.", now: older, observed: newer.running(t, generation), want: generation},
		"PlatformLater": {
			reason: "Workers keep their generation although the platform does not want it any more.", now: as(newer, platform), observed: newer.running(t, generation), want: generation,
		},
		"PlatformChanged": {reason: "They lose it when one of them changes.", now: as(changed, platform), observed: newer.running(t, generation)},
		"SharedLater":     {reason: "What the user writes has an effect at once.", now: as(newer, shared), observed: newer.running(t, generation)},
		"Lost":            {reason: "Workers whose revision is lost keep their generation.", now: newer, observed: newer.pods(generation), want: generation},
		"LostWithout":     {reason: "Workers whose revision is lost get none.", now: newer, observed: newer.pods("")},
		"FromTheOperator": {reason: "Pods that were adopted keep the generation that the Dynamo operator has given them.", now: newer, observed: append(newer.pods("0a1b2c3d"), newer.revision(t, ""))},
		"Adopting":        {reason: "Pods that are about to be adopted have no generation from here.", now: as(newer, with(plantest.Annotated("dynamo.nvidia.com/adopt-from", "dynamo-operator")))},
		"Adopted": {
			reason: "Pods that were adopted get no generation when they change.", now: changed,
			observed: append(newer.running(t, ""), plantest.WithObserved("service-decode", map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{"dynamo.nvidia.com/adopted-from": "dynamo-operator"}},
			})),
		},
		"NoWorker": {reason: "A graph without workers has no generation.", now: as(newer, with(func(xr *v1alpha1.DynamoGraphDeployment) {
			delete(xr.Spec.Services, "Decode")
			delete(xr.Spec.Services, "Prefill")
		}))},
		"FrontendIsNotPart": {reason: "A change of the frontend does not change workers.", now: as(newer, with(plantest.Changed("Frontend", plantest.WithArgs("--router-mode", "kv")))), observed: newer.running(t, generation), want: generation},
		"ReplicasAreNoPods": {reason: "A number of replicas is no change of pods.", now: as(newer, with(plantest.Changed("Decode", plantest.WithReplicas(7)))), observed: newer.running(t, generation), want: generation},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.now.decide(t, tc.observed...); got != tc.want {
				t.Errorf("%s\nDecide(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
