package runtime

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"

// RemovedFlag is a flag of engines that a release has removed: an engine ends with an error as soon as it sees it.
type RemovedFlag struct {
	// Name without dashes at the beginning, and the Frameworks whose engines had the flag.
	Name       string
	Frameworks []v1alpha1.BackendFramework

	// In is the first release without the flag.
	In Version

	// Remedy is what to do instead, as the end of a message.
	Remedy string
}

// RemovedFlags that manifests often have, sorted by name.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/general/releases/deprecations.mdx
func RemovedFlags() []RemovedFlag {
	all := []v1alpha1.BackendFramework{v1alpha1.BackendVLLM, v1alpha1.BackendSGLang, v1alpha1.BackendTRTLLM}
	vllm, multimodal := all[:1], all[:2]
	return []RemovedFlag{
		{Name: "is-decode-worker", Frameworks: vllm, In: "1.4.0", Remedy: "use --disaggregation-mode decode instead"},
		{Name: "is-prefill-worker", Frameworks: vllm, In: "1.4.0", Remedy: "use --disaggregation-mode prefill instead"},
		{Name: "migration-limit", Frameworks: all, In: "1.0.0", Remedy: "set it in the args of the frontend"},
		{Name: "multimodal-encode-worker", Frameworks: multimodal, In: "1.4.0", Remedy: "use --enable-multimodal and --disaggregation-mode encode instead"},
		{Name: "multimodal-worker", Frameworks: multimodal, In: "1.4.0", Remedy: "use --enable-multimodal instead, with --disaggregation-mode if there are workers for each phase"},
		{Name: "store-kv", Frameworks: all, In: "1.0.0", Remedy: "use --discovery-backend instead"},
	}
}
