package backend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// weightServerFormat is the load format with which vLLM takes the weights from the GPU memory service.
const weightServerFormat = "gms"

// loadFromWeightServer makes the engine take its weights from the weight server of its node instead of from files.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/backend_vllm.go#L38
func loadFromWeightServer(c *corev1.Container, s Settings) []message.Text {
	if told, _ := s.Texts.SettingOf(c, "", "load-format"); !s.FromWeightServer || told.Value == weightServerFormat {
		return nil
	}
	in := s.Texts.readInvocation(s.Framework, c)
	if !in.found {
		return []message.Text{message.Format("the command does not show where vLLM starts, so --load-format gms is not added, and each engine loads its own weights; " +
			"run the module from command or from the script of sh -c, or pass the flag yourself")}
	}
	in.inject(c, []flag{{name: "--load-format", value: literal(weightServerFormat)}})
	return nil
}
