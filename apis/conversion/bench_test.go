package conversion_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

func BenchmarkToV1beta1(b *testing.B) {
	graph := readManifest(b, shared.Path(b, 1, "corpus", "ai-dynamo-enhancements-vllm-deps-0016-dgd-api-v1beta1-graduation-l306.yaml"))
	for b.Loop() {
		conversion.ToV1beta1(graph)
	}
}
