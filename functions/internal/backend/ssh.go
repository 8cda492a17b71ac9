package backend

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
)

const (
	// sshPort needs no privilege to listen on.
	sshPort = 2222
	// SSHKeyPath is where the key pair is mounted.
	SSHKeyPath = "/ssh-pk"
	// SSHVolume is not called like the Secret: that has the graph's name in it, which may have dots and be longer than the
	// 63 characters of a volume's name.
	SSHVolume = "mpi-run-ssh-secret"

	// SSHPrivateKey is the key of the private half in the Secret.
	SSHPrivateKey = "private.key"
	// SSHPublicKey is the key of the public half.
	SSHPublicKey = "private.key.pub"

	// nameTimeoutSeconds is how long a leader waits for its workers' names.
	nameTimeoutSeconds = 300
)

// NeedsSSH reports whether the pods of these settings mount the Secret with the SSH key pair.
func NeedsSSH(s Settings) bool {
	return s.multinode() && engine.Of(s.Framework).Nodes == engine.ByMPI
}

func addSSHVolume(p *corev1.PodSpec, s Settings) {
	p.Volumes = append(slices.Clip(p.Volumes), corev1.Volume{
		Name: SSHVolume,
		VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: s.SSHSecret,
			// Readable for users other than root; the scripts copy the key and make it private.
			DefaultMode: ptr.To[int32](0o644),
		}},
	})
}

// sshClientScript lets a node log in to the others. It runs in a subshell so that its umask is not the engine's, whose
// files on shared volumes others must be able to read. mpirun takes the key from id_rsa, of whatever type it is. The host
// keys of the others are new with each pod, so that there is nothing to check them against.
const sshClientScript = `set -eu
(
umask 077
mkdir -p "$HOME/.ssh"
cp ` + SSHKeyPath + `/` + SSHPrivateKey + ` "$HOME/.ssh/id_rsa"
cp ` + SSHKeyPath + `/` + SSHPublicKey + ` "$HOME/.ssh/id_rsa.pub"
printf 'Host *\n  IdentityFile "%s/.ssh/id_rsa"\n  StrictHostKeyChecking no\n  Port 2222\n' "$HOME" > "$HOME/.ssh/config"
chmod 600 "$HOME/.ssh/id_rsa" "$HOME/.ssh/id_rsa.pub" "$HOME/.ssh/config"
)`

// sshServerScript makes a node a server for the leader's login, as root or as any other user who has a name. Everything
// it writes is below $HOME/.ssh, because other folders may not be writable. The only way in is the key; nothing but
// running commands is allowed. StrictModes is off because fsGroup makes the folders of a mounted home writable for the
// group, and sshd would then refuse the key. The privilege separation folder is root's only and missing in images that
// never started sshd. SSHD_LISTEN_ADDRESS narrows the addresses that it listens on.
const sshServerScript = sshClientScript + `
(
umask 077
mkdir -p "$HOME/.ssh/host_keys" "$HOME/.ssh/run"
cp ` + SSHKeyPath + `/` + SSHPublicKey + ` "$HOME/.ssh/authorized_keys"
chmod 600 "$HOME/.ssh/authorized_keys"
[ -s "$HOME/.ssh/host_keys/ssh_host_ed25519_key" ] || ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/host_keys/ssh_host_ed25519_key"
printf '%s\n' > "$HOME/.ssh/sshd_config" \
  'Port 2222' \
  "HostKey \"$HOME/.ssh/host_keys/ssh_host_ed25519_key\"" \
  "PidFile \"$HOME/.ssh/run/sshd.pid\"" \
  "AuthorizedKeysFile \"$HOME/.ssh/authorized_keys\"" \
  'PubkeyAuthentication yes' \
  'AuthenticationMethods publickey' \
  'PasswordAuthentication no' \
  'KbdInteractiveAuthentication no' \
  'PermitRootLogin prohibit-password' \
  'DisableForwarding yes' \
  'StrictModes no'
)
[ "$(id -u)" != 0 ] || mkdir -p -m 0755 /run/sshd || true
exec /usr/sbin/sshd -D -e -f "$HOME/.ssh/sshd_config" ${SSHD_LISTEN_ADDRESS:+-o "ListenAddress=$SSHD_LISTEN_ADDRESS"}`

// activateScript puts the image's virtual environment first, as its activate script would; that script itself is not
// always one for /bin/sh. The other nodes get PATH from mpirun.
const activateScript = `if [ -n "${VIRTUAL_ENV:-}" ] && [ -d "$VIRTUAL_ENV/bin" ]; then export PATH="$VIRTUAL_ENV/bin:$PATH"; fi`

// awaitNamesScript waits until the workers' names resolve: a pod has no record before it has an address.
func awaitNamesScript(s Settings) string {
	hosts := s.Hosts.All(s.NodeCount)[1:]
	return strings.Join([]string{
		fmt.Sprintf(`deadline=$(($(date +%%s) + %d))`, nameTimeoutSeconds),
		fmt.Sprintf(`for host in %s; do`, joinText(hosts, " ")),
		`  until getent hosts "$host" > /dev/null; do`,
		fmt.Sprintf(`    [ "$(date +%%s)" -lt "$deadline" ] || { echo "cannot resolve $host within %d s" >&2; exit 1; }`, nameTimeoutSeconds),
		`    sleep 2`,
		`  done`,
		`done`,
	}, "\n")
}
