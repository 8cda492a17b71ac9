package written

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// maxFuzzed is the size of the largest composite resource that is tried.
const maxFuzzed = 64 << 10

// hashesOfFormats are those of the first format, and of the others where they say more.
var hashesOfFormats = regexp.MustCompile(`^[0-9a-f]{16}( 2:[0-9a-f]{16})?( 3:[0-9a-f]{16})?$`)

// FuzzHash shows that no graph panics, be it one that is refused, that each component has a hash of the form that it has in
// clusters, and that the hashes are the same after the graph has been written as JSON and read again.
func FuzzHash(f *testing.F) {
	for _, m := range manifests(f) {
		encoded, err := json.Marshal(m.object)
		if err != nil {
			f.Fatal(err)
		}
		xr := &structpb.Struct{}
		if err := xr.UnmarshalJSON(encoded); err != nil {
			f.Fatal(err)
		}
		wire, err := proto.Marshal(xr)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, false)
		f.Add(wire, true)
	}
	for _, seed := range []string{
		`{}`, `{"spec":[]}`, `{"spec":{"services":{"":{},"a":{"resources":{"limits":{"cpu":"1e-30","custom":{"":0.0000000001}}}}}}}`,
		`{"spec":{"services":{"a":{"extraPodSpec":{"volumes":[{"ephemeral":{"volumeClaimTemplate":{"metadata":{"creationTimestamp":"2026-01-31T12:00:00+02:00"}}}}],"mainContainer":{"livenessProbe":{"httpGet":{"port":"x"},"periodSeconds":0}}}}}}}`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, wire bool) {
		if len(data) > maxFuzzed {
			return
		}
		xr := &structpb.Struct{}
		if wire && proto.Unmarshal(data, xr) != nil || !wire && xr.UnmarshalJSON(data) != nil {
			return
		}
		hashes := fuzzed(t, xr)
		encoded, err := xr.MarshalJSON()
		if err != nil {
			return // It holds what JSON cannot say.
		}
		again := &structpb.Struct{}
		if err := again.UnmarshalJSON(encoded); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hashes, fuzzed(t, again)); diff != "" {
			t.Fatalf("a graph has other hashes after it was written and read: -before, +after:\n%s", diff)
		}
	})
}

// fuzzed are the hashes of a composite resource on each orchestrator.
func fuzzed(t *testing.T, xr *structpb.Struct) []map[string]graphplan.Written {
	t.Helper()
	g, _ := decode(xr)
	var all []map[string]graphplan.Written
	for _, p := range []*graphplan.Plan{onGrove(g), {Orchestrator: graphplan.LeaderWorkerSet}, {}} {
		all = append(all, checked(t, g, p))
	}
	return all
}

func checked(t *testing.T, g *graph.Graph, p *graphplan.Plan) map[string]graphplan.Written {
	t.Helper()
	hashes, err := Current().Hash(g, p)
	if err != nil {
		t.Fatalf("a graph has no hashes: %v", err)
	}
	for name := range g.Components {
		if !hashesOfFormats.MatchString(string(hashes[name])) {
			t.Fatalf("%q has the hash %q", name, hashes[name])
		}
	}
	return hashes
}
