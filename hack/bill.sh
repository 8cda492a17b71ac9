#!/usr/bin/env bash
# Writes the bill of materials of a binary: CycloneDX.
#
#   hack/bill.sh BINARY FILE
set -euo pipefail

if [[ $# -ne 2 || -z $1 || -z $2 ]]; then
	echo "usage: $0 BINARY FILE" >&2
	exit 2
fi

cyclonedx=$("$(dirname "${BASH_SOURCE[0]}")/tool.sh" cyclonedx-gomod)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A serial number and a time would make every build another one. What the tool says is of interest only when it fails: otherwise it is that
# the binary does not know its commit.
if ! "$cyclonedx" bin -json -std -noserial -notimestamp -output "$2" "$1" 2>"$log"; then
	cat "$log" >&2
	exit 1
fi
