package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// groups are the PodGroups of Kubernetes of one replica of a component: see gang.Regroup.
type groups struct {
	gangs     gang.Builder
	component string
	replica   int32

	// observed composed resources by key.
	observed map[string]*fnv1.Resource
}

// renew the gang of a LeaderWorkerSet that gets another pod template: its new pods are members of a new PodGroup. Step lws keeps the present one
// until its pods are gone.
func (g groups) renew(rsp *fnv1.RunFunctionResponse, set *structpb.Struct) (*structpb.Struct, error) {
	if _, native := gang.GenerationOf(set); !native {
		return set, nil
	}
	encoded, err := json.Marshal(templateOf(set).AsMap())
	if err != nil {
		return nil, errors.Wrapf(err, "cannot encode the pods of LeaderWorkerSet %s", tree.Name(set))
	}
	// The template names the present PodGroup. So the next one has another name also if an earlier template returns.
	sum := sha256.Sum256(encoded)
	generation := names.GenerationOfPods(hex.EncodeToString(sum[:]))
	set = withGroup(set, generation)
	renewed := &lwsv1.LeaderWorkerSet{}
	if err := require.Into(set, renewed); err != nil {
		return nil, err
	}
	group, key := g.gangs.Native(g.component, renewed), names.KeySchedulingGroup(g.component, g.replica, generation)
	if err := gang.Keep(group, g.observed[string(key)].GetResource()); err != nil {
		return nil, err
	}
	return set, response.Set(rsp, key, group)
}

// withGroup is a LeaderWorkerSet whose pods are members of the PodGroup of a generation, if they are members of one of the chain.
func withGroup(set *structpb.Struct, generation string) *structpb.Struct {
	return tree.With(set, structpb.NewStructValue(gang.Grouped(templateOf(set), tree.Name(set), generation)), "leaderWorkerTemplate", "spec")
}
