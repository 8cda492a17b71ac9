package names

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDomainKeys pins the keys of NVLink domains and of what protects them.
func TestDomainKeys(t *testing.T) {
	got := []Resource{
		KeyComputeDomain, KeyReplicaComputeDomain("Worker", 10), KeyReplicaComputeDomain("0", 0),
		KeyUsage(KeyComputeDomain), KeyUsage(KeyReplicaComputeDomain("Worker", 10)),
		KeyDeploymentUsage("Encoder"), KeyLeaderWorkerSetUsage("Worker", 10),
	}
	want := []Resource{
		"computedomain-0", "computedomain-worker-10", "computedomain-0-0",
		"usage-computedomain-0", "usage-computedomain-worker-10",
		"usage-computedomain-0-encoder", "usage-computedomain-0-worker-10",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys: -want, +got:\n%s", diff)
	}
}

// TestDomainObjects pins the names of the objects.
func TestDomainObjects(t *testing.T) {
	g := Of("llama.v2", Adoption{})
	got := []string{g.ComputeDomain(), g.DeploymentUsage("Encoder"), g.LeaderWorkerSetUsage("Worker", 10)}
	want := []string{"llama.v2-0", "llama.v2-0-encoder", "llama.v2-0-worker-10"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names: -want, +got:\n%s", diff)
	}
}

func TestReplicaOf(t *testing.T) {
	type replica struct {
		Component string
		Index     int32
		OK        bool
	}
	cases := map[string]struct {
		reason          string
		key             string
		domain          replica
		leaderWorkerSet replica
	}{
		"Domain": {
			reason: "The last number is the replica's, whatever the service is called.",
			key:    string(KeyReplicaComputeDomain("My-Worker-2", 11)),
			domain: replica{Component: "my-worker-2", Index: 11, OK: true},
		},
		"LeaderWorkerSet": {
			reason:          "The last number in the key of a LeaderWorkerSet is the replica's.",
			key:             string(KeyLeaderWorkerSet("Worker", 0)),
			leaderWorkerSet: replica{Component: "worker", OK: true},
		},
		"ServiceZero": {
			reason: "A service may be called 0; its first domain is not the graph's.",
			key:    string(KeyReplicaComputeDomain("0", 0)),
			domain: replica{Component: "0", OK: true},
		},
		"Graph":     {reason: "The domain of a graph is of no replica.", key: string(KeyComputeDomain)},
		"NoService": {reason: "A key of a replica's domain without a service is not ours.", key: "computedomain--1"},
		"NoNumber":  {reason: "A key of a replica's domain without a number is not ours.", key: "computedomain-worker-x"},
		"Huge":      {reason: "A key with a number that no replica has is not ours.", key: "computedomain-worker-2147483648"},
		"Spelling":  {reason: "A key that spells the number as we do not is not ours.", key: "computedomain-worker-01"},
		"Case":      {reason: "Keys are in lower case.", key: "computedomain-Worker-1"},
		"Other":     {reason: "Other keys are of other things.", key: string(KeyPodGroup("worker", 0))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var domain, leaderWorkerSet replica
			domain.Component, domain.Index, domain.OK = ReplicaOfComputeDomain(tc.key)
			leaderWorkerSet.Component, leaderWorkerSet.Index, leaderWorkerSet.OK = ReplicaOfLeaderWorkerSet(tc.key)
			if diff := cmp.Diff(tc.domain, domain); diff != "" {
				t.Errorf("%s\nReplicaOfComputeDomain(%s): -want, +got:\n%s", tc.reason, tc.key, diff)
			}
			if diff := cmp.Diff(tc.leaderWorkerSet, leaderWorkerSet); diff != "" {
				t.Errorf("%s\nReplicaOfLeaderWorkerSet(%s): -want, +got:\n%s", tc.reason, tc.key, diff)
			}
		})
	}
}

func TestIsOfDomains(t *testing.T) {
	cases := map[string]struct {
		reason string
		key    Resource
		domain bool
		usage  bool
	}{
		"Graph":        {reason: "The domain of a graph is a domain.", key: KeyComputeDomain, domain: true},
		"Replica":      {reason: "The domain of a replica is a domain.", key: KeyReplicaComputeDomain("Worker", 1), domain: true},
		"Usage":        {reason: "A Usage that protects a domain is no domain.", key: KeyUsage(KeyComputeDomain), usage: true},
		"Deployment":   {reason: "Each workload has a Usage of its own.", key: KeyDeploymentUsage("Worker"), usage: true},
		"ServiceUsage": {reason: "Other keys are of other things.", key: KeyService("usage")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsComputeDomain(string(tc.key)); got != tc.domain {
				t.Errorf("%s\nIsComputeDomain(%s): want %t, got %t", tc.reason, tc.key, tc.domain, got)
			}
			if got := IsUsage(string(tc.key)); got != tc.usage {
				t.Errorf("%s\nIsUsage(%s): want %t, got %t", tc.reason, tc.key, tc.usage, got)
			}
		})
	}
}
