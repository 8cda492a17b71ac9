package backend

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// The script itself, under a real Python, with a leader and an API server on loopback.
func TestWaitScript(t *testing.T) {
	const running, pending, going = `{"status":{"phase":"Running"}}`, `{"status":{"phase":"Pending"}}`, `{"metadata":{"deletionTimestamp":"x"},"status":{"phase":"Running"}}`
	cases := map[string]struct {
		reason string
		// answers of the API server, the last one again and again; nil is no API server.
		answers []string
		// listensAfter is how often the API server is asked before the leader listens.
		listensAfter int32
		wantAsked    int32
	}{
		"PortOnly":     {reason: "Without an API server an open port is enough."},
		"Running":      {reason: "A running pod that listens is a leader.", answers: []string{pods(running)}, wantAsked: 1},
		"Forbidden":    {reason: "Where this pod may not ask, an open port is enough.", answers: []string{"403"}, wantAsked: 1},
		"NotJSON":      {reason: "Where the answer is not to be understood, an open port is enough.", answers: []string{"<html>"}, wantAsked: 1},
		"NotYet":       {reason: "A pod that does not run yet is waited for.", answers: []string{pods(), pods(pending), pods(running)}, wantAsked: 3},
		"Going":        {reason: "A pod that goes is not the leader, though it listens.", answers: []string{pods(going), pods(going, running)}, wantAsked: 2},
		"NotListening": {reason: "A running pod that does not listen yet is waited for.", answers: []string{pods(running)}, listensAfter: 2, wantAsked: 2},
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		shared.Skipf(t, len(cases), "python3")
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leader, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			_, listening, err := net.SplitHostPort(leader.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if tc.listensAfter > 0 {
				_ = leader.Close()
			} else {
				defer leader.Close()
			}

			var asked atomic.Int32
			account := t.TempDir()
			env := []string{"LEADER_HOST=127.0.0.1", "LEADER_PORT=" + listening, "WAIT_SECONDS=0.2", "SERVICE_ACCOUNT=" + account, "PATH=" + os.Getenv("PATH")}
			if tc.answers != nil {
				api := httptest.NewTLSServer(podAPI(t, &asked, tc.answers, tc.listensAfter, listening))
				defer api.Close()
				host, apiPort, _ := strings.Cut(strings.TrimPrefix(api.URL, "https://"), ":")
				env = append(env, "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+apiPort)
				authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
				for file, text := range map[string]string{"namespace": "ns\n", "token": "token", "ca.crt": string(authority)} {
					writeFile(t, filepath.Join(account, file), text, 0o600)
				}
			}

			cmd := exec.CommandContext(t.Context(), python, "-c", WaitScript())
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "it listens") {
				t.Errorf("%s\nthe script ends with %v: %s", tc.reason, err, out)
			}
			if got := asked.Load(); got != tc.wantAsked {
				t.Errorf("%s\nthe API server was asked %d times, want %d", tc.reason, got, tc.wantAsked)
			}
		})
	}
}

func TestWaitScriptNameDoesNotResolve(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		shared.Skipf(t, 1, "python3")
	}
	// The script's own functions, without its loop.
	cmd := exec.CommandContext(t.Context(), python, "-c", strings.ReplaceAll(WaitScript(), "sys.exit(main())", "print(obstacle())"))
	cmd.Env = []string{"LEADER_HOST=leader.invalid", "LEADER_PORT=29500", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "its name does not resolve\n" {
		t.Errorf("the script says %q, %v", out, err)
	}
}

func pods(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }

// podAPI answers, one answer a call, what pods have the leader's address. From a certain call on the leader listens.
func podAPI(t *testing.T, asked *atomic.Int32, answers []string, listensAfter int32, port string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if r.URL.String() != "/api/v1/namespaces/ns/pods?fieldSelector=status.podIP%3D127.0.0.1" || r.Header.Get("Authorization") != "Bearer token" {
			t.Errorf("the API server is asked for %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		if n == listensAfter {
			again, err := net.Listen("tcp", "127.0.0.1:"+port)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = again.Close() })
		}
		answer := answers[min(int(n), len(answers))-1]
		if answer == "403" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(answer))
	}
}
