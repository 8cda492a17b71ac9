package kinds

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// TestIsKey shows which keys are the chain's own. Under those an object is looked for whose reference is lost.
func TestIsKey(t *testing.T) {
	own := []names.Resource{
		names.KeyPodCliqueSet,
		names.KeyDiscoveryServiceAccount, names.KeyDiscoveryRole, names.KeyDiscoveryRoleBinding,
		names.KeyPlannerServiceAccount, names.KeyPlannerRole, names.KeyPlannerRoleBinding,
		names.KeyEPPServiceAccount, names.KeyEPPRole, names.KeyEPPRoleBinding, names.KeyEPPConfigMap, names.KeyEPPInferencePool, names.KeyEPPDestinationRule,
		names.KeyWaitForLeader, names.KeySSHSecret,
		names.KeyService("Worker"), names.KeyIngress("Worker"), names.KeyVirtualService("Worker"), names.KeyHTTPRoute("Worker"), names.KeyClaimTemplate("Worker"), names.KeyRayService("Worker"), names.KeyModelService("m"), names.KeyPVC("cache"),
		names.KeyDeployment("Worker"), names.KeyLeaderWorkerSet("Worker", 0), names.KeyPodGroup("Worker", 0), names.KeySchedulingGroup("Worker", 0, ""),
		names.KeyReplicas("Worker"), names.KeyAutoscaler("Worker"), names.KeyScalingAdapter("Worker"),
		names.KeyComputeDomain, names.KeyReplicaComputeDomain("Worker", 0), names.KeyUsage(names.KeyComputeDomain), names.KeyDeploymentUsage("Worker"), names.KeyLeaderWorkerSetUsage("Worker", 0),
		names.KeyRevision("0"), names.KeySnapshotJob("Worker", "0"),
	}
	for _, key := range own {
		if !IsKey(string(key)) {
			t.Errorf("IsKey(%s): want true: the chain composes under it", key)
		}
	}
	for _, key := range []string{"", "bucket", "usage-database", "podcliqueset-2"} {
		if IsKey(key) {
			t.Errorf("IsKey(%s): want false: the chain composes nothing under it", key)
		}
	}
}

// TestKeys shows that a key is that of one kind.
func TestKeys(t *testing.T) {
	of := map[names.Resource]string{}
	for _, k := range Composed() {
		if len(k.Keys) == 0 {
			t.Errorf("%s is composed, and has no key", k.Kind)
		}
		for _, key := range k.Keys {
			if other, ok := of[key]; ok {
				t.Errorf("%s is the key of %s and %s", key, other, k.Kind)
			}
			of[key] = k.Kind
		}
	}
	for _, k := range required {
		if len(k.Keys) > 0 {
			t.Errorf("%s is required only, and has keys %v", k.Kind, k.Keys)
		}
	}
}

// TestColumns shows that each column of a composed kind has a value that its readers know, and that they judge kinds of the same name alike.
func TestColumns(t *testing.T) {
	steps := []Step{Foundation, Grove, LWS, ComputeDomain, SSHSecret, Revision}
	pods := []Pods{NoPods, PodTemplate, LeaderWorkerTemplate, CliqueTemplates}
	proofs := []Proof{
		NoProof, OwnerReference, Label, PodLabel, WorkerLabel, CliqueLabels, AccessLabels, Selector, SelectorOfPool, Backends, UsedByPods,
	}
	served := []Served{Everywhere, WithGrove, WithLWS, WithVolcano, WithGangs, WithClaims, WithDomains, WithAdapters, WithSnapshots, IfInstalled}
	// The groups of Kubernetes that every cluster serves.
	everywhere := []string{"", "apps", "autoscaling", "batch", "networking.k8s.io", "policy", "rbac.authorization.k8s.io"}
	for _, k := range Composed() {
		for column, known := range map[string]bool{
			"Served":    slices.Contains(served, k.Served) && (k.Served == Everywhere) == slices.Contains(everywhere, k.Group),
			"Readers":   slices.Contains([]Readers{Viewers, ByKubernetes, Platform}, k.Readers),
			"Steps":     len(k.Steps) > 0 && !slices.ContainsFunc(k.Steps, func(s Step) bool { return !slices.Contains(steps, s) }),
			"Readiness": slices.Contains([]Readiness{Exists, ConditionReady, OwnStatus}, k.Readiness),
			"Pods":      slices.Contains(pods, k.Pods),
			"Proof":     slices.Contains(proofs, k.Proof),
			"Fixed":     len(k.Fixed) == 0 || k.Proof != NoProof,
			"Reaches":   k.Reaches != "",
		} {
			if !known {
				t.Errorf("%s: column %s has none of its values", k.GroupVersionKind, column)
			}
		}
		if same := Named(k.Kind); same.Readiness != k.Readiness || same.Pods != k.Pods || same.Reaches != k.Reaches || same.Limits != k.Limits {
			t.Errorf("%s and %s have the same name, and are looked up by it: want the same readiness, pods and reach", k.GroupVersionKind, same.GroupVersionKind)
		}
		if diff := cmp.Diff(k, Of(k.GroupVersion().String(), k.Kind)); diff != "" {
			t.Errorf("Of(%s): -want, +got:\n%s", k.GroupVersionKind, diff)
		}
	}
}
