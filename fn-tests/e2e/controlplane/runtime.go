package controlplane

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// resync is the interval at which the runtime looks for functions to run. More often would be noticeable work for the API server.
const resync = time.Second

// A runtime runs functions, as the kubelet does for Crossplane's Deployments: it starts the programs of their packages, restarts them when
// they end, and reports their addresses to Crossplane.
type runtime struct {
	controlPlane *ControlPlane

	mutex     sync.Mutex
	functions map[string]*function
	stopping  bool
	stopped   chan struct{}
}

// A running function.
type function struct {
	process *Process
	program program
	port    int
}

func newRuntime(c *ControlPlane) *runtime {
	return &runtime{controlPlane: c, functions: map[string]*function{}, stopped: make(chan struct{})}
}

// run until stop.
func (r *runtime) run(ctx context.Context) {
	defer close(r.stopped)
	var last string
	for !r.isStopping() {
		if err := r.reconcile(ctx); err != nil && err.Error() != last {
			last = err.Error()
			r.log(last)
		}
		time.Sleep(resync)
	}
}

func (r *runtime) log(message string) {
	log, err := os.OpenFile(filepath.Join(r.controlPlane.logs(), "runtime.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = log.Close() }()
	_, _ = fmt.Fprintln(log, time.Now().Format(time.RFC3339), message)
}

func (r *runtime) isStopping() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.stopping
}

// stop starting functions. The control plane ends running ones.
func (r *runtime) stop() {
	r.mutex.Lock()
	r.stopping = true
	r.mutex.Unlock()
	<-r.stopped
}

// reconcile running functions with the active revisions.
func (r *runtime) reconcile(ctx context.Context) error {
	revisions, err := r.controlPlane.Client.List(ctx, pkgV1, "FunctionRevision", "", "")
	if err != nil {
		return fmt.Errorf("cannot list functions: %w", err)
	}
	// Unpacking images takes time.
	errs := make([]error, len(revisions))
	var all sync.WaitGroup
	for i := range revisions {
		desired, _, err := unstructured.NestedString(revisions[i].Object, "spec", "desiredState")
		if err == nil && desired == "Active" {
			all.Go(func() { errs[i] = r.serve(ctx, &revisions[i]) })
		} else {
			r.end(revisions[i].GetName())
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// end a revision that is no longer active.
func (r *runtime) end(revision string) {
	r.mutex.Lock()
	running := r.functions[revision]
	delete(r.functions, revision)
	r.mutex.Unlock()
	if running != nil && running.process != nil {
		running.process.Stop()
	}
}

// serve a revision, and write its address into its status.
func (r *runtime) serve(ctx context.Context, revision *unstructured.Unstructured) error {
	name := revision.GetName()
	r.mutex.Lock()
	running := r.functions[name]
	r.mutex.Unlock()
	if running == nil {
		program, port, err := r.prepare(ctx, revision)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		running = &function{program: program, port: port}
	}
	if running.process == nil || running.process.Ended() {
		process, err := r.controlPlane.start(running.program)
		if err != nil {
			return err
		}
		r.mutex.Lock()
		running.process = process
		r.functions[name] = running
		r.mutex.Unlock()
	}
	endpoint := "dns:///localhost:" + strconv.Itoa(running.port)
	if current, _, err := unstructured.NestedString(revision.Object, "status", "endpoint"); err != nil || current == endpoint {
		return err
	}
	return r.controlPlane.Client.applyStatus(ctx, healthy(revision, endpoint))
}

// healthy is the status that Crossplane's own runtime sets for a running revision.
func healthy(revision *unstructured.Unstructured, endpoint string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": revision.GetAPIVersion(),
		"kind":       revision.GetKind(),
		"metadata":   map[string]any{"name": revision.GetName()},
		"status": map[string]any{
			"endpoint":            endpoint,
			"tlsServerSecretName": serverSecret,
			"tlsClientSecretName": clientSecret,
			"conditions": []any{map[string]any{
				"type":               "RuntimeHealthy",
				"status":             "True",
				"reason":             "HealthyPackageRevision",
				"lastTransitionTime": time.Now().UTC().Format(metav1.RFC3339Micro),
			}},
		},
	}}
}

// prepare unpacks the image of a revision, and returns how to start it.
func (r *runtime) prepare(ctx context.Context, revision *unstructured.Unstructured) (program, int, error) {
	image, _, err := unstructured.NestedString(revision.Object, "spec", "image")
	if err != nil {
		return program{}, 0, err
	}
	c := r.controlPlane
	if instead := c.options.Instead; len(instead) > 0 {
		return r.at(revision, instead[0], instead[1:])
	}
	if image, err = c.pushedImage(ctx, image); err != nil {
		return program{}, 0, err
	}
	platform := "--platform=linux/" + goruntime.GOARCH
	config, err := c.crane(ctx, "config", platform, image)
	if err != nil {
		return program{}, 0, err
	}
	described := struct {
		Config struct {
			Entrypoint []string `json:"Entrypoint"`
			Cmd        []string `json:"Cmd"`
		} `json:"config"`
	}{}
	if err := json.Unmarshal(config, &described); err != nil {
		return program{}, 0, fmt.Errorf("cannot read the image: %w", err)
	}
	command := slices.Concat(described.Config.Entrypoint, described.Config.Cmd)
	if len(command) == 0 {
		return program{}, 0, errors.New("the image has no command")
	}
	files, err := c.crane(ctx, "export", platform, image, "-")
	if err != nil {
		return program{}, 0, err
	}
	folder := filepath.Join(c.folder, "functions", revision.GetName())
	if err := extract(files, filepath.Base(command[0]), folder); err != nil {
		return program{}, 0, err
	}
	return r.at(revision, filepath.Join(folder, filepath.Base(command[0])), command[1:])
}

// at a port, the program that serves a revision.
func (r *runtime) at(revision *unstructured.Unstructured, path string, args []string) (program, int, error) {
	var port int
	if err := r.controlPlane.takePorts(&port); err != nil {
		return program{}, 0, err
	}
	return program{
		name: revision.GetLabels()["pkg.crossplane.io/package"],
		path: path,
		args: slices.Concat(args, []string{"--address=" + address(port), "--metrics-address="}),
		env:  []string{"TLS_SERVER_CERTS_DIR=" + r.controlPlane.serverCertificates()},
	}, port, nil
}

// pushedImage is where an image is in the registry, by its digest. It fails unless this run has pushed it: whoever may write a FunctionRevision
// must not choose a program that this user executes.
func (c *ControlPlane) pushedImage(ctx context.Context, image string) (string, error) {
	out, err := c.crane(ctx, "digest", "--full-ref", c.mirrored(image))
	if err != nil {
		return "", err
	}
	reference := strings.TrimSpace(string(out))
	_, digest, _ := strings.Cut(reference, "@")
	pushed, err := os.ReadFile(c.pushed())
	if err != nil {
		return "", fmt.Errorf("cannot read what was pushed: %w", err)
	}
	if !slices.Contains(strings.Fields(string(pushed)), digest) {
		return "", fmt.Errorf("cannot run image %s: this run has not pushed its digest %s", image, digest)
	}
	return reference, nil
}

// crane runs with the password of the registry.
func (c *ControlPlane) crane(ctx context.Context, args ...string) ([]byte, error) {
	return run(ctx, c.folder, "env", slices.Concat([]string{c.registryEnvironment(), c.tools["crane"]}, args)...)
}

// extract a file at the root of an image into a directory.
func extract(image []byte, name, folder string) error {
	reader := tar.NewReader(bytes.NewReader(image))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the image has no file %s", name)
		}
		if err != nil {
			return fmt.Errorf("cannot read the image: %w", err)
		}
		if header.Name != name {
			continue
		}
		data, err := io.ReadAll(reader)
		if err != nil {
			return fmt.Errorf("cannot read %s of the image: %w", name, err)
		}
		if err := writeFiles(folder, map[string][]byte{name: data}); err != nil {
			return err
		}
		return os.Chmod(filepath.Join(folder, name), 0o700) //nolint:gosec // It is to be run.
	}
}

// processes that run functions, by the name of the Function.
func (r *runtime) processes() map[string]*Process {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	running := map[string]*Process{}
	for _, f := range r.functions {
		running[f.program.name] = f.process
	}
	return running
}

// Functions are the processes that run functions, by the name of the Function. A process that ends is restarted.
func (c *ControlPlane) Functions() map[string]*Process { return c.runtime.processes() }
