# turnkey: parsing what open models say, while they say it.
#
#   make run    builds the modules and the binary, serves the demo on 127.0.0.1:8080
#   make test   everything, with the race detector where goroutines are
#   make help   lists the targets

GO      ?= go
LISTEN  ?= 127.0.0.1:8080
BENCH   ?= .
FUZZ    ?= 20s
# Packages in which goroutines share state.
RACE     = ./host/... ./wasm/... ./sdk/process/...

.PHONY: help build modules run test race lint statements fuzz bench deps clean

help: ## List the targets.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

modules: ## Build every parser module to plugins/dist (only what changed).
	$(GO) run ./plugins/internal/pack

build: modules ## Build bin/turnkey with the modules inside.
	$(GO) build -trimpath -o bin/turnkey ./host/cmd/turnkey

run: build ## Build and serve the demo (replay engine).
	bin/turnkey serve --listen $(LISTEN)

deps: ## Install the C and Rust compilers that build the example guests, if they are missing.
	@.ci/deps

# The commands run first without the race detector: it slows TestScripts, which starts
# programs, by ten times and sees nothing of them, and modules that are compiled
# already need not be compiled by a program that it slows.
test: deps modules lint ## Run every test; packages with goroutines run with the race detector.
	$(GO) test ./host/cmd/turnkey $$($(GO) list ./... | grep -vFf <($(GO) list $(RACE)))
	$(GO) test -race -skip '^TestScripts$$' $(RACE)

lint: ## gofmt, go vet, staticcheck.
	@unformatted=$$(gofmt -l abi builtin examples host plugins sdk wasm); \
	  test -z "$$unformatted" || { echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

statements: modules ## Print what the streaming core promises, and what proves it.
	$(GO) run ./host/internal/statements

fuzz: ## Run every fuzz target for FUZZ (20s each).
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZ) $$p || exit 1; \
	  done; done

bench: modules ## Run the benchmarks (BENCH=regexp picks some).
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

clean: ## Remove what was built.
	rm -rf bin plugins/dist/*.wasm* plugins/dist/embed/*.gz

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
