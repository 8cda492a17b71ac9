package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

func TestCorpusIsAccepted(t *testing.T) {
	manifests := shared.Corpus(t)
	outputs := harness.New(t).RenderAll(t, onCluster(manifests, harness.GroveKAI))

	seen := map[string]bool{}
	for i, m := range manifests {
		seen[m.Name] = true
		t.Run(m.Name, func(t *testing.T) {
			want, refused := refusals[m.Name]
			switch {
			case refused:
				isRefused(t, outputs[i], want)
			case m.Valid || accepted[m.Name] != "":
				isRendered(t, outputs[i])
			default:
				t.Errorf("upstream refused it: list what has to be said of it, or why it is accepted\nerr %v, stderr %s", outputs[i].Err, outputs[i].Stderr)
			}
		})
	}
	for name := range refusals {
		if !seen[name] {
			t.Errorf("%s is listed, and not in the corpus", name)
		}
	}
	for name := range accepted {
		if !seen[name] {
			t.Errorf("%s is listed, and not in the corpus", name)
		}
	}
}

// refusedOfAutumn are the manifests of autumn that have to be refused. Upstream takes those of LPX, if the platform has enabled the experiment.
func refusedOfAutumn() map[string]refusal {
	lpx := func(components ...string) refusal {
		r := refusal{reason: "LPX is not supported."}
		for _, name := range components {
			r.messages = append(r.messages, "spec.components["+name+"].lpx: Forbidden: is not supported: pods on LPUs")
		}
		return r
	}
	return map[string]refusal{
		"dynamo-operator-lpx-lpu-gpu-specdecode":          lpx("draft"),
		"dynamo-operator-lpx-node-local-v3-hx-specdecode": lpx("draft", "lpu"),
		"dynamo-operator-lpx-single-v2":                   lpx("lpu"),
		"dynamo-sglang-elastic-ep-engine-group": {
			reason: "The field is that of a development branch.", messages: []string{"spec.components[Worker].engineGroup: Forbidden: is not supported: no release of Dynamo has the field"},
		},
		"dynamo-vllm-disagg-hami": {
			reason: "The field is in no release of the API.", messages: []string{"spec.components[VllmDecodeWorker].device: Forbidden: is not supported: no release of Dynamo has the field"},
		},
		"dynamo-vllm-multinode-failover": {
			reason: "Failover shares the weights of the GPU memory service.", messages: []string{"spec.services[VllmDecodeWorker].gpuMemoryService: Required value"},
		},
	}
}

// TestAutumnIsAccepted renders what was published for the newest releases on both platforms, with the shipped Composition.
func TestAutumnIsAccepted(t *testing.T) {
	manifests := shared.Autumn(t)
	for platform, cluster := range map[string]string{"Grove": harness.GroveKAI, "LeaderWorkerSets": harness.LWSVolcano} {
		t.Run(platform, func(t *testing.T) {
			expected := refusedOfAutumn()
			if platform != "Grove" {
				expected["dynamo-docs-vllm-kv-transfer-grove-topology"] = refusal{
					reason: "The policy names a topology of Grove.", messages: []string{"spec.experimental.kvTransferPolicy.clusterTopologyName: Forbidden: requires Grove"},
				}
			}
			for i, out := range harness.New(t).RenderAll(t, onCluster(manifests, cluster)) {
				want, refused := expected[manifests[i].Name]
				switch {
				case refused:
					isRefused(t, out, want)
				case out.Err != nil:
					t.Errorf("%s: %v: %s", manifests[i].Name, out.Err, out.Stderr)
				case len(out.Composed) == 0:
					t.Errorf("%s becomes nothing", manifests[i].Name)
				}
			}
		})
	}
}

func isRefused(t *testing.T, out harness.Output, want refusal) {
	t.Helper()
	if out.Err == nil {
		t.Fatalf("rendered, want it refused: %s", want.reason)
	}
	if len(out.Stdout) > 0 {
		t.Errorf("refused, but something was printed:\n%s", out.Stdout)
	}
	for _, message := range want.messages {
		if !strings.Contains(out.Stderr, message) {
			t.Errorf("the error does not say %q: %s", message, out.Stderr)
		}
	}
}

func isRendered(t *testing.T, out harness.Output) {
	t.Helper()
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	if out.Stderr != "" {
		t.Errorf("rendered, but stderr says: %s", out.Stderr)
	}
	var keys []string
	for _, object := range out.Composed {
		keys = append(keys, harness.Key(object))
	}
	if !slices.Contains(keys, "podcliqueset") {
		t.Errorf("composed no PodCliqueSet but %v", keys)
	}
}
