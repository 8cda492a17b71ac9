package controlplane

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A user of the API server. Its ID is what its files are called after, and its token is one of the secrets of the run.
type user struct {
	id, name string
	groups   []string
}

func adminUser() user { return user{"admin", "admin", []string{"system:masters"}} }

func crossplaneUser() user { return serviceAccount(namespace, "crossplane") }

func rbacManagerUser() user { return serviceAccount(namespace, "rbac-manager") }

// serviceAccount is a user with the groups of a ServiceAccount.
func serviceAccount(namespace, name string) user {
	return user{
		name, "system:serviceaccount:" + namespace + ":" + name,
		[]string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
	}
}

// controllers that work without nodes.
const controllers = "garbage-collector-controller,namespace-controller,serviceaccount-controller," +
	"clusterrole-aggregation-controller,horizontal-pod-autoscaler-controller,persistentvolumeclaim-protection-controller"

// startServer starts etcd and the API server.
func (c *ControlPlane) startServer(ctx context.Context) error {
	var api int
	if err := c.takePorts(&api); err != nil {
		return err
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	return c.startAPIServer(ctx, api)
}

// startControllers starts the controller manager.
func (c *ControlPlane) startControllers(context.Context) error {
	_, err := c.start(program{name: ControllerManager, path: c.tools["kube-controller-manager"], args: []string{
		"--kubeconfig=" + c.kubeconfig(adminUser()),
		"--service-account-private-key-file=" + c.signingKey(),
		"--controllers=" + controllers,
		"--leader-elect=false",
		"--secure-port=0",
		// The settings are those of a cluster, but with shorter delays: otherwise the garbage collector would need a minute for a hundred
		// graphs.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--horizontal-pod-autoscaler-sync-period=2s",
	}})
	return err
}

// startEtcd at sockets in the folder of the run, which only this user can enter. etcd wants to be known by the address of a port, but no port is
// opened: it is its only member, and clients have the path of the socket. Of a path, its server for other members ignores the folders.
func (c *ControlPlane) startEtcd(ctx context.Context) error {
	const none = "http://" + host + ":0"
	etcd, err := c.start(program{name: "etcd", path: c.tools["etcd"], folder: c.folder, env: c.options.Environment, args: []string{
		"--data-dir=" + filepath.Join(c.folder, "etcd"),
		"--listen-client-urls=" + c.etcd(),
		"--advertise-client-urls=" + none,
		"--listen-peer-urls=unix://peer.sock",
		"--initial-advertise-peer-urls=" + none,
		"--initial-cluster=default=" + none,
		// Data need not survive a crash of the machine.
		"--unsafe-no-fsync",
	}, ready: func(ctx context.Context) error {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", strings.TrimPrefix(c.etcd(), "unix://"))
		}}}
		return probe(ctx, client, "http://etcd/health")
	}})
	if err != nil {
		return err
	}
	return await(ctx, "etcd to be healthy", etcd, etcd.program.ready)
}

// etcd is where clients reach it.
func (c *ControlPlane) etcd() string { return "unix://" + filepath.Join(c.folder, "etcd.sock") }

func (c *ControlPlane) startAPIServer(ctx context.Context, port int) error {
	var err error
	if c.authority, err = newAuthority("kubernetes"); err != nil {
		return err
	}
	certificates := filepath.Join(c.folder, "apiserver")
	if err := c.authority.issue(certificates); err != nil {
		return err
	}
	if err := writeSigningKey(c.signingKey()); err != nil {
		return err
	}
	tokens := filepath.Join(c.folder, "tokens.csv")
	if err := c.writeUsers(tokens, port); err != nil {
		return err
	}
	c.admin = &rest.Config{Host: url(port), BearerToken: c.secrets.of(adminUser().id), TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.pem()}}
	client, err := rest.HTTPClientFor(c.admin)
	if err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	audit, err := c.auditFlags()
	if err != nil {
		return err
	}
	server, err := c.start(program{name: "kube-apiserver", path: c.tools["kube-apiserver"], env: c.options.Environment, args: slices.Concat([]string{
		"--etcd-servers=" + c.etcd(),
		"--bind-address=" + host,
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + filepath.Join(certificates, certFile),
		"--tls-private-key-file=" + filepath.Join(certificates, keyFile),
		"--service-account-issuer=" + url(port),
		"--service-account-key-file=" + c.signingKey(),
		"--service-account-signing-key-file=" + c.signingKey(),
		"--token-auth-file=" + tokens,
		"--anonymous-auth=false",
		"--authorization-mode=RBAC",
		// Each graph has several Services, and the smallest usual range only has 250 addresses.
		"--service-cluster-ip-range=10.0.0.0/16",
		// There is no token controller that would serve it.
		"--disable-admission-plugins=ServiceAccount",
		// As in some clusters, a user needs permission to set an owner that blocks the deletion of its dependents.
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
	}, c.gangFlags("--runtime-config=scheduling.k8s.io/v1beta1=true"), audit), ready: func(ctx context.Context) error {
		return probe(ctx, client, url(port)+"/readyz")
	}})
	if err != nil {
		return err
	}
	if err := await(ctx, "the API server to be ready", server, server.program.ready); err != nil {
		return err
	}
	c.Client, err = newClient(c.admin)
	return err
}

// writeUsers writes the users of the API server, and a kubeconfig for each.
func (c *ControlPlane) writeUsers(tokens string, port int) error {
	var lines strings.Builder
	for _, u := range slices.Concat([]user{adminUser(), crossplaneUser(), rbacManagerUser(), schedulerUser(), kueueUser(), kedaUser()}, volcanoUsers()) {
		fmt.Fprintf(&lines, "%s,%s,%s,%q\n", c.secrets.of(u.id), u.name, u.id, strings.Join(u.groups, ","))
		config := clientcmdapi.NewConfig()
		config.Clusters["e2e"] = &clientcmdapi.Cluster{Server: url(port), CertificateAuthorityData: c.authority.pem()}
		config.AuthInfos[u.id] = &clientcmdapi.AuthInfo{Token: c.secrets.of(u.id)}
		config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: u.id}
		config.CurrentContext = "e2e"
		if err := clientcmd.WriteToFile(*config, c.kubeconfig(u)); err != nil {
			return fmt.Errorf("cannot write the kubeconfig of %s: %w", u.name, err)
		}
	}
	return writeFiles(filepath.Dir(tokens), map[string][]byte{filepath.Base(tokens): []byte(lines.String())})
}

// Kubeconfig is the file with which an administrator reaches the API server.
func (c *ControlPlane) Kubeconfig() string { return c.kubeconfig(adminUser()) }

func (c *ControlPlane) kubeconfig(u user) string {
	return filepath.Join(c.folder, u.id+".kubeconfig")
}

func (c *ControlPlane) signingKey() string { return filepath.Join(c.folder, "serviceaccounts.key") }

// installCRDs installs the CustomResourceDefinitions of the options, and waits until they are served.
func (c *ControlPlane) installCRDs(ctx context.Context) error {
	return c.InstallCRDs(ctx, c.options.CRDs...)
}

// InstallCRDs installs the CustomResourceDefinitions in directories, and waits until they are served. It does not wait for one before it
// installs the next, because the API server then makes the OpenAPI document of all of them more often.
func (c *ControlPlane) InstallCRDs(ctx context.Context, folders ...string) error {
	var installed []Ref
	for _, folder := range folders {
		objects, err := readCRDs(folder)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if _, err := c.Client.Apply(ctx, object); err != nil {
				return fmt.Errorf("cannot install %s of %s: %w", RefOf(object), folder, err)
			}
			installed = append(installed, RefOf(object))
		}
	}
	for _, crd := range installed {
		if err := c.Await(ctx, crd, "Established"); err != nil {
			return err
		}
	}
	return nil
}

// readCRDs of a directory.
func readCRDs(folder string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no CRDs in %s (%w)", folder, err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read a CRD: %w", err)
		}
		some, err := harness.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, some...)
	}
	return objects, nil
}

// Await conditions of an object.
func (c *ControlPlane) Await(ctx context.Context, ref Ref, conditions ...string) error {
	return await(ctx, fmt.Sprintf("%s to be %s", ref, strings.Join(conditions, " and ")), nil, func(ctx context.Context) error {
		object, err := c.Client.Get(ctx, ref)
		if err != nil {
			return err
		}
		for _, condition := range conditions {
			if status, message := Condition(object, condition); status != "True" {
				return fmt.Errorf("%s is %q: %s", condition, status, message)
			}
		}
		return nil
	})
}

// Condition of an object: its status, and its reason with its message. Both are empty if there is no condition of this type.
func Condition(object *unstructured.Unstructured, conditionType string) (status, message string) {
	if c := conditionOf(object, conditionType); c != nil {
		return fmt.Sprint(c["status"]), fmt.Sprintf("%v: %v", c["reason"], c["message"])
	}
	return "", ""
}

// ObservedGeneration is the generation of an object that one of its conditions describes, or 0 if there is no condition of this type.
func ObservedGeneration(object *unstructured.Unstructured, conditionType string) int64 {
	generation, _, _ := unstructured.NestedInt64(conditionOf(object, conditionType), "observedGeneration")
	return generation
}

func conditionOf(object *unstructured.Unstructured, conditionType string) map[string]any {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return nil
	}
	for _, value := range conditions {
		if condition, ok := value.(map[string]any); ok && condition["type"] == conditionType {
			return condition
		}
	}
	return nil
}

// probe a URL for the answer OK.
func probe(ctx context.Context, client *http.Client, url string) error {
	_, err := fetch(ctx, client, url, "*/*")
	return err
}

// fetch the response of a URL.
func fetch(ctx context.Context, client *http.Client, url, accept string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", url, err)
	}
	request.Header.Set("Accept", accept)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answer of %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %s", url, response.Status, body)
	}
	return body, nil
}
