# Entry points of the project: `make` lists them. Tools are built from their modules in hack/tools when they are first needed,
# and cached in .cache/tools.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# What `make render` renders.
XR ?= examples/disagg-vllm.yaml
COMPOSITION ?= compositions/dynamographdeployment.yaml
CLUSTER ?= examples/cluster/grove-kai.yaml

# The graph that `make playground` applies.
GRAPH ?= examples/disagg-vllm.yaml

# The minimum statement coverage of the product that `make coverage` accepts, in percent.
COVERAGE ?= 85

# SHARD=2/6 has `make test-all` run the second of six shards, which a CI system runs side by side.
SHARD ?=

# RUN matches the tests that `make e2e` runs, and PACKAGE is the folder below fn-tests/e2e of other ones.
RUN ?= .
PACKAGE ?=

# The packages with golden files.
GOLDEN = $(filter-out fn-tests/support/harness fn-tests/support/plantest%,$(sort $(patsubst %/,%,$(dir $(shell \
	grep -rlwE --include='*.go' '(harness|words)\.Golden|harness\.Update|whole\.Table' apis cmd fn-tests functions internal tool)))))

# The Go benchmarks that `make bench` runs. QUICK=1 limits the comparison that follows them to half a minute, with less accurate
# results.
BENCH ?= .
QUICK ?=

# COMPONENTS=1 has `make bench` compare with graphs that are written with components, in v1beta1.
COMPONENTS ?=

# TEMPLATE=PROGRAM has `make bench` compare with a build of function-go-templating.
TEMPLATE ?=

# The numbers of graphs that `make crowd` creates at once, each on a separate control plane, and the number of graphs that `make soak`
# edits. Both targets have their own defaults.
GRAPHS ?=

# How long `make crowd` watches the largest number of graphs at rest.
REST ?= $(if $(QUICK),0s,10m)

# How long `make fuzz` runs each fuzz target whose name FUZZ matches.
FUZZTIME ?= 30s
FUZZ ?= .

# The platforms of the command line that `make release-files` builds, such as linux/amd64. All of them by default.
PLATFORMS ?=

# How long `make soak` runs.
SOAK ?= 2h

.PHONY: help
help: ## Print this list.
	@echo 'make TARGET, where TARGET is one of'
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: generate
generate: ## Generate deep copies, the XRDs, the input CRDs and the generated docs.
	hack/generate.sh

# Tests read what is generated from the API, and pages are generated from golden files.
.PHONY: golden
golden: generate ## Regenerate the golden files; review the diff.
	CONFIGURATION_DYNAMO_UPDATE=1 go test -count=1 -timeout=30m $(GOLDEN:%=./%)
	$(MAKE) generate

.PHONY: templates
templates: ## Accept that an upgrade replaces pods of unchanged graphs; see docs/upgrading.md first.
	CONFIGURATION_DYNAMO_TEMPLATES=1 go test -count=1 -v -run TestTemplates ./fn-tests/contract

.PHONY: fields
fields: ## Accept that fields of the API do less than before, as docs/api.md shows.
	CONFIGURATION_DYNAMO_FIELDS=1 go test -count=1 -v -run TestEveryField ./fn-tests/api

.PHONY: build
build: ## Build the command line into bin/.
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/dgd ./cmd/dgd

.PHONY: render
render: ## Render XR=examples/... on the cluster fixture CLUSTER=examples/cluster/...
	@echo 'Compiling, which takes up to 3 minutes the first time.' >&2
	@go run ./cmd/dgd render $(XR) $(COMPOSITION) examples/functions.yaml -e $(CLUSTER)

.PHONY: playground
playground: ## Run a cluster to try graphs in, with simulated nodes; Ctrl-C stops it. GRAPH=examples/... is applied.
	@# Built as the functions and the command line are, so that what they have in common is compiled once.
	hack/binary.sh fn-tests/e2e/playground/command _output/playground/bin/playground "$$(go env GOOS)" "$$(go env GOARCH)"
	_output/playground/bin/playground -graph='$(GRAPH)'

.PHONY: test
test: ## Run what to run after every change: unit tests, golden files, and all rules for the manifests of the repository.
	hack/test.sh

.PHONY: lives
lives: ## Take graphs through edits, losses, upgrades and platforms, and run the documentation, all without a cluster.
	hack/test.sh -short $$(hack/lives.sh)

.PHONY: test-all
test-all: ## Run every suite, which takes hours, or those of one shard: SHARD=2/6.
	hack/test-all.sh $(SHARD)

.PHONY: contract
contract: ## Hold what all manifests become, also those that are not part of the repository, to all rules and to the Dynamo operator.
	hack/test.sh -timeout=30m ./apis/conversion ./tool/convert ./internal/backend $(addprefix ./fn-tests/,adoption conformance contract)

.PHONY: coverage
coverage: ## Run the tests of the product with all values, and check which part of it they cover.
	hack/coverage.sh $(COVERAGE)

.PHONY: suites
suites: ## Run the suites of fn-tests/ that need no other program with all values.
	hack/test.sh -timeout=60m $$(go list ./apis/... ./internal/... ./fn-tests/... | grep -v -e /fn-tests/e2e -e /fn-tests/contract -e /fn-tests/conformance)

.PHONY: race
race: ## Run the tests of the product that run anything concurrently with the race detector.
	@# -short leaves out cases that differ from others in values only, which no race depends on. `make lint` includes vet. In `.ci/run`,
	@# the slow suites leave little processor time.
	packages=$$(hack/concurrent.sh) && GOGC=$${GOGC:-400} go test -race -short -vet=off -timeout=60m $$packages

.PHONY: fuzz
fuzz: ## Run each fuzz target that matches FUZZ= for FUZZTIME=30s.
	hack/fuzz.sh '$(FUZZTIME)' '$(FUZZ)'

.PHONY: lint
lint: ## Run golangci-lint.
	@# Garbage is collected less often, which saves a quarter of the time, as long as there is less than 5 GiB of it.
	GOGC=$${GOGC:-400} GOMEMLIMIT=$${GOMEMLIMIT:-5GiB} GOLANGCI_LINT_CACHE="$(CURDIR)/.cache/golangci-lint" "$$(hack/tool.sh golangci-lint)" run ./...

.PHONY: vulnerabilities
vulnerabilities: ## Look for known vulnerabilities in what the program calls, in the public database.
	"$$(hack/tool.sh govulncheck)" ./cmd/...

.PHONY: fmt
fmt: ## Format the Go code.
	"$$(hack/tool.sh golangci-lint)" fmt ./...

.PHONY: test-packages
test-packages: package ## Test the packages, which are built twice, published and signed, and compare renders with the real Crossplane CLIs.
	CONFIGURATION_DYNAMO_PARITY=1 CONFIGURATION_DYNAMO_E2E=1 CONFIGURATION_DYNAMO_PACKAGES="$(CURDIR)/_output/package" \
		go test -count=1 -timeout=30m -v ./fn-tests/packages

.PHONY: e2e-gate
e2e-gate: package ## Test the playground, the tutorial and the installation, and whether graphs of each flavour are created, edited, refused, restarted, upgraded and deleted right.
	CONFIGURATION_DYNAMO_E2E=1 CONFIGURATION_DYNAMO_PACKAGES="$(CURDIR)/_output/package" \
		go test -count=1 -timeout=20m -parallel=16 -v -run '^TestGate$$' ./fn-tests/e2e

.PHONY: e2e
e2e: package ## Test everything on real control planes, or the tests that match RUN=TestClaims, or those in PACKAGE=tenants.
	CONFIGURATION_DYNAMO_E2E=1 CONFIGURATION_DYNAMO_PACKAGES="$(CURDIR)/_output/package" \
		go test -count=1 -timeout=60m -p=1 -parallel=16 -v -run '$(RUN)' ./fn-tests/e2e/$(or $(PACKAGE),$(if $(filter .,$(RUN)),...))

.PHONY: volcano
volcano: ## Test gangs, racks and queues that the real scheduler of Volcano decides.
	$(MAKE) e2e RUN='^TestVolcano$$'

.PHONY: gangs
gangs: ## Test gangs and racks that the real scheduler of Kubernetes 1.37 decides.
	$(MAKE) e2e RUN='^TestNative'

.PHONY: kueue
kueue: ## Test quotas that the real manager of Kueue decides.
	$(MAKE) e2e RUN='^TestKueue$$'

.PHONY: scaling
scaling: ## Test every client of scaling adapters, with the real controllers of HorizontalPodAutoscalers and of KEDA, on each orchestrator.
	$(MAKE) e2e RUN='^TestScaling$$'

.PHONY: monitoring
monitoring: ## Test package/monitoring with the real promtool and kube-state-metrics.
	CONFIGURATION_DYNAMO_MONITORING=1 go test -count=1 -timeout=30m ./fn-tests/monitoring

.PHONY: site
site: ## Build the documentation as a static site into _output/site, with release VERSION= if set, and check its links.
	hack/site.sh _output/site $(VERSION)
	CONFIGURATION_DYNAMO_SITE=1 go test -count=1 ./fn-tests/site

.PHONY: soak
soak: package ## Edit GRAPHS=1000 graphs on a real control plane for SOAK=2h, while its programs are killed.
	CONFIGURATION_DYNAMO_E2E=1 CONFIGURATION_DYNAMO_PACKAGES="$(CURDIR)/_output/package" \
		CONFIGURATION_DYNAMO_SOAK=$(SOAK) CONFIGURATION_DYNAMO_SOAK_GRAPHS=$(or $(GRAPHS),1000) \
		go test -count=1 -timeout=0 -v -run '^TestSoak$$' ./fn-tests/e2e

.PHONY: bench
bench: ## Run the benchmarks that match BENCH=, then compare the chain, the floor and the fused function over gRPC.
	go test -run='^$$' -bench='$(BENCH)' -benchmem ./...
	@# Not with go run, which would not hand on a SIGTERM.
	go build -o .cache/bench/bench ./fn-tests/bench
	.cache/bench/bench $(if $(QUICK),-quick) $(if $(COMPONENTS),-components) $(if $(TEMPLATE),-template='$(TEMPLATE)')
	$(MAKE) crowd

.PHONY: crowd
crowd: package ## Measure GRAPHS="1 100" graphs created at once on a real control plane, and REST=10m at rest. PIPELINES=fused is one, CROSSPLANE= more flags of Crossplane.
	go build -o .cache/bench/bench ./fn-tests/bench
	.cache/bench/bench -graphs='$(or $(GRAPHS),$(if $(QUICK),1 100,1 100 1000))' -rest='$(REST)' -packages='$(CURDIR)/_output/package' $(if $(PIPELINES),-pipelines='$(PIPELINES)') -crossplane='$(CROSSPLANE)'

.PHONY: pressure
pressure: ## Call functions from 16 callers at once with the largest graph, and beside hostile graphs and strangers, within the limits of package/runtime.yaml.
	go build -o .cache/bench/bench ./fn-tests/bench
	.cache/bench/bench -pressure

.PHONY: package
package: ## Build the packages (linux/amd64, linux/arm64) and install.yaml into _output/package, for VERSION= and REGISTRY= if set.
	hack/package.sh _output/package '$(VERSION)' '$(REGISTRY)'

.PHONY: release-files
release-files: ## Build the files of release VERSION= into _output/release: command line, packages, schemas, notes, site.
	hack/release.sh _output/release '$(or $(VERSION),$(error set VERSION=, such as VERSION=v0.2.0))' $(PLATFORMS)
