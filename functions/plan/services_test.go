package plan_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestWhatPodsNeed shows what the plan learns from the pods: the wait script, the SSH key, and the platform's policy.
func TestWhatPodsNeed(t *testing.T) {
	trtllm := plantest.Changed("Worker", func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.Command = []string{"python3", "-m", "dynamo.trtllm"}
	})
	document := func(worker graphplan.Service, changes ...steptest.Change) responseOption {
		return planOf(steptest.PlanOnGrove(workerAnd(worker), append(changes, withGPUTotal(32))...))
	}
	onTRTLLM := graphplan.Service{Framework: v1alpha1.BackendTRTLLM}
	withSecret := func(p *graphplan.Plan) { p.SSHSecret = "mpirun-ssh-key-llama" }
	withPolicy := func(p *graphplan.Plan) {
		p.Grove.TerminationDelay = "1h0m0s"
		p.Infrastructure.NATSAddress, p.Infrastructure.EtcdAddress, p.IngressDefaults.ClassName = "nats://n", "etcd:2379", "nginx"
		p.Services["Worker"] = graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: graphplan.ExecutorFromRelease, Discovery: "etcd", DynamoNamespace: "inference-llama"}
	}
	compare(t, map[string]responseCase{
		"WaitForLeader": {
			reason: "Workers of vLLM's mp executor mount a script.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{VLLM: inputv1alpha1.VLLM{DistributedExecutor: inputv1alpha1.VLLMExecutorMP}})),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(),
				document(graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: graphplan.ExecutorFromInput})),
		},
		"SSH": {
			reason: "TensorRT-LLM's nodes need a key pair.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, trtllm), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(onTRTLLM, withSecret)),
		},
		"UsersSSH": {
			reason: "A key pair that the user brings is not managed by the chain.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, trtllm, plantest.Annotated("nvidia.com/mpi-ssh-secret", "mine")), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(onTRTLLM)),
		},
		"Policy": {
			reason: "What the platform says of its servers reaches the later steps.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
				Grove:          inputv1alpha1.Grove{TerminationDelay: &metav1.Duration{Duration: time.Hour}},
				Infrastructure: inputv1alpha1.Infrastructure{NATSAddress: "nats://n", EtcdAddress: "etcd:2379"},
				Ingress:        inputv1alpha1.Ingress{ClassName: "nginx"},
				Discovery:      inputv1alpha1.Discovery{Backend: inputv1alpha1.DiscoveryEtcd},
			})),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), document(graphplan.Service{}, withPolicy)),
		},
	})
}
