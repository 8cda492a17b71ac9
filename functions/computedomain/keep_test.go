package computedomain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// answering with this desired state.
func answering(objects map[string]any, options ...responseOption) func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return answer(req, objects, options...) }
}

// TestScaleIn follows a replica that is no longer desired out: the LeaderWorkerSet, then the Usage, then the domain.
func TestScaleIn(t *testing.T) {
	const one = `{"services":{"Frontend":{},"Worker":{"replicas":1,"multinode":{"nodeCount":4}}}}`
	plan := planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica))
	desired := map[string]any{"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0", gpuPod(), gpuPod())}
	stays := held(map[string]any{
		"leaderworkerset-worker-0":     leaderWorkerSet("llama-worker-0", claiming("llama-worker-0"), claiming("llama-worker-0")),
		"computedomain-worker-0":       replicaDomainOf("0"),
		"usage-computedomain-worker-0": usageOfSet("llama-worker-0", "llama-worker-0", "llama-worker-0"),
	}, "leaderworkerset-worker-0")
	set := map[string]any{"leaderworkerset-worker-1": leaderWorkerSet("llama-worker-1", claiming("llama-worker-1"), claiming("llama-worker-1"))}
	domain := map[string]any{"computedomain-worker-1": replicaDomainOf("1")}
	usage := map[string]any{"usage-computedomain-worker-1": usageOfSet("llama-worker-1", "llama-worker-1", "llama-worker-1")}
	const setThere, usageThere = `leaderworkerset-worker-1`, `usage-computedomain-worker-1`
	there := map[string]any{"": nil, setThere: set[setThere], usageThere: usage[usageThere]}
	found := func(set, usage string) requestOption {
		return lookedUp(map[string]any{"leaving-leaderworkerset": there[set], "leaving-usage": there[usage]})
	}
	sets := asking(leaving["LeaderWorkerSet"])
	all := asking(leaving["LeaderWorkerSet"], leaving["Usage"])

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "While the LeaderWorkerSet is observed, domain and Usage stay, and nothing is asked for.",
			req:    request(one, plan, desired, observing(with(with(with(stays, set), domain), usage))),
			want:   answering(with(with(stays, domain), usage), hurrying),
		},
		"NotLookedUp": {
			reason: "Crossplane forgets what it has begun to delete. Until it has looked, the pods may still be there.",
			req:    request(one, plan, desired, observing(with(with(stays, domain), usage))),
			want:   answering(with(with(stays, domain), usage), all, hurrying),
		},
		"Terminating": {
			reason: "A LeaderWorkerSet stays in the cluster until its pods are gone.",
			req:    request(one, plan, desired, observing(with(with(stays, domain), usage)), found(setThere, usageThere)),
			want:   answering(with(with(stays, domain), usage), all, hurrying),
		},
		"Gone": {
			reason: "When the LeaderWorkerSet is gone the Usage goes, and the domain not yet with it.",
			req:    request(one, plan, desired, observing(with(with(stays, domain), usage)), found("", usageThere)),
			want:   answering(with(stays, domain), all, hurrying),
		},
		"UsageTerminating": {
			reason: "While the Usage is there, the domain cannot be deleted.",
			req:    request(one, plan, desired, observing(with(stays, domain)), found("", usageThere)),
			want:   answering(with(stays, domain), all, hurrying),
		},
		"UsageNotLookedUp": {
			reason: "As long as nobody has looked for the Usage, the domain stays.",
			req:    request(one, plan, desired, observing(with(stays, domain))),
			want:   answering(with(stays, domain), all, hurrying),
		},
		"NeverProtected": {
			reason: "A domain without a Usage waits for its LeaderWorkerSet all the same.",
			req:    request(one, plan, desired, observing(with(with(stays, set), domain))),
			want:   answering(with(stays, domain), hurrying),
		},
		"UsageGone": {
			reason: "When the Usage is gone the domain goes.",
			req:    request(one, plan, desired, observing(with(stays, domain)), found("", "")),
			want:   answering(stays, all),
		},
		"UsageAlone": {
			reason: "A Usage waits for nothing but the workload that it names.",
			req:    request(one, plan, desired, observing(with(stays, usage)), found("", "")),
			want:   answering(stays, sets),
		},
		"Settled": {
			reason: "When Usage and domain are gone nothing is asked for any more.",
			req:    request(one, plan, desired, observing(stays)),
			want:   answering(stays),
		},
	})
}

// TestKept are things that stay although the plan does not ask for them.
func TestKept(t *testing.T) {
	off := planOn(t, graphplan.Grove, without())
	set := map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}
	claimingSet := map[string]any{"podcliqueset": onePodCliqueSet(claiming("llama-0"))}
	domain := map[string]any{"computedomain-0": domainOf("llama-0", "0", nil)}
	usage := map[string]any{"usage-computedomain-0": usageOfPodCliqueSet()}
	sets := map[string]any{"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0", plainPod(), plainPod())}
	replica := map[string]any{
		"computedomain-worker-0":       replicaDomainOf("0"),
		"usage-computedomain-worker-0": usageOfSet("llama-worker-0", "llama-worker-0", "llama-worker-0"),
	}
	unnamed := usageOf("llama-0", "llama-0", "", "", "")

	compare(t, map[string]responseCase{
		"Off": {
			reason: "A domain whose channels pods claim stays when a plan does not speak of it.",
			req:    request(single, off, set, observing(with(with(claimingSet, domain), usage))),
			want:   answering(held(with(with(set, domain), usage), "podcliqueset"), hurrying),
		},
		"NoWorkload": {
			reason: "The domain of a graph goes only with the graph.",
			req:    request(single, off, nil, observing(domain)),
			want:   answering(domain),
		},
		"NoLongerMember": {
			reason: "Pods of a service that was a member may still run while its LeaderWorkerSet replaces them.",
			req:    request(multi, planOn(t, graphplan.LeaderWorkerSet, nobody(graphplan.ScopeReplica)), sets, observing(with(sets, replica))),
			want:   answering(held(with(sets, replica), "leaderworkerset-worker-0"), asking(leaving["LeaderWorkerSet"], leaving["Usage"]), hurrying),
		},
		"UsageOfNobody": {
			reason: "A Usage that names no workload of ours protects a domain from nobody.",
			req:    request(single, off, set, observing(with(with(set, domain), map[string]any{"usage-computedomain-0": unnamed}))),
			want:   answering(with(set, domain)),
		},
		"ScopeGraphScaledToZero": {
			reason: "The Usage of a replica goes with the replica; the domain stays for replicas to come.",
			req: request(`{"services":{"Frontend":{},"Worker":{"replicas":0,"multinode":{"nodeCount":4}}}}`, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeGraph)), others(),
				observing(with(domain, map[string]any{"usage-computedomain-0-worker-0": usageOfSet("llama-0-worker-0", "llama-0", "llama-worker-0")})),
				lookedUp(map[string]any{"leaving-leaderworkerset": nil})),
			want: answering(with(others(), domain), asking(leaving["LeaderWorkerSet"])),
		},
	})
}

func TestKeepErrors(t *testing.T) {
	req := request(single, planOn(t, graphplan.Grove, without()), nil, observing(map[string]any{
		"usage-computedomain-0": `{"apiVersion":"protection.crossplane.io/v1beta1","kind":"Usage","metadata":{"name":"llama-0"},"spec":"x"}`,
	}))
	results := run(t, req).GetResults()
	const want = "cannot determine whether pods still use composed resource usage-computedomain-0: "
	if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || len(results[0].GetMessage()) < len(want) || results[0].GetMessage()[:len(want)] != want {
		t.Errorf("want a Fatal result that begins with %q, got %v", want, results)
	}
}

// TestKeptAsBuilt compares what is kept with what was composed, when the API server and Crossplane have added to it.
func TestKeptAsBuilt(t *testing.T) {
	plan := planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica))
	sets := map[string]any{
		"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0", gpuPod(), gpuPod()),
		"leaderworkerset-worker-1": leaderWorkerSet("llama-worker-1", gpuPod(), gpuPod()),
	}
	built := run(t, request(multi, plan, sets)).GetDesired().GetResources()

	delete(sets, "leaderworkerset-worker-1")
	req := request(multi, plan, sets)
	req.Observed.Resources = map[string]*fnv1.Resource{}
	for key, r := range built {
		observed := proto.CloneOf(r)
		live(observed.GetResource())
		req.Observed.Resources[key] = observed
	}
	got := run(t, req).GetDesired().GetResources()
	delete(built, "leaderworkerset-worker-1")
	if diff := cmp.Diff(built, got, protocmp.Transform()); diff != "" {
		t.Errorf("what is kept differs from what was composed: -composed, +kept:\n%s", diff)
	}
}

// live adds what an object has in the cluster.
func live(object *structpb.Struct) {
	metadata := object.GetFields()["metadata"].GetStructValue()
	if metadata.GetFields()["labels"] == nil {
		metadata.Fields["labels"] = structpb.NewStructValue(resource.MustStructJSON(`{}`))
	}
	labels := metadata.GetFields()["labels"].GetStructValue()
	if labels.Fields == nil {
		labels.Fields = map[string]*structpb.Value{}
	}
	labels.Fields["crossplane.io/composite"] = structpb.NewStringValue("llama")
	metadata.Fields["uid"] = structpb.NewStringValue("u1")
	metadata.Fields["creationTimestamp"] = structpb.NewStringValue("2026-01-01T00:00:00Z")
	object.Fields["status"] = structpb.NewStructValue(resource.MustStructJSON(`{"conditions":[{"type":"Ready","status":"True"}],"status":"Ready"}`))
}
