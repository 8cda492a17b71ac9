package backend

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A real sshd and ssh, started by the commands of the containers: the leader runs a command on two workers, on loopback
// addresses of their own.
func TestLeaderLogsInToWorkers(t *testing.T) {
	sshd := os.Getenv("SSHD")
	if sshd == "" {
		sshd = "/usr/sbin/sshd"
	}
	for _, program := range []string{sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	keys, others := newKeyPair(t), newKeyPair(t)
	addresses := []string{"127.0.0.2", "127.0.0.3"}
	for _, address := range addresses {
		startWorker(t, sshd, keys, address)
	}

	if out, err := login(t, keys, addresses); err != nil || out != "127.0.0.2 says hello\n127.0.0.3 says hello\n" {
		t.Errorf("with the graph's key: %v: %s", err, out)
	}
	if out, err := login(t, others, addresses); err == nil || !strings.Contains(out, "Permission denied (publickey)") {
		t.Errorf("with another key: %v: %s, want it to be refused", err, out)
	}
}

func newKeyPair(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	key := filepath.Join(dir, SSHPrivateKey)
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("cannot make a key: %v: %s", err, out)
	}
	if err := os.Rename(key+".pub", filepath.Join(dir, SSHPublicKey)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startWorker runs a worker's container until the test ends, and waits until it listens.
func startWorker(t *testing.T, sshd, keys, address string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	cmd := containerCommand(ctx, t, RoleWorker, keys)
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
	t.Fatalf("nobody listens on %s", address)
}

// login runs the leader's container with an mpirun that uses its remote shell as the real one does.
func login(t *testing.T, keys string, addresses []string) (string, error) {
	t.Helper()
	programs := t.TempDir()
	writeFile(t, filepath.Join(programs, "mpirun"), `#!/bin/sh
while [ "$1" != plm_rsh_args ]; do shift; done
for address in `+strings.Join(addresses, " ")+`; do
  ssh -o BatchMode=yes $2 "$address" echo "$address says hello" || exit 1
done
`, 0o755)
	cmd := containerCommand(t.Context(), t, RoleLeader, keys)
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
func containerCommand(ctx context.Context, t *testing.T, role Role, keys string) *exec.Cmd {
	t.Helper()
	c := &corev1.Container{Command: []string{"python3", "-m", "dynamo.trtllm"}}
	ConfigureContainer(c, trtllmSettings(role, GroveHosts{Service: "decode"}))
	script := strings.ReplaceAll(expand(c.Args[0], injectedEnv["Grove"]), sshKeyPath+"/", keys+"/")
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1], script)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	return cmd
}
