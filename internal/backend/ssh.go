package backend

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

const (
	// sshPort is a port on which users without privileges can listen.
	sshPort = 2222
	// SSHKeyPath is where the key pair is mounted.
	SSHKeyPath = "/ssh-pk"
	// SSHVolume does not have the name of the Secret, because that contains the name of the graph, which can contain dots and be longer
	// than the 63 characters of a volume's name.
	SSHVolume = "mpi-run-ssh-secret"

	// SSHPrivateKey is the key of the private key in the Secret.
	SSHPrivateKey = "private.key"
	// SSHPublicKey is the key of the public key in the Secret.
	SSHPublicKey = "private.key.pub"

	// nameTimeoutSeconds is how long a leader waits until the names of its workers resolve.
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
			// The files are readable for users other than root. The scripts copy the key and restrict its permissions.
			DefaultMode: ptr.To[int32](0o644),
		}},
	})
}

// sshClientScript lets a node log in to the others. It runs in a subshell so that its umask does not affect the engine, whose files on
// shared volumes must be readable for others. mpirun reads the key from id_rsa, whatever its type is. Host keys are not checked, because
// each new pod has a new one.
const sshClientScript = `set -eu
(
umask 077
mkdir -p "$HOME/.ssh"
cp ` + SSHKeyPath + `/` + SSHPrivateKey + ` "$HOME/.ssh/id_rsa"
cp ` + SSHKeyPath + `/` + SSHPublicKey + ` "$HOME/.ssh/id_rsa.pub"
printf 'Host *\n  IdentityFile "%s/.ssh/id_rsa"\n  StrictHostKeyChecking no\n  Port 2222\n' "$HOME" > "$HOME/.ssh/config"
chmod 600 "$HOME/.ssh/id_rsa" "$HOME/.ssh/id_rsa.pub" "$HOME/.ssh/config"
)`

// sshServerScript starts an SSH server for the login of the leader, as root or as any other user with a name. It only writes below
// $HOME/.ssh, because other directories may not be writable. Users can only log in with the key, and can only run commands. StrictModes is
// off, because fsGroup makes the directories of a mounted home writable for the group, and sshd would refuse the key. The directory for
// privilege separation needs root, and does not exist in images that have never started sshd. SSHD_LISTEN_ADDRESS limits the addresses on
// which the server listens.
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

// activateScript puts the virtual environment of the image first in PATH, as its activate script does, which does not always run in
// /bin/sh. mpirun passes PATH on to the other nodes.
const activateScript = `if [ -n "${VIRTUAL_ENV:-}" ] && [ -d "$VIRTUAL_ENV/bin" ]; then export PATH="$VIRTUAL_ENV/bin:$PATH"; fi`

// awaitNamesScript waits until the names of the workers resolve, because a pod has no DNS record until it has an address.
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
