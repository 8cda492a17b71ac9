package pods_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// TestWhatPodsNeed shows what the plan learns from the pods: the wait script and the SSH key.
func TestWhatPodsNeed(t *testing.T) {
	trtllm := plantest.Changed("Worker", func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.Command = []string{"python3", "-m", "dynamo.trtllm"}
	})
	type needs struct {
		WaitForLeader bool
		SSHSecret     string
	}
	whole.Table(t, map[string]whole.Row[needs]{
		"WaitForLeader": {
			Reason:  "Workers of vLLM's mp executor mount a script.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{VLLM: inputv1alpha1.VLLM{DistributedExecutor: inputv1alpha1.VLLMExecutorMP}})),
			Want:    needs{WaitForLeader: true},
		},
		"SSH": {
			Reason:  "TensorRT-LLM's nodes need a key pair.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, trtllm), plantest.WithGroups("grove")),
			Want:    needs{SSHSecret: "mpirun-ssh-key-llama"},
		},
		"UsersSSH": {
			Reason:  "A key pair that the user brings is not managed by the chain.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, trtllm, plantest.Annotated("nvidia.com/mpi-ssh-secret", "mine")), plantest.WithGroups("grove")),
			Want:    needs{},
		},
	}, func(of *whole.Outcome) needs {
		return needs{WaitForLeader: of.Plan.WaitForLeader, SSHSecret: of.Plan.SSHSecret}
	})
}
