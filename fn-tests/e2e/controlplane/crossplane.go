package controlplane

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	// namespace of Crossplane.
	namespace = "crossplane-system"

	// Secrets that `core init` creates.
	caSecret     = "crossplane-root-ca"
	serverSecret = "crossplane-tls-server"
	clientSecret = "crossplane-tls-client"
)

// installCrossplane does what Crossplane's chart and its init container do.
func (c *ControlPlane) installCrossplane(ctx context.Context) error {
	objects, err := renderChart(filepath.Join(c.source, "cluster/charts/crossplane"), namespace)
	if err != nil {
		return err
	}
	objects = append([]*unstructured.Unstructured{namespaceObject(namespace)}, objects...)
	for _, object := range objects {
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot install %s: %w", RefOf(object), err)
		}
	}
	// A controller adds the rules of other roles to it.
	role := Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "crossplane"}
	if err := await(ctx, "the ClusterRole of Crossplane to have rules", nil, func(ctx context.Context) error { return c.hasRules(ctx, role) }); err != nil {
		return err
	}

	// The kubelet restarts a failed init container. This one fails until its CRDs are served.
	if err := await(ctx, "Crossplane to be initialised", nil, c.initialiseCrossplane); err != nil {
		return err
	}
	return c.trustCrossplane(ctx)
}

// initialiseCrossplane does the work of the init container, with the same user.
func (c *ControlPlane) initialiseCrossplane(ctx context.Context) error {
	initialise := exec.CommandContext(ctx, c.tools["crossplane"], "core", "init", //nolint:gosec // It has built it itself.
		"--cr-ds-path="+filepath.Join(c.source, "cluster/crds"),
		"--webhook-configurations-path="+filepath.Join(c.source, "cluster/webhookconfigurations"),
		"--webhook-service-name=crossplane-webhooks",
		"--webhook-service-namespace="+namespace,
		"--webhook-service-port=9443",
		"--tlsca-secret-name="+caSecret,
		"--tls-server-secret-name="+serverSecret,
		"--tls-client-secret-name="+clientSecret,
	)
	initialise.Env = append(os.Environ(), c.environment(crossplaneUser())...)
	if out, err := initialise.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot initialise Crossplane: %w\n%s", err, out)
	}
	return nil
}

func (c *ControlPlane) hasRules(ctx context.Context, role Ref) error {
	object, err := c.Client.Get(ctx, role)
	if err != nil {
		return err
	}
	rules, _, err := unstructured.NestedSlice(object.Object, "rules")
	if err != nil {
		return err
	}
	if len(rules) == 0 {
		return errors.New("it has none")
	}
	return nil
}

// trustCrossplane writes the certificates with which Crossplane calls functions, those with which functions serve, and those of its
// webhooks.
func (c *ControlPlane) trustCrossplane(ctx context.Context) error {
	ca, err := c.secret(ctx, caSecret)
	if err != nil {
		return err
	}
	client, err := c.secret(ctx, clientSecret)
	if err != nil {
		return err
	}
	if err := writeFiles(c.clientCertificates(), client); err != nil {
		return err
	}
	// The certificates of a cluster contain the names of Services, which do not exist here.
	issuer, err := parseAuthority(ca[certFile], ca[keyFile])
	if err != nil {
		return err
	}
	if err := issuer.issue(c.serverCertificates()); err != nil {
		return err
	}
	c.authority = issuer
	return nil
}

func (c *ControlPlane) secret(ctx context.Context, name string) (map[string][]byte, error) {
	object, err := c.Client.Get(ctx, Ref{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: name})
	if err != nil {
		return nil, fmt.Errorf("cannot get Secret %s: %w", name, err)
	}
	encoded, _, err := unstructured.NestedStringMap(object.Object, "data")
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", name, err)
	}
	data := map[string][]byte{}
	for key, value := range encoded {
		if data[key], err = base64.StdEncoding.DecodeString(value); err != nil {
			return nil, fmt.Errorf("cannot decode Secret %s: %w", name, err)
		}
	}
	return data, nil
}

// startCrossplane starts Crossplane and its RBAC manager, with the users that they have in a cluster.
func (c *ControlPlane) startCrossplane(ctx context.Context) error {
	// It has no flag for the port of its metrics. hack/tools/crossplane/ldflags has the linker set a free one in place of 8080, which only one
	// control plane could have.
	_, err := c.start(program{
		name: "crossplane-rbac-manager",
		path: c.tools["crossplane"],
		args: []string{"rbac", "start", "--provider-clusterrole=crossplane:allowed-provider-permissions"},
		env:  c.environment(rbacManagerUser()),
	})
	if err != nil {
		return err
	}
	return c.StartCrossplane(ctx)
}

// StartCrossplane starts Crossplane, for example after it was killed.
func (c *ControlPlane) StartCrossplane(ctx context.Context) error {
	var webhooks, metrics, health int
	if err := c.takePorts(&webhooks, &metrics, &health); err != nil {
		return err
	}
	if err := c.callWebhooksAt(ctx, webhooks); err != nil {
		return err
	}
	args := []string{
		"core", "start",
		"--package-runtime=External",
		"--xpkg-cache-dir=" + c.packageCache(),
		"--tls-client-secret-name=" + clientSecret,
		"--tls-client-certs-dir=" + c.clientCertificates(),
		"--tls-server-secret-name=" + serverSecret,
		"--tls-server-certs-dir=" + c.serverCertificates(),
		"--webhook-port=" + strconv.Itoa(webhooks),
		"--metrics-port=" + strconv.Itoa(metrics),
		"--health-probe-port=" + strconv.Itoa(health),
	}
	args = append(args, c.options.CrossplaneFlags...)
	crossplane, err := c.start(program{
		name: "crossplane", path: c.tools["crossplane"], args: args, env: c.environment(crossplaneUser()),
		ready: func(ctx context.Context) error {
			return probe(ctx, http.DefaultClient, "http://"+address(health)+"/readyz")
		},
	})
	if err != nil {
		return err
	}
	c.metrics = metrics
	return await(ctx, "Crossplane to be ready", crossplane, crossplane.program.ready)
}

// Crossplane is the process of Crossplane.
func (c *ControlPlane) Crossplane() *Process { return c.Named(Crossplane) }

// callWebhooksAt sends admission reviews to a port of this machine instead of a Service.
func (c *ControlPlane) callWebhooksAt(ctx context.Context, port int) error {
	const apiVersion, kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
	configurations, err := c.Client.List(ctx, apiVersion, kind, "", "")
	if err != nil {
		return fmt.Errorf("cannot list webhooks: %w", err)
	}
	configurations = slices.DeleteFunc(configurations, func(c unstructured.Unstructured) bool { return c.GetName() == validatingWebhooks })
	if len(configurations) == 0 {
		return errors.New("want webhooks of Crossplane, got none")
	}
	for i := range configurations {
		configuration := &configurations[i]
		webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", RefOf(configuration), err)
		}
		for _, webhook := range webhooks {
			if err := callAt(webhook, url(port), c.authority.pem()); err != nil {
				return fmt.Errorf("%s: %w", RefOf(configuration), err)
			}
		}
		if err := c.Client.Patch(ctx, RefOf(configuration), map[string]any{"webhooks": webhooks}); err != nil {
			return fmt.Errorf("cannot redirect %s: %w", RefOf(configuration), err)
		}
	}
	return nil
}

// callAt makes the client of a webhook call a local server instead of a Service.
func callAt(webhook any, server string, ca []byte) error {
	fields, ok := webhook.(map[string]any)
	if !ok {
		return errors.New("want an object for each webhook")
	}
	path, found, err := unstructured.NestedString(fields, "clientConfig", "service", "path")
	if err != nil {
		return err
	}
	if !found {
		// It already was redirected, and only the port changes.
		before, _, err := unstructured.NestedString(fields, "clientConfig", "url")
		if err != nil || len(before) < len(server) {
			return fmt.Errorf("cannot redirect the webhook at %q", before)
		}
		path = before[len(server):]
	}
	fields["clientConfig"] = map[string]any{"url": server + path, "caBundle": base64.StdEncoding.EncodeToString(ca)}
	return nil
}

func (c *ControlPlane) environment(u user) []string {
	return []string{"KUBECONFIG=" + c.kubeconfig(u), "POD_NAMESPACE=" + namespace, "POD_SERVICE_ACCOUNT=crossplane", c.registryEnvironment()}
}

func (c *ControlPlane) clientCertificates() string { return filepath.Join(c.folder, "client") }

func (c *ControlPlane) serverCertificates() string { return filepath.Join(c.folder, "server") }

// ApplyFile applies the objects of a file of the repository, or of one with an absolute path.
func (c *ControlPlane) ApplyFile(ctx context.Context, path string) error {
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.options.Root, file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, object := range objects {
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot apply %s of %s: %w", RefOf(object), path, err)
		}
	}
	return nil
}

func namespaceObject(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(name)
	return object
}
