#!/usr/bin/env bash
# Builds the binary of all functions, which is also the command line, for one platform. The same source and Go give the same bytes.
#
#   hack/binary.sh FILE OS ARCH VERSION      such as: hack/binary.sh bin/functions linux amd64 v0.1.0
set -euo pipefail

if [[ $# -ne 4 || -z $1 || -z $2 || -z $3 || -z $4 ]]; then
	echo "usage: $0 FILE OS ARCH VERSION" >&2
	exit 2
fi

mkdir -p "$(dirname "$1")"
file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
os=$2 arch=$3 version=$4
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The release of the binary, which steps compare: the version, and a digest of all that it is built from. It is the same for all
# platforms, since a cluster may have nodes of several.
source=$({
	cat go.mod go.sum
	GOOS=linux GOARCH=amd64 go list -deps -f '{{if and .Module .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}' ./functions |
		LC_ALL=C sort | xargs cat
} | sha256sum | cut -c1-12)
release=$(go list ./functions/internal/release)

# Without the commit that Go would put into the binary, a change of something else does not make every function new.
CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false \
	-ldflags "-s -w -buildid= -X $release.version=$version -X $release.source=$source" -o "$file" ./functions
