#!/usr/bin/env bash
# Prints the packages that take graphs through edits, losses, upgrades and platforms, or need packages of Crossplane. They take as long as all
# other tests together, so `make test` leaves them to `make lives`, which is a part of `.ci/run`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
go list ./fn-tests/{adoption,api,docs,engines,packages,platform,sequences,upgrade}
