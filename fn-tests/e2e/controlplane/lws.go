package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// The webhooks of the LeaderWorkerSet operator, as its manifests name them.
const (
	mutatingWebhooks   = "mutating-webhook-configuration"
	validatingWebhooks = "validating-webhook-configuration"
)

// startLWS installs the LeaderWorkerSet operator and its webhooks from the source that it is built from, and starts it with its
// defaults. Only its certificates are ours.
// https://lws.sigs.k8s.io/docs/installation/
func (c *ControlPlane) startLWS(ctx context.Context) (*Process, error) {
	source, err := moduleSource(ctx, c.options.Root, "hack/tools/lws", "sigs.k8s.io/lws")
	if err != nil {
		return nil, err
	}
	if err := c.InstallCRDs(ctx, filepath.Join(source, "config/crd/bases")); err != nil {
		return nil, err
	}
	var webhooks, health int
	if err := c.takePorts(&webhooks, &health); err != nil {
		return nil, err
	}
	certificates := filepath.Join(c.folder, "lws")
	if err := c.authority.issue(certificates); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("apiVersion: config.lws.x-k8s.io/v1alpha1\nkind: Configuration\n"+
		"leaderElection: {leaderElect: false}\n"+
		"internalCertManagement: {enable: false}\nwebhook: {host: %q, port: %d, certDir: %q}\n"+
		"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: %q}\n",
		host, webhooks, certificates, address(health))
	if err := writeFiles(c.folder, map[string][]byte{"lws.yaml": []byte(config)}); err != nil {
		return nil, err
	}
	operator, err := c.start(program{
		name: "lws", path: c.tools["lws"],
		args: []string{"--config=" + filepath.Join(c.folder, "lws.yaml")},
		env:  []string{"KUBECONFIG=" + c.kubeconfig(adminUser())},
	})
	if err != nil {
		return nil, err
	}
	if err := await(ctx, "the LeaderWorkerSet operator to be ready", operator, func(ctx context.Context) error {
		return probe(ctx, http.DefaultClient, "http://"+address(health)+"/readyz")
	}); err != nil {
		return nil, err
	}
	return operator, c.installLWSWebhooks(ctx, filepath.Join(source, "config/webhook/manifests.yaml"), webhooks)
}

// installLWSWebhooks for its own pods alone, as its default installation does.
func (c *ControlPlane) installLWSWebhooks(ctx context.Context, manifests string, port int) error {
	data, err := os.ReadFile(filepath.Clean(manifests))
	if err != nil {
		return fmt.Errorf("cannot read the webhooks of the LeaderWorkerSet operator: %w", err)
	}
	configurations, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", manifests, err)
	}
	for _, configuration := range configurations {
		webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", RefOf(configuration), err)
		}
		for _, webhook := range webhooks {
			if err := callAt(webhook, url(port), c.authority.pem()); err != nil {
				return fmt.Errorf("%s: %w", RefOf(configuration), err)
			}
			if fields, ok := webhook.(map[string]any); ok && slices.Contains([]any{"mpod.kb.io", "vpod.kb.io"}, fields["name"]) {
				fields["objectSelector"] = map[string]any{"matchExpressions": []any{map[string]any{"key": "leaderworkerset.sigs.k8s.io/name", "operator": "Exists"}}}
			}
		}
		configuration.Object["webhooks"] = webhooks
		if _, err := c.Client.Apply(ctx, configuration); err != nil {
			return fmt.Errorf("cannot install %s: %w", RefOf(configuration), err)
		}
	}
	return nil
}

// removeLWSWebhooks whose server is gone.
func (c *ControlPlane) removeLWSWebhooks(ctx context.Context) error {
	for kind, name := range map[string]string{"MutatingWebhookConfiguration": mutatingWebhooks, "ValidatingWebhookConfiguration": validatingWebhooks} {
		if err := c.Client.Delete(ctx, Ref{APIVersion: "admissionregistration.k8s.io/v1", Kind: kind, Name: name}); err != nil {
			return fmt.Errorf("cannot remove the webhooks of the LeaderWorkerSet operator: %w", err)
		}
	}
	return nil
}
