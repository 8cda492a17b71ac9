package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// reportMissingTiers of HyperNodes, by component, with the components that each concerns. Volcano packs by them alone.
func reportMissingTiers(rsp *fnv1.RunFunctionResponse, missing map[string]string) {
	components := map[string][]string{}
	for _, component := range slices.Sorted(maps.Keys(missing)) {
		components[missing[component]] = append(components[missing[component]], component)
	}
	var parts []string
	for _, tier := range slices.Sorted(maps.Keys(components)) {
		parts = append(parts, fmt.Sprintf("no HyperNode of Volcano has %s, so the replicas of %s are not packed, or wait", tier, strings.Join(components[tier], ", ")))
	}
	condition.False(rsp, condition.TypeTopologyLevelsAvailable, condition.ReasonTopologyLevelsUnavailable,
		strings.Join(parts, "; ")+"; let the platform create HyperNodes for this level, or delete and recreate the graph without the constraint")
}
