package takeover

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// inOneSet reports whether all replicas of a service run in one LeaderWorkerSet, because the set was adopted with several. Sets that run one
// replica are labelled with its number, whoever has made them, or get that label when they are adopted.
func inOneSet(resources map[string]*fnv1.Resource, service string) bool {
	set := resources[string(names.KeyLeaderWorkerSet(service, 0))].GetResource()
	if set == nil || tree.Text(set, metadata.LabelInstance, "metadata", "labels") != "" {
		return false
	}
	for key := range resources {
		if other, i, ok := names.ReplicaOfLeaderWorkerSet(key); ok && i > 0 && other == names.Lower(service) {
			return false
		}
	}
	replicas, _ := observed.Replicas(set)
	return IsAdopted(set) || replicas > 1
}
