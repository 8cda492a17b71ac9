package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestInspectNodes shows what is said about nodes that are no engine, or none that can be started.
func TestInspectNodes(t *testing.T) {
	const unknown = "spec.services[S].multinode: the backend of this service is not known, so all nodes run the same command; set componentType: worker and " +
		"backendFramework, or let the command connect the nodes"
	const mocker = "spec.services[S].multinode: dynamo.mocker does not span nodes, so each node runs it separately; remove multinode, and set replicas to the number of pods"
	oneNode := func(container corev1.Container) *v1alpha1.Service {
		return &v1alpha1.Service{ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &container}}
	}
	worker := func(s *v1alpha1.Service) { s.ComponentType = "worker" }
	nodes := func(container corev1.Container) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Component("S", oneNode(container), worker, plantest.WithNodes(2)))
	}
	running := func(command ...string) *v1alpha1.DynamoGraphDeployment {
		return nodes(corev1.Container{Command: command})
	}
	cases := map[string]struct {
		reason string
		// graph, or JSON.
		graph        any
		framework    v1alpha1.BackendFramework
		orchestrator graphplan.Orchestrator
		warnings     []string
		errors       []string
	}{
		"Unknown": {
			reason: "Nothing connects the nodes of a program that nobody tells of them.", graph: running("serve"),
			orchestrator: graphplan.Grove, warnings: []string{unknown},
		},
		"OneNode": {reason: "One node needs no others.", graph: plantest.Graph(plantest.Component("S", oneNode(corev1.Container{Command: []string{"serve"}}))), orchestrator: graphplan.Grove},
		"Grove": {
			reason: "A command that reads the variables of Grove connects the nodes.", orchestrator: graphplan.Grove,
			graph: running("sh", "-c", "exec serve --leader $GROVE_PCSG_NAME-$GROVE_PCSG_INDEX-s-ldr-0.$GROVE_HEADLESS_SERVICE"),
		},
		"LeaderWorkerSet": {
			reason: "A variable of LeaderWorkerSets in the environment of the command has the same effect.", orchestrator: graphplan.LeaderWorkerSet,
			graph: nodes(corev1.Container{Command: []string{"serve"}, Env: []corev1.EnvVar{{Name: "LEADER", Value: "$(LWS_LEADER_ADDRESS)"}}}),
		},
		"Both": {
			reason: "A script may be for both.", orchestrator: graphplan.Grove,
			graph: running("sh", "-c", "exec serve --leader ${LWS_LEADER_ADDRESS:-$GROVE_PCSG_NAME-$GROVE_PCSG_INDEX-s-ldr-0.$GROVE_HEADLESS_SERVICE}"),
		},
		"AnotherOrchestrator": {
			reason: "That the variables of another orchestrator are empty is said elsewhere.", orchestrator: graphplan.Grove, graph: running("serve", "$(LWS_LEADER_ADDRESS)"),
		},
		"Mocker": {
			reason: "The mocker is one process, whatever the framework of the graph is.", graph: running("python3", "-m", "dynamo.mocker"),
			framework: v1alpha1.BackendSGLang, orchestrator: graphplan.LeaderWorkerSet, warnings: []string{mocker},
		},
		"MockerWithoutFramework": {
			reason: "It is one process without a framework too.", graph: running("python3", "-m", "dynamo.mocker"), orchestrator: graphplan.Grove, warnings: []string{mocker},
		},
		"ElasticEntryPoint": {
			reason: "Ray cannot be started before an entry point that is not known, which is said once for all pods.", framework: v1alpha1.BackendVLLM, orchestrator: graphplan.Grove,
			graph: plantest.GraphOf(`{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":[],"args":["--enable-elastic-ep"]}}}}}`),
			errors: []string{"spec.services[S].extraPodSpec.mainContainer.command: Required value: specify the program of the elastic engine, because Ray has to run before it; " +
				"the entry point of the image is not known"},
		},
		"ElasticDefault": {
			reason: "Without a command, the module of the framework is started.", framework: v1alpha1.BackendVLLM, orchestrator: graphplan.Grove,
			graph: nodes(corev1.Container{Args: []string{"--enable-elastic-ep"}}),
			warnings: []string{`spec.services[S]: --enable-elastic-ep needs Ray, but images of Dynamo contain no Ray since 1.3.0, and the image has 1.4.0: ` +
				`pods end with "ray: not found" unless you have added Ray to the image; remove it from the command, or use an image with Ray`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(tc.graph))
			plan := &graphplan.Plan{Orchestrator: tc.orchestrator, Components: map[string]graphplan.Component{"S": {Framework: tc.framework}}}
			_, outcome := Inspect(f, plan, Of(f, plan))
			if diff := cmp.Diff(tc.warnings, outcome.Warnings.Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nInspect(...): -want warnings, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.errors, outcome.Refused(subject.Mistake).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nInspect(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
