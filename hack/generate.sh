#!/usr/bin/env bash
# Writes everything that is generated from Go types: deep copies, the CompositeResourceDefinitions under apis/, and the
# CRDs of the functions' inputs under package/. It is idempotent; CI runs it and checks that git sees no difference.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
controller_gen=$(hack/tool.sh controller-gen)

inputs=()
for folder in functions/*/input/*/; do
	[[ -d $folder ]] && inputs+=("${folder%/}")
done

paths=(paths=./apis/v1alpha1)
for input in "${inputs[@]}"; do
	paths+=("paths=./$input")
done
"$controller_gen" object "${paths[@]}"

# The API has floats (shares between 0 and 1), hence allowDangerousTypes. The API server prunes the metadata of embedded
# templates, such as that of an ephemeral volume, where the schema does not spell it out.
"$controller_gen" crd:crdVersions=v1,allowDangerousTypes=true,generateEmbeddedObjectMeta=true paths=./apis/v1alpha1 output:crd:stdout |
	go run ./apis/generate -out apis

for input in "${inputs[@]}"; do
	function=${input#functions/}
	function=${function%%/*}
	out=package/$function/input
	mkdir -p "$out"
	rm -f "$out"/*.yaml
	"$controller_gen" crd:crdVersions=v1,allowDangerousTypes=true "paths=./$input" "output:crd:dir=$out"
done

# What is deliberately different from the Dynamo operator, as the conformance test accepts it.
mkdir -p docs
go run ./fn-tests/conformance/differences <fn-tests/conformance/accept.tsv >docs/differences.md

# Every field of the API, and what becomes of it, as the test of all fields found it.
go run ./fn-tests/api/page >docs/api.md
