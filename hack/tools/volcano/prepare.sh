#!/usr/bin/env bash
# Makes FOLDER/volcano-apis, by which go.mod replaces volcano.sh/apis.
#
#   hack/tools/volcano/prepare.sh FOLDER
#
# Volcano v1.15.1 requires v1.15.1 of that module, of which the module proxy only has v1.14.0. All that Volcano needs beyond it is the key
# of one annotation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
apis=$1/volcano-apis
if [[ -f $apis/complete ]]; then exit; fi

# Two tools of the module may be built at once.
mkdir -p "$1"
exec 8>"$1/.volcano-apis.lock"
flock 8
if [[ -f $apis/complete ]]; then exit; fi

work=$(mktemp -d)
trap 'rmdir "$work"' EXIT
source=$(cd "$work" && GOFLAGS=-mod=mod GOWORK=off go mod download -json volcano.sh/apis@v1.14.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
rm -rf "$apis"
mkdir "$apis"
cp -r "$source/pkg" "$source/go.mod" "$source/go.sum" "$apis/"
chmod -R u+w "$apis"
cat >"$apis/pkg/apis/scheduling/v1beta1/queue_allocation_gate.go" <<'GO'
package v1beta1

// QueueAllocationGateKey is the annotation of pods that wait at the gate of their queue.
const QueueAllocationGateKey = GroupName + "/queue-allocation-gate"
GO
touch "$apis/complete"
