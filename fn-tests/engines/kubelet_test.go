package engines

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// period of all probes.
const period = 20 * time.Millisecond

// node runs the engines of pods as a kubelet does: it probes them, and starts them again when they end.
type node struct {
	t *testing.T
	// programs is a folder with python3.
	programs string
	// folders of the node, by path.
	folders map[string]string
}

// podOnNode has engines that the node runs.
type podOnNode struct {
	spec     *corev1.PodSpec
	address  string
	injected map[string]string
	engines  []*container
}

// container that runs an engine.
type container struct {
	corev1.Container

	pod *podOnNode
	// folders of the volumes of the pod, by path in the container.
	folders map[string]string

	mutex sync.Mutex
	// starts are how often it was started, and started says that its startup probe has succeeded.
	starts  int
	started bool
	process *os.Process
	stderr  bytes.Buffer
}

func newNode(t *testing.T) *node {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, programs: t.TempDir(), folders: map[string]string{}}
	if err := os.Symlink(binary, filepath.Join(n.programs, "python3")); err != nil {
		t.Fatal(err)
	}
	return n
}

// run the engines of a pod until the test ends.
func (n *node) run(p *podOnNode, leader string) {
	n.t.Helper()
	volumes := map[string]string{}
	for _, v := range p.spec.Volumes {
		volumes[v.Name] = n.folder(v)
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	var running sync.WaitGroup
	for _, c := range p.spec.Containers {
		if !runsEngine(&c) {
			continue
		}
		e := &container{Container: c, pod: p, folders: map[string]string{}}
		for _, mount := range c.VolumeMounts {
			folder := filepath.Join(volumes[mount.Name], expand([]string{mount.SubPathExpr}, p.injected)[0])
			if err := os.MkdirAll(folder, 0o700); err != nil {
				n.t.Fatal(err)
			}
			e.folders[mount.MountPath] = folder
		}
		p.engines = append(p.engines, e)
		running.Go(func() {
			for ctx.Err() == nil {
				e.runOnce(ctx, n.programs, leader)
			}
		})
	}
	n.t.Cleanup(func() { cancel(); running.Wait() })
}

// folder of a volume: that of the node, or an empty one.
func (n *node) folder(v corev1.Volume) string {
	if v.HostPath == nil {
		return n.t.TempDir()
	}
	if n.folders[v.HostPath.Path] == "" {
		n.folders[v.HostPath.Path] = n.t.TempDir()
	}
	return n.folders[v.HostPath.Path]
}

// runsEngine reports whether a container runs one of several engines.
func runsEngine(c *corev1.Container) bool {
	return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "ENGINE_ID" })
}

// runOnce runs the container until it ends, or until a probe ends it.
func (c *container) runOnce(ctx context.Context, programs, leader string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	env := c.env()
	argv := expand(append(append([]string{}, c.Command...), c.Args...), env)
	if argv[0] == "python3" {
		argv[0] = filepath.Join(programs, "python3")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + programs + ":/usr/bin:/bin", stubAddress + "=" + c.pod.address, stubLeader + "=" + leader}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	c.mutex.Lock()
	c.stderr.Reset()
	cmd.Stderr = &c.stderr
	err := cmd.Start()
	c.starts, c.started, c.process = c.starts+1, false, cmd.Process
	c.mutex.Unlock()
	if err != nil {
		return
	}
	go func() {
		c.probe(ctx)
		cancel()
	}()
	_ = cmd.Wait()
}

// probe the container until one of its probes fails too often.
func (c *container) probe(ctx context.Context) {
	if !c.succeeds(ctx, c.StartupProbe, true) {
		return
	}
	c.mutex.Lock()
	c.started = true
	c.mutex.Unlock()
	c.succeeds(ctx, c.LivenessProbe, false)
}

// succeeds reports whether a probe succeeds once, or returns false when it has failed too often.
func (c *container) succeeds(ctx context.Context, probe *corev1.Probe, once bool) bool {
	failures := int32(0)
	for ctx.Err() == nil {
		switch {
		case probe == nil || c.check(probe):
			failures = 0
			if once {
				return true
			}
		default:
			failures++
			if failures >= probe.FailureThreshold {
				return false
			}
		}
		time.Sleep(period)
	}
	return false
}

// check a probe. A port with a name has to be one of the ports of this container.
func (c *container) check(probe *corev1.Probe) bool {
	if probe.TCPSocket != nil {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.pod.address, c.port(probe.TCPSocket.Port.String())))
		return err == nil && conn.Close() == nil
	}
	return c.get(probe.HTTPGet.Path, c.port(probe.HTTPGet.Port.String()))
}

func (c *container) get(path, port string) bool {
	response, err := http.Get("http://" + net.JoinHostPort(c.pod.address, port) + path)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

func (c *container) port(name string) string {
	for _, port := range c.Ports {
		if port.Name == name {
			return strconv.Itoa(int(port.ContainerPort))
		}
	}
	return "0"
}

// env of the container, with the folders of its mounts.
func (c *container) env() map[string]string {
	env := map[string]string{}
	maps.Copy(env, c.pod.injected)
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "metadata.labels['grove.io/podclique-pod-index']" {
			value = c.pod.injected["GROVE_PCLQ_POD_INDEX"]
		}
		for path, folder := range c.folders {
			if rest, ok := strings.CutPrefix(value, path+"/"); ok {
				value = filepath.Join(folder, rest)
			}
		}
		env[e.Name] = value
	}
	return env
}

// state of the container, for messages.
func (c *container) state() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return fmt.Sprintf("%s at %s: %d starts, started %t, %s", c.Name, c.pod.address, c.starts, c.started, strings.TrimSpace(c.stderr.String()))
}

func (c *container) isStarted() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.started
}

func (c *container) startsSoFar() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.starts
}

// isActive reports whether the engine serves requests.
func (c *container) isActive() bool {
	return len(c.Ports) > 0 && c.get("/active", strconv.Itoa(int(c.Ports[0].ContainerPort)))
}

// kill the engine.
func (c *container) kill() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_ = c.process.Kill()
}
