package controlplane

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/keyutil"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	kueueNamespace = "kueue-system"

	// kueuePrefix is what the installation of Kueue puts before the names of its objects.
	kueuePrefix = "kueue-"

	// kueueService is what certificates of its webhooks are for, and kueueSecret holds them.
	kueueService = "kueue-webhook-service"
	kueueSecret  = "kueue-webhook-server-cert" //nolint:gosec // The name of a Secret is no secret.

)

func kueueUser() user { return serviceAccount(kueueNamespace, "kueue-controller-manager") }

// startKueue installs Kueue with its permissions and webhooks from the source that it is built from, and starts its manager. It runs with its
// defaults, except that it handles only the kinds of workloads that graphs have.
// https://kueue.sigs.k8s.io/docs/installation/
func (c *ControlPlane) startKueue(ctx context.Context) (*Process, error) {
	built, err := buildTools(ctx, c.options.Root, "kueue")
	if err != nil {
		return nil, err
	}
	c.tools["kueue"] = built["kueue"]
	source, err := moduleSource(ctx, c.options.Root, "hack/tools/kueue", "sigs.k8s.io/kueue")
	if err != nil {
		return nil, err
	}
	var webhooks, health int
	if err := c.takePorts(&webhooks, &health); err != nil {
		return nil, err
	}
	certificates := filepath.Join(c.folder, "kueue")
	ca, err := issueForKueue(certificates)
	if err != nil {
		return nil, err
	}
	components := filepath.Join(source, "config/components")
	if err := c.installKueueKinds(ctx, filepath.Join(components, "crd/bases"), url(webhooks), ca); err != nil {
		return nil, err
	}
	if err := c.installKueueAccess(ctx, filepath.Join(components, "rbac"), certificates); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnamespace: %s\n"+
		"leaderElection: {leaderElect: false}\nclientConnection: {qps: 300, burst: 500}\n"+
		"internalCertManagement: {enable: true, webhookServiceName: %s, webhookSecretName: %s}\nwebhook: {host: %q, port: %d, certDir: %q}\n"+
		"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: %q}\n"+
		"integrations: {frameworks: [pod, deployment, statefulset, leaderworkerset.x-k8s.io/leaderworkerset]}\n",
		kueueNamespace, kueueService, kueueSecret, host, webhooks, certificates, address(health))
	if err := writeFiles(c.folder, map[string][]byte{"kueue.yaml": []byte(config)}); err != nil {
		return nil, err
	}
	// It writes the authority into configurations that exist.
	if err := c.installKueueWebhooks(ctx, filepath.Join(components, "webhook/manifests.yaml"), webhooks, ca); err != nil {
		return nil, err
	}
	manager, err := c.start(program{
		name: "kueue", path: c.tools["kueue"],
		// The server for pending Workloads writes its certificates to the root of the file system.
		args: []string{"--config=" + filepath.Join(c.folder, "kueue.yaml"), "--feature-gates=VisibilityOnDemand=false"},
		env:  []string{"KUBECONFIG=" + c.kubeconfig(kueueUser()), "POD_NAMESPACE=" + kueueNamespace},
	})
	if err != nil {
		return nil, err
	}
	// It is healthy before its webhooks are.
	return manager, await(ctx, "the webhooks of Kueue to be served", manager, func(ctx context.Context) error {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(webhooks))
		if err != nil {
			return fmt.Errorf("cannot reach the webhooks of Kueue: %w", err)
		}
		return connection.Close()
	})
}

// installKueueKinds installs its kinds. Some have several versions, which its webhook server converts.
func (c *ControlPlane) installKueueKinds(ctx context.Context, folder, server string, ca []byte) error {
	kinds, err := readCRDs(folder)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		versions, _, err := unstructured.NestedSlice(kind.Object, "spec", "versions")
		if err != nil {
			return fmt.Errorf("%s: %w", RefOf(kind), err)
		}
		if len(versions) > 1 {
			if err := unstructured.SetNestedMap(kind.Object, map[string]any{"strategy": "Webhook", "webhook": map[string]any{
				"clientConfig":             map[string]any{"url": server + "/convert", "caBundle": base64.StdEncoding.EncodeToString(ca)},
				"conversionReviewVersions": []any{"v1"},
			}}, "spec", "conversion"); err != nil {
				return fmt.Errorf("%s: %w", RefOf(kind), err)
			}
		}
		if _, err := c.Client.Apply(ctx, kind); err != nil {
			return fmt.Errorf("cannot install %s of Kueue: %w", RefOf(kind), err)
		}
	}
	for _, kind := range kinds {
		if err := c.Await(ctx, RefOf(kind), "Established"); err != nil {
			return err
		}
	}
	return nil
}

// installKueueAccess installs the permissions of the manager, with the names that its installation gives them, and its certificates.
func (c *ControlPlane) installKueueAccess(ctx context.Context, folder, certificates string) error {
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": kueueNamespace}}}
	if _, err := c.Client.Apply(ctx, namespace); err != nil {
		return fmt.Errorf("cannot create the namespace of Kueue: %w", err)
	}
	for _, name := range []string{
		"role", "role_binding", "manager_secrets_role", "manager_secrets_role_binding", "leader_election_role", "leader_election_role_binding",
	} {
		data, err := os.ReadFile(filepath.Clean(filepath.Join(folder, name+".yaml")))
		if err != nil {
			return fmt.Errorf("cannot read the permissions of Kueue: %w", err)
		}
		objects, err := harness.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, object := range objects {
			nameForKueue(object)
			if _, err := c.Client.Apply(ctx, object); err != nil {
				return fmt.Errorf("cannot install %s of Kueue: %w", RefOf(object), err)
			}
		}
	}
	data := map[string]any{}
	for _, name := range []string{caFile, "ca.key", certFile, keyFile} {
		content, err := os.ReadFile(filepath.Clean(filepath.Join(certificates, name)))
		if err != nil {
			return fmt.Errorf("cannot read a certificate: %w", err)
		}
		data[name] = base64.StdEncoding.EncodeToString(content)
	}
	if _, err := c.Client.Apply(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": kueueSecret, "namespace": kueueNamespace}, "data": data,
	}}); err != nil {
		return fmt.Errorf("cannot store the certificates of Kueue: %w", err)
	}
	return nil
}

// nameForKueue gives an object, and what it refers to, the names and the namespace of the installation.
func nameForKueue(object *unstructured.Unstructured) {
	object.SetName(kueuePrefix + object.GetName())
	if object.GetNamespace() != "" {
		object.SetNamespace(kueueNamespace)
	}
	if role, ok := object.Object["roleRef"].(map[string]any); ok {
		role["name"] = kueuePrefix + fmt.Sprint(role["name"])
	}
	subjects, _ := object.Object["subjects"].([]any)
	for i := range subjects {
		if subject, ok := subjects[i].(map[string]any); ok {
			subject["name"], subject["namespace"] = kueuePrefix+fmt.Sprint(subject["name"]), kueueNamespace
		}
	}
	rules, _ := object.Object["rules"].([]any)
	for i := range rules {
		rule, _ := rules[i].(map[string]any)
		names, _ := rule["resourceNames"].([]any)
		for j, name := range names {
			if strings.HasSuffix(fmt.Sprint(name), "-webhook-configuration") {
				names[j] = kueuePrefix + fmt.Sprint(name)
			}
		}
	}
}

// installKueueWebhooks for the kinds that there are.
func (c *ControlPlane) installKueueWebhooks(ctx context.Context, manifests string, port int, ca []byte) error {
	data, err := os.ReadFile(filepath.Clean(manifests))
	if err != nil {
		return fmt.Errorf("cannot read the webhooks of Kueue: %w", err)
	}
	configurations, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", manifests, err)
	}
	served := []string{"pod", "deployment", "statefulset", "leaderworkerset", "workload", "clusterqueue", "localqueue", "resourceflavor", "cohort"}
	for _, configuration := range configurations {
		configuration.SetName(kueuePrefix + configuration.GetName())
		webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", RefOf(configuration), err)
		}
		webhooks = slices.DeleteFunc(webhooks, func(webhook any) bool {
			fields, _ := webhook.(map[string]any)
			kind, _, _ := strings.Cut(fmt.Sprint(fields["name"]), ".")
			return !slices.Contains(served, kind[1:])
		})
		for _, webhook := range webhooks {
			if err := callAt(webhook, url(port), ca); err != nil {
				return fmt.Errorf("%s: %w", RefOf(configuration), err)
			}
		}
		configuration.Object["webhooks"] = webhooks
		if _, err := c.Client.Apply(ctx, configuration); err != nil {
			return fmt.Errorf("cannot install %s: %w", RefOf(configuration), err)
		}
		c.webhooks = append(c.webhooks, RefOf(configuration))
	}
	return nil
}

// issueForKueue writes an authority and a server's certificate to a folder, in the form in which Kueue would make them, so that it keeps them,
// and which are for this machine, too. It returns the authority.
func issueForKueue(folder string) ([]byte, error) {
	ca, err := newAuthority("kueue-ca")
	if err != nil {
		return nil, err
	}
	if err := ca.issue(folder, kueueService+"."+kueueNamespace+".svc"); err != nil {
		return nil, err
	}
	key, err := keyutil.MarshalPrivateKeyToPEM(ca.key)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a key: %w", err)
	}
	return ca.pem(), writeFiles(folder, map[string][]byte{"ca.key": key})
}
