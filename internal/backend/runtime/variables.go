package runtime

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// OldVariable is an environment variable that a release has renamed, deprecated or removed.
type OldVariable struct {
	// Name of the variable. If it ends with an asterisk, the beginning of the names of several.
	Name string

	// Frameworks whose engines have read the variable. Empty if other programs have, too.
	Frameworks []v1alpha1.BackendFramework

	// In is the first release in which this is so, and Until the first one in which another entry says more. Empty if none does.
	In, Until Version

	// Change is what the release has done, and Remedy what to do instead.
	Change, Remedy string
}

// The first releases in which the KV block manager is deprecated, and without it.
const (
	BlockManagerDeprecated Version = "1.5.0"
	BlockManagerRemoved    Version = "1.6.0"
)

// OldVariables that manifests have, sorted by name and release.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/general/releases/deprecations.mdx
func OldVariables() []OldVariable {
	const offload = "use the offloading of KV caches that the engine has itself"
	return []OldVariable{
		{
			Name: "DYN_CONNECTOR", Frameworks: []v1alpha1.BackendFramework{v1alpha1.BackendVLLM}, In: "1.6.0",
			Change: "is ignored by vLLM", Remedy: "use --kv-transfer-config in the args instead",
		},
		{Name: "DYN_KVBM_*", In: BlockManagerDeprecated, Until: BlockManagerRemoved, Change: "is deprecated with the KV block manager, which 1.6.0 does not have", Remedy: offload},
		{Name: "DYN_KVBM_*", In: BlockManagerRemoved, Change: "has no effect, because the KV block manager was removed", Remedy: offload},
		{Name: "DYN_SNAPSHOT_RESTORE_STANDBY", In: "1.5.0", Change: "has no effect, because it was removed", Remedy: "remove it"},
		{Name: "DYN_USE_KV_EVENTS", In: "1.5.0", Change: "is the old name of DYN_ROUTER_USE_KV_EVENTS, and still works", Remedy: "rename it"},
	}
}

// OldVariableOf a program is what a release says about a variable that an engine with a framework, or another program, reads.
func OldVariableOf(name string, v Version, framework v1alpha1.BackendFramework) (OldVariable, bool) {
	all := OldVariables()
	i := slices.IndexFunc(all, func(o OldVariable) bool {
		begin, several := strings.CutSuffix(o.Name, "*")
		isNamed := o.Name == name || several && strings.HasPrefix(name, begin)
		return isNamed && v.Compare(o.In) >= 0 && (o.Until == "" || v.Compare(o.Until) < 0) &&
			(len(o.Frameworks) == 0 || slices.Contains(o.Frameworks, framework))
	})
	if i < 0 {
		return OldVariable{}, false
	}
	return all[i], true
}

// DefaultOf an environment variable is what programs of a release take it for if it is not set. Empty if it is not known. What earlier
// releases do depends on their discovery backend.
func (v Version) DefaultOf(variable string) string {
	switch {
	// https://github.com/ai-dynamo/dynamo/pull/4845
	case variable == "DYN_REQUEST_PLANE" && v.Compare("1.0.0") >= 0:
		return "tcp"
	// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/common/configuration/groups/runtime_args.py
	case variable == "DYN_EVENT_PLANE" && v.Compare("1.5.0") >= 0:
		return "zmq"
	default:
		return ""
	}
}
