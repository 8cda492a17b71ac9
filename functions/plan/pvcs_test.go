package plan

import "testing"

// TestPVCs shows which claims belong to a graph: composing somebody else's would take it over, and delete it with the
// graph; not composing one of its own would delete its data.
func TestPVCs(t *testing.T) {
	claim := func(fields string) string {
		return `{"pvcs":[{"name":"cache"` + fields + `}],"services":{` + frontend + `}}`
	}
	const create = `,"create":true,"size":"1Gi","storageClass":"fast","volumeAccessMode":"ReadWriteMany"`
	document := func(composed string) responseOption {
		return planOf(`{"version":1,"orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,` + composed + `
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	const cache = `"composedPVCs":["cache"],`
	observed := withObserved("pvc-cache", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache"}}`)
	compare(t, map[string]responseCase{
		"NotThere": {
			reason: "A claim that does not exist is created.",
			req:    request(graphOf(claim(create)), withGroups("grove"), withoutObject("pvc-cache")),
			want:   want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document(cache)),
		},
		"Unknown": {
			reason: "Not looked up yet is not absent.",
			req:    request(graphOf(claim(create)), withGroups("grove")),
			want:   want(asksForGroups(), asksForPVC()),
		},
		"SomebodyElses": {
			reason: "A claim that exists and is not the graph's is used and never composed.",
			req: request(graphOf(claim(create)), withGroups("grove"),
				withObject("pvc-cache", `{"kind":"PersistentVolumeClaim","metadata":{"name":"cache","ownerReferences":[{"uid":"u2","controller":true}]}}`)),
			want: want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document("")),
		},
		"Nobodys": {
			reason: "So is one that nobody controls.",
			req:    request(graphOf(claim(create)), withGroups("grove"), withObject("pvc-cache", `{"kind":"PersistentVolumeClaim","metadata":{"name":"cache"}}`)),
			want:   want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document("")),
		},
		"Own": {
			reason: "One that this graph controls stays composed, also while Crossplane does not observe it yet.",
			req: request(graphOf(claim(create)), withGroups("grove"),
				withObject("pvc-cache", `{"kind":"PersistentVolumeClaim","metadata":{"name":"cache","ownerReferences":[{"uid":"u1","controller":true}]}}`)),
			want: want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document(cache)),
		},
		"NotToCreate": {
			reason: "A claim that is only named is the user's.",
			req:    request(graphOf(claim("")), withGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document("")),
		},
		"EntryGone": {
			reason: "A claim that the graph created stays composed when its entry goes.",
			req:    request(graphOf(services(frontend)), withGroups("grove"), observed),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(cache)),
		},
		"CreateTakenBack": {
			reason: "Also when the entry does not ask for it any more.",
			req:    request(graphOf(claim("")), withGroups("grove"), observed),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(cache)),
		},
	})
}
