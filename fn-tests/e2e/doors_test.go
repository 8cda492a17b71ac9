package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// An entry says who may enter by a door.
type entry string

const (
	// owner alone can reach a socket in a folder of this user.
	owner entry = "nobody else reaches the socket"
	// secret is a token or a password of the run, without which each request is refused.
	secret entry = "a secret of the run"
	// certificate of a client that this run has issued.
	certificate entry = "a certificate of the run"
	// anyone may send requests, which tell nothing secret and change nothing but what the table says.
	anyone entry = "anyone"
	// network is like anyone, also from other machines: the program has no flag for its address.
	network entry = "anyone, from anywhere"
)

// doors are all sockets that programs of a control plane listen on, and who may enter by each. A program that is not here listens nowhere, such as
// the controllers and the scheduler of Kubernetes, and kubelets and Grove, which are simulated in this process.
func (s *suite) doors() map[string][]entry {
	all := map[string][]entry{
		// Of clients, and of other members.
		"etcd":           {owner, owner},
		"kube-apiserver": {secret},
		"registry":       {secret},
		// Webhooks, metrics and health. The API server has no certificate for webhooks. A review of a deletion can mark an object that a Usage protects.
		"crossplane": {network, network, network},
		// Metrics.
		"crossplane-rbac-manager": {anyone},
		// Webhooks, which answer reviews and keep nothing, and health.
		"lws":   {anyone, anyone},
		"kueue": {anyone, anyone},
		// The level of logs, health and metrics.
		"volcano-scheduler":   {owner, anyone, anyone},
		"volcano-controllers": {anyone, anyone},
	}
	for function := range s.Functions() {
		all[function] = []entry{certificate}
	}
	return all
}

// An intrusion is what another user of the machine tries.
type intrusion struct {
	Sockets []controlplane.Socket
	// Guesses of tokens and passwords.
	Guesses []string
	// Files to read, and Processes whose environment and command line are read.
	Files     []string
	Processes []int
}

// Found by an intrusion.
type found struct {
	// UID of the intruder.
	UID int
	// Entries to each socket.
	Entries []entry
	// Read is what the intruder could read that is for nobody else: files and environments.
	Read []string
	// Said is all that was said to the intruder.
	Said string
}

// intruder is the variable with the intrusion that TestIntruder tries.
const intruder = "CONFIGURATION_DYNAMO_INTRUDER"

// openDoors are the sockets of all programs that listen, once each program listens on all of its sockets. Volcano's scheduler opens the last of its
// sockets when it begins to schedule.
func (s *suite) openDoors(t testing.TB) []controlplane.Socket {
	t.Helper()
	var sockets []controlplane.Socket
	s.eventually(t, "programs listen on all of their sockets", func() error {
		var err error
		if sockets, err = s.Listening(); err != nil {
			return err
		}
		open := map[string]int{}
		for _, socket := range sockets {
			open[socket.Program]++
		}
		for program, number := range open {
			if want := len(s.doors()[program]); number < want {
				return fmt.Errorf("%s listens on %d sockets of %d", program, number, want)
			}
		}
		return nil
	})
	return sockets
}

// keepsOthersOut tries each door of the control plane as another user of the machine.
func (s *suite) keepsOthersOut(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user of the machine")
	}
	sockets := s.openDoors(t)
	processes := slices.Sorted(maps.Keys(s.Processes()))
	result := intrude(t, intrusion{
		Sockets: sockets, Guesses: []string{"", "admin", "crossplane", "rbac-manager", "scheduler", "password"}, Files: s.files(t), Processes: processes,
	})
	if result.UID == 0 {
		t.Fatal("the intruder is root")
	}
	got, want := map[string][]entry{}, map[string][]entry{}
	for i, socket := range sockets {
		got[socket.Program] = append(got[socket.Program], result.Entries[i])
		want[socket.Program] = s.doors()[socket.Program]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who may enter by the doors of each program (got: %v): -want, +got:\n%s", sockets, diff)
	}
	for _, program := range []string{"etcd", "kube-apiserver", "registry", "crossplane"} {
		if len(got[program]) == 0 {
			t.Errorf("want the door of %s among the sockets, got %v", program, sockets)
		}
	}
	if diff := cmp.Diff([]string(nil), result.Read); diff != "" {
		t.Errorf("what another user can read: -want, +got:\n%s", diff)
	}
	for _, value := range s.Secrets() {
		if strings.Contains(result.Said, value) {
			t.Errorf("a secret of the run was said to another user, or is on a command line")
		}
	}
}

// files of the run, and kubeconfigs for users.
func (s *suite) files(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(harness.Root(), "_output", "*.kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(s.Folder(), func(path string, _ fs.DirEntry, err error) error {
		// Files come and go.
		if err == nil {
			all = append(all, path)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(all, s.Kubeconfig()) {
		t.Errorf("want %s among the files of the run, got %d others", s.Kubeconfig(), len(all))
	}
	return all
}

// intrude as another user, in a process of this program.
func intrude(t testing.TB, i intrusion) found {
	t.Helper()
	var task bytes.Buffer
	if err := gob.NewEncoder(&task).Encode(i); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestIntruder$", "-test.count=1")
	command.Dir, command.Env, command.Stdin = "/", []string{intruder + "=1"}, &task
	command.SysProcAttr = &syscall.SysProcAttr{Credential: otherUser(t), Pdeathsig: syscall.SIGKILL}
	out, err := command.Output()
	if err != nil {
		t.Fatalf("cannot run the intruder: %v\n%s", err, out)
	}
	var result found
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&result); err != nil {
		t.Fatalf("cannot read what the intruder found: %v\n%s", err, out)
	}
	return result
}

// otherUser of the machine: nobody, unless .ci/run has made another one.
func otherUser(t testing.TB) *syscall.Credential {
	t.Helper()
	const nobody = 65534
	name := os.Getenv("CONFIGURATION_DYNAMO_TEST_USER")
	if name == "" {
		return &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	account, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// TestIntruder is the process of an intruder. By itself it does nothing.
func TestIntruder(t *testing.T) {
	if os.Getenv(intruder) == "" {
		t.Skip("it is what keepsOthersOut starts as another user")
	}
	var task intrusion
	if err := gob.NewDecoder(os.Stdin).Decode(&task); err != nil {
		t.Fatal(err)
	}
	result := found{UID: os.Getuid()}
	var said strings.Builder
	for _, socket := range task.Sockets {
		result.Entries = append(result.Entries, enter(t.Context(), socket, task.Guesses, &said))
	}
	for _, pid := range task.Processes {
		folder := filepath.Join("/proc", strconv.Itoa(pid))
		task.Files = append(task.Files, filepath.Join(folder, "environ"), filepath.Join(folder, "mem"))
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		said.Write(line)
	}
	for _, path := range task.Files {
		file, err := os.Open(path)
		if err == nil {
			result.Read = append(result.Read, path)
			_ = file.Close()
		}
	}
	result.Said = said.String()
	if err := gob.NewEncoder(os.Stdout).Encode(result); err != nil {
		t.Fatal(err)
	}
}

// enter by a door: connect, then send requests without a secret, and with guesses. What is said is added.
func enter(ctx context.Context, socket controlplane.Socket, guesses []string, said io.Writer) entry {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, socket.Network, socket.Address)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return owner
		}
		return entry(err.Error())
	}
	_ = connection.Close()
	client := stranger(socket)
	scheme := "https"
	if _, err := ask(ctx, client, "https://localhost/", "", said); err != nil {
		switch text := err.Error(); {
		case strings.Contains(text, "certificate required"):
			forged, err := forge()
			if err != nil {
				return entry(err.Error())
			}
			if _, err := ask(ctx, stranger(socket, forged), "https://localhost/", "", said); err == nil {
				return "any certificate"
			}
			return certificate
		case strings.Contains(text, "HTTP response to HTTPS client"), strings.Contains(text, "first record does not look like a TLS handshake"):
			scheme = "http"
		default:
			return entry(text)
		}
	}
	refused := true
	for _, guess := range guesses {
		// Of all of these, only what Kubernetes and registries have, and what tells what is in memory.
		for _, path := range []string{"/", "/v2/", "/api/v1/secrets", "/metrics", "/healthz", "/configz", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
			status, err := ask(ctx, client, scheme+"://localhost"+path, guess, said)
			if err != nil {
				return entry(err.Error())
			}
			if status == http.StatusOK && (strings.HasPrefix(path, "/debug/") || path == "/configz" || path == "/api/v1/secrets" || path == "/v2/") {
				return entry(fmt.Sprintf("%s is open to %q", path, guess))
			}
			refused = refused && status == http.StatusUnauthorized
		}
	}
	host, _, _ := net.SplitHostPort(socket.Address)
	switch {
	case refused:
		return secret
	case net.ParseIP(host).IsLoopback():
		return anyone
	default:
		return network
	}
}

// stranger is a client that trusts everybody.
func stranger(socket controlplane.Socket, certificates ...tls.Certificate) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, Certificates: certificates}, //nolint:gosec // That is the point.
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, socket.Network, socket.Address)
		},
	}}
}

// forge a certificate of Crossplane.
func forge() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "crossplane"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// ask a server with a guess, as a token and as a password, and without any. The most that it answers counts.
func ask(ctx context.Context, client *http.Client, url, guess string, said io.Writer) (int, error) {
	status := http.StatusUnauthorized
	for _, try := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+guess) },
		func(r *http.Request) { r.SetBasicAuth("run", guess) },
		func(*http.Request) {},
	} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return 0, err
		}
		try(request)
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(said, io.LimitReader(response.Body, 1<<20))
		_ = response.Body.Close()
		if err != nil {
			return 0, err
		}
		switch response.StatusCode {
		case http.StatusOK:
			return http.StatusOK, nil
		case http.StatusUnauthorized:
		default:
			status = response.StatusCode
		}
	}
	return status, nil
}

// TestEnter shows that the intruder tells doors that are open from doors that are not.
func TestEnter(t *testing.T) {
	answer := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	guarded := func(password string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if _, given, _ := r.BasicAuth(); given != password && r.Header.Get("Authorization") != "Bearer "+password {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}
	}
	cases := map[string]struct {
		reason string
		serves http.HandlerFunc
		tls    *tls.Config
		want   entry
	}{
		"Secret":    {reason: "Whoever does not know the secret is refused.", serves: guarded("4hJ2"), want: secret},
		"SecretTLS": {reason: "The same is true over TLS.", serves: guarded("4hJ2"), tls: &tls.Config{MinVersion: tls.VersionTLS12}, want: secret},
		"Guessed":   {reason: "A secret that can be guessed is none.", serves: guarded("admin"), want: `/v2/ is open to "admin"`},
		"None":      {reason: "What asks for nothing is open.", serves: answer(http.StatusNotFound), want: anyone},
		"Forbidden": {reason: "Whoever is known without a secret is somebody.", serves: answer(http.StatusForbidden), want: anyone},
		"Memory": {reason: "Nobody may read what is in memory.", serves: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/debug/pprof/heap" {
				w.WriteHeader(http.StatusNotFound)
			}
		}, want: `/debug/pprof/heap is open to ""`},
		"Certificate": {
			reason: "A certificate of others is refused.", serves: answer(http.StatusOK),
			tls: &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert}, want: certificate,
		},
		"Any": {
			reason: "A server that takes any certificate knows nobody.", serves: answer(http.StatusOK),
			tls: &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert}, want: "any certificate",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(tc.serves)
			if tc.tls != nil {
				server.TLS = tc.tls
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			got := enter(t.Context(), controlplane.Socket{Network: "tcp", Address: server.Listener.Addr().String()}, []string{"", "admin"}, io.Discard)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
