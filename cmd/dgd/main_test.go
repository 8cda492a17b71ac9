package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/limit"
)

// functionObject is what the tests read of a Function.
type functionObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(filepath.Join("..", "..", path)))
	if err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}
	return data
}

func TestFunctionObjects(t *testing.T) {
	for path, apiVersion := range map[string]string{
		"examples/functions.yaml":         "pkg.crossplane.io/v1",
		"examples/functions-v1beta1.yaml": "pkg.crossplane.io/v1beta1",
	} {
		t.Run(path, func(t *testing.T) {
			var want, got []functionObject
			for _, fn := range functions(logging.NewNopLogger()) {
				o := functionObject{APIVersion: apiVersion, Kind: "Function"}
				o.Metadata.Name = "dynamo-crossplane-function-dynamo-" + fn.Name
				o.Metadata.Annotations = map[string]string{
					"render.crossplane.io/runtime":                    "Development",
					"render.crossplane.io/runtime-development-target": fmt.Sprintf("127.0.0.1:%d", fn.Port),
				}
				want = append(want, o)
			}
			for doc := range strings.SplitSeq(string(read(t, path)), "\n---\n") {
				o := functionObject{}
				if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
					t.Fatalf("cannot parse %s: %v", path, err)
				}
				got = append(got, o)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s is not what serve --all serves: -want, +got:\n%s", path, diff)
			}
		})
	}
}

func TestCompositionsRunTheFunctions(t *testing.T) {
	log := logging.NewNopLogger()
	for path, fns := range map[string][]server.Function{
		"compositions/dynamographdeployment.yaml":        chain(log),
		"compositions/xdynamographdeployment.yaml":       chain(log),
		"compositions/dynamographdeployment-fused.yaml":  {fused(log)},
		"compositions/xdynamographdeployment-fused.yaml": {fused(log)},
	} {
		t.Run(path, func(t *testing.T) {
			var want []string
			for _, fn := range fns {
				want = append(want, fn.Name+" dynamo-crossplane-function-dynamo-"+fn.Name)
			}
			comp := struct {
				Spec struct {
					Pipeline []struct {
						Step        string `json:"step"`
						FunctionRef struct {
							Name string `json:"name"`
						} `json:"functionRef"`
					} `json:"pipeline"`
				} `json:"spec"`
			}{}
			if err := yaml.Unmarshal(read(t, path), &comp); err != nil {
				t.Fatalf("cannot parse %s: %v", path, err)
			}
			var got []string
			for _, s := range comp.Spec.Pipeline {
				got = append(got, s.Step+" "+s.FunctionRef.Name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pipeline of %s: -want, +got:\n%s", path, diff)
			}
		})
	}
}

func TestPorts(t *testing.T) {
	seen := map[int]string{}
	for _, fn := range functions(logging.NewNopLogger()) {
		if other, ok := seen[fn.Port]; ok {
			t.Errorf("%s and %s have the same port %d", fn.Name, other, fn.Port)
		}
		seen[fn.Port] = fn.Name
	}
}

// example arguments of render, with the composite resource first.
func example(xr string) []string {
	return []string{
		"render", xr, "../../compositions/dynamographdeployment.yaml", "../../examples/functions.yaml", "-e", "../../examples/cluster/grove-kai.yaml",
	}
}

func TestRunRender(t *testing.T) {
	dgd := string(read(t, "examples/agg-vllm.yaml"))

	cases := map[string]struct {
		reason  string
		args    []string
		in      string
		code    int
		wantOut string
		wantErr string
	}{
		"Example": {
			reason:  "An example becomes what runs it.",
			args:    example("../../examples/agg-vllm.yaml"),
			wantOut: "kind: PodCliqueSet",
		},
		"Stdin": {
			reason:  "The graph may come from the standard input.",
			args:    example("-"),
			in:      dgd,
			wantOut: "kind: PodCliqueSet",
		},
		"Refused": {
			reason:  "A graph that is refused is exit status 1 and nothing on the standard output.",
			args:    example("-"),
			in:      strings.ReplaceAll(dgd, "replicas:", "replicaz:"),
			code:    1,
			wantErr: `dgd: error: cannot render composite resource: cannot compose resources: pipeline step "plan" returned a fatal result: `,
		},
		"NoArguments": {
			reason:  "What is missing on the command line is said.",
			args:    []string{"render"},
			code:    exitUsage,
			wantErr: `dgd: error: expected the path of a graph, or - for standard input`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tc.args, streams{in: strings.NewReader(tc.in), out: &stdout, err: &stderr})
			if code != tc.code {
				t.Errorf("\n%s\nrun(...): want exit status %d, got %d: %s", tc.reason, tc.code, code, stderr.String())
			}
			if !strings.Contains(stdout.String(), tc.wantOut) || tc.wantOut == "" && stdout.Len() > 0 {
				t.Errorf("\n%s\nrun(...): want output with %q, got:\n%s", tc.reason, tc.wantOut, stdout.String())
			}
			if !strings.HasPrefix(stderr.String(), tc.wantErr) || tc.wantErr == "" && stderr.Len() > 0 {
				t.Errorf("\n%s\nrun(...): want error output %q, got:\n%s", tc.reason, tc.wantErr, stderr.String())
			}
		})
	}
}

// TestRenderTwice shows that two renders of one graph are equal, also where a key pair is made, and that neither prints the key.
func TestRenderTwice(t *testing.T) {
	render := func(more ...string) string {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append(example("../../examples/trtllm-multinode.yaml"), more...), streams{out: &stdout, err: &stderr}); code != 0 {
			t.Fatalf("run(...): exit status %d: %s", code, stderr.String())
		}
		return stdout.String()
	}
	first := render()
	if diff := cmp.Diff(first, render()); diff != "" {
		t.Errorf("two renders differ: -first, +second:\n%s", diff)
	}
	// How a private key of OpenSSH begins, in base64: 24 bytes, so that what follows changes nothing in it.
	key := base64.StdEncoding.EncodeToString([]byte("-----BEGIN OPENSSH PRIVA"))
	if strings.Contains(first, key) || !strings.Contains(first, "private.key: REDACTED") {
		t.Error("the private key is printed")
	}
	if !strings.Contains(render("--include-secret-data"), key) {
		t.Error("the private key is not printed where it is asked for")
	}
}

// portsOf functions is how many ports in a row they take.
func portsOf(fns []server.Function) int {
	ports := 0
	for _, fn := range fns {
		ports = max(ports, fn.Port-basePort+1)
	}
	return ports
}

// freePorts is the first of n ports in a row that nobody listened on a moment
// ago.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for base := 20000; base < 30000; base += n {
		free := 0
		for port := base; port < base+n; port++ {
			lis, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				break
			}
			if err := lis.Close(); err != nil {
				t.Fatalf("cannot close listener: %v", err)
			}
			free++
		}
		if free == n {
			return base
		}
	}
	t.Fatalf("found no %d free ports in a row", n)
	return 0
}

// runs a function at an address until it answers.
func runs(t *testing.T, address string) {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot make client: %v", err)
	}
	defer conn.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{}, grpc.WaitForReady(true))
	if err != nil {
		t.Errorf("RunFunction(...) at %s: unexpected error: %v", address, err)
	}
}

func TestRunServe(t *testing.T) {
	fns := functions(logging.NewNopLogger())
	last := fns[len(fns)-1].Port - basePort
	base := freePorts(t, last+1)

	all := make([]string, len(fns))
	for i, fn := range fns {
		all[i] = fmt.Sprintf("127.0.0.1:%d", base+fn.Port-basePort)
	}

	cases := map[string]struct {
		reason string
		args   []string
		want   []string
	}{
		"All": {
			reason: "Every function is served at its own port, moved by the base port.",
			args:   []string{"serve", "--all", "--insecure", "--base-port", strconv.Itoa(base)},
			want:   all,
		},
		"One": {
			reason: "One function is served as its package does it, by the flags that Crossplane's functions have.",
			args: []string{
				"grove", "--insecure", "-d", "--network", "tcp", "--address", all[0], "--metrics-address", "", "--max-recv-message-size", "8",
			},
			want: all[:1],
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan int, 1)
			var stderr bytes.Buffer
			go func() { done <- run(ctx, tc.args, streams{err: &stderr, out: &stderr}) }()

			for _, address := range tc.want {
				runs(t, address)
			}
			cancel()
			if code := <-done; code != 0 {
				t.Errorf("\n%s\nrun(...): want exit status 0, got %d: %s", tc.reason, code, stderr.String())
			}
		})
	}
}

func TestRunServeErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		"NotAll": {
			reason: "To serve without saying what is a mistake.",
			args:   []string{"serve", "--insecure"},
			code:   exitUsage,
			want:   "dgd: error: missing flags: --all\n",
		},
		"NoCredentials": {
			reason: "A function is not served without credentials by accident.",
			args:   []string{"plan"},
			code:   exitRefused,
			want:   "dgd: error: cannot serve without certificates; set --tls-certs-dir, or --insecure for development\n",
		},
		"ReceivesNothing": {
			reason: "A limit that nothing passes is a mistake.",
			args:   []string{"plan", "--insecure", "--max-recv-message-size", "0"},
			code:   exitUsage,
			want:   "dgd: error: plan: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is 0, but must be between 1 and 1024 MB\n",
		},
		"ReceivesLessThanNothing": {
			reason: "A limit below zero is a mistake.",
			args:   []string{"serve", "--all", "--insecure", "--max-recv-message-size=-1"},
			code:   exitUsage,
			want:   "dgd: error: serve: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is -1, but must be between 1 and 1024 MB\n",
		},
		"ReceivesTooMuch": {
			reason: "A limit that no pod could hold is a mistake.",
			args:   []string{"status", "--insecure", "--max-recv-message-size", "1099511627776"},
			code:   exitUsage,
			want:   "dgd: error: status: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is 1099511627776, but must be between 1 and 1024 MB\n",
		},
		"NoFunction": {
			reason: "A function that does not exist is not served.",
			args:   []string{"nope"},
			code:   exitUsage,
			want:   "dgd: error: unexpected argument nope\n",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TLS_SERVER_CERTS_DIR", "")
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), tc.args, streams{out: &stdout, err: &stderr}); code != tc.code {
				t.Errorf("\n%s\nrun(...): want exit status %d, got %d", tc.reason, tc.code, code)
			}
			if diff := cmp.Diff(tc.want, stderr.String()); diff != "" {
				t.Errorf("\n%s\nrun(...): error output: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServeEnvironment(t *testing.T) {
	t.Setenv("TLS_SERVER_CERTS_DIR", "no-such-dir")
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"plan"}, streams{out: &stderr, err: &stderr}); code != exitUsage || !strings.Contains(stderr.String(), `"no-such-dir"`) {
		t.Errorf("run(...): want the directory that the environment names to be read, got exit status %d: %s", code, stderr.String())
	}

	t.Setenv("MAX_RECV_MESSAGE_SIZE", "many")
	stderr.Reset()
	if code := run(t.Context(), []string{"plan"}, streams{out: &stderr, err: &stderr}); code != exitUsage || !strings.Contains(stderr.String(), "many") {
		t.Errorf("run(...): want the size that the environment names to be read, got exit status %d: %s", code, stderr.String())
	}
}

// TestReceiveLimit calls every function with more than it receives, and with as much as it does.
func TestReceiveLimit(t *testing.T) {
	t.Setenv("MAX_RECV_MESSAGE_SIZE", "5")
	fns := functions(logging.NewNopLogger())
	ports := portsOf(fns)
	base := freePorts(t, 2*ports)
	addresses := map[string]string{}
	commands := map[string][]string{"all": {"serve", "--all", "--insecure", "--base-port", strconv.Itoa(base)}}
	for _, fn := range fns {
		addresses["serve --all, "+fn.Name] = fmt.Sprintf("127.0.0.1:%d", base+fn.Port-basePort)
	}
	for _, fn := range fns {
		address := fmt.Sprintf("127.0.0.1:%d", base+ports+fn.Port-basePort)
		addresses[fn.Name] = address
		commands[fn.Name] = []string{fn.Name, "--insecure", "--address", address, "--metrics-address", ""}
	}

	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, args := range commands {
		wg.Go(func() {
			var stderr bytes.Buffer
			if code := run(ctx, args, streams{err: &stderr, out: &stderr}); code != 0 {
				t.Errorf("run(%v): want exit status 0, got %d: %s", args, code, stderr.String())
			}
		})
	}
	defer wg.Wait()
	defer cancel()

	for name, address := range addresses {
		runs(t, address)
		if err := runWith(t, address, 4<<20+1<<19); err != nil {
			t.Errorf("%s: want what is within the limit to be received, got %v", name, err)
		}
		if err := runWith(t, address, 5<<20+1); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "received message larger than max") {
			t.Errorf("%s: want what is above the limit to be refused, got %v", name, err)
		}
	}
}

// TestReceiveLimitByDefault calls a function with as much as the largest graph takes that Crossplane receives.
func TestReceiveLimitByDefault(t *testing.T) {
	address := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"status", "--insecure", "--address", address, "--metrics-address", ""}, streams{err: io.Discard, out: io.Discard})
	}()
	runs(t, address)
	if err := runWith(t, address, 3*limit.Response); err != nil {
		t.Errorf("want a request of three times what Crossplane receives to be received, got %v", err)
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("run(...): want exit status 0, got %d", code)
	}
}

// runWith a request of at least so many bytes the function at an address.
func runWith(t *testing.T, address string, size int) error {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot make client: %v", err)
	}
	defer conn.Close()
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{
		"large": {Resource: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStringValue(strings.Repeat("x", size))}}},
	}}}
	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
	return err
}
