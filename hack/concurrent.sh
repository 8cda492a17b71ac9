#!/usr/bin/env bash
# Lists the packages of the product whose code or tests run anything concurrently. The others cannot have races of their own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

grep --recursive --files-with-matches --extended-regexp --include='*.go' \
	'^\s*go [[:alnum:]_.]+\(|go func|\.Go\(|[Pp]arallel\(|"sync|errgroup|httptest|AfterFunc|chan ' cmd functions internal tool | xargs dirname | sort -u | sed 's|^|./|'
