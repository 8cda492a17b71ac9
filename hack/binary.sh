#!/usr/bin/env bash
# Builds the binary of all functions, which is also the command line, for one platform. The same source and Go give the same bytes.
#
#   hack/binary.sh FILE OS ARCH VERSION [TAGS]      such as: hack/binary.sh bin/functions linux amd64 v0.1.0
#
# With the tags of the packages of the functions, serving and grpcnotrace, it has no commands for people, and no traces of gRPC, whose
# templates would have the linker keep all methods of all types: see functions/internal/flags.
set -euo pipefail

if [[ $# -lt 4 || $# -gt 5 || -z $1 || -z $2 || -z $3 || -z $4 ]]; then
	echo "usage: $0 FILE OS ARCH VERSION [TAGS]" >&2
	exit 2
fi

mkdir -p "$(dirname "$1")"
file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
os=$2 arch=$3 version=$4 tags=${5:-}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The release of the binary, which steps compare: the version, and a digest of all that functions are built from. It is the same
# for all platforms, since a cluster may have nodes of several, and for the command line, which previews what they do.
source=$({
	cat go.mod go.sum
	GOOS=linux GOARCH=amd64 go list -tags serving -deps -f '{{if and .Module .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}' ./functions |
		LC_ALL=C sort | xargs cat
} | sha256sum | cut -c1-12)
release=$(go list ./internal/model/release)

# Without the commit that Go would put into the binary, a change of something else does not make every function new.
CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -tags "$tags" \
	-ldflags "-s -w -buildid= -X $release.version=$version -X $release.source=$source" -o "$file" ./functions
