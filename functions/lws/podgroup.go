package lws

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// keepPodGroups of LeaderWorkerSets that are being deleted, and of those whose pods were created with a gang.
func keepPodGroups(call *step.Call) error {
	var requirements require.Requirements
	err := retain.New(call, &requirements).Keep(func(key string) bool {
		_, isPodGroup := names.PodGroupOf(key)
		return isPodGroup
	})
	requirements.Write(call.Request, call.Response)
	return err
}
