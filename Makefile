# turnkey: parsing what open models say, while they say it.
#
#   make run    builds the modules and the binary, serves the demo on 127.0.0.1:8080
#   make test   everything, with the race detector where goroutines are
#   make help   lists the targets

GO      ?= go
LISTEN  ?= 127.0.0.1:8080
BENCH   ?= .
COUNT   ?= 6
FUZZ    ?= 20s
# What `make mutate` tries: N mutants of PKGS, drawn by SEED (N=0: all), each tested by
# its own package and then by ALSO. MATCH is a regexp of what the report says of them.
N       ?= 60
SEED    ?= 1
PKGS    ?= ./host/jail ./host/stream ./host/chunk ./host/framing/... ./host/parse
ALSO    ?= ./host/stream
MATCH   ?=
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# What `make release` builds.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
# Packages in which goroutines share state: they are tested with the race detector.
RACE     = ./host/backend/... ./host/conform ./host/process ./host/registry ./host/scenario \
           ./host/server ./host/stream ./host/tracing ./wasm ./wasm/wasmtest ./sdk/process

.PHONY: help build modules run test lint statements mutate fuzz bench bench-baseline bench-compare deps release clean

help: ## List the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

modules: ## Build every parser module to plugins/dist (only what changed).
	$(GO) run ./plugins/internal/pack

build: modules ## Build bin/turnkey with the modules inside.
	$(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/turnkey ./host/cmd/turnkey

run: build ## Build and serve the demo (replay engine).
	bin/turnkey serve --listen $(LISTEN)

deps: ## Install the C and Rust compilers that build the example guests, if they are missing.
	@.ci/deps

# What has no goroutines of its own runs without the race detector. So do the hostile
# modules: they are about the time that a guest takes, which the detector stretches
# by ten, and what they do at once is in wasm's other tests as well; the tests of all
# families' texts, thousands of requests one after the other; and the scripts, which
# start programs of which it sees nothing. Allocations can't be counted under it.
# The first run compiles the modules that the second one needs.
test: deps modules lint ## Run every test; packages with goroutines run with the race detector.
	$(GO) test $$($(GO) list ./... | grep -vxFf <($(GO) list $(RACE)))
	$(GO) test -run '^TestHostile|^TestEveryFamily|AllocatesNothing' ./wasm ./host/stream
	$(GO) test -race -skip '^TestHostile|^TestEveryFamily|^TestScripts$$' $(RACE) ./host/cmd/turnkey

lint: ## gofmt, go vet, staticcheck, and the walls between packages.
	@unformatted=$$(gofmt -l abi builtin examples host plugins sdk wasm); \
	  test -z "$$unformatted" || { echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) run ./host/internal/walls

statements: modules ## Print what the streaming core promises, and what proves it.
	$(GO) run ./host/internal/statements

mutate: modules ## Change PKGS in N small ways, one at a time; print the changes that no test notices.
	nice $(GO) run ./host/internal/mutate -n $(N) -seed $(SEED) -match '$(MATCH)' -also '$(ALSO)' $(PKGS)

fuzz: ## Run every fuzz target for FUZZ (20s each).
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZ) $$p || exit 1; \
	  done; done

bench: modules ## Run the benchmarks (BENCH=regexp picks some).
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

bench-baseline: modules ## Keep what the benchmarks give now, for bench-compare.
	.ci/bench baseline '$(BENCH)' $(COUNT)

bench-compare: modules ## Benchmarks against the baseline; BASE=REVISION measures that one beside it instead.
	.ci/bench compare '$(BENCH)' $(COUNT) $(BASE)

release: modules ## Build bin/release for PLATFORMS, with checksums and what each binary is made of.
	.ci/release '$(VERSION)' $(PLATFORMS)

clean: ## Remove what was built.
	rm -rf bin plugins/dist/*.wasm* plugins/dist/embed/*.gz

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
