package backend

import (
	"bytes"
	"context"
	"crypto/rand"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret/sshkey"
)

// testUserEnv names an ordinary user. Where the tests run as root, the containers run as this user too.
const testUserEnv = "CONFIGURATION_DYNAMO_TEST_USER"

// A real sshd and ssh, started by the commands of the containers: the leader runs a command on two workers, on loopback
// addresses of their own.
func TestLeaderLogsInToWorkers(t *testing.T) {
	sshd := os.Getenv("SSHD")
	if sshd == "" {
		sshd = "/usr/sbin/sshd"
	}
	for _, program := range []string{sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			skip(t, 2, program)
		}
	}
	cases := map[string]struct {
		account   func(t *testing.T) *account
		addresses []string
	}{
		"OrdinaryUser": {account: ordinaryUser, addresses: []string{"127.0.0.2", "127.0.0.3"}},
		"Root":         {account: root, addresses: []string{"127.0.0.4", "127.0.0.5"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			as := tc.account(t)
			keys, others := newKeyPair(t, as), newKeyPair(t, as)
			for _, address := range tc.addresses {
				startWorker(t, as, sshd, keys, address)
			}
			var want strings.Builder
			for _, address := range tc.addresses {
				want.WriteString(address + " says hello to " + as.name + "\n")
			}
			if out, err := login(t, as, keys, tc.addresses); err != nil || out != want.String() {
				t.Errorf("with the graph's key: %v: %s", err, out)
			}
			if out, err := login(t, as, others, tc.addresses); err == nil || !strings.Contains(out, "Permission denied (publickey)") {
				t.Errorf("with another key: %v: %s, want it to be refused", err, out)
			}
		})
	}
}

// skip cases of a test for what is missing on this machine; in CI nothing may be missing.
func skip(t *testing.T, cases int, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("needs " + what)
	}
	shared.Skipf(t, cases, "%s", what)
}

// account is the user that containers run as.
type account struct {
	name       string
	credential *syscall.Credential
}

func root(t *testing.T) *account {
	t.Helper()
	if os.Getuid() != 0 {
		shared.Skipf(t, 1, "root, to run a container as root")
	}
	return &account{name: "root"}
}

// ordinaryUser is the current one, or for root the one that is named.
func ordinaryUser(t *testing.T) *account {
	t.Helper()
	if os.Getuid() != 0 {
		current, err := user.Current()
		if err != nil {
			t.Fatal(err)
		}
		return &account{name: current.Username}
	}
	name := os.Getenv(testUserEnv)
	if name == "" {
		skip(t, 1, testUserEnv+" to name an ordinary user, since the tests run as root")
	}
	found, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return &account{name: name, credential: &syscall.Credential{Uid: number(t, found.Uid), Gid: number(t, found.Gid)}}
}

func number(t *testing.T, id string) uint32 {
	t.Helper()
	value, err := strconv.ParseUint(id, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(value)
}

// folder of an account's own. The test's own folders are below one that others may not enter.
func (a *account) folder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "ssh-test-") //nolint:usetesting // See the comment above.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	a.own(t, path)
	return path
}

// write a file that the account owns.
func (a *account) write(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
	a.own(t, path)
}

func (a *account) own(t *testing.T, path string) {
	t.Helper()
	if a.credential == nil {
		return
	}
	if err := os.Chown(path, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
		t.Fatal(err)
	}
}

// newKeyPair is the folder of a mounted Secret.
func newKeyPair(t *testing.T, as *account) string {
	t.Helper()
	private, public, err := sshkey.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	folder := as.folder(t)
	as.write(t, filepath.Join(folder, SSHPrivateKey), private, 0o644)
	as.write(t, filepath.Join(folder, SSHPublicKey), public, 0o644)
	return folder
}

// startWorker runs a worker's container until the test ends, and waits until it listens.
func startWorker(t *testing.T, as *account, sshd, keys, address string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	cmd := containerCommand(ctx, t, as, RoleWorker, keys)
	for i := range cmd.Args {
		cmd.Args[i] = strings.ReplaceAll(cmd.Args[i], "/usr/sbin/sshd", sshd)
	}
	cmd.Env = append(cmd.Env, "SSHD_LISTEN_ADDRESS="+address)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // It is killed.
		if t.Failed() {
			t.Logf("the worker on %s said:\n%s", address, output.String())
		}
	})
	var dialer net.Dialer
	for range 100 {
		if connection, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(address, "2222")); err == nil {
			_ = connection.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("no process listens on %s", address)
}

// login runs the leader's container with an mpirun that uses its remote shell as the real one does, but for the file of
// known hosts: ssh has that in the home of the user database, whatever HOME says.
func login(t *testing.T, as *account, keys string, addresses []string) (string, error) {
	t.Helper()
	programs := as.folder(t)
	as.write(t, filepath.Join(programs, "mpirun"), []byte(`#!/bin/sh
while [ "$1" != plm_rsh_args ]; do shift; done
for address in `+strings.Join(addresses, " ")+`; do
  ssh -o BatchMode=yes -o UserKnownHostsFile=/dev/null $2 "$address" echo "$address says hello to" '$(id -un)' || exit 1
done
`), 0o755)
	cmd := containerCommand(t.Context(), t, as, RoleLeader, keys)
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			cmd.Env[i] = "PATH=" + programs + ":" + path
		}
	}
	var output, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &errors
	err := cmd.Run()
	if err != nil {
		return errors.String(), err
	}
	return output.String(), nil
}

// containerCommand is the command of a TensorRT-LLM container with a home of its own.
func containerCommand(ctx context.Context, t *testing.T, as *account, role Role, keys string) *exec.Cmd {
	t.Helper()
	c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
	ConfigureContainer(c, trtllmSettings(role, GroveHosts{Component: "decode"}))
	script := strings.ReplaceAll(expand(c.Args[0], injectedEnv["Grove"]), SSHKeyPath+"/", keys+"/")
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1], script)
	cmd.Dir = as.folder(t)
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as.credential}
	return cmd
}
