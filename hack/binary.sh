#!/usr/bin/env bash
# Builds a program for one platform: cmd/function, which the packages of the functions run, cmd/dgd, or the playground. The same source and Go give
# the same bytes.
#
#   hack/binary.sh PROGRAM FILE OS ARCH [VERSION]      such as: hack/binary.sh cmd/dgd bin/dgd linux amd64 VERSION
#
# VERSION is by default that of the functions in crossplane.yaml.
#
# None has the traces of gRPC, whose templates would have the linker keep all methods of all types: see cmd/function.
set -euo pipefail

if [[ $# -lt 4 || $# -gt 5 || -z $1 || -z $2 || -z $3 || -z $4 || -z ${5-default} ]]; then
	echo "usage: $0 PROGRAM FILE OS ARCH [VERSION]" >&2
	exit 2
fi

mkdir -p "$(dirname "$2")"
file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
program=$1 os=$3 arch=$4
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${5:-$(sed -n 's/^      version: //p' crossplane.yaml | sort -u)}

# The release of the binary, which steps compare: the version, and a digest of all that functions are built from. It is the same
# for all platforms, since a cluster may have nodes of several, and for dgd, which previews what they do.
source=$({
	cat go.mod go.sum
	GOOS=linux GOARCH=amd64 go list -deps -f '{{if and .Module .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}' ./cmd/function |
		LC_ALL=C sort | xargs cat
} | sha256sum | cut -c1-12)
release=$(go list ./internal/model/compatibility)

# Without the commit that Go would put into the binary, a change of something else does not make every function new.
CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -tags grpcnotrace \
	-ldflags "-s -w -buildid= -X $release.version=$version -X $release.source=$source" -o "$file" "./$program"
