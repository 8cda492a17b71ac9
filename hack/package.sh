#!/usr/bin/env bash
# Stages in FOLDER what the packages are made of.
#
#   hack/package.sh FOLDER
#
#   FOLDER/bin/linux-{amd64,arm64}/functions   the one binary that every function package runs, static
#   FOLDER/function-dynamo-*/                  crossplane.yaml, and the input CRD where the function has an input
#   FOLDER/configuration-dynamo[-claims]/      crossplane.yaml, definition.yaml, composition.yaml
#   FOLDER/examples/                           the examples that go with both Configurations
set -euo pipefail

if [[ $# -ne 1 || -z $1 ]]; then
	echo "usage: $0 FOLDER" >&2
	exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$1
rm -rf "$out"

for arch in amd64 arm64; do
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$out/bin/linux-$arch/functions" ./functions
done

for folder in package/*/; do
	name=$(basename "$folder")
	if [[ $name != claims ]]; then
		cp -r "$folder" "$out/function-dynamo-$name"
	fi
done

# stage_configuration NAME METADATA KIND makes the folder of a Configuration, for the API whose plural begins with KIND.
stage_configuration() {
	mkdir -p "$out/$1"
	cp "$2" "$out/$1/crossplane.yaml"
	cp "apis/$3/definition.yaml" "$out/$1/definition.yaml"
	cp "compositions/$3.yaml" "$out/$1/composition.yaml"
}
stage_configuration configuration-dynamo crossplane.yaml dynamographdeployment
stage_configuration configuration-dynamo-claims package/claims/crossplane.yaml xdynamographdeployment

cp -r examples "$out/examples"
echo "staged in $out"
