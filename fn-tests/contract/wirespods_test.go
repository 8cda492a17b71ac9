package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// wiredPod is a pod as its orchestrator creates it from a template.
type wiredPod struct {
	name   string
	labels labels.Set
	spec   corev1.PodSpec
	// injected are the variables that the orchestrator adds.
	injected map[string]string
	// leader is the template with the first node of the replica. Empty: the pod is the only one.
	leader string
	// replicas of the template that may run on one node.
	replicas int64
	running  []wiredProcess
}

// wiredProcess is a program that a container starts.
type wiredProcess struct {
	container string
	init      bool
	argv      []string
	env       map[string]string
	// remote says that the program runs on another node, which only has what mpirun passes.
	remote bool
}

// wiredPods of composed objects, the first replica of each.
func wiredPods(t testing.TB, objects []*unstructured.Unstructured) []*wiredPod {
	t.Helper()
	var all []*wiredPod
	add := func(object string, replicas int64, leader string, injected map[string]string, template any) {
		pod := corev1.PodTemplateSpec{}
		if err := convert(template, &pod); err != nil {
			t.Fatal(err)
		}
		injected = maps.Clone(injected)
		all = append(all, &wiredPod{name: object, labels: pod.Labels, spec: pod.Spec, injected: injected, leader: leader, replicas: replicas})
	}
	for _, o := range objects {
		field := func(path ...string) any {
			value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
			return value
		}
		switch o.GetKind() {
		case "Deployment":
			replicas, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			if !found {
				replicas = 1
			}
			add(o.GetName(), replicas, "", nil, field("spec", "template"))
		case "LeaderWorkerSet":
			size, _, _ := unstructured.NestedInt64(o.Object, "spec", "leaderWorkerTemplate", "size")
			for i, role := range []string{"leaderTemplate", "workerTemplate"} {
				env := map[string]string{"LWS_LEADER_ADDRESS": o.GetName() + "-0." + o.GetName() + ".ns", "LWS_WORKER_INDEX": strconv.Itoa(i), "LWS_GROUP_SIZE": strconv.Itoa(int(size))}
				add(o.GetName()+"/"+role, 1, o.GetName()+"/leaderTemplate", env, field("spec", "leaderWorkerTemplate", role))
			}
		case "PodCliqueSet":
			grouped := map[string]string{}
			groups, _ := field("spec", "template", "podCliqueScalingGroups").([]any)
			for _, item := range groups {
				group, _ := item.(map[string]any)
				names, _, _ := unstructured.NestedStringSlice(group, "cliqueNames")
				leader := names[max(0, slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, "-ldr") }))]
				for _, name := range names {
					grouped[name] = leader
				}
			}
			cliques, _ := field("spec", "template", "cliques").([]any)
			for _, item := range cliques {
				clique, _ := item.(map[string]any)
				spec, _ := clique["spec"].(map[string]any)
				name, _ := clique["name"].(string)
				replicas, _, _ := unstructured.NestedInt64(spec, "replicas")
				env := map[string]string{
					"GROVE_PCS_NAME": o.GetName(), "GROVE_PCS_INDEX": "0", "GROVE_PCLQ_NAME": o.GetName() + "-0-" + name, "GROVE_PCLQ_POD_INDEX": "0",
					"GROVE_HEADLESS_SERVICE": o.GetName() + "-0.ns.svc.cluster.local", "GROVE_PCSG_NAME": o.GetName() + "-0-group", "GROVE_PCSG_INDEX": "0",
				}
				leader := ""
				if first := grouped[name]; first != "" {
					leader = "clique " + first
				}
				add("clique "+name, replicas, leader, env, map[string]any{"metadata": map[string]any{"labels": clique["labels"]}, "spec": spec["podSpec"]})
			}
		}
	}
	for _, p := range all {
		p.run()
	}
	return all
}

func convert(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return fmt.Errorf("cannot encode: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("cannot decode: %w", err)
	}
	return nil
}

// run the containers, without any program: what would be started is recorded.
func (p *wiredPod) run() {
	start := func(c *corev1.Container, init bool) {
		env := p.envOf(c)
		r := &recorder{container: c.Name, init: init, pod: p}
		r.program(context.Background(), substitute(slices.Concat(c.Command, c.Args), env), env)
	}
	for i := range p.spec.InitContainers {
		c := &p.spec.InitContainers[i]
		start(c, c.RestartPolicy == nil)
	}
	for i := range p.spec.Containers {
		start(&p.spec.Containers[i], false)
	}
}

// elsewhere begins a value that is not in the graph.
const elsewhere = "elsewhere:"

// envOf a container as a kubelet makes it.
func (p *wiredPod) envOf(c *corev1.Container) map[string]string {
	env := map[string]string{"HOME": "/root", "PATH": "/usr/bin"}
	maps.Copy(env, p.injected)
	for _, e := range c.Env {
		switch {
		case e.ValueFrom == nil:
			env[e.Name] = substitute([]string{e.Value}, env)[0]
		case e.ValueFrom.FieldRef != nil:
			env[e.Name] = "field-" + e.ValueFrom.FieldRef.FieldPath
		default:
			env[e.Name] = elsewhere + e.Name
		}
	}
	if len(c.EnvFrom) > 0 {
		env[fromOutside] = elsewhere
	}
	return env
}

// fromOutside is a variable of each container with envFrom.
const fromOutside = "FROM_OUTSIDE"

var kubeletReference = regexp.MustCompile(`\$\$|\$\(([^)]*)\)`)

// substitute references as a kubelet does.
func substitute(argv []string, env map[string]string) []string {
	out := make([]string, 0, len(argv))
	for _, text := range argv {
		out = append(out, kubeletReference.ReplaceAllStringFunc(text, func(match string) string {
			if match == "$$" {
				return "$"
			}
			if value, ok := env[match[2:len(match)-1]]; ok {
				return value
			}
			return match
		}))
	}
	return out
}

// recorder of what a container starts.
type recorder struct {
	container string
	init      bool
	pod       *wiredPod
	remote    bool
	programs  int
}

// mostPrograms that a container starts. A loop that waits for something would start more.
const mostPrograms = 200

// program that is started. Programs that start others are followed.
func (r *recorder) program(ctx context.Context, argv []string, env map[string]string) {
	r.programs++
	if len(argv) == 0 || r.programs > mostPrograms {
		return
	}
	if script, parameters, ok := shellScript(argv); ok {
		r.shell(ctx, script, parameters, env)
		return
	}
	r.pod.running = append(r.pod.running, wiredProcess{container: r.container, init: r.init, argv: argv, env: maps.Clone(env), remote: r.remote})
	if path.Base(argv[0]) != "mpirun" {
		// Wrappers, such as numactl.
		for i := 1; i < len(argv); i++ {
			if _, _, ok := shellScript(argv[i:]); ok {
				r.program(ctx, argv[i:], env)
				return
			}
		}
		return
	}
	// The ranks on other nodes only have what is passed.
	passed := map[string]string{}
	for i := 1; i+1 < len(argv); i++ {
		if argv[i] == "-x" {
			passed[argv[i+1]] = env[argv[i+1]]
		}
	}
	if i := slices.Index(argv, "bash"); i > 0 {
		r.program(ctx, argv[i:], env)
		other := *r
		other.remote = true
		other.program(ctx, argv[i:], passed)
	}
}

// shellScript of a command line such as sh -c script.
func shellScript(argv []string) (script string, parameters []string, ok bool) {
	if name := path.Base(argv[0]); name != "sh" && name != "bash" {
		return "", nil, false
	}
	for i := 1; i < len(argv); i++ {
		if !strings.HasPrefix(argv[i], "-") {
			return "", nil, false
		}
		if strings.HasSuffix(argv[i], "c") && i+1 < len(argv) {
			return argv[i+1], argv[min(i+2, len(argv)):], true
		}
	}
	return "", nil, false
}

// shell runs a script in this process, in which no program is started, and no file is read or written.
func (r *recorder) shell(ctx context.Context, script string, parameters []string, env map[string]string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return
	}
	// Programs end at once here, so that none has to run beside others.
	syntax.Walk(file, func(node syntax.Node) bool {
		if statement, ok := node.(*syntax.Stmt); ok {
			statement.Background = false
		}
		return true
	})
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	list = append(list, "PATH=/usr/bin")
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	exec := func(ctx context.Context, argv []string) error { //nolint:unparam // No program fails here.
		current := map[string]string{}
		handler := interp.HandlerCtx(ctx)
		for name, v := range handler.Env.Each {
			if v.Exported && v.Kind == expand.String {
				current[name] = v.Str
			}
		}
		if r.stub(handler, argv, current) {
			return nil
		}
		r.program(ctx, argv, current)
		if r.programs > mostPrograms {
			cancel()
		}
		return nil
	}
	runner, err := interp.New(
		interp.Env(expand.ListEnviron(list...)), interp.StdIO(nil, io.Discard, io.Discard),
		interp.Params(slices.Concat([]string{"--"}, parameters[min(1, len(parameters)):])...),
		interp.CallHandler(func(_ context.Context, argv []string) ([]string, error) {
			if slices.Contains([]string{"kill", "trap", "ulimit", "umask", "wait"}, argv[0]) {
				return []string{"true"}, nil // What they change is not looked at.
			}
			return argv, nil
		}),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return exec }),
		interp.OpenHandler(func(_ context.Context, name string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
			if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
				return nowhere{}, nil
			}
			return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
		}),
		interp.StatHandler(func(_ context.Context, name string, _ bool) (os.FileInfo, error) {
			return nil, &os.PathError{Op: "stat", Path: name, Err: os.ErrNotExist}
		}),
		interp.ReadDirHandler2(func(context.Context, string) ([]os.DirEntry, error) { return nil, os.ErrNotExist }),
	)
	if err != nil {
		return
	}
	_ = runner.Run(ctx, file)
}

// stub answers the programs whose output scripts read.
func (*recorder) stub(handler interp.HandlerContext, argv []string, env map[string]string) bool {
	switch path.Base(argv[0]) {
	case "id":
		_, _ = fmt.Fprintln(handler.Stdout, "0")
	case "date":
		_, _ = fmt.Fprintln(handler.Stdout, "0")
	case "cat":
		_, _ = fmt.Fprintln(handler.Stdout, elsewhere+"file")
	case "hostname":
		_, _ = fmt.Fprintln(handler.Stdout, "host")
	case "env", "printenv":
		if len(argv) > 1 {
			return false
		}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			_, _ = fmt.Fprintf(handler.Stdout, "%s=%s\n", name, env[name])
		}
	default:
		return false
	}
	return true
}

type nowhere struct{}

func (nowhere) Read([]byte) (int, error)    { return 0, io.EOF }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }
